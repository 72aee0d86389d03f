#include "core/passes/rewrite.h"

#include <algorithm>

#include "core/analysis/call_graph.h"
#include "core/ir/builder.h"
#include "core/ir/origin.h"

namespace bp::passes {
namespace {

// Returns, by computation id, whether an instruction that fulfils `holds` calls it.
template <class Holds>
std::vector<bool> called_by(const ir::Module &module, Holds &&holds) {
  std::vector<bool> called(module.computation_id_limit());
  for (ir::Computation computation : module.computations()) {
    for (ir::Instruction i : computation.instructions()) {
      for (ir::ComputationId callee : i.calls()) {
        called[index(callee)] = called[index(callee)] || holds(i);
      }
    }
  }
  return called;
}

}  // namespace

void Rewriter::begin(ir::ComputationId computation) {
  auto order = module_.computation(computation).instruction_ids();
  old_order_.assign(order.begin(), order.end());
  new_order_.clear();
  replacements_.resize(module_.instruction_id_limit(), ir::no_instruction);
  is_pinned_ = control_ordered(module_.computation(computation));
  changed_ = false;
}

void Rewriter::update_operands(ir::InstructionId id) {
  for (std::size_t i = 0; i < module_.instruction(id).operand_count(); ++i) {
    ir::InstructionId operand = module_.instruction(id).operands()[i];
    if (current(operand) != operand) {
      module_.set_operand(id, i, current(operand));
    }
  }
}

void Rewriter::take_added(ir::ComputationId computation, std::size_t first_added) {
  auto added = module_.computation(computation).instruction_ids().subspan(first_added);
  new_order_.insert(new_order_.end(), added.begin(), added.end());
  changed_ = changed_ || !added.empty();
}

void Rewriter::settle(ir::InstructionId id, ir::InstructionId replacement) {
  if (replacement == id) {
    new_order_.push_back(id);
    return;
  }
  replacements_[index(id)] = current(replacement);
  changed_ = true;
}

bool Rewriter::finish(ir::ComputationId computation) {
  if (changed_) {
    ir::InstructionId root = module_.computation(computation).root().id();
    module_.set_root(computation, current(root));
    module_.set_instruction_order(computation, std::move(new_order_));
  }
  return changed_;
}

std::vector<bool> control_ordered(ir::Computation computation) {
  std::vector<bool> result;
  auto mark = [&](ir::InstructionId id) {
    if (index(id) >= result.size()) {
      result.resize(index(id) + 1, false);
    }
    result[index(id)] = true;
  };
  for (ir::Instruction instruction : computation.instructions()) {
    if (!instruction.control_predecessors().empty()) {
      mark(instruction.id());
    }
    for (ir::InstructionId predecessor : instruction.control_predecessors()) {
      mark(predecessor);
    }
  }
  return result;
}

bool is_plain(const ir::Instruction &instruction) {
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    if (!is_plain(instruction.operand(i).shape())) {
      return false;
    }
  }
  return is_plain(instruction.shape());
}

std::vector<AlignedDimensions> aligned_dimensions(std::span<const std::int64_t> from,
                                                  std::span<const std::int64_t> to) {
  std::vector<AlignedDimensions> groups;
  std::size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    const std::size_t first_from = i, first_to = j;
    std::int64_t elements_from = i < from.size() ? from[i++] : 1, elements_to = j < to.size() ? to[j++] : 1;
    while (elements_from != elements_to) {
      (elements_from < elements_to ? elements_from : elements_to) *= elements_from < elements_to ? from[i++] : to[j++];
    }
    groups.push_back({first_from, i, first_to, j});
  }
  return groups;
}

void tidy(ir::Module &module) {
  analysis::CallGraph graph(module);
  auto order = graph.callees_first();
  module.set_computation_order({order.begin(), order.end()});
  module.unique_names();
}

void copy_instructions(ir::Module &module, ir::ComputationId from, ir::ComputationId to, Copies &copies) {
  auto order = module.computation(from).instruction_ids();
  for (ir::InstructionId id : std::vector(order.begin(), order.end())) {
    if (copies.contains(id)) {
      continue;
    }
    ir::Instruction original = module.instruction(id);
    std::vector<ir::InstructionId> operands, predecessors;
    for (ir::InstructionId operand : original.operands()) {
      operands.push_back(copies.at(operand));
    }
    for (ir::InstructionId predecessor : original.control_predecessors()) {
      predecessors.push_back(copies.at(predecessor));
    }
    auto calls = std::vector(original.calls().begin(), original.calls().end());
    ir::InstructionId copy = module.clone_instruction(to, original, operands, calls);
    copies.emplace(id, copy);
    if (!predecessors.empty()) {
      module.set_control_predecessors(copy, predecessors);
    }
  }
}

ir::InstructionId copy_body(ir::Module &module, ir::ComputationId from, ir::ComputationId to,
                            std::span<const ir::InstructionId> arguments) {
  Copies copies;
  auto parameters = module.computation(from).parameter_ids();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    copies.emplace(parameters[i], arguments[i]);
  }
  copy_instructions(module, from, to, copies);
  return copies.at(module.computation(from).root().id());
}

ir::InstructionId inline_body(ir::Module &module, ir::Instruction caller, ir::ComputationId body,
                              std::span<const ir::InstructionId> arguments) {
  const ir::ComputationId to = caller.parent().id();
  const std::size_t first_added = caller.parent().instruction_count();
  const ir::InstructionId root = copy_body(module, body, to, arguments);
  const auto added = module.computation(to).instruction_ids().subspan(first_added);
  ir::mark_cluster(module, added, ir::cluster_mark(caller));
  return root;
}

ir::ComputationId copy_with_outputs(ir::Module &module, const ir::Computation &computation,
                                    std::span<const ir::InstructionId> outputs) {
  const ir::ComputationId copy = module.add_computation(std::string(computation.name()));
  module.set_execution_thread(copy, std::string(computation.execution_thread()));
  ir::Builder b(module, copy);
  const ir::Instruction parameter = computation.parameter(0);
  Copies copies{{parameter.id(), b.parameter(ir::Shape(parameter.shape()), std::string(parameter.name()))}};
  copy_instructions(module, computation.id(), copy, copies);
  std::vector<ir::InstructionId> results;
  for (ir::InstructionId output : outputs) {
    results.push_back(copies.at(output));
  }
  b.finish(b.tuple(results));
  return copy;
}

std::vector<bool> embedded_computations(const ir::Module &module) {
  return called_by(module, [](ir::Instruction i) { return i.is(ir::Trait::CallsEmbedded); });
}

std::vector<bool> fused_computations(const ir::Module &module) {
  return called_by(module, [](ir::Instruction i) { return i.opcode() == ir::Opcode::Fusion; });
}

ir::Opcode combining_op(const ir::Computation &combiner) {
  const ir::Instruction root = combiner.root();
  const bool is_plain_op = root.operand_count() == 2 && root.operand(0).opcode() == ir::Opcode::Parameter &&
                           root.operand(1).opcode() == ir::Opcode::Parameter &&
                           root.operands()[0] != root.operands()[1];
  return is_plain_op ? root.opcode() : ir::Opcode::Invalid;
}

std::vector<std::int64_t> without_ones(std::span<const std::int64_t> sizes) {
  std::vector<std::int64_t> result;
  std::ranges::copy_if(sizes, std::back_inserter(result), [](std::int64_t size) { return size != 1; });
  return result;
}

}  // namespace bp::passes
