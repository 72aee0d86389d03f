// Faults of kernels, added to the plugin `kernels`: the correct kernel gets other operands, or its result is changed.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/mutants/common_faults.h"
#include "plugin_api/cpp/module_view.h"

namespace bp::conformance {

// A call of a kernel, with its operands and its result as floats.
struct Kernel {
  explicit Kernel(const bp_call_t *of) : call(of), instruction(plugin::ModuleView(of->module).instruction(of->instr)) {
    count = instruction.result(0).shape().element_count();
    out = static_cast<float *>(call->results[0]);
  }
  const float *in(std::uint32_t i) const { return static_cast<const float *>(call->operands[i]); }
  bool is(std::uint16_t op) const { return instruction.op() == op; }

  const bp_call_t *call;
  plugin::Instruction instruction;
  std::int64_t count;  // number of elements of the result
  float *out;
};

// Corrupts the result of the correct kernel.
template <class Corrupt>
Fault after(Corrupt corrupt) {
  return at_kernel([corrupt](const auto &next, const bp_call_t *call, const bp_diag_t *) {
    const bp_status status = next(call);
    if (status == BP_OK) {
      corrupt(Kernel(call));
    }
    return status;
  });
}

// Changes each element of the result independently.
template <class Change>
Fault each(Change change) {
  return after([change](const Kernel &kernel) {
    for (std::int64_t i = 0; i < kernel.count; ++i) {
      kernel.out[i] = change(kernel.out[i]);
    }
  });
}

// Gives the correct kernel other operands.
template <class Change>
Fault with_operands(Change change) {
  return at_kernel([change](const auto &next, const bp_call_t *call, const bp_diag_t *) {
    const plugin::Instruction instruction = plugin::ModuleView(call->module).instruction(call->instr);
    std::vector<std::vector<float>> copies;
    std::vector<const void *> operands;
    for (std::uint32_t i = 0; i < instruction.operand_count(); ++i) {
      const auto *values = static_cast<const float *>(call->operands[i]);
      copies.emplace_back(values, values + instruction.operand(i).shape().element_count());
    }
    change(instruction.op(), copies);
    for (const std::vector<float> &copy : copies) {
      operands.push_back(copy.data());
    }
    bp_call_t changed = *call;
    changed.operands = operands.data();
    return next(&changed);
  });
}

}  // namespace bp::conformance
