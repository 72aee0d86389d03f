#include "core/buffers/dataflow.h"

#include <algorithm>

namespace bp::buffers {

using ir::Opcode;

namespace {

bool keeps_bytes(ir::Instruction instruction) {
  const ir::Shape &from = instruction.operand(0).shape(), &to = instruction.shape();
  return from.is_array() && to.is_array() && from.layout().memory_space == to.layout().memory_space &&
         from.byte_size() == to.byte_size();
}

bool is_asynchronous(Opcode opcode) {
  switch (opcode) {
    case Opcode::AsyncStart:
    case Opcode::AsyncUpdate:
    case Opcode::AsyncDone:
    case Opcode::AllGatherStart:
    case Opcode::AllGatherDone:
    case Opcode::AllReduceStart:
    case Opcode::AllReduceDone:
    case Opcode::CollectivePermuteStart:
    case Opcode::CollectivePermuteDone:
    case Opcode::CopyStart:
    case Opcode::CopyDone:
    case Opcode::Send:
    case Opcode::SendDone:
    case Opcode::Recv:
    case Opcode::RecvDone: return true;
    default: return false;
  }
}

Error located(Error error, ir::Instruction instruction) {
  return std::move(error).at(instruction.location());
}

std::string named(ir::Instruction instruction, std::span<const std::int64_t> part) {
  return part.empty() ? std::string(instruction.name())
                      : fmt::format("{}{{{}}}", instruction.name(), fmt::join(part, ","));
}

}  // namespace

bool is_forwarding(ir::Instruction instruction) {
  switch (instruction.opcode()) {
    case Opcode::Tuple:
    case Opcode::GetTupleElement:
    case Opcode::AddDependency:
    case Opcode::OptimizationBarrier:
    case Opcode::Domain: return true;
    case Opcode::Bitcast: return keeps_bytes(instruction);
    default: return false;
  }
}

std::string describe(ir::Instruction instruction, std::size_t position) {
  return named(instruction, instruction.shape().index_of_subshape(position));
}

std::string describe(const Dataflow &dataflow, ir::Instruction instruction, std::size_t position) {
  return named(instruction, dataflow.positions().index_of(instruction, position));
}

std::string describe(const Dataflow &dataflow, ValueId value) {
  return describe(dataflow, dataflow.instruction(value), dataflow.value(value).position);
}

std::vector<ValueId> Dataflow::leaf_values(ir::InstructionId id) const {
  std::vector<ValueId> values;
  for (const Leaf &leaf : positions_.of(module_->instruction(id)).leaves) {
    values.push_back(value_at(id, leaf.position));
  }
  return values;
}

class DataflowBuilder {
 public:
  explicit DataflowBuilder(Dataflow &dataflow) : flow_(dataflow), module_(*dataflow.module_) {}

  Status build() {
    BP_TRY(find_control_computations());
    flow_.shown_.assign(flow_.positions_.total(), no_value);
    for (ir::ComputationId id : flow_.control_computations_) {
      for (ir::Instruction instruction : module_.computation(id).instructions()) {
        BP_TRY(visit(instruction));
      }
    }
    number_values();
    return {};
  }

