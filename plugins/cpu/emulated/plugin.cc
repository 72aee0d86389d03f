// The CPU backend for an architecture other than that of this machine: programs are compiled as usual, and run by an
// emulator. For tests; it is not installed.
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "plugin_api/cpp/single_device.h"
#include "plugins/cpu/cpu_device.h"
#include "plugins/native/emulator/emulator.h"

BP_PLUGIN_MANIFEST(R"({
  "abi": "1.0.0",
  "vendor": "Backplane",
  "version": "0.1.0",
  "opset": 2,
  "conformance": "none",
  "devices": [{
    "id": "dev.backplane.cpu-emulated",
    "aliases": ["cpu-emulated"],
    "name": "Emulated CPU",
    "extensions": ["bp.compiler/1", "bp.layout/draft-1", "bp.fusion/draft-3", "bp.aot/draft-2"]
  }]
})");

namespace bp::cpu {
namespace {

using plugin::Result;

struct EmulatedDevice : CpuDevice {
  static constexpr std::string_view message_prefix = "cpu-emulated: ";
  static constexpr bp_device_desc_t description = {BP_VERSION_INIT,
                                                   2,
                                                   "dev.backplane.cpu-emulated",
                                                   "Emulated CPU",
                                                   "Backplane",
                                                   "0.1.0",
                                                   nullptr,
                                                   nullptr,
                                                   known_options,
                                                   std::size(known_options)};
  static constexpr bp_fusion_limits_t fusion_limits = cpu_fusion_limits;

  Result<std::string> init() {
    if (options.target.empty()) {
      options.target = "aarch64-linux-gnu";
    }
    BP_ASSIGN(std::string text, CpuDevice::init());
    BP_ASSIGN(const Target baseline, parse_target(target.triple));
    emulator.emplace(native_target(baseline));
    return text;
  }

  Result<std::unique_ptr<native::EmulatedProgram>> load(std::span<const char> bytes, std::uint32_t allocation_count) {
    BP_ASSIGN(const native::Artifact artifact, native::read_artifact(bytes, artifact_format));
    BP_ASSIGN(const Target made_for, parse_target(artifact.target));
    if (made_for.triple != target.triple) {
      return plugin::Error(BP_INVALID, "artifact is for " + made_for.triple + ", expected " + target.triple);
    }
    return emulator->load(artifact, allocation_count);
  }

  std::optional<native::Emulator> emulator;  // of the target's architecture
};

}  // namespace
}  // namespace bp::cpu

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<bp::cpu::EmulatedDevice>::entry;
