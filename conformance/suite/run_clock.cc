#include "conformance/suite/run_clock.h"

#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "core/layers/interposer.h"
#include "core/layers/listening_run.h"

namespace bp::conformance {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

struct RunClock::State {
  std::mutex mutex;
  bool has_run = false;
  double seconds = 0;                                // wall-clock time
  std::uint64_t first_ns = UINT64_MAX, last_ns = 0;  // device time of the current run; none if first > last
  double device_seconds = 0;                         // sum over the runs that have finished
  std::deque<layers::ListeningRun> listening;        // kept until nothing is in flight
  std::map<std::pair<std::uint64_t, std::uint64_t>, Clock::time_point> submitted;  // by the point that ends the run

  const bp_run_t *listen(const bp_run_t *run) {
    const std::lock_guard lock(mutex);
    return listening
        .emplace_back(run,
                      [this](std::uint32_t, std::uint32_t, std::uint64_t begin_ns, std::uint64_t end_ns) {
                        const std::lock_guard guard(mutex);
                        first_ns = std::min(first_ns, begin_ns);
                        last_ns = std::max(last_ns, end_ns);
                      })
        .abi();
  }
  void finish(Clock::time_point start) {
    const double taken = std::chrono::duration<double>(Clock::now() - start).count();
    const std::lock_guard lock(mutex);
    has_run = true;
    seconds += taken;
    device_seconds += first_ns < last_ns ? 1e-9 * static_cast<double>(last_ns - first_ns) : 0;
    first_ns = UINT64_MAX;
    last_ns = 0;
  }
};

class RunClock::ClockLayer final : public layers::Interposer {
 public:
  ClockLayer(std::unique_ptr<host::Entry> below, std::shared_ptr<State> state)
      : Interposer(std::move(below)), state_(std::move(state)) {}

  bp_status program_run(layers::LayeredProgram &program, const bp_run_t *run, const bp_diag_t *diag) override {
    const bp_run_t *listening = state_->listen(run);
    const auto start = Clock::now();
    const bp_status status = Interposer::program_run(program, listening, diag);
    state_->finish(start);
    return status;
  }

  bp_status queue_submit(layers::LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands,
                         std::uint32_t command_count, bp_point_t done, const bp_diag_t *diag) override {
    std::vector<bp_command_t> listening(commands, commands + command_count);
    bool has_run = false;
    for (bp_command_t &command : listening) {
      if (command.run != nullptr) {
        command.run = state_->listen(command.run);
        has_run = true;
      }
    }
    if (has_run) {
      const std::lock_guard lock(state_->mutex);
      state_->submitted[{done.timeline, done.value}] = Clock::now();
    }
    return Interposer::queue_submit(device, queue, listening.data(), command_count, done, diag);
  }

  void host_signal(layers::LayeredHost &host, bp_point_t point, bp_status status, std::uint32_t instr,
                   const char *msg) override {
    std::optional<Clock::time_point> start;
    {
      const std::lock_guard lock(state_->mutex);
      if (const auto found = state_->submitted.extract({point.timeline, point.value})) {
        start = found.mapped();
      }
    }
    if (start) {
      state_->finish(*start);
    }
    Interposer::host_signal(host, point, status, instr, msg);
  }

 private:
  std::shared_ptr<State> state_;
};

std::shared_ptr<RunClock::State> RunClock::make_state() {
  return std::make_shared<State>();
}

std::optional<RunClock::Reading> RunClock::take() {
  const std::lock_guard lock(state_->mutex);
  std::optional<Reading> reading;
  if (state_->has_run) {
    const bool is_of_device = state_->device_seconds > 0;
    reading = Reading{is_of_device ? state_->device_seconds : state_->seconds, is_of_device};
  }
  state_->has_run = false;
  state_->seconds = state_->device_seconds = 0;
  state_->listening.clear();
  return reading;
}

host::Layer RunClock::layer() {
  return [state = state_](std::unique_ptr<host::Entry> below) {
    return std::make_unique<ClockLayer>(std::move(below), state);
  };
}

}  // namespace bp::conformance
