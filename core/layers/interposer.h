// Interposer: sits between the core and the plugin, or another layer, and forwards every call. A layer is a class
// derived from it that acts before or after all calls (enter, leave), or overrides some (the functions of abi.def, each
// of which the base class forwards).
//
// The objects of the plugin are wrapped: the core holds a Layered object, from which the layer finds the plugin's
// object below.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "backplane/backplane.h"
#include "backplane/ext/draft/aot.h"
#include "backplane/ext/draft/counters.h"
#include "backplane/ext/draft/custom_call.h"
#include "backplane/ext/draft/device_info.h"
#include "backplane/ext/draft/external_memory.h"
#include "backplane/ext/draft/fusion.h"
#include "backplane/ext/draft/host_call.h"
#include "backplane/ext/draft/instances.h"
#include "backplane/ext/draft/layout.h"
#include "core/host/entry.h"

namespace bp::layers {

// The complete set of thread tags (base/status.h).
enum class ThreadTag : std::uint8_t { ThreadSafe, Control, ControlIdle, Queue, Worker };

enum class Function : std::uint8_t {
#define BP_ABI_FUNCTION(object, table, name, tag, loss, result, parameters, arguments, roles) table##_##name,
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION
};
std::string_view to_string(Function function);  // such as "memory.alloc"
ThreadTag thread_tag(Function function);
// Whether the function must report that the device is lost (BP-STATUS-03).
bool is_lost_with_device(Function function);

class Interposer;

// `id`: unique among all objects of a layer, and never 0.
struct LayeredFactory {
  bp_device_factory_t abi;
  Interposer *layer;
  const bp_device_factory_t *below;
  std::uint64_t id;
  const bp_instances_t *instances = nullptr;  // the plugin's table, nullptr if it does not have it
};

struct LayeredHost {
  bp_host_t abi;
  Interposer *layer;
  const bp_host_t *below;
  std::uint64_t id = 0;                // the id of the device it was created for
  const bp_host_log_t *log = nullptr;  // extension of `below`, once it was asked for
  const bp_host_threads_t *threads = nullptr;
};

struct LayeredDevice {
  bp_device_t abi;
  Interposer *layer;
  const bp_device_t *below;
  std::uint64_t id;
  LayeredHost host;
  std::string target;  // for a layer that has no device below it
  // The plugin's tables, nullptr if it does not have them; queried after init().
  const bp_device_kernels_t *kernels = nullptr;
  const bp_device_memory_t *memory = nullptr;
  const bp_device_compiler_t *compiler = nullptr;
  const bp_device_queue_t *queue = nullptr;
  const bp_device_native_sync_t *native_sync = nullptr;
  const bp_device_rewrite_t *rewrite = nullptr;
  const bp_device_layout_t *layout = nullptr;
  const bp_device_fusion_t *fusion = nullptr;
  const bp_device_custom_call_t *custom_call = nullptr;
  const bp_device_host_call_t *host_call = nullptr;
  const bp_device_counters_t *counters = nullptr;
  const bp_device_external_memory_t *external_memory = nullptr;
  const bp_device_info_t *device_info = nullptr;
  const bp_device_aot_t *aot = nullptr;
  // The tables that the core gets in place of those that contain more than functions.
  bp_device_memory_t layered_memory;
  bp_device_queue_t layered_queue;
  std::unique_ptr<bp_routine_t[]> layered_routines;
  bp_device_custom_call_t layered_custom_call;
  bp_device_host_call_t layered_host_call;
  bp_device_external_memory_t layered_external_memory;
};

struct LayeredProgram {
  bp_program_t abi;
  Interposer *layer;
  const bp_program_t *below;
  std::uint64_t id;
  LayeredDevice *device;
};

// Returns the wrapper of an object that the ABI's functions get: `abi` is its first member.
inline LayeredFactory &layered(const bp_device_factory_t *factory) {
  return *reinterpret_cast<LayeredFactory *>(const_cast<bp_device_factory_t *>(factory));
}
inline LayeredDevice &layered(const bp_device_t *device) {
  return *reinterpret_cast<LayeredDevice *>(const_cast<bp_device_t *>(device));
}
inline LayeredProgram &layered(const bp_program_t *program) {
  return *reinterpret_cast<LayeredProgram *>(const_cast<bp_program_t *>(program));
}
inline LayeredHost &layered(const bp_host_t *host) {
  return *reinterpret_cast<LayeredHost *>(const_cast<bp_host_t *>(host));
}

// A call in progress.
struct Call {
  Function function;
  const void *object;  // the Layered object: the same for all calls of an object
  std::uint64_t number;
};

// Threads: as for the functions that are called; enter() and leave() from any thread.
class Interposer : public host::Entry {
 public:
  explicit Interposer(std::unique_ptr<host::Entry> below) : below_(std::move(below)) {}
  ~Interposer() override;

  bp_status init(const char *path, const bp_diag_t *diag) override { return below_->init(path, diag); }
  void deinit() override { below_->deinit(); }
  const void *get_factory(const char *id) override;

  // Called around every call. `status` is BP_OK for functions that do not return one.
  virtual void enter(const Call &) {}
  virtual void leave(const Call &, bp_status) {}

#define BP_LAYERED_PARAMETERS(...) __VA_OPT__(, ) __VA_ARGS__
#define BP_ABI_FUNCTION(object, table, name, tag, loss, result, parameters, arguments, roles) \
  virtual result table##_##name(Layered##object &object##_ BP_LAYERED_PARAMETERS parameters);
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION

  // Returns the kernel that a layer's find() returns for every instruction with a kernel: it calls kernels_kernel().
  static bp_kernel kernel();

  // Returns the number of the next call.
  std::uint64_t next_number() { return next_number_++; }

 protected:
  // Creates wrappers, for layers that create or find the object below by other means. Wrappers of devices and programs
  // free themselves when they are destroyed.
  const bp_device_factory_t *wrap(const bp_device_factory_t *below);
  const bp_instances_t *wrap(const bp_instances_t *below);
  // Devices are wrapped in two steps, because create() below gets the host of the wrapper.
  std::unique_ptr<LayeredDevice> wrap(const bp_host_t *host);
  static const bp_device_t *wrap(std::unique_ptr<LayeredDevice> device, const bp_device_t *below);
  const bp_program_t *wrap(LayeredDevice &device, const bp_program_t *below) { return wrap(device, below, next_id()); }
  const bp_program_t *wrap(LayeredDevice &device, const bp_program_t *below, std::uint64_t id);
  std::uint64_t next_id() { return next_id_++; }
  // Returns the table that the core gets in place of an extension.
  static const void *wrap(LayeredDevice &device, std::string_view id, const void *below);

 private:
  std::unique_ptr<host::Entry> below_;
  std::unique_ptr<LayeredFactory> factory_;
  std::atomic<std::uint64_t> next_number_ = 0, next_id_ = 1;
};

}  // namespace bp::layers
