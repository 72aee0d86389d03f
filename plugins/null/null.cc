// A complete plugin that does nothing: it has every tier of the ABI, claims nothing, and reports "unimplemented" if it
// is called all the same. The frame around the device is that of plugin_api/cpp/single_device.h. To write a plugin,
// copy this folder, rename it (README.md), and delete the tiers that you do not need. Then run it, and implement the
// function that the next "unimplemented" names.
#include "backplane/backplane.h"
#include "backplane/ext/draft/custom_call.h"
#include "plugin_api/cpp/call.h"
#include "plugin_api/cpp/host_services.h"
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
                   "bp.custom-call/draft-1"]
  }]
})");

namespace {

using bp::plugin::Error;
using bp::plugin::Result;
using bp::plugin::Status;

Error unimplemented(const std::string &what) {
  return Error(BP_UNSUPPORTED, "unimplemented: " + what);
}

// Drafts: a routine by name, for custom calls.

bp_status nothing(const bp_device_t *, const bp_call_t *call, const bp_diag_t *diag) {
  return bp::plugin::fail(diag, BP_INVALID, call->instr, "null: unimplemented: null.nothing");
}

// The device has a tier if it has functions for it: if they are deleted, the device does not have the tier.

struct NullDevice {
  // Its id, name and version equal those of the manifest (BP-MANIFEST-02).
  static constexpr bp_device_desc_t description = {
      BP_VERSION_INIT, 1, "dev.backplane.null", "Null device", "Backplane", "0.1.0", nullptr, nullptr, nullptr, 0};
  static constexpr std::string_view message_prefix = "null: ";

  bp::plugin::HostServices services;

  Result<std::string> init() { return "none"; }

  // Tier 0: kernels on host memory.

  Result<bp_kernel> find(const bp_module_t *, std::uint32_t) const {
    return nullptr;  // there is no kernel: the core runs the instruction elsewhere
  }

  // Tier 1: memory of the device.

  std::span<const bp_space_t> spaces() const {
    static constexpr bp_space_t all[] = {{"none", 0, 64, 0, 0, 0.0f}};
    return all;
  }
  Result<bp_memory_t> alloc(std::uint32_t, std::uint64_t, std::uint32_t) {
    return unimplemented("bp_device_memory.alloc");
  }
  void release(std::uint64_t) {}
  Status copy(bp_loc_t, bp_loc_t, std::uint64_t) { return unimplemented("bp_device_memory.copy"); }

  // Tier 2: the compiler.

  struct Program {
    bp_program_t abi{};
    Status run(const bp_run_t &) { return unimplemented("bp_program.run"); }
  };

  Status claim(const bp_module_t *, bp::plugin::Claims &) const { return {}; }  // claims nothing
  Result<std::string> compile(const bp_module_t *) const { return unimplemented("bp_device_compiler.compile"); }
  Result<std::unique_ptr<Program>> load(std::span<const char>, std::uint32_t) {
    return Error(BP_INVALID, "foreign artifact: this plugin has never written one");
  }

  // Tier 3: asynchronous submission.

  static constexpr std::uint32_t queue_kinds[] = {1u << BP_COMMAND_RUN | 1u << BP_COMMAND_COPY | 1u << BP_COMMAND_FILL};
  Status submit(std::uint32_t, const bp_command_t *, std::uint32_t, bp_point_t) {
    return unimplemented("bp_device_queue.submit");
  }

  // Tier 4: changing the program.

  Result<std::string> rewrite(std::uint32_t, const bp_module_t *) const {
    return std::string();  // empty: the module stays as it is
  }

  // Drafts.

  static constexpr bp_routine_t routines[] = {{"null.nothing", nothing}};
};

}  // namespace

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<NullDevice>::entry;
