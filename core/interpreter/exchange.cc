#include "core/interpreter/exchange.h"

#include <algorithm>
#include <chrono>

namespace bp::interpreter {

Status Exchange::wait(std::unique_lock<std::mutex> &lock, DeviceNumber self, const RunTerms &terms,
                      std::function<bool()> is_ready) {
  std::function<bool()> &own = waits_[static_cast<std::size_t>(self)];
  own = std::move(is_ready);
  stop_if_deadlocked();
  const auto can_go_on = [&] { return own() || stopped_; };
  Status end;
  if (const Cancellation *cancellation = terms.cancellation.get()) {
    constexpr std::chrono::milliseconds patience(5);  // nobody wakes those who wait when work is cancelled
    while (!changed_.wait_for(lock, patience, can_go_on) && end.ok()) {
      end = cancellation->check();
    }
  } else {
    changed_.wait(lock, can_go_on);
  }
  const bool ready = own();
  own = nullptr;
  if (!ready && !end.ok()) {
    return end;
  }
  if (!ready) {
    return invalid_input("deadlock: device {} waits for devices that have ended or wait themselves", self);
  }
  return {};
}

void Exchange::stop_if_deadlocked() {
  const auto blocked = std::ranges::count_if(waits_, [](const auto &ready) { return ready && !ready(); });
  if (static_cast<std::size_t>(blocked) + ended_ == waits_.size()) {
    stopped_ = true;
    changed_.notify_all();
  }
}

Result<std::vector<std::vector<ir::Literal>>> Exchange::rendezvous(DeviceNumber self, const std::string &key,
                                                                   const std::vector<DeviceNumber> &members,
                                                                   std::vector<ir::Literal> values,
                                                                   const RunTerms &terms) {
  std::unique_lock lock(mutex_);
  const RendezvousKey full_key(key, members);
  const std::int64_t number = counts_[{full_key, self}]++;
  auto &of_key = rendezvous_[full_key];
  Rendezvous &current = of_key[number];
  current.values[self] = std::move(values);
  if (current.values.size() == members.size()) {
    changed_.notify_all();
  } else {
    BP_TRY(wait(lock, self, terms, [&current, &members] { return current.values.size() == members.size(); }));
  }
  std::vector<std::vector<ir::Literal>> all;
  for (DeviceNumber member : members) {
    all.push_back(current.values.at(member));
  }
  if (++current.left == members.size()) {
    of_key.erase(number);
  }
  return all;
}

void Exchange::send(std::int64_t channel, ir::Literal value) {
  const std::lock_guard lock(mutex_);
  queues_[channel].push_back(std::move(value));
  changed_.notify_all();
}

Result<ir::Literal> Exchange::receive(DeviceNumber self, std::int64_t channel, const RunTerms &terms) {
  std::unique_lock lock(mutex_);
  std::deque<ir::Literal> &queue = queues_[channel];
  BP_TRY(wait(lock, self, terms, [&queue] { return !queue.empty(); }));
  ir::Literal value = std::move(queue.front());
  queue.pop_front();
  return value;
}

Result<ir::Literal> Exchange::next_input() {
  const std::lock_guard lock(mutex_);
  if (inputs_.empty()) {
    return make_error(ErrorCode::InvalidInput,
                      "infeed: all values given to the run have been read, expected another one");
  }
  ir::Literal value = std::move(inputs_.front());
  inputs_.pop_front();
  return value;
}

void Exchange::leave(DeviceNumber self, bool failed) {
  const std::lock_guard lock(mutex_);
  ++ended_;
  if (failed) {
    stopped_ = true;
    first_failed_ = first_failed_.value_or(self);
  }
  stop_if_deadlocked();
  changed_.notify_all();
}

}  // namespace bp::interpreter
