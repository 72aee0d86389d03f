// The CPU backend for an architecture other than that of this machine: programs are compiled as usual, and run by an
// emulator. For tests; it is not installed.
#include <mutex>
#include <string_view>

#include "plugins/cpu/compiler_extension.h"
#include "plugins/cpu/cpu_device.h"
#include "plugins/cpu/emulator/emulated_program.h"

BP_PLUGIN_MANIFEST(R"({
  "abi": "1.0.0",
  "vendor": "Backplane",
  "version": "0.1.0",
  "opset": 1,
  "conformance": "none",
  "devices": [{
    "id": "dev.backplane.cpu-emulated",
    "aliases": ["cpu-emulated"],
    "name": "Emulated CPU",
    "extensions": ["bp.compiler/1", "bp.fusion/1"]
  }]
})");

namespace bp::cpu {
namespace {

using plugin::fail;
using plugin::guarded;

struct EmulatedDevice : CpuDevice {
  static constexpr bp_device_desc_t description = {BP_VERSION_INIT,
                                                   1,
                                                   "dev.backplane.cpu-emulated",
                                                   "Emulated CPU",
                                                   "Backplane",
                                                   "0.1.0",
                                                   nullptr,
                                                   features,
                                                   known_options,
                                                   std::size(known_options)};
  static const void *extension(std::string_view id);

  bp_status init(const bp_diag_t *diag) {
    if (options.target.empty()) {
      options.target = "aarch64-linux-gnu";
    }
    return CpuDevice::init(diag);
  }
  bp_status load(const void *bytes, std::uint64_t size, std::uint32_t allocation_count, const bp_program_t **program,
                 const bp_diag_t *diag);

  std::mutex mutex;
  std::shared_ptr<const Emulator> emulator;  // created by the first load()
};

bp_status run_emulated(const bp_program_t *program, const bp_run_t *run, const bp_diag_t *diag) {
  return guarded(diag, [&] {
    const auto *self = static_cast<const EmulatedProgram *>(program->program_data);
    if (run->allocation_count != self->allocation_count()) {
      return fail(diag, BP_INVALID, "cpu-emulated: wrong number of allocations");
    }
    std::string error;
    return self->run({run->allocations, run->allocation_count}, error)
               ? bp_status{BP_OK}
               : fail(diag, BP_INTERNAL, "cpu-emulated: " + error);
  });
}

void destroy_emulated(const bp_program_t *program) {
  delete static_cast<EmulatedProgram *>(program->program_data);
  delete program;
}

bp_status EmulatedDevice::load(const void *bytes, std::uint64_t size, std::uint32_t allocation_count,
                               const bp_program_t **program, const bp_diag_t *diag) {
  std::string error;
  const auto artifact = read_artifact({static_cast<const char *>(bytes), size}, error);
  if (!artifact || artifact->allocation_sizes.size() != allocation_count) {
    return fail(diag, BP_INVALID, "cpu-emulated: " + (error.empty() ? "wrong number of allocations" : error));
  }
  std::unique_lock lock(mutex);
  if (emulator == nullptr) {
    emulator = Emulator::create(artifact->target.substr(0, artifact->target.find('-')), error);
  }
  const std::shared_ptr<const Emulator> with = emulator;
  lock.unlock();
  auto linked = with == nullptr ? nullptr : EmulatedProgram::link(with, *artifact, error);
  if (linked == nullptr) {
    return fail(diag, BP_INTERNAL, "cpu-emulated: " + error);
  }
  *program = new bp_program_t{linked.release(), 0, 0, 64, 0, run_emulated, destroy_emulated};
  return BP_OK;
}

const void *EmulatedDevice::extension(std::string_view id) {
  if (id == BP_EXT_FUSION) {
    return &fusion;
  }
  return id == BP_EXT_COMPILER ? &CompilerExtension<EmulatedDevice>::table : nullptr;
}

}  // namespace
}  // namespace bp::cpu

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<bp::cpu::EmulatedDevice>::entry;
