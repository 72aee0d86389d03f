#include "plugins/gpu/queue.h"

#include <algorithm>

#include "plugin_api/cpp/call.h"

namespace bp::gpu {
namespace {

constexpr std::size_t max_failures = 300;

// Whether a command, with all before it, is done when it was started, as those are that end with Machine::copy_in() or
// copy_out().
bool ends_at_once(const bp_command_t &command) {
  return command.kind == BP_COMMAND_COPY && command.size > 0 && (command.to.memory == 0 || command.from.memory == 0);
}

}  // namespace

// --- Board ---

void Board::accept(bp_point_t point) {
  std::lock_guard lock(mutex_);
  in_flight_[{point.timeline, point.value}] = {};
}

void Board::start(bp_point_t point, std::shared_ptr<const Mark> end, const Outcome &outcome) {
  std::lock_guard lock(mutex_);
  in_flight_[{point.timeline, point.value}] = {true, std::move(end), outcome};
  changed_.notify_all();
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

Outcome Board::settled(const Key &key) const {
  const auto failure = std::ranges::find(failures_, key, &std::pair<Key, Outcome>::first);
  return failure == failures_.end() ? Outcome() : failure->second;
}

std::pair<Outcome, std::shared_ptr<const Mark>> Board::wait_for_start(bp_point_t point) {
  std::unique_lock lock(mutex_);
  const Key key(point.timeline, point.value);
  auto found = in_flight_.end();
  changed_.wait(lock, [&] {
    found = in_flight_.find(key);
    return found == in_flight_.end() || found->second.is_started;
  });
  if (found == in_flight_.end()) {
    return {settled(key), nullptr};
  }
  return {found->second.outcome, found->second.end};
}

Outcome Board::wait_for_end(bp_point_t point) {
  std::unique_lock lock(mutex_);
  const Key key(point.timeline, point.value);
  changed_.wait(lock, [&] { return !in_flight_.contains(key); });
  return settled(key);
}

// --- Queue ---

Queue::Queue(const bp_host_t *host, Machine &machine, Board &board, std::uint32_t kinds, Start start)
    : host_(host),
      machine_(machine),
      board_(board),
      kinds_(kinds),
      start_(std::move(start)),
      starter_(&Queue::start_all, this) {
  try {
    finisher_ = std::thread(&Queue::finish_all, this);
  } catch (...) {  // the object of a running thread must not be destroyed
    submitted_.close();
    starter_.join();
    throw;
  }
}

Queue::~Queue() {
  submitted_.close();
  starter_.join();
  started_.close();
  finisher_.join();
}

bp_status Queue::submit(const bp_command_t *commands, std::uint32_t count, bp_point_t done, const bp_diag_t *diag) {
  Submission submission{std::exchange(next_waits_for_, {}), {commands, commands + count}, done};
  for (const bp_command_t &command : submission.commands) {
    if (command.kind >= 32 || (kinds_ >> command.kind & 1) == 0) {
      return plugin::fail(
          diag, BP_INVALID,
          machine_.backend() + ": this queue does not take commands of kind " + std::to_string(command.kind));
    }
  }
  if (const bp_status status = machine_.check(diag); status != BP_OK) {
    return status;
  }
  board_.accept(done);
  submitted_.push(std::move(submission));
  return BP_OK;
}

void Queue::start_all() {
  while (auto submission = submitted_.pop()) {
    Started started = start(std::move(*submission));
    if (started.end == nullptr && unfinished_ == 0) {  // so signals come in order
      finish(std::move(started));
    } else {
      ++unfinished_;
      started_.push(std::move(started));
    }
  }
}

Queue::Started Queue::start(Submission submission) {
  Outcome outcome = start_commands(submission);
  plugin::FirstReport report;
  bp_status status = BP_OK;
  std::shared_ptr<const Mark> end;
  // This is done also after a failure, because the commands before it use memory until they are done.
  if (outcome.status != BP_OK || submission.commands.empty() || !ends_at_once(submission.commands.back())) {
    end = machine_.mark(status, &report.abi);
  }
  if (status != BP_OK) {
    plugin::FirstReport unheard;
    machine_.finish(&unheard.abi);
    if (outcome.status == BP_OK) {
      outcome = {after_writing(status), BP_NONE, std::move(report.message)};
    }
  }
  board_.start(submission.done, end, outcome);
  return {std::move(submission.waits_for), submission.done, std::move(end), std::move(outcome)};
}

Outcome Queue::start_commands(const Submission &submission) {
  plugin::FirstReport report;
  for (const bp_point_t point : submission.waits_for) {
    const auto [outcome, end] = board_.wait_for_start(point);
    if (outcome.status != BP_OK) {
      return outcome;  // BP-WAIT-01
    }
    const bp_status status = end == nullptr ? BP_OK : end->hold(&report.abi);
    if (status != BP_OK) {
      return {status, BP_NONE, std::move(report.message)};
    }
  }
  for (const bp_command_t &command : submission.commands) {
    const bp_status status = plugin::guarded(&report.abi, [&] { return start_(command, &report.abi); });
    if (status != BP_OK) {
      const bool is_first = &command == submission.commands.data();
      return {is_first ? status : after_writing(status), report.instruction, std::move(report.message)};
    }
  }
  return {};
}

void Queue::finish_all() {
  while (auto started = started_.pop()) {
    finish(std::move(*started));
    --unfinished_;
  }
}

void Queue::finish(Started started) {
  plugin::FirstReport report;
  const bp_status ended = started.end == nullptr ? BP_OK : started.end->wait(&report.abi);
  Outcome outcome = std::move(started.outcome);
  if (outcome.status == BP_OK && ended != BP_OK) {
    outcome = {after_writing(ended), BP_NONE, std::move(report.message)};
  }
  // The submissions that it waited for are done, but they may have failed after this one was started.
  for (const bp_point_t point : started.waits_for) {
    if (Outcome before = board_.wait_for_end(point); outcome.status == BP_OK) {
      outcome = std::move(before);
    }
  }
  started.end.reset();
  board_.settle(started.done, outcome);
  host_->signal(host_, started.done, outcome.status, outcome.instruction,
                outcome.status == BP_OK ? nullptr : outcome.message.c_str());
}

}  // namespace bp::gpu
