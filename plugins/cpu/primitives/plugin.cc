// The CPU backend as if its development had just begun: it claims only the primitive ops and a few types, so the core
// must expand everything else into these. For tests; it is not installed.
#include <iterator>
#include <string>
#include <string_view>

#include "plugin_api/cpp/single_device.h"
#include "plugins/cpu/cpu_device.h"
#include "plugins/cpu/primitives/primitives.h"

BP_PLUGIN_MANIFEST(R"({
  "abi": "1.0.0",
  "vendor": "Backplane",
  "version": "0.1.0",
  "opset": 2,
  "conformance": "none",
  "devices": [{
    "id": "dev.backplane.primitives",
    "aliases": ["primitives"],
    "name": "Primitives",
    "extensions": ["bp.compiler/1", "bp.layout/draft-1", "bp.aot/draft-2"]
  }]
})");

namespace bp::cpu {
namespace {

struct PrimitivesDevice : CpuDevice {
  static constexpr std::string_view message_prefix = "primitives: ";
  static constexpr const char *type_names[] = {"wide", "narrow", nullptr};
  static constexpr bp_option_desc_t all_options[] = {
      {"types", "wide", "which element types it has: narrow ones have 32 bits at most", type_names, BP_OPTION_TEXT, 0},
      known_options[0],
      known_options[1],
      known_options[2]};
  static constexpr bp_device_desc_t description = {
      BP_VERSION_INIT, 2,           "dev.backplane.primitives", "Primitives", "Backplane", "0.1.0", nullptr,
      nullptr,         all_options, std::size(all_options)};

  Types types = Types::Wide;

  plugin::Status set_option(std::string_view key, std::string_view value) {
    if (key != "types") {
      return CpuDevice::set_option(key, value);
    }
    types = value == type_names[0] ? Types::Wide : Types::Narrow;
    return {};
  }

  plugin::Status claim(const bp_module_t *image, plugin::Claims &claims) const {
    BP_TRY(CpuDevice::claim(image, claims));
    const plugin::ModuleView module(image);
    for (const plugin::Computation computation : module.computations()) {
      for (const plugin::Instruction instruction : computation.instructions()) {
        const std::string problem = primitive_problem(instruction, types);
        if (!computation.is_embedded() && !problem.empty()) {
          claims.refuse(instruction.index(), problem);
        }
      }
    }
    return {};
  }
};

}  // namespace
}  // namespace bp::cpu

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<bp::cpu::PrimitivesDevice>::entry;
