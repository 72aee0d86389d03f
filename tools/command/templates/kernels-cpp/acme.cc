// Acme: a backend of a few kernels. The core asks find() about each instruction; those with a kernel run here.
#include <functional>
#include <string>

#include "backplane/cpp/module_view.h"
#include "backplane/cpp/single_device.h"

// The manifest and `description` must agree: the loader compares them.
BP_PLUGIN_MANIFEST(R"({
  "abi": "1.0.0",
  "vendor": "Acme",
  "version": "0.1.0",
  "opset": 1,
  "devices": [{
    "id": "com.acme.device",
    "aliases": ["acme"],
    "name": "Acme",
    "extensions": ["bp.kernels/1"]
  }]
})");

namespace {

using bp::plugin::Error;
using bp::plugin::Instruction;
using bp::plugin::ModuleView;
using bp::plugin::Result;

template <class Operation>
bp_status elementwise(const bp_device_t *, const bp_call_t *call, const bp_diag_t *) {
  const std::int64_t count = ModuleView(call->module).instruction(call->instr).result().shape().element_count();
  const auto *x = static_cast<const float *>(call->operands[0]), *y = static_cast<const float *>(call->operands[1]);
  auto *out = static_cast<float *>(call->results[0]);
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = Operation()(x[i], y[i]);
  }
  return BP_OK;
}

constexpr struct {
  std::uint16_t op;
  bp_kernel kernel;
} all_kernels[] = {{BP_OP_ADD, elementwise<std::plus<>>}, {BP_OP_MULTIPLY, elementwise<std::multiplies<>>}};

// Whether a single loop over all elements computes the result: operands and result have equal shapes, and so equal
// layouts, without the gaps that tiles leave.
bool is_plain(Instruction instruction) {
  const std::uint32_t shape = instruction.result().shape().index();
  for (const bp::plugin::Value operand : instruction.operands()) {
    if (operand.shape().index() != shape) {
      return false;
    }
  }
  for (const bp_attr_t &attribute : instruction.attributes()) {
    if (attribute.key < BP_ATTR_HINT) {
      return false;
    }
  }
  return instruction.result().shape().dtype() == BP_DTYPE_F32 && instruction.result().shape().tile_count() == 0;
}

struct Device {
  static constexpr bp_device_desc_t description = {BP_VERSION_INIT, 1,       "com.acme.device", "Acme",  "Acme",
                                                   "0.1.0",         nullptr, nullptr,           nullptr, 0};

  // Returns everything besides the version that answers depend on.
  Result<std::string> init() { return "1"; }

  // Returns the kernel for this instruction, or why there is none.
  Result<bp_kernel> find(const bp_module_t *module, std::uint32_t index) const {
    const Instruction instruction = ModuleView(module).instruction(index);
    for (const auto &[op, kernel] : all_kernels) {
      if (instruction.op() == op) {
        return is_plain(instruction) ? Result<bp_kernel>(kernel)
                                     : Error(BP_UNSUPPORTED, "expected f32, equal layouts, and no attributes");
      }
    }
    return Error(BP_UNSUPPORTED, "there is no kernel for this op");
  }
};

}  // namespace

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<Device>::entry;
