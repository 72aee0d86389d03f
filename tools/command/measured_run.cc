#include "tools/command/measured_run.h"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>

#include "core/layers/interposer.h"
#include "tools/measure/allocation_counter.h"
#include "tools/measure/store_input.h"

namespace bp::command {
namespace {

// Memory taken from all devices together.
struct DeviceMemory {
  std::atomic<std::int64_t> taken = 0, most = 0;

  void add(std::int64_t size) {
    const std::int64_t now = taken += size;
    for (std::int64_t before = most; before < now && !most.compare_exchange_weak(before, now);) {
    }
  }
};
DeviceMemory device_memory;

class DeviceMemoryCounter final : public layers::Interposer {
 public:
  using Interposer::Interposer;

  bp_status memory_alloc(layers::LayeredDevice &device, std::uint32_t space, std::uint64_t size,
                         std::uint32_t alignment, bp_memory_t *out, const bp_diag_t *diag) override {
    const measure::AllocationCounter::Pause pause;  // the memory of a simulated device is the host's
    const bp_status status = Interposer::memory_alloc(device, space, size, alignment, out, diag);
    if (status == BP_OK) {
      const std::lock_guard lock(mutex_);
      sizes_[{&device, out->memory}] = static_cast<std::int64_t>(size);
      device_memory.add(static_cast<std::int64_t>(size));
    }
    return status;
  }
  void memory_release(layers::LayeredDevice &device, std::uint64_t memory) override {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = sizes_.extract({&device, memory})) {
        device_memory.taken -= found.mapped();
      }
    }
    Interposer::memory_release(device, memory);
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<const void *, std::uint64_t>, std::int64_t> sizes_;
};

}  // namespace

host::Layer device_memory_counter() {
  return [](std::unique_ptr<host::Entry> below) { return std::make_unique<DeviceMemoryCounter>(std::move(below)); };
}

// The memory of the constants was allocated when the program was loaded, and is added.
Result<MeasuredRun> run_measured(const std::shared_ptr<const Program> &program,
                                 const std::vector<ir::Literal> &arguments, int repeat, const RunTerms &terms) {
  using Clock = std::chrono::steady_clock;
  MeasuredRun measured;
  Execution execution = Execution::prepare(program);
  execution.set_terms(terms);
  measured.seconds.reserve(static_cast<std::size_t>(repeat));  // allocated before counting starts
  const std::int64_t before = device_memory.taken;
  device_memory.most = before;
  auto counter = std::make_unique<measure::AllocationCounter>();
  BP_TRY(execution.allocate());
  const auto on_host = [&] { return counter->is_valid() ? counter->peak() : -1; };
  if (program->is_on_device()) {
    measured.memory.staging = on_host();  // memory that a simulator allocates for a run is not the program's
  }
  for (int i = 0; i < repeat; ++i) {
    std::size_t leaf = 0;
    for (const ir::Literal &argument : arguments) {  // each time: donated inputs are overwritten
      measure::store_input(argument, *program, execution, leaf);
    }
    auto start = Clock::now();
    BP_TRY(execution.run());
    measured.seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    if (counter != nullptr) {
      const std::int64_t peak = program->is_on_device() ? device_memory.most - before : on_host();
      measured.memory.peak = peak < 0 ? -1 : peak + program->memory().constants;
      counter.reset();
    }
  }
  return measured;
}

}  // namespace bp::command
