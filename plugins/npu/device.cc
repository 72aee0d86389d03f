// A simulated accelerator: its description, and the functions of the ABI, which call its parts. See README.md.
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "backplane/backplane.h"
#include "backplane/ext/draft/layout.h"
#include "plugin_api/cpp/call.h"
#include "plugin_api/cpp/host_services.h"
#include "plugin_api/cpp/single_device.h"
#include "plugins/npu/artifact.h"
#include "plugins/npu/compiler.h"
#include "plugins/npu/memory.h"
#include "plugins/npu/queue.h"
#include "plugins/npu/simulator.h"

BP_PLUGIN_MANIFEST(R"({
  "abi": "1.0.0",
  "vendor": "Backplane",
  "version": "0.1.0",
  "opset": 1,
  "conformance": "none",
  "devices": [{
    "id": "dev.backplane.npu",
    "aliases": ["npu"],
    "name": "Simulated NPU",
    "extensions": ["bp.memory/1", "bp.compiler/1", "bp.queue/1", "bp.native-sync/1", "bp.rewrite/1", "bp.layout/1"]
  }]
})");

namespace bp::npu {
namespace {

using plugin::fail;

constexpr const char *features[] = {BP_EXT_MEMORY,  BP_EXT_COMPILER, BP_EXT_QUEUE, BP_EXT_NATIVE_SYNC,
                                    BP_EXT_REWRITE, BP_EXT_LAYOUT,   nullptr};
constexpr bp_option_desc_t options[] = {
    {"memory", "67108864", "bytes of DRAM", nullptr, BP_OPTION_INTEGER, 0},
    {"jitter", "0", "seed of the delays of its queues; 0: none", nullptr, BP_OPTION_INTEGER, 0},
    {"lose-after", nullptr, "the device is lost after so many copies, fills and runs", nullptr, BP_OPTION_INTEGER, 0},
};

enum : std::uint32_t { copy_queue = 0, run_queue = 1 };
constexpr std::uint32_t queue_kinds[] = {1u << BP_COMMAND_COPY | 1u << BP_COMMAND_FILL, 1u << BP_COMMAND_RUN};

struct NpuDevice {
  static constexpr bp_device_desc_t description = {
      BP_VERSION_INIT, 1, "dev.backplane.npu", "Simulated NPU", "Backplane", "0.1.0", nullptr, features, options, 3};

  bp_device_t abi;
  const bp_host_t *host;
  plugin::HostServices services;

  std::uint64_t memory_bytes = 64 << 20, jitter = 0;
  std::atomic<std::int64_t> commands_left = INT64_MAX;  // until the device is lost
  std::unique_ptr<Memory> memory;
  std::unique_ptr<Simulator> simulator;
  Board board;
  std::unique_ptr<Queue> queues[2];
  bp_device_memory_t memory_extension{};

  bp_status set_option(std::string_view key, const char *value, const bp_diag_t *diag);
  bp_status init(const bp_diag_t *diag);
  const void *extension(std::string_view id) const;

  bool is_lost() const { return commands_left < 0; }
  bp_status run(const Program &program, const bp_run_t &run, const bp_diag_t *diag);
  bp_status execute(const bp_command_t &command, const bp_diag_t *diag);

