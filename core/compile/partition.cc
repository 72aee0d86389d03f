#include "core/compile/partition.h"

#include <algorithm>

#include "core/analysis/side_effects.h"

namespace bp::compile {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;

bool names_values(Opcode opcode) {
  return opcode == Opcode::Parameter || opcode == Opcode::Constant || opcode == Opcode::Tuple;
}
bool follows_operand(Opcode opcode) {
  return opcode == Opcode::GetTupleElement || opcode == Opcode::Bitcast;
}

}  // namespace

bool uses_token(Instruction instruction) {
  auto has_token = [](const ir::Shape &shape) {
    for (std::size_t i = 0; i < shape.subshape_count(); ++i) {
      if (shape.subshape(i).is_token()) {
        return true;
      }
    }
    return false;
  };
  return has_token(instruction.shape()) || std::ranges::any_of(instruction.operands(), [&](InstructionId operand) {
           return instruction.module().instruction(operand).shape().is_token();
         });
}

std::vector<Part> partition(const ir::Module &module, const std::vector<bool> &on_device) {
  ir::Computation entry = module.entry();
  bool all_on_device = std::ranges::all_of(entry.instructions(), [&](Instruction i) {
    return names_values(i.opcode()) || follows_operand(i.opcode()) || on_device[index(i.id())];
  });
  if (all_on_device) {
    auto ids = entry.instruction_ids();
    return {{Placement::Device, {ids.begin(), ids.end()}}};
  }

  std::vector<Placement> placement(module.instruction_id_limit(), Placement::Nowhere);
  std::vector<std::uint32_t> phase(module.instruction_id_limit(), 0);  // even: host, odd: device
  analysis::SideEffects side_effects(module);
  std::uint32_t last_side_effect = 0, last_phase = 0;
  for (Instruction i : entry.instructions()) {
    std::uint32_t earliest = 0;
    for (auto before : {i.operands(), i.control_predecessors()}) {
      for (InstructionId id : before) {
        earliest = std::max(earliest, phase[index(id)]);
      }
    }
    Placement &own = placement[index(i.id())];
    Placement operand_placement = follows_operand(i.opcode()) ? placement[index(i.operands()[0])] : Placement::Nowhere;
    if (operand_placement == Placement::Device || i.opcode() == Opcode::GetTupleElement) {
      own = operand_placement;
    } else if (!names_values(i.opcode())) {
      bool claimed = i.opcode() != Opcode::Bitcast && on_device[index(i.id())];
      own = claimed && !uses_token(i) ? Placement::Device : Placement::Host;
      bool side_effect = side_effects.has(i);
      if (side_effect) {
        earliest = std::max(earliest, last_side_effect);
      }
      earliest += earliest % 2 != (own == Placement::Device ? 1u : 0u);
      if (side_effect) {
        last_side_effect = earliest;
      }
    }
    phase[index(i.id())] = earliest;
    last_phase = std::max(last_phase, earliest);
  }

  // Instructions that only name values are available as soon as their operands are: in the next phase of the host.
  std::vector<Part> parts(last_phase + std::size_t{2});
  for (std::size_t p = 0; p < parts.size(); ++p) {
    parts[p].placement = p % 2 == 0 ? Placement::Host : Placement::Device;
  }
  for (InstructionId id : entry.instruction_ids()) {
    std::uint32_t p = phase[index(id)];
    parts[placement[index(id)] == Placement::Device ? p : p + p % 2].instructions.push_back(id);
  }
  std::erase_if(parts, [](const Part &part) { return part.instructions.empty(); });
  return parts;
}

namespace {

// Copies instructions of the entry, and the computations they call, into another module.
class Extractor {
 public:
  Extractor(const ir::Module &from, const Part &part, const std::vector<bool> &available)
      : from_(from),
        available_(available),
        inside_(from.instruction_id_limit()),
        copies_(from.instruction_id_limit(), ir::no_instruction),
        computations_(from.computation_id_limit(), ir::no_computation) {
    for (InstructionId id : part.instructions) {
      inside_[index(id)] = true;
    }
  }

  Extract extract(const Part &part) {
    result_.module.set_name(from_.name());
    result_.module.set_source_file(from_.source_file());
    result_.module.header().replica_count = from_.header().replica_count;
    result_.module.header().num_partitions = from_.header().num_partitions;
    copy_callees(part);
    entry_ = result_.module.add_computation(from_.entry().name());
    result_.module.set_entry(entry_);
    for (InstructionId id : part.instructions) {
      Instruction i = from_.instruction(id);
      std::vector<InstructionId> operands;
      for (InstructionId operand : i.operands()) {
        operands.push_back(copy_of(operand));
      }
      copies_[index(id)] = clone(entry_, i, operands);
      std::vector<InstructionId> predecessors;
      for (InstructionId predecessor : i.control_predecessors()) {
        if (inside_[index(predecessor)]) {
          predecessors.push_back(copies_[index(predecessor)]);
        }
      }
      result_.module.set_control_predecessors(copies_[index(id)], predecessors);
    }
    add_root();
    return std::move(result_);
  }

