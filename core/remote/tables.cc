#include "core/remote/tables.h"

#include <algorithm>

namespace bp::remote {
namespace {

constexpr const char *known[] = {BP_EXT_KERNELS, BP_EXT_MEMORY, BP_EXT_COMPILER, BP_EXT_QUEUE,      BP_EXT_NATIVE_SYNC,
                                 BP_EXT_REWRITE, BP_EXT_LAYOUT, BP_EXT_FUSION,   BP_EXT_CUSTOM_CALL};

void write_list(Writer &writer, const char *const *list) {
  writer.number(static_cast<std::uint8_t>(list != nullptr));
  std::uint64_t count = 0;
  for (const char *const *item = list; item != nullptr && *item != nullptr; ++item) {
    ++count;
  }
  writer.number(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    writer.text(list[i]);
  }
}

}  // namespace

// --- descriptions ---

void write_description(Writer &writer, const bp_device_desc_t *description) {
  writer.number(static_cast<std::uint8_t>(description != nullptr));
  if (description == nullptr) {
    return;
  }
  writer.number(description->bp_version);
  writer.number(description->opset);
  for (const char *text :
       {description->id, description->name, description->vendor, description->version, description->url}) {
    writer.text(text);
  }
  write_list(writer, description->features);
  const std::uint64_t count = description->options == nullptr ? 0 : description->option_count;
  writer.number(count);
  for (const bp_option_desc_t &option : std::span(description->options, count)) {
    writer.text(option.key);
    writer.text(option.initial);
    writer.text(option.help);
    write_list(writer, option.choices);
    writer.number(option.type);
  }
}

const char *Description::text(Reader &reader) {
  const auto read = reader.optional_text();
  return read.has_value() ? texts_.emplace_back(*read).c_str() : nullptr;
}

Description::Description(Reader &reader) : is_there_(reader.number<std::uint8_t>() != 0) {
  if (!is_there_) {
    return;
  }
  auto read_list = [&]() -> const char *const * {
    const bool is_given = reader.number<std::uint8_t>() != 0;
    std::vector<const char *> list;
    for (std::size_t i = reader.count(); i > 0; --i) {
      if (const char *item = text(reader); item != nullptr) {
        list.push_back(item);
      }
    }
    list.push_back(nullptr);
    return is_given ? lists_.emplace_back(std::move(list)).data() : nullptr;
  };
  reader.number(abi_.bp_version);
  reader.number(abi_.opset);
  for (const char **field : {&abi_.id, &abi_.name, &abi_.vendor, &abi_.version, &abi_.url}) {
    *field = text(reader);
  }
  abi_.features = read_list();
  for (std::size_t i = reader.count(); i > 0; --i) {
    bp_option_desc_t option{};
    option.key = text(reader);
    option.initial = text(reader);
    option.help = text(reader);
    option.choices = read_list();
    reader.number(option.type);
    options_.push_back(option);
  }
  abi_.options = options_.data();
  abi_.option_count = options_.size();
}

void Description::describe(Listing &listing) const {
  if (!is_there_) {
    listing.out("", "none");
    return;
  }
  auto given = [](const char *text) { return text == nullptr ? "none" : text; };
  listing.out("id", given(abi_.id));
  listing.out("version", given(abi_.version), false);
  std::string features;
  for (const char *const *feature = abi_.features; feature != nullptr && *feature != nullptr; ++feature) {
    features += (features.empty() ? "" : ", ") + std::string(*feature);
  }
  listing.out("features", features);
}

// --- extensions ---

bool is_known_extension(std::string_view id) {
  return std::ranges::find(known, id) != std::end(known);
}

std::span<const char *const> known_extensions() {
  return known;
}

void write_extension(Writer &writer, const layers::LayeredDevice &device, std::string_view id) {
  if (id == BP_EXT_MEMORY && device.memory != nullptr) {
    const std::uint64_t count = device.memory->spaces == nullptr ? 0 : device.memory->space_count;
    writer.number(count);
    for (const bp_space_t &space : std::span(device.memory->spaces, count)) {
      writer.text(space.name);
      writer.number(space.capacity);
      writer.number(space.alignment);
      writer.number(space.flags);
      writer.number(space.hlo_space);
      writer.number(space.gb_per_s);
    }
  } else if (id == BP_EXT_QUEUE && device.queue != nullptr) {
    const std::uint64_t count = device.queue->queues == nullptr ? 0 : device.queue->queue_count;
    writer.number(count);
    for (const std::uint32_t kinds : std::span(device.queue->queues, count)) {
      writer.number(kinds);
    }
  } else if (id == BP_EXT_FUSION && device.fusion != nullptr) {
    writer.number(static_cast<std::uint8_t>(device.fusion->limits != nullptr));
    if (device.fusion->limits != nullptr) {
      writer.number(*device.fusion->limits);
    }
  } else if (id == BP_EXT_CUSTOM_CALL && device.custom_call != nullptr) {
    writer.number(device.custom_call->routine_count);
    for (const bp_routine_t &routine : std::span(device.custom_call->routines, device.custom_call->routine_count)) {
      writer.text(routine.target);
      writer.number(static_cast<std::uint8_t>(routine.kernel != nullptr));
    }
  }
}

const char *Extensions::text(Reader &reader) {
  const auto read = reader.optional_text();
  return read.has_value() ? texts_.emplace_back(*read).c_str() : nullptr;
}

void Extensions::read(Reader &reader, std::string_view id) {
  if (id == BP_EXT_MEMORY) {
    has_memory = true;
    for (std::size_t i = reader.count(); i > 0; --i) {
      bp_space_t space{};
      space.name = text(reader);
      reader.number(space.capacity);
      reader.number(space.alignment);
      reader.number(space.flags);
      reader.number(space.hlo_space);
      reader.number(space.gb_per_s);
      spaces.push_back(space);
    }
  } else if (id == BP_EXT_QUEUE) {
    has_queue = true;
    for (std::size_t i = reader.count(sizeof(std::uint32_t)); i > 0; --i) {
      queues.push_back(reader.number<std::uint32_t>());
    }
  } else if (id == BP_EXT_FUSION) {
    has_fusion_ = true;
    if (reader.number<std::uint8_t>() != 0) {
      reader.number(limits_);
      fusion_.limits = &limits_;
    }
  } else if (id == BP_EXT_CUSTOM_CALL) {
    has_routines_ = true;
    for (std::size_t i = reader.count(); i > 0; --i) {
      const char *target = text(reader);
      const bool is_there = reader.number<std::uint8_t>() != 0;
      routines_.push_back({target, is_there ? layers::Interposer::kernel() : nullptr});
    }
  } else if (const auto *found = std::ranges::find(known, id); found != std::end(known)) {
    plain_.emplace_back(*found);
  }
  update();
}

void Extensions::update() {
  memory_.spaces = spaces.data();
  memory_.space_count = spaces.size();
  queue_.queues = queues.data();
  queue_.queue_count = queues.size();
  custom_call_ = {routines_.data(), routines_.size()};
}

const void *Extensions::find(std::string_view id) const {
  if (id == BP_EXT_MEMORY) {
    return has_memory ? &memory_ : nullptr;
  }
  if (id == BP_EXT_QUEUE) {
    return has_queue ? &queue_ : nullptr;
  }
  if (id == BP_EXT_FUSION) {
    return has_fusion_ ? &fusion_ : nullptr;
  }
  if (id == BP_EXT_CUSTOM_CALL) {
    return has_routines_ ? &custom_call_ : nullptr;
  }
  // The table contains only functions, which layers replace, so the pointer only says that there is one.
  return std::ranges::find(plain_, id) != plain_.end() ? this : nullptr;
}

void Extensions::describe(Listing &listing, std::string_view id) const {
  for (const bp_space_t &space : spaces) {
    listing.out("space", fmt::format("{} of {} bytes, flags {}", space.name == nullptr ? "none" : space.name,
                                     space.capacity, space.flags));
  }
  for (const std::uint32_t kinds : queues) {
    listing.out("queue", fmt::format("for kinds {:#x}", kinds));
  }
  for (const bp_routine_t &routine : routines_) {
    listing.out("routine", routine.target == nullptr ? "none" : routine.target);
  }
  if (id == BP_EXT_FUSION) {
    listing.out("limits", fmt::format("{} instructions", limits_.max_instructions), false);
  }
}

}  // namespace bp::remote
