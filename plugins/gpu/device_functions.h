// The functions of the ABI for the device of a GPU backend.
#pragma once

#include <iterator>
#include <string_view>

#include "backplane/ext/compiler.h"
#include "backplane/ext/memory.h"
#include "plugin_api/cpp/call.h"
#include "plugin_api/cpp/single_device.h"
#include "plugins/gpu/device.h"

namespace bp::gpu {

// Backend: a class derived from Device.
template <class Backend>
class DeviceFunctions {
  static Device &self(const bp_device_t *device) { return plugin::device_of<Backend>(device); }

  static bp_status claim(const bp_device_t *device, const bp_module_t *module, float *cost_ns, const bp_diag_t *diag) {
    return plugin::guarded(diag, [&] { return self(device).claim(module, cost_ns, diag); });
  }
  static bp_status compile(const bp_device_t *device, const bp_module_t *module, const bp_ostream_t *artifact,
                           const bp_diag_t *diag) {
    return plugin::guarded(diag, [&] { return self(device).compile(module, artifact, diag); });
  }
  static bp_status load(const bp_device_t *device, const void *artifact, std::uint64_t size, const bp_loc_t *,
                        std::uint8_t *, std::uint32_t allocation_count, const bp_program_t **program,
                        const bp_diag_t *diag) {
    return plugin::guarded(diag, [&] {
      return self(device).load({static_cast<const char *>(artifact), size}, allocation_count, program, diag);
    });
  }
  static bp_status allocate(const bp_device_t *device, std::uint32_t space, std::uint64_t size, std::uint32_t alignment,
                            bp_memory_t *out, const bp_diag_t *diag) {
    return plugin::guarded(diag, [&] { return self(device).allocate(space, size, alignment, out, diag); });
  }
  static void release(const bp_device_t *device, std::uint64_t memory) { self(device).release(memory); }
  static bp_status copy(const bp_device_t *device, bp_loc_t to, bp_loc_t from, std::uint64_t size,
                        const bp_diag_t *diag) {
    return plugin::guarded(diag, [&] { return self(device).copy(to, from, size, diag); });
  }
  static bp_status submit(const bp_device_t *device, std::uint32_t queue, const bp_command_t *commands,
                          std::uint32_t count, bp_point_t done, const bp_diag_t *diag) {
    return plugin::guarded(diag, [&] { return self(device).submit(queue, commands, count, done, diag); });
  }
  static bp_status wait(const bp_device_t *device, std::uint32_t queue, bp_point_t point, const bp_diag_t *diag) {
    return plugin::guarded(diag, [&] { return self(device).wait(queue, point, diag); });
  }

  static constexpr bp_device_compiler_t compiler_extension = {claim, compile, load};
  static constexpr bp_device_queue_t queue_extension = {queue_kinds, std::size(queue_kinds), submit};
  static constexpr bp_device_native_sync_t native_sync_extension = {wait};

  bp_device_memory_t memory_extension_;

 public:
  // device: outlives this.
  explicit DeviceFunctions(const Device &device) : memory_extension_{&device.space(), 1, allocate, release, copy} {}

  // Returns nullptr if there is no extension with this id.
  const void *extension(std::string_view id) const {
    if (id == BP_EXT_MEMORY) {
      return &memory_extension_;
    }
    if (id == BP_EXT_COMPILER) {
      return &compiler_extension;
    }
    if (id == BP_EXT_QUEUE) {
      return &queue_extension;
    }
    if (id == BP_EXT_NATIVE_SYNC) {
      return &native_sync_extension;
    }
    return id == BP_EXT_FUSION ? &fusion_extension : nullptr;
  }
};

}  // namespace bp::gpu
