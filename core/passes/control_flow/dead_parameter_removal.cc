// Removes parameters that the callee does not use from calls and fusions, and elements from the tuples that are the
// arguments of the branches of a conditional.
#include <algorithm>
#include <unordered_set>

#include "core/analysis/trip_count.h"
#include "core/ir/builder.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;

// Returns the instructions that are used by other instructions of the computation or by its caller.
std::unordered_set<InstructionId> find_used(const ir::Computation &computation) {
  std::unordered_set<InstructionId> used{computation.root().id()};
  for (Instruction instruction : computation.instructions()) {
    used.insert(instruction.operands().begin(), instruction.operands().end());
  }
  return used;
}

// Copies a computation without the parameters whose entry in `kept` is false.
ir::ComputationId with_parameters(ir::Module &module, const ir::Computation &old, const std::vector<bool> &kept) {
  const ir::ComputationId copy = module.add_computation(std::string(old.name()));
  module.set_execution_thread(copy, std::string(old.execution_thread()));
  ir::Builder b(module, copy);
  Copies copies;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Instruction parameter = old.parameter(i);
    // Removed parameters have no users, so they need no replacement.
    copies.emplace(parameter.id(), kept[i] ? b.parameter(ir::Shape(parameter.shape()), std::string(parameter.name()))
                                           : ir::no_instruction);
  }
  copy_instructions(module, old.id(), copy, copies);
  b.finish(copies.at(old.root().id()));
  return copy;
}

InstructionId shorten_call(ir::Module &module, const Instruction &call) {
  const ir::Computation callee = call.called(0);
  const auto used = find_used(callee);
  std::vector<bool> kept;
  std::vector<InstructionId> operands;
  for (std::size_t i = 0; i < callee.parameter_count(); ++i) {
    kept.push_back(used.contains(callee.parameter_ids()[i]));
    if (kept.back()) {
      operands.push_back(call.operands()[i]);
    }
  }
  if (operands.size() == kept.size()) {
    return call.id();
  }
  const ir::ComputationId shorter = with_parameters(module, callee, kept);
  return module.clone_instruction(call.parent().id(), call, operands, {&shorter, 1});
}

// Returns which elements of its tuple argument a branch uses; all if it uses the tuple itself.
std::vector<bool> used_elements(const ir::Computation &branch) {
  const Instruction parameter = branch.parameter(0);
  std::vector<bool> used(parameter.shape().elements().size(), branch.root() == parameter);
  for (Instruction instruction : branch.instructions()) {
    if (auto element = analysis::element_of(instruction, parameter)) {
      used[*element] = true;
    } else if (std::ranges::find(instruction.operands(), parameter.id()) != instruction.operands().end()) {
      return std::vector(used.size(), true);
    }
  }
  return used;
}

ir::ComputationId with_elements(ir::Module &module, const ir::Computation &old, const std::vector<bool> &kept) {
  const Instruction parameter = old.parameter(0);
  std::vector<ir::Shape> shapes;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) {
      shapes.push_back(parameter.shape().elements()[i]);
    }
  }
  const ir::ComputationId copy = module.add_computation(std::string(old.name()));
  module.set_execution_thread(copy, std::string(old.execution_thread()));
  ir::Builder b(module, copy);
  Copies copies{{parameter.id(), b.parameter(ir::Shape::tuple(shapes), std::string(parameter.name()))}};
  auto ids = old.instruction_ids();
  for (InstructionId id : std::vector(ids.begin(), ids.end())) {
    if (auto element = analysis::element_of(module.instruction(id), parameter)) {
      const auto place = std::count(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(*element), true);
      copies.emplace(id, b.get_tuple_element(copies.at(parameter.id()), place));
    }
  }
  copy_instructions(module, old.id(), copy, copies);
  b.finish(copies.at(old.root().id()));
  return copy;
}

InstructionId shorten_branches(ir::Module &module, const Instruction &conditional) {
  std::vector<InstructionId> operands(conditional.operands().begin(), conditional.operands().end());
  std::vector<ir::ComputationId> branches(conditional.calls().begin(), conditional.calls().end());
  bool is_shorter = false;
  for (std::size_t b = 0; b < branches.size(); ++b) {
    const Instruction argument = module.instruction(operands[1 + b]);
    if (argument.opcode() != Opcode::Tuple) {
      continue;
    }
    const std::vector<bool> used = used_elements(module.computation(branches[b]));
    if (std::ranges::count(used, true) == std::ssize(used)) {
      continue;
    }
    is_shorter = true;
    branches[b] = with_elements(module, module.computation(branches[b]), used);
    std::vector<InstructionId> elements;
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (used[i]) {
        elements.push_back(argument.operands()[i]);
      }
    }
    ir::Builder builder(module, conditional.parent().id());
    builder.copy_origin_from(conditional);
    operands[1 + b] = builder.tuple(elements);
  }
  return is_shorter ? module.clone_instruction(conditional.parent().id(), conditional, operands, branches)
                    : conditional.id();
}

}  // namespace

Result<bool> dead_parameter_removal(ir::Module &module, const PassContext &) {
  return rewrite_all(module, [&](Instruction instruction) -> Result<InstructionId> {
    switch (instruction.opcode()) {
      case Opcode::Call:
        // A device may know a composite by its signature.
        return instruction.number(ir::AttributeKey::IsComposite) == 0 ? shorten_call(module, instruction)
                                                                      : instruction.id();
      case Opcode::Fusion:
        return instruction.has(ir::AttributeKey::OutputToOperandAliasing) ? instruction.id()
                                                                          : shorten_call(module, instruction);
      case Opcode::Conditional: return shorten_branches(module, instruction);
      default: return instruction.id();
    }
  });
}

}  // namespace bp::passes
