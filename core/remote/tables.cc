#include "core/remote/tables.h"

#include <algorithm>

namespace bp::remote {
namespace {

constexpr const char *known[] = {
    BP_EXT_KERNELS,     BP_EXT_MEMORY,   BP_EXT_COMPILER,  BP_EXT_QUEUE,       BP_EXT_NATIVE_SYNC,
    BP_EXT_REWRITE,     BP_EXT_LAYOUT,   BP_EXT_FUSION,    BP_EXT_CUSTOM_CALL, BP_EXT_EXTERNAL_MEMORY,
    BP_EXT_DEVICE_INFO, BP_EXT_COUNTERS, BP_EXT_HOST_CALL, BP_EXT_AOT};

}  // namespace

bool is_known_extension(std::string_view id) {
  return std::ranges::find(known, id) != std::end(known);
}

std::span<const char *const> known_extensions() {
  return known;
}

void write_extension(Writer &writer, const layers::LayeredDevice &device, std::string_view id) {
  const auto write = [&](const auto *elements, std::uint64_t count) {
    writer.number(std::uint8_t{1});
    write_array(writer, elements, count);
  };
  if (id == BP_EXT_MEMORY && device.memory != nullptr) {
    write(device.memory->spaces, device.memory->space_count);
  } else if (id == BP_EXT_QUEUE && device.queue != nullptr) {
    write(device.queue->queues, device.queue->queue_count);
  } else if (id == BP_EXT_FUSION && device.fusion != nullptr) {
    write(device.fusion->limits, 1);
  } else if (id == BP_EXT_CUSTOM_CALL && device.custom_call != nullptr) {
    write(device.custom_call->routines, device.custom_call->routine_count);
  } else if (id == BP_EXT_COUNTERS && device.counters != nullptr) {
    write(device.counters->counters, device.counters->counter_count);
  } else if (id == BP_EXT_HOST_CALL && device.host_call != nullptr) {
    constexpr std::uint32_t none = 0;  // the application is in this process
    write(&none, 1);
  } else if (id == BP_EXT_EXTERNAL_MEMORY && device.external_memory != nullptr && device.memory != nullptr) {
    // Neither addresses nor descriptors of this process can be used elsewhere: no space imports or exports any kind.
    const std::vector<bp_external_support_t> none(device.memory->space_count, {0, 0, 1, 1});
    write(none.data(), none.size());
  } else {
    writer.number(std::uint8_t{0});
  }
}

void Extensions::read(Reader &reader, std::string_view id) {
  if (reader.number<std::uint8_t>() == 0) {
    return;
  }
  if (id == BP_EXT_MEMORY) {
    spaces = read_array<bp_space_t>(reader, arena_);
  } else if (id == BP_EXT_QUEUE) {
    queues = read_array<std::uint32_t>(reader, arena_);
  } else if (id == BP_EXT_FUSION) {
    const std::vector<bp_fusion_limits_t> &limits = read_array<bp_fusion_limits_t>(reader, arena_);
    fusion_ = {limits.empty() ? nullptr : limits.data()};
  } else if (id == BP_EXT_CUSTOM_CALL) {
    routines_ = read_array<bp_routine_t>(reader, arena_);
  } else if (id == BP_EXT_COUNTERS) {
    counters_ = read_array<bp_counter_desc_t>(reader, arena_);
  } else if (id == BP_EXT_HOST_CALL) {
    const std::vector<std::uint32_t> &kinds = read_array<std::uint32_t>(reader, arena_);
    host_call_ = {kinds.empty() ? 0 : kinds.front()};
  } else if (id == BP_EXT_EXTERNAL_MEMORY) {
    external_support = read_array<bp_external_support_t>(reader, arena_);
  } else {
    reader.fail(fmt::format("extension {} has data, expected none", host::printable(id)));
  }
  update();
}

void Extensions::update() {
  if (spaces.has_value()) {
    memory_.spaces = spaces->data();
    memory_.space_count = spaces->size();
  }
  if (queues.has_value()) {
    queue_.queues = queues->data();
    queue_.queue_count = queues->size();
  }
  if (routines_.has_value()) {
    custom_call_ = {routines_->data(), routines_->size()};
  }
  if (counters_.has_value()) {
    counter_table_ = {counters_->data(), counters_->size()};
  }
  if (external_support.has_value()) {
    external_memory_.support = external_support->data();
  }
}

const void *Extensions::find(std::string_view id) const {
  if (id == BP_EXT_MEMORY) {
    return spaces.has_value() ? &memory_ : nullptr;
  }
  if (id == BP_EXT_QUEUE) {
    return queues.has_value() ? &queue_ : nullptr;
  }
  if (id == BP_EXT_FUSION) {
    return fusion_.has_value() ? &*fusion_ : nullptr;
  }
  if (id == BP_EXT_CUSTOM_CALL) {
    return routines_.has_value() ? &custom_call_ : nullptr;
  }
  if (id == BP_EXT_HOST_CALL) {
    return host_call_.has_value() ? &*host_call_ : nullptr;
  }
  if (id == BP_EXT_COUNTERS) {
    return counters_.has_value() ? &counter_table_ : nullptr;
  }
  if (id == BP_EXT_EXTERNAL_MEMORY) {
    return external_support.has_value() ? &external_memory_ : nullptr;
  }
  // The table contains only functions, which layers replace, so the pointer only says that there is one.
  return std::ranges::find(plain_, id) != plain_.end() ? this : nullptr;
}

void Extensions::list(Listing &listing) const {
  for (const bp_space_t &space : spaces.value_or(std::vector<bp_space_t>())) {
    listing.out("space", fmt::format("{} of {} bytes, flags {}", Codec<const char *>::text(space.name), space.capacity,
                                     space.flags));
  }
  for (const std::uint32_t kinds : queues.value_or(std::vector<std::uint32_t>())) {
    listing.out("queue", fmt::format("for kinds {:#x}", kinds));
  }
  for (const bp_routine_t &routine : routines_.value_or(std::vector<bp_routine_t>())) {
    listing.out("routine", Codec<const char *>::text(routine.target));
  }
  for (const bp_counter_desc_t &counter : counters_.value_or(std::vector<bp_counter_desc_t>())) {
    listing.out("counter", Codec<const char *>::text(counter.name));
  }
  if (fusion_.has_value() && fusion_->limits != nullptr) {
    listing.out("limits", fmt::format("{} instructions", fusion_->limits->max_instructions), false);
  }
}

}  // namespace bp::remote
