#include "plugins/npu/queue.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "plugin_api/cpp/call.h"

namespace bp::npu {
namespace {

constexpr std::size_t max_failures = 300;

}  // namespace

void Board::accept(bp_point_t point) {
  std::lock_guard lock(mutex_);
  in_flight_.insert({point.timeline, point.value});
}

void Board::settle(bp_point_t point, const Outcome &outcome) {
  std::lock_guard lock(mutex_);
  const Key key(point.timeline, point.value);
  in_flight_.erase(key);
  if (outcome.status != BP_OK) {
    failures_.emplace_back(key, outcome);
    if (failures_.size() > max_failures) {
      failures_.pop_front();
    }
  }
  changed_.notify_all();
}

Outcome Board::wait(bp_point_t point) {
  std::unique_lock lock(mutex_);
  const Key key(point.timeline, point.value);
  changed_.wait(lock, [&] { return !in_flight_.contains(key); });
  const auto failure =
      std::find_if(failures_.begin(), failures_.end(), [&](const auto &one) { return one.first == key; });
  return failure == failures_.end() ? Outcome() : failure->second;
}

Queue::Queue(const bp_host_t *host, Board &board, std::uint32_t kinds, std::uint64_t jitter, Execute execute)
    : host_(host),
      board_(board),
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
  Submission submission{std::exchange(next_waits_for_, {}), {commands, commands + count}, done};
  for (const bp_command_t &command : submission.commands) {
    if (command.kind >= 32 || (kinds_ >> command.kind & 1) == 0) {
      return plugin::fail(diag, BP_INVALID,
                          "this queue does not take commands of kind " + std::to_string(command.kind));
    }
  }
  board_.accept(done);
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
  const Outcome outcome = run(submission);
  board_.settle(submission.done, outcome);
  host_->signal(host_, submission.done, outcome.status, outcome.instruction,
                outcome.status == BP_OK ? nullptr : outcome.message.c_str());
}

Outcome Queue::run(const Submission &submission) {
  for (const bp_point_t point : submission.waits_for) {
    if (Outcome outcome = board_.wait(point); outcome.status != BP_OK) {
      return outcome;  // BP-WAIT-01
    }
  }
  plugin::FirstReport report;
  bp_status status = BP_OK;
  for (const bp_command_t &command : submission.commands) {
    status = plugin::guarded(&report.abi, [&] { return execute_(command, &report.abi); });
    if (status != BP_OK) {
      break;
    }
  }
  return {status, report.instruction, std::move(report.message)};
}

// Sleeps for up to a fifth of a millisecond. The time is a random number of an xorshift generator.
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
