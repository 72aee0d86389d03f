// The CPU backend: XLA's HLO as native code of this machine, through LLVM. Tier 2: it compiles whole programs, control
// flow included, into one artifact. Host memory; synchronous.
#include <string_view>

#include "plugin_api/cpp/call.h"
#include "plugin_api/cpp/single_device.h"
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

namespace {

using bp::cpu::CpuDevice;
using bp::plugin::device_of;
using bp::plugin::guarded;

bp_status claim(const bp_device_t *device, const bp_module_t *module, float *cost_ns, const bp_diag_t *diag) {
  return guarded(diag, [&] { return device_of<CpuDevice>(device).claim(module, cost_ns, diag); });
}
bp_status compile(const bp_device_t *device, const bp_module_t *module, const bp_ostream_t *artifact,
                  const bp_diag_t *diag) {
  return guarded(diag, [&] { return device_of<CpuDevice>(device).compile(module, artifact, diag); });
}
bp_status load(const bp_device_t *device, const void *artifact, uint64_t size, const bp_loc_t *, uint8_t *,
               uint32_t allocation_count, const bp_program_t **program, const bp_diag_t *diag) {
  return guarded(diag,
                 [&] { return device_of<CpuDevice>(device).load(artifact, size, allocation_count, program, diag); });
}
constexpr bp_device_compiler_t compiler = {claim, compile, load};

}  // namespace

const void *CpuDevice::extension(std::string_view id) {
  if (id == BP_EXT_FUSION) {
    return &CpuDevice::fusion;
  }
  return id == BP_EXT_COMPILER ? &compiler : nullptr;
}

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<CpuDevice>::entry;
