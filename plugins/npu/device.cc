// A simulated accelerator: its description, and its functions, which call its parts. See README.md.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include "backplane/backplane.h"
#include "plugin_api/cpp/single_device.h"
#include "plugins/npu/artifact.h"
#include "plugins/npu/compiler.h"
#include "plugins/npu/memory.h"
#include "plugins/npu/simulator.h"

BP_PLUGIN_MANIFEST(R"({
  "abi": "1.0.0",
  "vendor": "Backplane",
  "version": "0.1.0",
  "opset": 2,
  "conformance": "none",
  "devices": [{
    "id": "dev.backplane.npu",
    "aliases": ["npu"],
    "name": "Simulated NPU",
    "extensions": ["bp.memory/1", "bp.compiler/1", "bp.queue/1", "bp.native-sync/1", "bp.rewrite/1", "bp.layout/draft-1",
                   "bp.host-call/draft-1", "bp.counters/draft-1", "bp.external-memory/draft-1", "bp.device-info/draft-1"]
  }]
})");

namespace bp::npu {
namespace {

using plugin::Error;
using plugin::Result;
using plugin::Status;

constexpr bp_option_desc_t options[] = {
    {"memory", "67108864", "bytes of DRAM", nullptr, BP_OPTION_INTEGER, 0},
    {"jitter", "0", "seed of the delays of its queues; 0: none", nullptr, BP_OPTION_INTEGER, 0},
    {"lose-after", nullptr, "number of copies, fills and runs after which the device is lost", nullptr,
     BP_OPTION_INTEGER, 0},
};

constexpr std::uint64_t cycles_per_second = 1'000'000'000;

class NpuDevice;

struct LoadedProgram {
  bp_program_t abi{};
  NpuDevice &device;
  Program program;

  Status run(const bp_run_t &run) const;
};

class NpuDevice {
 public:
  static constexpr bp_device_desc_t description = {
      BP_VERSION_INIT, 2, "dev.backplane.npu", "Simulated NPU", "Backplane", "0.1.0", nullptr, nullptr, options, 3};
  static constexpr std::uint32_t instances = 2;  // each has memory of its own
  static bp_instance_t describe_instance(std::uint32_t instance) {
    static constexpr bp_instance_t all[instances] = {{"SIM-0001", "0000:01:00.0", "Simulated NPU, first"},
                                                     {"SIM-0002", "0000:02:00.0", "Simulated NPU, second"}};
    return all[instance];
  }
  static constexpr std::uint32_t queue_kinds[] = {1u << BP_COMMAND_COPY | 1u << BP_COMMAND_FILL, 1u << BP_COMMAND_RUN};

  static constexpr std::uint32_t host_call_kinds = BP_CALLS_INFEED | BP_CALLS_OUTFEED | BP_CALLS_FUNCTIONS;
  static constexpr const auto &counters = npu::counters;

  plugin::HostServices services;

  Status set_option(std::string_view key, std::string_view value) {
    return plugin::set_option(
        key, value, {{"memory", &memory_bytes_, 1}, {"jitter", &jitter_}, {"lose-after", &commands_before_loss_}});
  }
  Result<std::string> init() {
    commands_left_ = static_cast<std::int64_t>(std::min<std::uint64_t>(commands_before_loss_, INT64_MAX));
    memory_ = std::make_unique<Memory>(memory_bytes_);
    simulator_ = std::make_unique<Simulator>(*memory_);
    for (std::uint64_t queue = 0; queue < std::size(queue_kinds); ++queue) {
      random_states_[queue] = (jitter_ * 2 + queue) * 0x9e3779b97f4a7c15;
    }
    return "npu-1";
  }
  Status check() const { return commands_left_ < 0 ? lost() : Status(); }

  Status claim(const bp_module_t *module, plugin::Claims &claims) const {
    npu::claim(module, claims);
    return {};
  }
  Result<std::string> compile(const bp_module_t *module, const plugin::Progress &progress,
                              const plugin::Constants &constants) const {
    BP_ASSIGN(const Program program, npu::compile(module, progress, constants));
    return write_artifact(program);
  }
  Result<std::unique_ptr<LoadedProgram>> load(std::span<const char> artifact, std::uint32_t allocation_count);

