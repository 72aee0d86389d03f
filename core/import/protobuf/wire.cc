#include "core/import/protobuf/wire.h"

#include <algorithm>
#include <bit>

namespace bp::import::protobuf {
namespace {

static_assert(std::endian::native == std::endian::little, "fixed-width numbers are little-endian on the wire");

// Removes a varint from the front. Bits beyond the 64th are dropped, as in libprotobuf.
bool take_varint(std::string_view &bytes, std::uint64_t &value) {
  value = 0;
  for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
    auto byte = static_cast<unsigned char>(bytes[i]);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char *>(&value));
  return value;
}

std::string_view describe(WireType type) {
  switch (type) {
    case WireType::Varint: return "a varint";
    case WireType::Fixed64: return "8 bytes";
    case WireType::Bytes: return "a string of bytes";
    case WireType::Fixed32: return "4 bytes";
  }
  return "nothing";
}

}  // namespace

std::string Path::to_string() const {
  std::vector<const Path *> way;
  for (const Path *part = this; part != nullptr; part = part->parent) {
    way.push_back(part);
  }
  std::string text;
  for (auto part = way.rbegin(); part != way.rend(); ++part) {
    text += text.empty() ? "" : ".";
    text += (*part)->name;
    if ((*part)->index >= 0) {
      text += fmt::format("[{}]", (*part)->index);
    }
  }
  return text;
}

Result<Message> Message::parse(std::string_view bytes, Path path) {
  Message message(path);
  message.byte_size_ = bytes.size();
  if (path.depth > max_depth) {
    return message.error("messages nested more than {} deep", max_depth);
  }
  std::string_view rest = bytes;
  auto at = [&] { return bytes.size() - rest.size(); };
  bool is_sorted = true;
  while (!rest.empty()) {
    std::size_t begin = at();
    Entry entry{};
    std::uint64_t tag = 0;
    if (!take_varint(rest, tag)) {
      return message.error("a varint is cut off at byte {} of {}", begin, bytes.size());
    }
    entry.number = static_cast<std::uint32_t>(tag >> 3);
    entry.type = static_cast<WireType>(tag & 7);
    if (entry.number == 0 || tag >> 3 > 0x1fffffff) {
      return message.error("field number {} at byte {}, expected 1 to 536870911", tag >> 3, begin);
    }
    std::size_t length = entry.type == WireType::Fixed64 ? 8 : 4;
    switch (entry.type) {
      case WireType::Varint:
        if (!take_varint(rest, entry.value)) {
          return message.error("the varint of field {} is cut off at byte {} of {}", entry.number, at(), bytes.size());
        }
        break;
      case WireType::Bytes: {
        std::uint64_t wanted = 0;
        if (!take_varint(rest, wanted)) {
          return message.error("the length of field {} is cut off at byte {} of {}", entry.number, at(), bytes.size());
        }
        if (wanted > rest.size()) {
          return message.error("field {} at byte {} has {} bytes, but {} are left", entry.number, begin, wanted,
                               rest.size());
        }
        entry.bytes = rest.substr(0, wanted);
        rest.remove_prefix(wanted);
        break;
      }
      case WireType::Fixed64:
      case WireType::Fixed32:
        if (length > rest.size()) {
          return message.error("field {} at byte {} has {} bytes, but {} are left", entry.number, begin, length,
                               rest.size());
        }
        entry.value = little_endian(rest.substr(0, length));
        rest.remove_prefix(length);
        break;
      default:
        return message.error("wire type {} of field {} at byte {}, expected 0, 1, 2 or 5", tag & 7, entry.number,
                             begin);
    }
    is_sorted = is_sorted && (message.entries_.empty() || message.entries_.back().number <= entry.number);
    message.entries_.push_back(entry);
  }
  if (!is_sorted) {
    std::ranges::stable_sort(message.entries_, {}, &Entry::number);
  }
  return message;
}

std::span<const Message::Entry> Message::occurrences(Field field) const {
  auto range = std::ranges::equal_range(entries_, field.number, {}, &Entry::number);
  return {range.begin(), range.end()};
}

bool Message::has_only(std::span<const std::uint32_t> numbers) const {
  return std::ranges::all_of(entries_,
                             [&](const Entry &entry) { return std::ranges::binary_search(numbers, entry.number); });
}

Status Message::expect(Field field, const Entry &entry, WireType type) const {
  if (entry.type != type) {
    return error_in(field, "found {}, expected {}", describe(entry.type), describe(type));
  }
  return {};
}