 private:
  // Marks callers before callees, so that one backward walk over the module's order finds all.
  Status find_control_computations() {
    std::size_t limit = module_.computation_id_limit();
    flow_.callers_.assign(limit, ir::no_instruction);
    std::vector<bool> is_control(limit), is_done(limit);
    is_control[index(module_.entry().id())] = true;
    auto order = module_.computation_ids();
    for (std::size_t i = order.size(); i-- > 0;) {
      ir::ComputationId id = order[i];
      is_done[index(id)] = true;
      if (!is_control[index(id)]) {
        continue;
      }
      flow_.control_computations_.push_back(id);
      for (ir::Instruction instruction : module_.computation(id).instructions()) {
        if (is_asynchronous(instruction.opcode())) {
          return located(unsupported("{}: no buffers can be planned for the asynchronous op {}", instruction.name(),
                                     to_string(instruction.opcode())),
                         instruction);
        }
        if (!instruction.is(ir::Trait::CallsControl)) {
          continue;
        }
        for (ir::ComputationId callee : instruction.calls()) {
          if (is_done[index(callee)]) {
            return located(invalid_input("{}: computation {} is defined after its caller", instruction.name(),
                                         module_.computation(callee).name()),
                           instruction);
          }
          if (is_control[index(callee)]) {
            return located(invalid_input("{}: computation {} is called a second time, expected a flat call graph "
                                         "(run the pass flatten-call-graph first)",
                                         instruction.name(), module_.computation(callee).name()),
                           instruction);
          }
          is_control[index(callee)] = true;
          flow_.callers_[index(callee)] = instruction.id();
        }
      }
    }
    std::ranges::reverse(flow_.control_computations_);
    return {};
  }

  ValueId *shown(ir::InstructionId id) { return flow_.shown_.data() + flow_.positions_.first(id); }
  const ShapePositions &shape(ir::InstructionId id) const { return flow_.positions_.of(module_.instruction(id)); }

  ValueId find(ValueId id) {
    while (merged_[index(id)] != id) {
      id = merged_[index(id)] = merged_[index(merged_[index(id)])];
    }
    return id;
  }
  ValueId find_at(ir::InstructionId id, std::size_t position) { return find(shown(id)[position]); }

  void define(ir::InstructionId id, const Leaf &leaf) {
    auto value = static_cast<ValueId>(flow_.values_.size());
    flow_.values_.push_back({id, leaf.position, leaf.size, leaf.memory_space});
    merged_.push_back(value);
    shown(id)[leaf.position] = value;
  }
  void define_all(ir::InstructionId id) {
    for (const Leaf &leaf : shape(id).leaves) {
      define(id, leaf);
    }
  }
  void forward(ir::InstructionId to, std::size_t to_position, ir::InstructionId from, std::size_t from_position,
               std::size_t count) {
    std::copy_n(shown(from) + from_position, count, shown(to) + to_position);
  }

  // A callee's parameter, or root, must have the same leaves as what it is bound to; in a verified module it does.
  Status expect_same_leaves(ir::Instruction at, ir::InstructionId a, ir::InstructionId b) const {
    if (shape(a).count != shape(b).count || shape(a).leaves.size() != shape(b).leaves.size()) {
      return located(
          invalid_input("{}: {} and {} have shapes {} and {}, expected the same", at.name(),
                        module_.instruction(a).name(), module_.instruction(b).name(),
                        to_string(module_.instruction(a).shape()), to_string(module_.instruction(b).shape())),
          at);
    }
    return {};
  }

  // Makes the parameter show the values of the caller's operand.
  Status bind(ir::Instruction at, ir::InstructionId parameter, ir::InstructionId operand) {
    BP_TRY(expect_same_leaves(at, parameter, operand));
    for (const Leaf &leaf : shape(parameter).leaves) {
      merged_[index(find_at(parameter, leaf.position))] = find_at(operand, leaf.position);
    }
    return {};
  }