  // Counts a command. Returns BP_DEVICE_LOST, with a report, for the command that loses the device and all later ones.
  bp_status count_command(const bp_diag_t *diag) {
    if (is_lost() || --commands_left < 0) {
      return lost(diag);
    }
    return BP_OK;
  }
  static bp_status lost(const bp_diag_t *diag) { return fail(diag, BP_DEVICE_LOST, "the device is lost"); }
};

NpuDevice &self(const bp_device_t *device) {
  return plugin::device_of<NpuDevice>(device);
}

// --- Programs ---

struct LoadedProgram {
  bp_program_t abi;
  NpuDevice &device;
  Program program;
};

LoadedProgram &loaded(const bp_program_t *program) {
  return *static_cast<LoadedProgram *>(program->program_data);
}

bp_status run_program(const bp_program_t *program, const bp_run_t *run, const bp_diag_t *diag) {
  NpuDevice &device = loaded(program).device;
  return plugin::guarded(diag, [&] {
    const bp_status status = device.count_command(diag);
    return status == BP_OK ? device.run(loaded(program).program, *run, diag) : status;
  });
}
void destroy_program(const bp_program_t *program) {
  delete &loaded(program);
}

bp_status claim_module(const bp_device_t *, const bp_module_t *module, float *cost_ns, const bp_diag_t *diag) {
  return plugin::guarded(diag, [&] { return claim(module, cost_ns, diag); });
}
bp_status compile_module(const bp_device_t *, const bp_module_t *module, const bp_ostream_t *artifact,
                         const bp_diag_t *diag) {
  return plugin::guarded(diag, [&] {
    Program program;
    const bp_status status = compile(module, program, diag);
    return status == BP_OK ? plugin::write(artifact, write_artifact(program)) : status;
  });
}
bp_status load_program(const bp_device_t *device, const void *artifact, std::uint64_t size, const bp_loc_t *,
                       std::uint8_t *, std::uint32_t allocation_count, const bp_program_t **program,
                       const bp_diag_t *diag) {
  return plugin::guarded(diag, [&]() -> bp_status {
    if (self(device).is_lost()) {
      return NpuDevice::lost(diag);
    }
    auto made = std::make_unique<LoadedProgram>(LoadedProgram{{}, self(device), {}});
    if (const std::string reason = read_artifact({static_cast<const char *>(artifact), size}, made->program);
        !reason.empty()) {
      return fail(diag, BP_INVALID, reason);
    }
    if (made->program.allocation_count != allocation_count) {
      return fail(diag, BP_INVALID,
                  "the artifact is of a module of " + std::to_string(made->program.allocation_count) +
                      " allocations, expected " + std::to_string(allocation_count));
    }
    made->abi = {made.get(),     made->program.scratch_bytes, size, scratch_alignment, scratchpad, run_program,
                 destroy_program};
    *program = &made.release()->abi;
    return BP_OK;
  });
}
bp_status rewrite(const bp_device_t *, std::uint32_t phase, const bp_module_t *module, const bp_ostream_t *out,
                  const bp_diag_t *diag) {
  return plugin::guarded(diag, [&] { return write_rewritten(phase, module, out); });
}
bp_status preferences(const bp_device_t *, const bp_module_t *module, const bp_ostream_t *out, const bp_diag_t *diag) {
  return plugin::guarded(diag, [&] { return write_preferences(module, out); });
}

// --- Memory and queues ---

bp_status alloc(const bp_device_t *device, std::uint32_t space, std::uint64_t size, std::uint32_t alignment,
                bp_memory_t *out, const bp_diag_t *diag) {
  return plugin::guarded(diag, [&] {
    return self(device).is_lost() ? NpuDevice::lost(diag)
                                  : self(device).memory->alloc(space, size, alignment, out, diag);
  });
}
void release(const bp_device_t *device, std::uint64_t memory) {
  self(device).memory->release(memory);
}
bp_status copy(const bp_device_t *device, bp_loc_t to, bp_loc_t from, std::uint64_t size, const bp_diag_t *diag) {
  return plugin::guarded(diag, [&] {
    const bp_status status = self(device).count_command(diag);
    return status == BP_OK ? self(device).memory->copy(to, from, size, diag) : status;
  });
}
bp_status submit(const bp_device_t *device, std::uint32_t queue, const bp_command_t *commands, std::uint32_t count,
                 bp_point_t done, const bp_diag_t *diag) {
  return plugin::guarded(diag, [&]() -> bp_status {
    if (self(device).is_lost()) {
      return NpuDevice::lost(diag);
    }
    if (queue > run_queue) {
      return fail(diag, BP_INVALID, "there is no queue " + std::to_string(queue) + ", expected 0 or 1");
    }
    return self(device).queues[queue]->submit(commands, count, done, diag);
  });
}

bp_status wait(const bp_device_t *device, std::uint32_t queue, bp_point_t point, const bp_diag_t *diag) {
  return plugin::guarded(diag, [&]() -> bp_status {
    if (queue > run_queue) {
      return fail(diag, BP_INVALID, "there is no queue " + std::to_string(queue) + ", expected 0 or 1");
    }
    self(device).queues[queue]->wait(point);
    return BP_OK;
  });
}

constexpr bp_device_compiler_t compiler_extension = {claim_module, compile_module, load_program};
constexpr bp_device_rewrite_t rewrite_extension = {rewrite};
constexpr bp_device_layout_t layout_extension = {preferences};
constexpr bp_device_queue_t queue_extension = {queue_kinds, 2, submit};
constexpr bp_device_native_sync_t native_sync_extension = {wait};

// --- The device ---

bp_status NpuDevice::set_option(std::string_view key, const char *value, const bp_diag_t *diag) {
  char *end = nullptr;
  const long long number = std::strtoll(value, &end, 10);
  if (*value == 0 || *end != 0 || number < 0 || (key == "memory" && number == 0)) {
    return fail(diag, BP_INVALID, std::string(key) + " is " + value + ", expected a number of that");
  }
  if (key == "memory") {
    memory_bytes = static_cast<std::uint64_t>(number);
  } else if (key == "jitter") {
    jitter = static_cast<std::uint64_t>(number);
  } else {
    commands_left = number;
  }
  return BP_OK;
}

bp_status NpuDevice::init(const bp_diag_t *) {
  services = plugin::HostServices(host);
  abi.target = "npu-1";
  memory = std::make_unique<Memory>(memory_bytes);
  simulator = std::make_unique<Simulator>(*memory);
  memory_extension = {memory->spaces().data(), memory->spaces().size(), alloc, release, copy};
  for (std::uint32_t q : {copy_queue, run_queue}) {
    const std::uint64_t seed = jitter == 0 ? 0 : (jitter * 2 + q) * 0x9e3779b97f4a7c15;
    queues[q] = std::make_unique<Queue>(
        host, board, queue_kinds[q], seed,
        [this](const bp_command_t &command, const bp_diag_t *diag) { return execute(command, diag); });
  }
  return BP_OK;
}

const void *NpuDevice::extension(std::string_view id) const {
  if (id == BP_EXT_MEMORY) {
    return &memory_extension;
  }
  if (id == BP_EXT_COMPILER) {
    return &compiler_extension;
  }
  if (id == BP_EXT_QUEUE) {
    return &queue_extension;
  }
  if (id == BP_EXT_REWRITE) {
    return &rewrite_extension;
  }
  if (id == BP_EXT_NATIVE_SYNC) {
    return &native_sync_extension;
  }
  return id == BP_EXT_LAYOUT ? &layout_extension : nullptr;
}

bp_status NpuDevice::execute(const bp_command_t &command, const bp_diag_t *diag) {
  if (command.kind == BP_COMMAND_RUN) {
    return command.program->run(command.program, command.run, diag);
  }
  if (const bp_status status = count_command(diag); status != BP_OK) {
    return status;
  }
  return command.kind == BP_COMMAND_COPY
             ? memory->copy(command.to, command.from, command.size, diag)
             : memory->fill(command.to, command.size, command.pattern, command.pattern_size, diag);
}

bp_status NpuDevice::run(const Program &program, const bp_run_t &run, const bp_diag_t *diag) {
  std::uint64_t cycles = 0;
  const bp_status status = simulator->run(program, run, cycles, diag);
  char message[64];  // a run may not allocate memory
  std::snprintf(message, sizeof message, "run %" PRIu64 ": %" PRIu64 " cycles", run.id, cycles);
  services.log(BP_LOG_DEBUG, message);
  return status;
}

}  // namespace
}  // namespace bp::npu

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<bp::npu::NpuDevice>::entry;
