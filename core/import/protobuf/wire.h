// The wire format of protocol buffers: a message is a list of fields; a field has a number, a wire type and a value.
//
// Reading: Message::parse() finds the fields of one message, without parsing nested ones; bytes and texts point into
// the input, which must outlive the message. Unknown fields are ignored. Errors give the place in the outermost message
// and the path: offset 1234: HloModuleProto.computations[3].instructions[7].shape: ...
// Writing: Writer appends fields; a nested message is serialized first, because its length precedes it.
#pragma once

#include <concepts>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace bp::import::protobuf {

// A field of a message type: its number on the wire and its name for error messages.
struct Field {
  std::uint32_t number = 0;
  std::string_view name;
};

enum class WireType : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

// The path from the outermost message to a nested one. Refers to its parent, which must outlive it.
struct Path {
  const Path *parent = nullptr;
  std::string_view name;    // name of the field; of the type for the outermost message
  std::int64_t index = -1;  // index in a repeated field
  int depth = 0;
  // If set, keeps the bytes of messages that were merged, so that views into them outlive the messages. Not owned.
  std::deque<std::string> *merged = nullptr;
  // The bytes of the outermost message, in which offsets are counted; Message::parse() sets them for that message.
  std::string_view file = {};
  const char *first_part = nullptr;  // within `file`: the first one of the parts that the message was merged from
  std::string to_string() const;
  // Returns the offset of a byte of this message in the outermost one; of a merged message: of its first part.
  std::optional<std::size_t> offset(const char *byte) const;
};

class Message {
 public:
  // Maximum nesting depth, as in libprotobuf; deeper messages are refused.
  static constexpr int max_depth = 100;

  static Result<Message> parse(std::string_view bytes, Path path);

  const Path &path() const { return path_; }
  std::size_t byte_size() const { return bytes_.size(); }
  // Whether its bytes are those of the outermost message, and not merged from several parts.
  bool is_in_file() const { return path_.first_part == nullptr; }
  bool is_empty() const { return entries_.empty(); }
  bool has(Field field) const { return !occurrences(field).empty(); }
  std::size_t count(Field field) const { return occurrences(field).size(); }
  // Whether all fields have one of these numbers, which are in ascending order.
  bool has_only(std::span<const std::uint32_t> numbers) const;

  // Reads a singular field: the last occurrence counts; an absent field is zero or empty.
  Result<std::int64_t> integer(Field field, std::int64_t if_absent = 0) const;
  Result<double> real(Field field) const;  // float or double
  Result<std::string_view> text(Field field) const;
  // Returns a nested message. Several occurrences are merged, which equals parsing their concatenated bytes, into bytes
  // that live as long as the nested message, or as Path::merged; an absent message is empty. Valid as long as this
  // message exists and is not moved.
  Result<Message> child(Field field) const;

  // Reads a repeated field, in order; numbers may be packed or not.
  Result<std::vector<std::int64_t>> integers(Field field) const;
  template <std::invocable<const Message &> Visit>
  Status for_each(Field field, Visit &&visit) const;
  template <std::invocable<std::string_view> Visit>
  Status for_each_text(Field field, Visit &&visit) const;
  // Returns the bytes of a packed field of fixed-width numbers (or of unpacked ones, concatenated).
  Result<std::string> fixed_width(Field field, std::size_t width) const;

  // Errors about this message, or about one of its fields: "offset N: PATH: ..." and "offset N: PATH.field: ...". The
  // offset is that of the first byte of the message or of the field's last value.
  template <class... Args>
  Error error(fmt::format_string<Args...> format, Args &&...args) const {
    return error_at(bytes_.data(), {}, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  Error error_in(Field field, fmt::format_string<Args...> format, Args &&...args) const {
    return error_at(place_of(field), field.name, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  struct Entry {
    std::uint32_t number;
    WireType type;
    std::uint64_t value;     // for Varint and the fixed-width types
    std::string_view bytes;  // of the value
  };
  Message(std::string_view bytes, Path path) : path_(path), bytes_(bytes) {}
  Path path_of(Field field, std::int64_t index) const;
  Error error_at(const char *byte, std::string_view field, std::string text) const;
  const char *place_of(Field field) const;
  std::span<const Entry> occurrences(Field field) const;
  Status expect(Field field, const Entry &entry, WireType type) const;

  Path path_;
  std::string_view bytes_;
  std::vector<Entry> entries_;                 // sorted by number, then in input order
  std::shared_ptr<const std::string> merged_;  // owns the bytes if several occurrences were merged
};

class Writer {
 public:
  // Written even if zero, so that a value that is present stays present; libprotobuf reads zero as absent.
  void integer(Field field, std::int64_t value);
  void real32(Field field, float value);
  void real64(Field field, double value);
  void text(Field field, std::string_view value);
  void integers(Field field, std::span<const std::int64_t> values);  // packed; nothing is written if there are none
  template <std::invocable<Writer &> Fill>
  void message(Field field, Fill &&fill) {
    Writer inner;
    fill(inner);
    text(field, inner.bytes_);
  }
  // Appends fields that are already encoded.
  void append(std::string_view fields) { bytes_ += fields; }

  const std::string &bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  void varint(std::uint64_t value);
  void tag(Field field, WireType type);
  template <class T>
  void fixed(T value);

  std::string bytes_;
};

template <std::invocable<const Message &> Visit>
Status Message::for_each(Field field, Visit &&visit) const {
  std::int64_t index = 0;
  for (const Entry &entry : occurrences(field)) {
    BP_TRY(expect(field, entry, WireType::Bytes));
    BP_ASSIGN(Message inner, parse(entry.bytes, path_of(field, index++)));
    BP_TRY(visit(static_cast<const Message &>(inner)));
  }
  return {};
}

template <std::invocable<std::string_view> Visit>
Status Message::for_each_text(Field field, Visit &&visit) const {
  for (const Entry &entry : occurrences(field)) {
    BP_TRY(expect(field, entry, WireType::Bytes));
    visit(entry.bytes);
  }
  return {};
}

}  // namespace bp::import::protobuf
