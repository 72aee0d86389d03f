// A backend that adds and negates f32, and rewrites modules by bp.rewrite/1. Options: "phase": the phase in which it
// does; "makes": how it rewrites subtract and add: "sum" x + -y, "swap" y + x, "product" an op that it does not claim;
// or the error in its output: "bytes", "stage", "result", "status".
#include <string>

#include "plugin_api/cpp/module_view.h"
#include "plugin_api/cpp/module_writer.h"
#include "plugin_api/cpp/single_device.h"

BP_PLUGIN_MANIFEST(
    R"({"abi": "1.0.0", "version": "1", "opset": 1, "devices": [{"id": "org.example.rewriting", "name": "Rewriting",
        "extensions": ["bp.kernels/1", "bp.rewrite/1"]}]})");

namespace {

using bp::plugin::Instruction;
using bp::plugin::ModuleView;
using bp::plugin::ModuleWriter;

constexpr const char *makes[] = {"sum", "swap", "product", "bytes", "stage", "result", "status", nullptr};
constexpr bp_option_desc_t options[] = {
    {"phase", "0", "in which it rewrites", nullptr, BP_OPTION_INTEGER, 0},
    {"makes", "sum", "what it writes", makes, BP_OPTION_TEXT, 0},
};

bp_status compute(const bp_device_t *, const bp_call_t *call, const bp_diag_t *) {
  const Instruction i = ModuleView(call->module).instruction(call->instr);
  const auto *a = static_cast<const float *>(call->operands[0]);
  const auto *b = i.op() == BP_OP_ADD ? static_cast<const float *>(call->operands[1]) : nullptr;
  auto *result = static_cast<float *>(call->results[0]);
  for (std::int64_t k = 0; k < i.result().shape().element_count(); ++k) {
    result[k] = b != nullptr ? a[k] + b[k] : -a[k];
  }
  return BP_OK;
}

bool write(const std::string &makes, Instruction i, ModuleWriter &writer) {
  if (i.op() != BP_OP_SUBTRACT && i.op() != BP_OP_ADD) {
    return false;
  }
  const std::uint32_t x = writer.value(i.operand(0)), y = writer.value(i.operand(1));
  const std::uint32_t shape = i.result().shape().index();
  if (makes == "sum" && i.op() == BP_OP_SUBTRACT) {
    const std::uint32_t minus = writer.add(BP_OP_NEGATE, {y}, shape, {}, "minus");
    writer.define(i.result(), writer.add(BP_OP_ADD, {x, minus}, shape, {}, "sum"));
    return true;
  }
  if (makes == "swap" || makes == "product") {
    writer.define(i.result(), writer.add(makes == "swap" ? BP_OP_ADD : BP_OP_MULTIPLY, {y, x}, shape, {}, makes));
    return true;
  }
  if (makes == "result") {
    const std::int64_t size = i.result().shape().dim(0) - 1;
    writer.define(i.result(), writer.add(BP_OP_SLICE, {x}, writer.add_shape(i.result().shape(), {&size, 1}),
                                         {{BP_ATTR_SLICE, {0, size, 1}}}, "part"));
    return true;
  }
  return false;
}

struct Rewriting {
  static constexpr bp_device_desc_t description = {
      BP_VERSION_INIT, 1, "org.example.rewriting", "Rewriting", nullptr, "1", nullptr, nullptr, options, 2};
  std::uint64_t phase = 0;
  std::string makes = "sum";

  bp::plugin::Status set_option(std::string_view key, std::string_view value) {
    return bp::plugin::set_option(key, value, {{"phase", &phase}, {"makes", &makes}});
  }
  bp::plugin::Result<std::string> init() { return "rewriting"; }

  bp::plugin::Result<bp_kernel> find(const bp_module_t *module, std::uint32_t instr) const {
    const Instruction i = ModuleView(module).instruction(instr);
    const bool is_known = i.op() == BP_OP_ADD || i.op() == BP_OP_NEGATE;
    return is_known && i.result().shape().dtype() == BP_DTYPE_F32 ? compute : nullptr;
  }
  bp::plugin::Result<std::string> rewrite(std::uint32_t in_phase, const bp_module_t *module) const;
};

bp::plugin::Result<std::string> Rewriting::rewrite(std::uint32_t in_phase, const bp_module_t *module) const {
  if (in_phase != phase) {
    return std::string();
  }
  if (makes == "status") {
    return bp::plugin::Error(BP_INTERNAL, "no paper");
  }
  if (makes == "bytes") {
    return std::string("BPMODULE");
  }
  ModuleWriter writer{ModuleView(module)};
  writer.for_each([&](Instruction i) { return write(makes, i, writer); });
  std::string bytes = writer.bytes();
  if (makes == "stage") {
    reinterpret_cast<bp_module_t *>(bytes.data())->stage = BP_STAGE_LAID_OUT;
  }
  return bytes;
}

}  // namespace

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<Rewriting>::entry;
