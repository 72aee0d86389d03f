// A complete plugin that does nothing: it has every tier of the ABI, claims nothing, and reports "unimplemented" if it
// is called all the same. The frame around the device is that of plugin_api/cpp/single_device.h. To write a plugin,
// copy this folder, rename it (README.md), and delete the tiers that you do not need. Then run it, and implement the
// function that the next "unimplemented" names.
#include "backplane/backplane.h"
#include "backplane/ext/draft/custom_call.h"
#include "plugin_api/cpp/call.h"
#include "plugin_api/cpp/host_services.h"
#include "plugin_api/cpp/module_view.h"
#include "plugin_api/cpp/single_device.h"

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
    "extensions": ["bp.kernels/1", "bp.memory/1", "bp.compiler/1", "bp.queue/1", "bp.rewrite/1",
                   "bp.custom-call/1"]
  }]
})");

namespace {

using bp::plugin::fail;

bp_status unimplemented(const bp_diag_t *diag, const char *what) {
  return fail(diag, BP_UNSUPPORTED, std::string("null: unimplemented: ") + what);
}

// Tier 0: kernels on host memory.

bp_kernel find(const bp_device_t *, const bp_module_t *, uint32_t, const bp_diag_t *) {
  return nullptr;  // there is no kernel: the core runs the instruction elsewhere
}

constexpr bp_device_kernels_t kernels = {find};

// Tier 1: memory of the device.

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
    cost_ns[instruction.index()] = -1;  // not claimed
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

// Tier 4: changing the program.

bp_status rewrite(const bp_device_t *, uint32_t, const bp_module_t *, const bp_ostream_t *, const bp_diag_t *) {
  return BP_OK;  // nothing written: the module stays as it is
}

constexpr bp_device_rewrite_t rewriter = {rewrite};

// Drafts: a routine by name, for custom calls.

bp_status nothing(const bp_device_t *, const bp_call_t *call, const bp_diag_t *diag) {
  return fail(diag, BP_INVALID, call->instr, "null: unimplemented: null.nothing");
}

constexpr bp_routine_t routines[] = {{"null.nothing", nothing}};
constexpr bp_device_custom_call_t custom_call = {routines, 1};

// The device. Its id, name, version and extensions equal those of the manifest (BP-MANIFEST-02).

constexpr const char *features[] = {BP_EXT_KERNELS, BP_EXT_MEMORY,      BP_EXT_COMPILER, BP_EXT_QUEUE,
                                    BP_EXT_REWRITE, BP_EXT_CUSTOM_CALL, nullptr};

struct NullDevice {
  static constexpr bp_device_desc_t description = {
      BP_VERSION_INIT, 1, "dev.backplane.null", "Null device", "Backplane", "0.1.0", nullptr, features, nullptr, 0};

  bp_device_t abi;
  const bp_host_t *host;
  bp::plugin::HostServices services;  // set by init()

  bp_status init(const bp_diag_t *) {
    services = bp::plugin::HostServices(host);
    abi.target = "none";
    return BP_OK;
  }
  static const void *extension(std::string_view id) {
    if (id == BP_EXT_KERNELS) {
      return &kernels;
    }
    if (id == BP_EXT_MEMORY) {
      return &memory;
    }
    if (id == BP_EXT_COMPILER) {
      return &compiler;
    }
    if (id == BP_EXT_QUEUE) {
      return &queue;
    }
    if (id == BP_EXT_REWRITE) {
      return &rewriter;
    }
    return id == BP_EXT_CUSTOM_CALL ? &custom_call : nullptr;
  }
};

}  // namespace

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<NullDevice>::entry;