  std::span<const bp_space_t> spaces() const { return memory_->spaces(); }
  Result<bp_memory_t> alloc(std::uint32_t space, std::uint64_t size, std::uint32_t alignment) {
    return memory_->alloc(space, size, alignment);
  }
  void release(std::uint64_t memory) { memory_->release(memory); }
  std::span<const bp_external_support_t> external_support() const { return memory_->external_support(); }
  Result<bp_memory_t> import_memory(std::uint32_t space, const bp_handle_t &handle) {
    return memory_->import_memory(space, handle);
  }
  Result<bp_handle_t> export_memory(std::uint64_t memory, std::uint32_t kind) {
    return memory_->export_memory(memory, kind);
  }
  Status copy(bp_loc_t to, bp_loc_t from, std::uint64_t size) {
    BP_TRY(count_command());
    return memory_->copy(to, from, size);
  }
  Status start(std::uint32_t queue, const bp_command_t &command);
  Status run(const Program &program, const bp_run_t &run);

  Result<std::string> rewrite(std::uint32_t phase, const bp_module_t *module) const {
    return npu::rewrite(phase, module);
  }
  Result<std::string> preferences(const bp_module_t *module) const { return npu::preferences(module); }
  Status report(plugin::Facts &facts) const;

 private:
  static Error lost() { return Error(BP_DEVICE_LOST, "the device is lost"); }
  // Counts a command. Fails for the command that loses the device and for all later ones.
  Status count_command() {
    BP_TRY(check());
    return --commands_left_ < 0 ? lost() : Status();
  }
  void wait_a_little(std::uint32_t queue);

  std::uint64_t memory_bytes_ = 64 << 20, jitter_ = 0, commands_before_loss_ = INT64_MAX;
  std::atomic<std::int64_t> commands_left_;  // until the device is lost
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<Simulator> simulator_;
  std::uint64_t random_states_[std::size(queue_kinds)];  // by queue, of its delays
};

Result<std::unique_ptr<LoadedProgram>> NpuDevice::load(std::span<const char> artifact, std::uint32_t allocation_count) {
  BP_ASSIGN(Program program, read_artifact(artifact));
  if (program.allocation_count != allocation_count) {
    return Error(BP_INVALID, "the artifact is of a module with " + std::to_string(program.allocation_count) +
                                 " allocations, expected " + std::to_string(allocation_count));
  }
  const bp_program_t sizes = {nullptr, program.scratch_bytes, artifact.size(), scratch_alignment, scratchpad, nullptr,
                              nullptr};
  return std::make_unique<LoadedProgram>(LoadedProgram{sizes, *this, std::move(program)});
}

Status NpuDevice::report(plugin::Facts &facts) const {
  facts.tell("memory.total", memory_->spaces()[dram].capacity, dram);
  facts.tell("memory.free", memory_->free_bytes(dram), dram);
  facts.tell("clock", cycles_per_second);
  facts.tell("driver.version", description.version);
  facts.tell("firmware.version", "simulated");
  facts.tell("health", commands_left_ < 0 ? "failed" : "ok");
  return {};
}

Status LoadedProgram::run(const bp_run_t &run) const {
  return device.run(program, run);
}

Status NpuDevice::run(const Program &program, const bp_run_t &run) {
  BP_TRY(count_command());
  std::uint64_t cycles = 0;
  Status status = simulator_->run(program, run, cycles);
  char message[64];  // a run may not allocate memory
  std::snprintf(message, sizeof message, "run %" PRIu64 ": %" PRIu64 " cycles", run.id, cycles);
  services.log(BP_LOG_DEBUG, message);
  return status;
}

Status NpuDevice::start(std::uint32_t queue, const bp_command_t &command) {
  wait_a_little(queue);
  if (command.kind == BP_COMMAND_RUN) {
    return plugin::program_of<LoadedProgram>(command.program).run(*command.run);
  }
  BP_TRY(count_command());
  return command.kind == BP_COMMAND_COPY
             ? memory_->copy(command.to, command.from, command.size)
             : memory_->fill(command.to, command.size, command.pattern, command.pattern_size);
}

// Sleeps for up to a fifth of a millisecond, so that what the queues do is interleaved in another way for each seed.
// The time is a random number of an xorshift generator.
void NpuDevice::wait_a_little(std::uint32_t queue) {
  if (jitter_ == 0) {
    return;
  }
  std::uint64_t &state = random_states_[queue];
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  std::this_thread::sleep_for(std::chrono::microseconds(state % 200));
}

}  // namespace
}  // namespace bp::npu

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<bp::npu::NpuDevice>::entry;