 private:
  InstructionId clone(ir::ComputationId to, Instruction i, std::span<const InstructionId> operands) {
    std::vector<ir::ComputationId> calls;
    for (ir::ComputationId callee : i.calls()) {
      calls.push_back(computations_[index(callee)]);
    }
    return result_.module.clone_instruction(to, i, operands, calls);
  }

  // Copies all computations that the part reaches, in the original's order: callees first.
  void copy_callees(const Part &part) {
    std::vector<bool> reached(from_.computation_id_limit());
    std::vector<ir::ComputationId> pending;
    auto reach = [&](Instruction i) {
      for (ir::ComputationId callee : i.calls()) {
        if (!reached[index(callee)]) {
          reached[index(callee)] = true;
          pending.push_back(callee);
        }
      }
    };
    for (InstructionId id : part.instructions) {
      reach(from_.instruction(id));
    }
    while (!pending.empty()) {
      ir::Computation computation = from_.computation(pending.back());
      pending.pop_back();
      for (Instruction i : computation.instructions()) {
        reach(i);
      }
    }
    for (ir::Computation computation : from_.computations()) {
      if (!reached[index(computation.id())]) {
        continue;
      }
      ir::ComputationId to = result_.module.add_computation(computation.name());
      computations_[index(computation.id())] = to;
      result_.module.set_execution_thread(to, computation.execution_thread());
      for (Instruction i : computation.instructions()) {
        std::vector<InstructionId> operands, predecessors;
        for (InstructionId operand : i.operands()) {
          operands.push_back(copies_[index(operand)]);
        }
        for (InstructionId predecessor : i.control_predecessors()) {
          predecessors.push_back(copies_[index(predecessor)]);
        }
        copies_[index(i.id())] = clone(to, i, operands);
        result_.module.set_control_predecessors(copies_[index(i.id())], predecessors);
      }
      result_.module.set_root(to, copies_[index(computation.root().id())]);
    }
  }

  // Returns the value in the new module: a copy, or a parameter.
  InstructionId copy_of(InstructionId id) {
    InstructionId &copy = copies_[index(id)];
    if (copy != ir::no_instruction) {
      return copy;
    }
    Instruction i = from_.instruction(id);
    if (i.opcode() == Opcode::Constant) {
      return copy = clone(entry_, i, {});
    }
    // A tuple is copied with its elements, so that values computed inside do not leave the part and come back; so are
    // elements taken from such a tuple. The depth is at most the nesting of tuples.
    if (i.opcode() == Opcode::Tuple || !available_[index(id)]) {
      std::vector<InstructionId> operands;
      for (InstructionId operand : i.operands()) {
        operands.push_back(copy_of(operand));
      }
      return copies_[index(id)] = clone(entry_, i, operands);
    }
    auto number = static_cast<std::int64_t>(result_.inputs.size());
    result_.inputs.push_back(id);
    return copy = result_.module.add_parameter(entry_, number, i.shape(), i.name());
  }

  void add_root() {
    std::vector<bool> wanted(from_.instruction_id_limit());
    for (Instruction user : from_.entry().instructions()) {
      if (!inside_[index(user.id())]) {
        for (InstructionId operand : user.operands()) {
          wanted[index(operand)] = true;
        }
      }
    }
    wanted[index(from_.entry().root().id())] = true;
    std::vector<InstructionId> roots;
    std::vector<ir::Shape> shapes;
    for (InstructionId id : from_.entry().instruction_ids()) {
      if (inside_[index(id)] && wanted[index(id)]) {
        result_.outputs.push_back(id);
        roots.push_back(copies_[index(id)]);
        shapes.push_back(from_.instruction(id).shape());
      }
    }
    result_.module.set_root(
        entry_, result_.module.add_instruction(entry_, Opcode::Tuple, ir::Shape::tuple(std::move(shapes)), roots));
    result_.module.unique_names();
  }

  const ir::Module &from_;
  const std::vector<bool> &available_;
  std::vector<bool> inside_;           // by InstructionId
  std::vector<InstructionId> copies_;  // by InstructionId of from_
  std::vector<ir::ComputationId> computations_;
  ir::ComputationId entry_ = ir::no_computation;
  Extract result_;
};

}  // namespace

Extract extract(const ir::Module &module, const Part &part, const std::vector<bool> &available) {
  return Extractor(module, part, available).extract(part);
}

}  // namespace bp::compile
