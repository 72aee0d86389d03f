#include "core/passes/fusion/overwritten_arrays.h"

#include <algorithm>

namespace bp::passes {

using ir::Instruction;
using ir::InstructionId;
using ir::no_instruction;
using ir::Opcode;

namespace {

bool is_body_of_loop(const ir::Module &module, const analysis::CallGraph &graph, ir::ComputationId computation) {
  return std::ranges::any_of(graph.callers(computation), [&](InstructionId caller) {
    const Instruction loop = module.instruction(caller);
    return loop.opcode() == Opcode::While && loop.called(1).id() == computation;
  });
}

bool is_element_of(const Instruction &value, InstructionId tuple) {
  return value.opcode() == Opcode::GetTupleElement && value.operands()[0] == tuple;
}

}  // namespace

Instruction behind_renaming(Instruction instruction) {
  while ((instruction.opcode() == Opcode::Reshape || instruction.opcode() == Opcode::Bitcast) &&
         instruction.operand_count() == 1 && instruction.operand(0).shape().is_array()) {
    instruction = instruction.operand(0);
  }
  return instruction;
}

OverwrittenArrays::OverwrittenArrays(const ir::Module &module, const analysis::CallGraph &graph,
                                     ir::ComputationId computation)
    : module_(module), computation_(computation) {
  const ir::Computation body = module.computation(computation);
  const Instruction root = body.root();
  if (!is_body_of_loop(module, graph, computation) || root.opcode() != Opcode::Tuple) {
    return;
  }
  const InstructionId parameter = body.parameter_ids()[0];
  std::vector<InstructionId> state(root.operand_count(), no_instruction);
  for (Instruction instruction : body.instructions()) {
    if (is_element_of(instruction, parameter) && instruction.shape().is_array()) {
      state[static_cast<std::size_t>(instruction.number(ir::AttributeKey::Index))] = instruction.id();
    }
  }
  for (std::size_t i = 0; i < state.size(); ++i) {
    const Instruction result = behind_renaming(root.operand(i));
    if (state[i] != no_instruction && !is_element_of(result, parameter)) {
      state_.emplace(result.id(), state[i]);
    }
  }
}

InstructionId OverwrittenArrays::overwritten_by(const Instruction &result) const {
  if (result.opcode() == Opcode::Scatter && result.shape().is_array()) {
    const Instruction array = behind_renaming(result.operand(0));
    return may_be_overwritten(array) ? array.id() : no_instruction;
  }
  const auto found = state_.find(result.id());
  return found == state_.end() ? no_instruction : found->second;
}

bool OverwrittenArrays::would_need_copy(const Instruction &result, const Instruction &other,
                                        const Kernel &kernel) const {
  const InstructionId overwritten = overwritten_by(result);
  const bool walks_alike = std::ranges::equal(result.shape().sizes(), kernel.sizes);
  for (std::size_t i = 0; overwritten != no_instruction && i < other.operand_count(); ++i) {
    const Access::Kind kind = kernel.operands[i].kind;
    const bool is_harmless = kind == Access::Kind::None || (kind == Access::Kind::SameIndex && walks_alike);
    if (!is_harmless && behind_renaming(other.operand(i)).id() == overwritten) {
      return true;
    }
  }
  return false;
}

bool OverwrittenArrays::may_be_overwritten(const Instruction &array) const {
  if (array.opcode() == Opcode::Parameter && computation_ == module_.entry().id()) {
    return std::ranges::any_of(module_.header().input_output_alias, [&](const ir::InputOutputAlias &alias) {
      return alias.parameter == array.parameter_number();
    });
  }
  return array.opcode() != Opcode::Constant;
}

}  // namespace bp::passes
