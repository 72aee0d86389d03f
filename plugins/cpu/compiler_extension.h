// Implements bp.compiler/1 for a device with host memory by its members claim(), compile() and load(), which may throw.
#pragma once

#include "backplane/ext/compiler.h"
#include "plugin_api/cpp/call.h"
#include "plugin_api/cpp/single_device.h"

namespace bp::cpu {

template <class Device>
class CompilerExtension {
  static bp_status claim(const bp_device_t *device, const bp_module_t *module, float *cost_ns, const bp_diag_t *diag) {
    return plugin::guarded(diag, [&] { return plugin::device_of<Device>(device).claim(module, cost_ns, diag); });
  }
  static bp_status compile(const bp_device_t *device, const bp_module_t *module, const bp_ostream_t *artifact,
                           const bp_diag_t *diag) {
    return plugin::guarded(diag, [&] { return plugin::device_of<Device>(device).compile(module, artifact, diag); });
  }
  static bp_status load(const bp_device_t *device, const void *artifact, std::uint64_t size, const bp_loc_t *,
                        std::uint8_t *, std::uint32_t allocation_count, const bp_program_t **program,
                        const bp_diag_t *diag) {
    return plugin::guarded(
        diag, [&] { return plugin::device_of<Device>(device).load(artifact, size, allocation_count, program, diag); });
  }

 public:
  static constexpr bp_device_compiler_t table = {claim, compile, load};
};

}  // namespace bp::cpu
