#include "core/remote/accepted.h"

namespace bp::remote {

void Accepted::add(LayeredDevice &device) {
  const std::lock_guard lock(mutex_);
  devices_[device.id] = &device;
}

void Accepted::remove(const LayeredDevice &device) {
  const std::lock_guard handling(handling_);
  const std::lock_guard lock(mutex_);
  devices_.erase(device.id);
}

void Accepted::begin(bp_point_t done, LayeredDevice &device, std::shared_ptr<const StagedCall> call) {
  const std::lock_guard lock(mutex_);
  submits_.insert_or_assign({done.timeline, done.value}, Submit{&device, std::move(call)});
}

bp_status Accepted::settle(bp_point_t done, const Outcome &outcome, const Worker &worker) {
  const std::lock_guard lock(mutex_);
  const auto found = submits_.find({done.timeline, done.value});
  if (found == submits_.end()) {  // already signalled
    return outcome.has_reply ? outcome.status : BP_OK;
  }
  if (outcome.status == BP_OK && worker.is_alive()) {
    found->second.is_accepted = true;
    return BP_OK;
  }
  submits_.erase(found);
  return outcome.status == BP_OK ? BP_DEVICE_LOST : outcome.status;
}

void Accepted::handle(std::string_view message) {
  const std::lock_guard handling(handling_);
  Reader reader(message);
  const auto event = reader.number<Event>();
  const auto device = reader.number<std::uint64_t>();
  const bp_host_t *host = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = devices_.find(device);
    host = found == devices_.end() ? nullptr : found->second->host.below;
  }
  if (host == nullptr) {
    return;
  }
  if (event == Event::Signal) {
    const auto point = reader.number<bp_point_t>();
    const auto status = reader.number<bp_status>();
    const auto instruction = reader.number<std::uint32_t>();
    const std::optional<std::string> text = reader.optional_text();
    std::optional<Submit> submit;
    {
      const std::lock_guard lock(mutex_);
      if (auto found = submits_.extract({point.timeline, point.value}); !found.empty()) {
        submit = std::move(found.mapped());
      }
    }
    if (submit.has_value()) {
      submit->call->copy_out();
    }
    if (reader.ok()) {
      host->signal(host, point, status, instruction, text.has_value() ? text->c_str() : nullptr);
    }
  } else if (event == Event::Log) {
    const auto severity = reader.number<std::uint32_t>();
    const std::optional<std::string> text = reader.optional_text();
    if (reader.ok()) {
      log(host, severity, text.has_value() ? text->c_str() : nullptr);
    }
  }
}

void Accepted::signal_lost(const Worker &dead) {
  const std::lock_guard handling(handling_);
  std::vector<std::pair<LayeredDevice *, bp_point_t>> unfinished;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(submits_, [&](const auto &entry) {
      const auto &[point, submit] = entry;
      const bool is_lost = &submit.call->worker() == &dead && submit.is_accepted;
      if (is_lost) {
        unfinished.emplace_back(submit.device, bp_point_t{point.first, point.second});
      }
      return is_lost;
    });
  }
  if (!unfinished.empty()) {
    dead.tell_death();
  }
  for (const auto &[device, point] : unfinished) {
    const std::string text = lost(device->abi.desc->id, dead, "in work that it had accepted by queue.submit");
    device->host.below->signal(device->host.below, point, BP_DEVICE_LOST, BP_NONE, text.c_str());
  }
}

Channel::Deadline Accepted::deadline(double seconds) const {
  Channel::Deadline earliest;
  const auto patience = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
  const std::lock_guard lock(mutex_);
  for (const auto &[point, submit] : submits_) {
    earliest = std::min(earliest.value_or(submit.since + patience), submit.since + patience);
  }
  return earliest;
}

}  // namespace bp::remote
