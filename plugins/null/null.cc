// A plugin that does nothing, completely: every entry point of the ABI is here, claims nothing, and says so when it is
// called all the same. Copy this folder, rename (README.md), and grow it: delete the tiers you do not need, then run
// until the next "unimplemented".
#include "backplane/backplane.h"
#include "plugin_api/cpp/call.h"
#include "plugin_api/cpp/host_services.h"
#include "plugin_api/cpp/module_view.h"

BP_PLUGIN_MANIFEST(R"({
  "abi": "1.0.0",
  "vendor": "Backplane",
  "version": "0.1.0",
  "opset": 1,
  "conformance": "none",
  "devices": [{
    "id": "dev.backplane.null",
    "aliases": ["null"],
    "name": "Null device",
    "extensions": ["bp.kernels/1", "bp.memory/1", "bp.compiler/1", "bp.queue/1", "bp.rewrite/1"]
  }]
})");

namespace {

using bp::plugin::fail;

bp_status unimplemented(const bp_diag_t *diag, const char *what) {
  return fail(diag, BP_UNSUPPORTED, std::string("null: unimplemented: ") + what);
}

// Tier 0: kernels on host memory.

bp_kernel find(const bp_device_t *, const bp_module_t *, uint32_t, const bp_diag_t *) {
  return nullptr;  // not ours: the core runs it elsewhere
}

constexpr bp_device_kernels_t kernels = {find};

// Tier 1: memory of the device's own.

bp_status alloc(const bp_device_t *, uint32_t, uint64_t, uint32_t, bp_memory_t *, const bp_diag_t *diag) {
  return unimplemented(diag, "bp_device_memory.alloc");
}
void release(const bp_device_t *, uint64_t) {}
bp_status copy(const bp_device_t *, bp_loc_t, bp_loc_t, uint64_t, const bp_diag_t *diag) {
  return unimplemented(diag, "bp_device_memory.copy");
}

constexpr bp_space_t spaces[] = {{"none", 0, 64, 0, 0, 0.0f}};
constexpr bp_device_memory_t memory = {spaces, 1, alloc, release, copy};

// Tier 2: the compiler.

bp_status claim(const bp_device_t *, const bp_module_t *module, float *cost_ns, const bp_diag_t *) {
  for (const bp::plugin::Instruction instruction : bp::plugin::ModuleView(module).instructions()) {
    cost_ns[instruction.index()] = -1;  // not ours
  }
  return BP_OK;
}
bp_status compile(const bp_device_t *, const bp_module_t *, const bp_ostream_t *, const bp_diag_t *diag) {
  return unimplemented(diag, "bp_device_compiler.compile");
}
bp_status load(const bp_device_t *, const void *, uint64_t, const bp_loc_t *, uint8_t *, uint32_t,
               const bp_program_t **, const bp_diag_t *diag) {
  return fail(diag, BP_INVALID, "null: foreign artifact: this plugin has never written one");
}

constexpr bp_device_compiler_t compiler = {claim, compile, load};

// Tier 3: asynchronous submission.

bp_status submit(const bp_device_t *, uint32_t, const bp_command_t *, uint32_t, bp_point_t, const bp_diag_t *diag) {
  return unimplemented(diag, "bp_device_queue.submit");
}

constexpr uint32_t queues[] = {1u << BP_COMMAND_RUN | 1u << BP_COMMAND_COPY | 1u << BP_COMMAND_FILL};
constexpr bp_device_queue_t queue = {queues, 1, submit};

// Tier 4: shaping the program.

bp_status rewrite(const bp_device_t *, uint32_t, const bp_module_t *, const bp_ostream_t *, const bp_diag_t *) {
  return BP_OK;  // nothing written: the module stays as it is
}

constexpr bp_device_rewrite_t rewriter = {rewrite};

// The device. In the order of the manifest: BP-MANIFEST-02.

constexpr const char *features[] = {BP_EXT_KERNELS, BP_EXT_MEMORY,  BP_EXT_COMPILER,
                                    BP_EXT_QUEUE,   BP_EXT_REWRITE, nullptr};
constexpr bp_device_desc_t description = {
    BP_VERSION_INIT, 1, "dev.backplane.null", "Null device", "Backplane", "0.1.0", nullptr, features};

struct NullDevice {
  bp_device_t abi;  // first, so that the core's pointer is ours
  const bp_host_t *host;
  bp::plugin::HostServices services;  // from init() on
};

bp_status init_device(const bp_device_t *device, const bp_diag_t *) {
  auto *self = static_cast<NullDevice *>(device->device_data);
  self->services = bp::plugin::HostServices(self->host);
  self->abi.target = "none";
  return BP_OK;
}
void destroy_device(const bp_device_t *device) {
  delete static_cast<NullDevice *>(device->device_data);
}

const void *get_extension(const bp_device_t *, const char *id) {
  const std::string_view wanted = id;
  if (wanted == BP_EXT_KERNELS) {
    return &kernels;
  }
  if (wanted == BP_EXT_MEMORY) {
    return &memory;
  }
  if (wanted == BP_EXT_COMPILER) {
    return &compiler;
  }
  if (wanted == BP_EXT_QUEUE) {
    return &queue;
  }
  if (wanted == BP_EXT_REWRITE) {
    return &rewriter;
  }
  return nullptr;
}

// The factory.

uint32_t count(const bp_device_factory_t *) {
  return 1;
}
const bp_device_desc_t *get_desc(const bp_device_factory_t *, uint32_t index) {
  return index == 0 ? &description : nullptr;
}
bp_status probe(const bp_device_factory_t *, const char *, uint32_t *instances, const bp_diag_t *) {
  *instances = 1;
  return BP_OK;
}
const bp_device_t *create(const bp_device_factory_t *, const bp_host_t *host, const char *id, uint32_t,
                          const bp_option_t *options, uint32_t option_count, const bp_diag_t *diag) {
  if (std::string_view(id) != description.id) {
    fail(diag, BP_UNSUPPORTED, std::string("null: no device called ") + id);
    return nullptr;
  }
  if (option_count != 0) {
    fail(diag, BP_INVALID, std::string("null: unknown option ") + options[0].key + ", expected none");
    return nullptr;
  }
  auto *device = new (std::nothrow) NullDevice();
  if (device == nullptr) {
    fail(diag, BP_NO_MEMORY, "null: out of host memory");
    return nullptr;
  }
  device->abi = {&description, device, nullptr, init_device, destroy_device, get_extension};
  device->host = host;
  return &device->abi;
}

constexpr bp_device_factory_t factory = {count, get_desc, probe, create};

// The entry.

bp_status init(const char *, const bp_diag_t *) {
  return BP_OK;
}
void deinit() {}
const void *get_factory(const char *id) {
  return std::string_view(id) == BP_DEVICE_FACTORY ? &factory : nullptr;
}

}  // namespace

const bp_plugin_entry_t bp_entry = {BP_VERSION_INIT, init, deinit, get_factory};
