#include "core/remote/accepted.h"

namespace bp::remote {

Status Submit::bring(Worker &to, Staging &pool, bp_command_t &command) {
  if (command.kind == BP_COMMAND_RUN) {
    return {};
  }
  const bool is_copy = command.kind == BP_COMMAND_COPY;
  for (bp_loc_t *place : {&command.to, &command.from}) {
    if (place->memory != 0 || place->offset == 0 || (place == &command.from && !is_copy)) {
      continue;
    }
    BP_ASSIGN(const std::shared_ptr<Segment> segment, pool.take(to, command.size));
    staging.push_back(segment);
    if (place == &command.from) {
      std::memcpy(segment->data(), reinterpret_cast<const void *>(place->offset), command.size);
    } else {
      outputs.push_back({reinterpret_cast<void *>(place->offset), segment, command.size});
    }
    *place = {segment->id(), 0};
  }
  return {};
}

void Accepted::add(LayeredDevice &device) {
  const std::lock_guard lock(mutex_);
  devices_[device.id] = &device;
}

void Accepted::remove(const LayeredDevice &device) {
  const std::lock_guard hearing(hearing_);
  const std::lock_guard lock(mutex_);
  devices_.erase(device.id);
}

void Accepted::begin(bp_point_t done, LayeredDevice &device, Submit submit) {
  const std::lock_guard lock(mutex_);
  submits_.insert_or_assign({done.timeline, done.value}, std::pair(&device, std::move(submit)));
}

bp_status Accepted::settle(bp_point_t done, const Outcome &outcome, const Worker &worker) {
  const std::lock_guard lock(mutex_);
  const auto found = submits_.find({done.timeline, done.value});
  if (found == submits_.end()) {  // already signalled
    return outcome.has_come ? outcome.status : BP_OK;
  }
  if (outcome.status == BP_OK && worker.is_alive()) {
    found->second.second.is_accepted = true;
    return BP_OK;
  }
  submits_.erase(found);
  return outcome.status == BP_OK ? BP_DEVICE_LOST : outcome.status;
}

void Accepted::hear(std::string_view message) {
  const std::lock_guard hearing(hearing_);
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
        submit = std::move(found.mapped().second);
      }
    }
    if (submit.has_value()) {
      finish(*submit);
    }
    if (reader.ok()) {
      host->signal(host, point, status, instruction, text.has_value() ? text->c_str() : nullptr);
    }
  } else if (event == Event::Log) {
    const auto severity = reader.number<std::uint32_t>();
    const std::optional<std::string> text = reader.optional_text();
    const auto *log = static_cast<const bp_host_log_t *>(host->get_extension(host, BP_EXT_LOG));
    if (log != nullptr && reader.ok()) {
      log->log(host, severity, text.has_value() ? text->c_str() : nullptr);
    }
  }
}

void Accepted::finish(const Submit &submit) {
  for (const Submit::Output &output : submit.outputs) {
    std::memcpy(output.to, output.from->data(), output.size);
  }
  for (const auto &segment : submit.staging) {
    staging_.give_back(submit.worker, segment);
  }
}

void Accepted::mourn(const Worker &dead) {
  const std::lock_guard hearing(hearing_);
  std::vector<std::pair<LayeredDevice *, bp_point_t>> lost;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(submits_, [&](const auto &entry) {
      const auto &[point, of_device] = entry;
      const bool is_lost = of_device.second.worker == dead.number() && of_device.second.is_accepted;
      if (is_lost) {
        lost.emplace_back(of_device.first, bp_point_t{point.first, point.second});
      }
      return is_lost;
    });
  }
  for (const auto &[device, point] : lost) {
    const std::string text =
        fmt::format("{} {} in work that it had accepted by queue.submit; it is started again for the next call",
                    device->abi.desc->id, dead.death());
    device->host.below->signal(device->host.below, point, BP_DEVICE_LOST, BP_NONE, text.c_str());
  }
}

Channel::Deadline Accepted::deadline(double seconds) const {
  Channel::Deadline earliest;
  const auto patience = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
  const std::lock_guard lock(mutex_);
  for (const auto &[point, of_device] : submits_) {
    earliest = std::min(earliest.value_or(of_device.second.since + patience), of_device.second.since + patience);
  }
  return earliest;
}

}  // namespace bp::remote
