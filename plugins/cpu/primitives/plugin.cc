// The CPU backend as if its development had just begun: it claims only the primitive ops and a few types, so the core
// must expand everything else into these. For tests; it is not installed.
#include <algorithm>
#include <string_view>

#include "plugins/cpu/compiler_extension.h"
#include "plugins/cpu/cpu_device.h"
#include "plugins/cpu/primitives/primitives.h"

BP_PLUGIN_MANIFEST(R"({
  "abi": "1.0.0",
  "vendor": "Backplane",
  "version": "0.1.0",
  "opset": 1,
  "conformance": "none",
  "devices": [{
    "id": "dev.backplane.primitives",
    "aliases": ["primitives"],
    "name": "Primitives",
    "extensions": ["bp.compiler/1"]
  }]
})");

namespace bp::cpu {
namespace {

struct PrimitivesDevice : CpuDevice {
  static constexpr const char *features[] = {BP_EXT_COMPILER, nullptr};
  static constexpr const char *type_names[] = {"wide", "narrow", nullptr};
  static constexpr bp_option_desc_t all_options[] = {
      {"types", "wide", "which element types it has: narrow ones have 32 bits at most", type_names, BP_OPTION_TEXT, 0},
      known_options[0],
      known_options[1],
      known_options[2]};
  static constexpr bp_device_desc_t description = {
      BP_VERSION_INIT, 1,           "dev.backplane.primitives", "Primitives", "Backplane", "0.1.0", nullptr,
      features,        all_options, std::size(all_options)};
  static const void *extension(std::string_view id);

  Types types = Types::Wide;

  bp_status set_option(std::string_view key, const char *value, const bp_diag_t *diag) {
    if (key != "types") {
      return CpuDevice::set_option(key, value, diag);
    }
    const auto *const name = std::find(std::begin(type_names), std::end(type_names) - 1, std::string_view(value));
    if (*name == nullptr) {
      return plugin::fail(diag, BP_INVALID, std::string("types is ") + value + ", expected wide or narrow");
    }
    types = name == type_names ? Types::Wide : Types::Narrow;
    return BP_OK;
  }

  bp_status claim(const bp_module_t *image, float *cost_ns, const bp_diag_t *diag) const {
    const bp_status status = CpuDevice::claim(image, cost_ns, diag);
    if (status != BP_OK) {
      return status;
    }
    const plugin::ModuleView module(image);
    for (const plugin::Computation computation : module.computations()) {
      for (const plugin::Instruction instruction : computation.instructions()) {
        const std::string problem = primitive_problem(instruction, types);
        if (!computation.is_embedded() && !problem.empty()) {
          cost_ns[instruction.index()] = -1;
          diag->report(diag, BP_UNSUPPORTED, instruction.index(), ("primitives: " + problem).c_str());
        }
      }
    }
    return BP_OK;
  }
};

const void *PrimitivesDevice::extension(std::string_view id) {
  return id == BP_EXT_COMPILER ? &CompilerExtension<PrimitivesDevice>::table : nullptr;
}

}  // namespace
}  // namespace bp::cpu

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<bp::cpu::PrimitivesDevice>::entry;