  Status visit(ir::Instruction instruction) {
    ir::InstructionId id = instruction.id();
    switch (instruction.opcode()) {
      case Opcode::Tuple: {
        const ShapePositions &tuple = shape(id);
        for (std::size_t i = 0; i < tuple.elements.size(); ++i) {
          ir::InstructionId operand = instruction.operands()[i];
          forward(id, tuple.elements[i], operand, 0, shape(operand).count);
        }
        return {};
      }
      case Opcode::GetTupleElement: {
        ir::InstructionId operand = instruction.operands()[0];
        auto element = static_cast<std::size_t>(instruction.tuple_index());
        forward(id, 0, operand, shape(operand).elements[element], shape(id).count);
        return {};
      }
      case Opcode::Call: {
        ir::Computation callee = instruction.called(0);
        for (std::size_t i = 0; i < callee.parameter_count(); ++i) {
          BP_TRY(bind(instruction, callee.parameter_ids()[i], instruction.operands()[i]));
        }
        ir::InstructionId root = callee.root().id();
        BP_TRY(expect_same_leaves(instruction, id, root));
        forward(id, 0, root, 0, shape(id).count);
        return {};
      }
      case Opcode::Conditional: return visit_conditional(instruction);
      case Opcode::While: return visit_while(instruction);
      default:
        if (is_forwarding(instruction)) {
          forward(id, 0, instruction.operands()[0], 0, shape(id).count);
        } else {
          define_all(id);
        }
        return {};
    }
  }

  Status visit_conditional(ir::Instruction instruction) {
    ir::InstructionId id = instruction.id();
    for (std::size_t branch = 0; branch < instruction.calls().size(); ++branch) {
      ir::Computation callee = instruction.called(branch);
      for (ir::InstructionId parameter : callee.parameter_ids()) {
        BP_TRY(bind(instruction, parameter, instruction.operands()[1 + branch]));
      }
      BP_TRY(expect_same_leaves(instruction, id, callee.root().id()));
    }
    for (const Leaf &leaf : shape(id).leaves) {
      ValueId first = find_at(instruction.called(0).root().id(), leaf.position);
      bool all_same = true;
      for (std::size_t branch = 1; branch < instruction.calls().size(); ++branch) {
        all_same = all_same && find_at(instruction.called(branch).root().id(), leaf.position) == first;
      }
      if (all_same) {
        shown(id)[leaf.position] = first;
      } else {
        define(id, leaf);
      }
    }
    return {};
  }

  Status visit_while(ir::Instruction instruction) {
    ir::InstructionId id = instruction.id(), operand = instruction.operands()[0];
    ir::InstructionId condition = instruction.called(0).parameter_ids()[0];
    ir::InstructionId body = instruction.called(1).parameter_ids()[0];
    ir::InstructionId root = instruction.called(1).root().id();
    for (ir::InstructionId other : {operand, condition, body, root}) {
      BP_TRY(expect_same_leaves(instruction, id, other));
    }
    for (const Leaf &leaf : shape(id).leaves) {
      ValueId in_body = find_at(body, leaf.position);
      if (find_at(root, leaf.position) == in_body) {  // the body does not change it
        ValueId initial = find_at(operand, leaf.position);
        merged_[index(in_body)] = initial;
        merged_[index(find_at(condition, leaf.position))] = initial;
        shown(id)[leaf.position] = initial;
      } else {
        define(id, leaf);
      }
    }
    return {};
  }

  // Removes values that were merged into others; numbers the rest in the order in which they were found.
  void number_values() {
    std::vector<ValueId> renumbered(merged_.size(), no_value);
    std::vector<Value> kept;
    for (std::uint32_t i = 0; i < merged_.size(); ++i) {
      if (index(merged_[i]) == i) {
        renumbered[i] = static_cast<ValueId>(kept.size());
        kept.push_back(flow_.values_[i]);
      }
    }
    for (ValueId &value : flow_.shown_) {
      if (value != no_value) {
        value = renumbered[index(find(value))];
      }
    }
    flow_.values_ = std::move(kept);
  }

  Dataflow &flow_;
  const ir::Module &module_;
  std::vector<ValueId> merged_;  // by ValueId: the value it was merged into; itself if none
};

Result<Dataflow> Dataflow::analyze(const ir::Module &module) {
  if (!module.has_entry()) {
    return invalid_input("module {} has no entry computation", module.name());
  }
  BP_ASSIGN(PositionTable positions, PositionTable::make(module));
  Dataflow dataflow(module, std::move(positions));
  BP_TRY(DataflowBuilder(dataflow).build());
  return dataflow;
}

}  // namespace bp::buffers
