// The CPU backend: compiles XLA's HLO to native code by LLVM. Tier 2: it compiles whole programs, including control
// flow, into one artifact. It works on host memory, and synchronously.
#include <iterator>

#include "plugin_api/cpp/single_device.h"
#include "plugins/cpu/cpu_device.h"

BP_PLUGIN_MANIFEST(R"({
  "abi": "1.0.0",
  "vendor": "Backplane",
  "version": "0.1.0",
  "opset": 2,
  "conformance": "none",
  "devices": [{
    "id": "dev.backplane.cpu",
    "aliases": ["cpu"],
    "name": "CPU",
    "extensions": ["bp.compiler/1", "bp.layout/draft-1", "bp.fusion/draft-3", "bp.aot/draft-2", "bp.host-call/draft-1"]
  }]
})");

namespace bp::cpu {
namespace {

struct NativeDevice : CpuDevice {
  static constexpr bp_device_desc_t description = {
      BP_VERSION_INIT,         2, "dev.backplane.cpu", "CPU", "Backplane", "0.1.0", nullptr, nullptr, known_options,
      std::size(known_options)};
  static constexpr bp_fusion_limits_t fusion_limits = cpu_fusion_limits;
  static constexpr std::uint32_t host_call_kinds = BP_CALLS_INFEED | BP_CALLS_OUTFEED | BP_CALLS_FUNCTIONS;
};

}  // namespace
}  // namespace bp::cpu

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<bp::cpu::NativeDevice>::entry;
