#include "core/layers/deadline.h"

#include <fmt/format.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "core/layers/interposer.h"

namespace bp::layers {
namespace {

class DeadlineLayer final : public Interposer {
 public:
  using Clock = std::chrono::steady_clock;

  DeadlineLayer(std::unique_ptr<host::Entry> below, std::chrono::milliseconds time,
                std::function<void(const std::string &)> overdue)
      : Interposer(std::move(below)), time_(time), overdue_(std::move(overdue)), thread_(&DeadlineLayer::watch, this) {}
  ~DeadlineLayer() override {
    {
      const std::lock_guard lock(mutex_);
      is_closing_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  void enter(const Call &call) override {
    const std::lock_guard lock(mutex_);
    calls_[call.number] = {Clock::now(), call.function};
  }
  void leave(const Call &call, bp_status) override {
    const std::lock_guard lock(mutex_);
    calls_.erase(call.number);
  }

  bp_status queue_submit(LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands,
                         std::uint32_t command_count, bp_point_t done, const bp_diag_t *diag) override {
    const Point point{done.timeline, done.value};
    {
      const std::lock_guard lock(mutex_);
      submitted_[point] = Clock::now();
    }
    const bp_status status = Interposer::queue_submit(device, queue, commands, command_count, done, diag);
    if (status != BP_OK) {
      const std::lock_guard lock(mutex_);
      submitted_.erase(point);
    }
    return status;
  }
  void host_signal(LayeredHost &host, bp_point_t point, bp_status status, std::uint32_t instr,
                   const char *msg) override {
    {
      const std::lock_guard lock(mutex_);
      submitted_.erase({point.timeline, point.value});
    }
    Interposer::host_signal(host, point, status, instr, msg);
  }

 private:
  struct Started {
    Clock::time_point time;
    Function function;
  };
  using Point = std::pair<std::uint64_t, std::uint64_t>;

  void watch() {
    std::unique_lock lock(mutex_);
    while (!is_closing_) {
      changed_.wait_for(lock, std::min<std::chrono::milliseconds>(time_ / 4 + std::chrono::milliseconds(1),
                                                                  std::chrono::milliseconds(250)));
      if (const std::string what = find_overdue(); !what.empty()) {
        lock.unlock();
        overdue_(what);
        return;
      }
    }
  }

  // Returns an empty string if nothing is overdue. Linear in the number of calls and submissions in progress.
  std::string find_overdue() const {
    const Clock::time_point latest = Clock::now() - time_;
    const double seconds = std::chrono::duration<double>(time_).count();
    for (const auto &[number, call] : calls_) {
      if (call.time < latest) {
        return fmt::format("{} has not come back for {} s", to_string(call.function), seconds);
      }
    }
    for (const auto &[point, time] : submitted_) {
      if (time < latest) {
        return fmt::format("queue.submit was not signalled for {} s", seconds);
      }
    }
    return {};
  }

  const std::chrono::milliseconds time_;
  const std::function<void(const std::string &)> overdue_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, Started> calls_;  // those in progress, by number
  std::map<Point, Clock::time_point> submitted_;
  bool is_closing_ = false;
  std::thread thread_;  // last, because it uses all the other members
};

}  // namespace

host::Layer deadline_layer(std::chrono::milliseconds time, std::function<void(const std::string &what)> overdue) {
  return [time, overdue = std::move(overdue)](std::unique_ptr<host::Entry> below) {
    return std::make_unique<DeadlineLayer>(std::move(below), time, overdue);
  };
}

}  // namespace bp::layers