Result<std::int64_t> Message::integer(Field field, std::int64_t if_absent) const {
  auto found = occurrences(field);
  if (found.empty()) {
    return if_absent;
  }
  BP_TRY(expect(field, found.back(), WireType::Varint));
  return static_cast<std::int64_t>(found.back().value);
}

Result<double> Message::real(Field field) const {
  auto found = occurrences(field);
  if (found.empty()) {
    return 0.0;
  }
  if (found.back().type == WireType::Fixed32) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(found.back().value));
  }
  BP_TRY(expect(field, found.back(), WireType::Fixed64));
  return std::bit_cast<double>(found.back().value);
}

Result<std::string_view> Message::text(Field field) const {
  auto found = occurrences(field);
  if (found.empty()) {
    return std::string_view();
  }
  BP_TRY(expect(field, found.back(), WireType::Bytes));
  return found.back().bytes;
}

Result<Message> Message::child(Field field) const {
  auto found = occurrences(field);
  Path path{&path_, field.name, -1, path_.depth + 1, path_.merged};
  if (found.empty()) {
    return Message(path);
  }
  for (const Entry &entry : found) {
    BP_TRY(expect(field, entry, WireType::Bytes));
  }
  if (found.size() == 1) {
    return parse(found[0].bytes, path);
  }
  std::string bytes;
  for (const Entry &entry : found) {
    bytes += entry.bytes;
  }
  if (path_.merged != nullptr) {
    return parse(path_.merged->emplace_back(std::move(bytes)), path);
  }
  auto merged = std::make_shared<const std::string>(std::move(bytes));
  BP_ASSIGN(Message message, parse(*merged, path));
  message.merged_ = std::move(merged);
  return message;
}

Result<std::vector<std::int64_t>> Message::integers(Field field) const {
  std::vector<std::int64_t> values;
  for (const Entry &entry : occurrences(field)) {
    if (entry.type == WireType::Varint) {
      values.push_back(static_cast<std::int64_t>(entry.value));
      continue;
    }
    BP_TRY(expect(field, entry, WireType::Bytes));
    std::string_view rest = entry.bytes;
    while (!rest.empty()) {
      std::uint64_t value = 0;
      if (!take_varint(rest, value)) {
        return error_in(field, "a varint is cut off at byte {} of {}", entry.bytes.size() - rest.size(),
                        entry.bytes.size());
      }
      values.push_back(static_cast<std::int64_t>(value));
    }
  }
  return values;
}

Result<std::string> Message::fixed_width(Field field, std::size_t width) const {
  std::string bytes;
  for (const Entry &entry : occurrences(field)) {
    if (entry.type != WireType::Bytes) {
      BP_TRY(expect(field, entry, width == 8 ? WireType::Fixed64 : WireType::Fixed32));
      bytes.append(reinterpret_cast<const char *>(&entry.value), width);
    } else if (entry.bytes.size() % width != 0) {
      return error_in(field, "{} bytes, expected a multiple of {}", entry.bytes.size(), width);
    } else {
      bytes += entry.bytes;
    }
  }
  return bytes;
}

// --- Writing ---

void Writer::varint(std::uint64_t value) {
  while (value >= 0x80) {
    bytes_ += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  bytes_ += static_cast<char>(value);
}

void Writer::tag(Field field, WireType type) {
  varint(std::uint64_t{field.number} << 3 | static_cast<std::uint64_t>(type));
}

template <class T>
void Writer::fixed(T value) {
  bytes_.append(reinterpret_cast<const char *>(&value), sizeof value);
}

void Writer::integer(Field field, std::int64_t value) {
  tag(field, WireType::Varint);
  varint(static_cast<std::uint64_t>(value));
}

void Writer::real32(Field field, float value) {
  tag(field, WireType::Fixed32);
  fixed(value);
}

void Writer::real64(Field field, double value) {
  tag(field, WireType::Fixed64);
  fixed(value);
}

void Writer::text(Field field, std::string_view value) {
  tag(field, WireType::Bytes);
  varint(value.size());
  bytes_ += value;
}

void Writer::integers(Field field, std::span<const std::int64_t> values) {
  if (values.empty()) {
    return;
  }
  Writer packed;
  for (std::int64_t value : values) {
    packed.varint(static_cast<std::uint64_t>(value));
  }
  text(field, packed.bytes_);
}

}  // namespace bp::import::protobuf
