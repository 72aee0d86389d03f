#include "core/import/protobuf/wire.h"

#include <algorithm>
#include <bit>
#include <functional>

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

// Returns why take_varint() found none.
std::string problem_of_varint(std::string_view bytes) {
  return bytes.size() < 10 ? fmt::format("is cut off after {} byte{}", bytes.size(), bytes.size() == 1 ? "" : "s")
                           : std::string("has more than 10 bytes");
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

std::optional<std::size_t> Path::offset(const char *byte) const {
  const auto is_inside = [&](const char *pointer) {
    return pointer != nullptr && !std::less<>()(pointer, file.data()) &&
           !std::less<>()(file.data() + file.size(), pointer);
  };
  if (!is_inside(byte)) {
    byte = first_part;
  }
  return is_inside(byte) ? std::optional(static_cast<std::size_t>(byte - file.data())) : std::nullopt;
}

Result<Message> Message::parse(std::string_view bytes, Path path) {
  if (path.parent == nullptr) {
    path.file = bytes;
  }
  Message message(bytes, path);
  if (path.depth > max_depth) {
    return message.error("messages nested more than {} deep", max_depth);
  }
  std::string_view rest = bytes;
  bool is_sorted = true;
  while (!rest.empty()) {
    const char *begin = rest.data();
    const auto failed = [&]<class... Args>(const char *at, fmt::format_string<Args...> format, Args &&...args) {
      return message.error_at(at, {}, fmt::format(format, std::forward<Args>(args)...));
    };
    Entry entry{};
    std::uint64_t tag = 0;
    if (!take_varint(rest, tag)) {
      return failed(begin, "a varint {}", problem_of_varint(rest));
    }
    entry.number = static_cast<std::uint32_t>(tag >> 3);
    entry.type = static_cast<WireType>(tag & 7);
    if (entry.number == 0 || tag >> 3 > 0x1fffffff) {
      return failed(begin, "field number {}, expected 1 to 536870911", tag >> 3);
    }
    const char *value = rest.data();
    std::uint64_t length = 0;
    switch (entry.type) {
      case WireType::Varint:
        if (!take_varint(rest, entry.value)) {
          return failed(value, "the varint of field {} {}", entry.number, problem_of_varint(rest));
        }
        length = static_cast<std::size_t>(rest.data() - value);
        break;
      case WireType::Bytes:
        if (!take_varint(rest, length)) {
          return failed(value, "the length of field {} {}", entry.number, problem_of_varint(rest));
        }
        value = rest.data();
        break;
      case WireType::Fixed64: length = 8; break;
      case WireType::Fixed32: length = 4; break;
      default: return failed(begin, "wire type {} of field {}, expected 0, 1, 2 or 5", tag & 7, entry.number);
    }
    if (entry.type != WireType::Varint) {
      if (length > rest.size()) {
        return failed(begin, "field {} has {} bytes, but {} are left", entry.number, length, rest.size());
      }
      rest.remove_prefix(length);
    }
    entry.bytes = {value, length};
    if (entry.type == WireType::Fixed64 || entry.type == WireType::Fixed32) {
      entry.value = little_endian(entry.bytes);
    }
    is_sorted = is_sorted && (message.entries_.empty() || message.entries_.back().number <= entry.number);
    message.entries_.push_back(entry);
  }
  if (!is_sorted) {
    std::ranges::stable_sort(message.entries_, {}, &Entry::number);
  }
  return message;
}

Path Message::path_of(Field field, std::int64_t index) const {
  return {&path_, field.name, index, path_.depth + 1, path_.merged, path_.file, path_.first_part};
}

Error Message::error_at(const char *byte, std::string_view field, std::string text) const {
  const std::optional<std::size_t> offset = path_.offset(byte);
  return invalid_input("{}{}{}{}: {}", offset ? fmt::format("offset {}: ", *offset) : std::string(), path_.to_string(),
                       field.empty() ? "" : ".", field, text);
}

const char *Message::place_of(Field field) const {
  const auto found = occurrences(field);
  return found.empty() ? bytes_.data() : found.back().bytes.data();
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
    return error_at(entry.bytes.data(), field.name,
                    fmt::format("found {}, expected {}", describe(entry.type), describe(type)));
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
  Path path = path_of(field, -1);
  if (found.empty()) {
    return Message(bytes_.substr(0, 0), path);
  }
  for (const Entry &entry : found) {
    BP_TRY(expect(field, entry, WireType::Bytes));
  }
  if (found.size() == 1) {
    return parse(found[0].bytes, path);
  }
  if (path.first_part == nullptr) {
    path.first_part = found[0].bytes.data();
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
        return error_at(rest.data(), field.name, "a varint " + problem_of_varint(rest));
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
