#include "plugins/gpu/needed_values.h"

#include <algorithm>

#include "plugins/gpu/trip_count.h"
#include "plugins/llvm/kernel/kernel.h"

namespace bp::gpu {

using emit::ComputationView;
using emit::InstructionView;

namespace {

bool has_effect(InstructionView instruction) {
  return instruction.op() == BP_OP_RNG_GET_AND_UPDATE_STATE || emit::is_control_flow(instruction.op());
}

}  // namespace

NeededValues::NeededValues(const emit::ModuleView &module)
    : module_(module),
      is_needed_(module.value_count()),
      callers_(module.computation_count(), BP_NONE),
      parameters_(module.value_count()) {
  for (const std::uint32_t root : module.entry().roots()) {
    need(root);
  }
  for (std::uint32_t c = 0; c < module.computation_count(); ++c) {
    const ComputationView computation = module.computation(c);
    if (computation.embedded()) {
      continue;
    }
    for (std::uint32_t k = 0; k < computation.parameters().size(); ++k) {
      parameters_[computation.parameters()[k]] = {c, k};
    }
    for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
      const InstructionView i = module.instruction(computation.first_instruction() + n);
      if (!emit::is_control_flow(i.op())) {
        continue;
      }
      for (const std::uint32_t callee : i.calls()) {
        callers_[callee] = i.id();
      }
      if (i.op() == BP_OP_CONDITIONAL) {
        need(i.operand(0));
      } else if (i.op() == BP_OP_WHILE && !trip_count(i)) {
        need(i.called(0).roots()[0]);
      }
    }
  }
  while (!open_.empty()) {
    const std::uint32_t value = open_.back();
    open_.pop_back();
    const InstructionView definition = module.definition(value);
    if (definition.op() == BP_OP_PARAMETER) {
      need_for_parameter(value);
      continue;
    }
    for (std::size_t r = 0; r < definition.result_count(); ++r) {
      if (definition.result(r) == value) {
        need_for(definition, r);
      }
    }
  }
}

bool NeededValues::contains(InstructionView instruction) const {
  bool is_needed = has_effect(instruction) || instruction.result_count() == 0;
  for (std::size_t r = 0; r < instruction.result_count(); ++r) {
    is_needed = is_needed || is_needed_[instruction.result(r)];
  }
  return is_needed;
}

void NeededValues::need(std::uint32_t value) {
  if (!is_needed_[value]) {
    is_needed_[value] = true;
    open_.push_back(value);
  }
}

// A result of control flow is a result of the computations that it calls. Its operands become needed through their
// parameters.
void NeededValues::need_for(InstructionView i, std::size_t result) {
  switch (i.op()) {
    case BP_OP_WHILE:
      need(i.operand(result));
      need(i.called(1).roots()[result]);
      need(i.called(1).parameters()[result]);
      break;
    case BP_OP_CONDITIONAL:
    case BP_OP_CALL:
      for (std::size_t k = 0; k < i.calls().size(); ++k) {
        need(i.called(k).roots()[result]);
      }
      break;
    default:
      for (const std::uint32_t operand : i.operands()) {
        need(operand);
      }
  }
}

void NeededValues::need_for_parameter(std::uint32_t value) {
  const auto [computation, k] = parameters_[value];
  if (callers_[computation] == BP_NONE) {
    return;  // a parameter of the entry
  }
  const InstructionView caller = module_.instruction(callers_[computation]);
  if (caller.op() == BP_OP_WHILE) {
    need(caller.called(1).parameters()[k]);
    need(caller.called(1).roots()[k]);
    need(caller.operand(k));
    return;
  }
  std::size_t operand = caller.op() == BP_OP_CONDITIONAL ? 1 : 0;
  for (std::size_t branch = 0; caller.calls()[branch] != computation; ++branch) {
    operand += caller.called(branch).parameters().size();
  }
  need(caller.operand(operand + k));
}

}  // namespace bp::gpu
