#include "core/remote/memory.h"

#include <algorithm>

#include "plugin_api/cpp/module_view.h"

namespace bp::remote {
namespace {

using Kind = MemoryUse::Kind;

// How a location is encoded.
enum class Form : std::uint8_t {
  Nowhere,   // {0, 0}
  Named,     // id, offset
  Filled,    // id, offset, content: of memory that the client can write to without a call
  Content,   // content
  Room,      // size
  Same,      // index of the use with the same location
  Constant,  // the constant that was given to load()
  Unknown,
};

constexpr std::uint64_t max_room = std::uint64_t{1} << 47;  // the address space of a process

bool is_host(bp_loc_t location) {
  return location.memory == 0 && location.offset != 0;
}

Item item_of(const bp_module_t *module, const CallResult &result, Bytes bytes) {
  Item item{"result", {}, true, bytes, 0, 8};
  if (module != nullptr && result.value < module->values.count) {
    const plugin::Value value = plugin::ModuleView(module).value(result.value);
    item.name = fmt::format("result {}", value.instruction().name());
    item.dtype = value.shape().dtype();
    item.element_bits = value.shape().element_bits();
  }
  return item;
}

void write_location(Writer &writer, const ClientCall &call, const MemoryUse &use) {
  const bp_loc_t remote = call.remote(use.location);
  const bool is_read = use.kind == Kind::Read || use.kind == Kind::Updated;
  const auto bytes = is_read ? call.readable(use.location, use.size) : std::nullopt;
  if (remote.memory != 0) {
    writer.number(bytes.has_value() ? Form::Filled : Form::Named);
    writer.number(remote);
  } else if (bytes.has_value()) {
    writer.number(Form::Content);
  } else {
    writer.number(Form::Room);
    writer.number(use.size);
  }
  if (bytes.has_value()) {
    writer.content(*bytes);
  }
}

// Returns the uses of the application's memory, one for each address.
std::map<std::uint64_t, MemoryUse> merged_host_uses(const Usage &usage) {
  std::map<std::uint64_t, MemoryUse> by_address;
  for (const MemoryUse &use : usage.memory) {
    if (!is_host(use.location) || use.size == 0 || use.kind == Kind::Constant || use.kind == Kind::Unknown) {
      continue;
    }
    const auto [found, is_new] = by_address.try_emplace(use.location.offset, use);
    found->second.size = std::max(found->second.size, use.size);
    found->second.kind = is_new || found->second.kind == use.kind ? use.kind : Kind::Updated;
  }
  return by_address;
}

}  // namespace

// --- the client ---

void write_memory(Writer &writer, ClientCall &call, const Usage &usage) {
  const std::map<std::uint64_t, MemoryUse> host_uses = merged_host_uses(usage);
  std::vector<MemoryUse> staged;
  for (const auto &[address, use] : host_uses) {
    staged.push_back(use);
  }
  if (Status status = call.stage(staged); call.status.ok()) {
    call.status = std::move(status);
  }
  std::map<std::uint64_t, std::uint64_t> first;  // by address: index of the use
  writer.number(std::uint64_t{usage.memory.size()});
  for (std::uint64_t i = 0; i < usage.memory.size(); ++i) {
    const MemoryUse &use = usage.memory[i];
    const bool host = is_host(use.location);
    if (use.location.memory == 0 && use.location.offset == 0) {
      writer.number(Form::Nowhere);
    } else if (host && (use.kind == Kind::Constant || use.kind == Kind::Unknown)) {
      writer.number(use.kind == Kind::Constant ? Form::Constant : Form::Unknown);
    } else if (const auto found = host ? host_uses.find(use.location.offset) : host_uses.end();
               found == host_uses.end()) {
      write_location(writer, call, use);
    } else if (const auto [same, is_new] = first.try_emplace(use.location.offset, i); is_new) {
      write_location(writer, call, found->second);
    } else {
      writer.number(Form::Same);
      writer.number(same->second);
    }
  }
  for (std::size_t i = 0; call.wants_results && i < usage.results.size(); ++i) {
    const CallResult &result = usage.results[i];
    const bp_loc_t memory = usage.memory[result.use].location;
    const bool is_somewhere = memory.memory != 0 || memory.offset != 0;
    const auto bytes =
        is_somewhere ? call.readable({memory.memory, memory.offset + result.offset}, result.size) : std::nullopt;
    call.results.push_back(item_of(usage.module, result, bytes.value_or(Bytes())));
  }
}

// --- the server ---

ReceivedMemory::ReceivedMemory(Reader &reader, const ReceivedCall &call) {
  const std::size_t count = reader.count();
  for (std::size_t i = 0; i < count && reader.ok(); ++i) {
    Region region = read_region(reader, call);
    if (call.program != nullptr && call.program->has_taken(i)) {
      region = {};  // even if it had not taken it when this was recorded
    }
    locations_.push_back(region.location);
    visible_.push_back(region.visible);
  }
}

ReceivedMemory::Region ReceivedMemory::read_region(Reader &reader, const ReceivedCall &call) {
  const auto form = reader.number<Form>();
  switch (form) {
    case Form::Nowhere: return {};
    case Form::Named: return read_named(reader, call);
    case Form::Filled: {
      const Region region = read_named(reader, call);
      const Bytes content = reader.content();
      if (region.visible.data() != nullptr && content.size() > region.visible.size()) {
        reader.fail(fmt::format("{} bytes are given for memory {} of the call, which has {}", content.size(), size(),
                                region.visible.size()));
      }
      std::ranges::copy(content.first(std::min(content.size(), region.visible.size())), region.visible.begin());
      return region;
    }
    case Form::Content: {
      const Bytes content = reader.content();
      const Region region = make_block(call, content.size());
      std::ranges::copy(content.first(region.visible.size()), region.visible.begin());
      return region;
    }
    case Form::Room: {
      const auto bytes = reader.number<std::uint64_t>();
      if (bytes > max_room) {
        reader.fail(fmt::format("memory {} of the call has {} bytes, expected at most {}", size(), bytes, max_room));
        return {};
      }
      return make_block(call, bytes);
    }
    case Form::Same: return read_same(reader);
    case Form::Constant: return constant(reader, call);
    case Form::Unknown:
      if (call.objects != nullptr) {
        reader.fail(fmt::format(
            "the size of memory {} of the call is not known: its program was neither compiled where the call was made, "
            "nor loaded by the core",
            size()));
      }
      return {};
  }
  reader.fail(fmt::format("memory {} of the call has the unknown form {}", size(), static_cast<int>(form)));
  return {};
}

ReceivedMemory::Region ReceivedMemory::make_block(const ReceivedCall &call, std::size_t size) {
  if (call.objects == nullptr) {
    return {};
  }
  Block &block = blocks_.emplace_back(std::max<std::size_t>(size, 1));
  return {{0, reinterpret_cast<std::uint64_t>(block.data())}, std::span(block).first(size)};
}

ReceivedMemory::Region ReceivedMemory::read_named(Reader &reader, const ReceivedCall &call) {
  const auto named = reader.number<bp_loc_t>();
  if (call.objects == nullptr) {
    return {};
  }
  const auto piece = call.objects->piece(named.memory);
  if (!piece.has_value() || named.offset > piece->size) {
    reader.fail(piece.has_value() ? fmt::format("offset {} is outside of memory {}, which has {} bytes", named.offset,
                                                named.memory, piece->size)
                                  : fmt::format("there is no memory {}", named.memory));
    return {};
  }
  Region region{{piece->location.memory, piece->location.offset + named.offset}, {}};
  if (piece->host != nullptr) {
    region.visible = {piece->host + named.offset, static_cast<std::size_t>(piece->size - named.offset)};
  }
  return region;
}

ReceivedMemory::Region ReceivedMemory::read_same(Reader &reader) const {
  const auto same = reader.number<std::uint64_t>();
  if (same >= size()) {
    reader.fail(fmt::format("memory {} of the call is said to be memory {}, expected an earlier one", size(), same));
    return {};
  }
  return {locations_[same], visible_[same]};
}

ReceivedMemory::Region ReceivedMemory::constant(Reader &reader, const ReceivedCall &call) const {
  if (call.program != nullptr && size() < call.program->constants->size()) {
    return {call.program->constants->location(size()), {}};
  }
  if (call.objects != nullptr) {
    reader.fail(
        fmt::format("memory {} of the call is said to be a constant, but load() got no constant {}", size(), size()));
  }
  return {};
}

bool ReceivedMemory::holds(std::size_t use, std::uint64_t size) const {
  return use < this->size() && (visible_[use].data() == nullptr || visible_[use].size() >= size);
}

Bytes ReceivedMemory::bytes(const CallResult &result) const {
  if (result.use >= size() || result.offset > visible_[result.use].size() ||
      result.size > visible_[result.use].size() - result.offset) {
    return {};
  }
  return visible_[result.use].subspan(result.offset, result.size);
}

void ReceivedMemory::check(Reader &reader, const Usage &usage, ReceivedCall &call) const {
  for (std::size_t i = 0; call.objects != nullptr && i < usage.memory.size(); ++i) {
    if (!holds(i, usage.memory[i].size)) {
      reader.fail(fmt::format("memory {} of the call has {} bytes, expected {}", i, i < size() ? visible_[i].size() : 0,
                              usage.memory[i].size));
      return;
    }
  }
  for (std::size_t i = 0; call.wants_results && i < usage.results.size(); ++i) {
    call.results.push_back(item_of(usage.module, usage.results[i], bytes(usage.results[i])));
  }
}

// --- results ---

void write_results(Writer &writer, std::span<const Item> results) {
  writer.number(std::uint64_t{results.size()});
  for (const Item &result : results) {
    writer.number(static_cast<std::uint8_t>(result.array.data() != nullptr));
    writer.content(result.array);
  }
}

void read_results(Reader &reader, std::vector<Item> &results) {
  const std::size_t count = reader.count();
  results.resize(std::min(results.size(), count));  // those of a submit() come with its signal
  for (std::size_t i = 0; i < count && reader.ok(); ++i) {
    if (i == results.size()) {
      results.push_back({"result", {}, true, {}, 0, 8});
    }
    results[i].is_compared = reader.number<std::uint8_t>() != 0;
    results[i].array = reader.content();
    results[i].value = results[i].is_compared ? "" : "not readable";
  }
}

}  // namespace bp::remote
