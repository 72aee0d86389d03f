#include "plugins/npu/queue.h"

#include <chrono>
#include <string>
#include <utility>

#include "plugin_api/cpp/call.h"

namespace bp::npu {
namespace {

// The first report of a failure.
struct FirstReport {
  bp_diag_t abi{this, keep};
  std::uint32_t instruction = BP_NONE;
  std::string message;

  static void keep(const bp_diag_t *diag, bp_status, std::uint32_t instruction, const char *message) {
    auto &self = *static_cast<FirstReport *>(diag->ctx);
    if (self.message.empty()) {
      self.instruction = instruction;
      self.message = message;
    }
  }
};

}  // namespace

Queue::Queue(const bp_host_t *host, std::uint32_t kinds, std::uint64_t jitter, Execute execute)
    : host_(host),
      kinds_(kinds),
      random_state_(jitter),
      has_jitter_(jitter != 0),
      execute_(std::move(execute)),
      thread_(&Queue::work, this) {}

Queue::~Queue() {
  {
    std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

bp_status Queue::submit(const bp_command_t *commands, std::uint32_t count, bp_point_t done, const bp_diag_t *diag) {
  Submission submission{{commands, commands + count}, done};
  for (const bp_command_t &command : submission.commands) {
    if (command.kind >= 32 || (kinds_ >> command.kind & 1) == 0) {
      return plugin::fail(diag, BP_INVALID,
                          "this queue does not take commands of kind " + std::to_string(command.kind));
    }
  }
  std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(submission));
  changed_.notify_one();
  return BP_OK;
}

void Queue::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return !waiting_.empty() || is_closing_; });
    if (waiting_.empty()) {
      return;
    }
    {
      const Submission submission = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      wait_a_little();
      finish(submission);
    }
    lock.lock();
  }
}

void Queue::finish(const Submission &submission) {
  FirstReport report;
  bp_status status = BP_OK;
  for (const bp_command_t &command : submission.commands) {
    status = plugin::guarded(&report.abi, [&] { return execute_(command, &report.abi); });
    if (status != BP_OK) {
      break;
    }
  }
  host_->signal(host_, submission.done, status, report.instruction, status == BP_OK ? nullptr : report.message.c_str());
}

// Up to a fifth of a millisecond, by xorshift.
void Queue::wait_a_little() {
  if (!has_jitter_) {
    return;
  }
  random_state_ ^= random_state_ << 13;
  random_state_ ^= random_state_ >> 7;
  random_state_ ^= random_state_ << 17;
  std::this_thread::sleep_for(std::chrono::microseconds(random_state_ % 200));
}

}  // namespace bp::npu
