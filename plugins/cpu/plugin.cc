// The CPU backend: compiles XLA's HLO to native code by LLVM. Tier 2: it compiles whole programs, including control
// flow, into one artifact. It works on host memory, and synchronously.
#include <string_view>

#include "plugins/cpu/compiler_extension.h"
#include "plugins/cpu/cpu_device.h"

BP_PLUGIN_MANIFEST(R"({
  "abi": "1.0.0",
  "vendor": "Backplane",
  "version": "0.1.0",
  "opset": 1,
  "conformance": "none",
  "devices": [{
    "id": "dev.backplane.cpu",
    "aliases": ["cpu"],
    "name": "CPU",
    "extensions": ["bp.compiler/1", "bp.fusion/1"]
  }]
})");

namespace bp::cpu {

const void *CpuDevice::extension(std::string_view id) {
  if (id == BP_EXT_FUSION) {
    return &CpuDevice::fusion;
  }
  return id == BP_EXT_COMPILER ? &CompilerExtension<CpuDevice>::table : nullptr;
}

}  // namespace bp::cpu

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<bp::cpu::CpuDevice>::entry;
