// The wire format of protocol buffers: messages are lists of fields, a field is a number, a wire type and a value.
//
// Reading: Message::parse() finds the fields of one message, and nothing inside them; bytes and texts point into the
// input, which must outlive the message. Unknown fields stay unread. Errors name the message by the way to it:
// HloModuleProto.computations[3].instructions[7].shape: ...
// Writing: Writer appends fields; a message inside is written on its own first, since its length stands before it.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace bp::import::hlo_proto {

// A field of a message type: its number on the wire and its name for messages.
struct Field {
  std::uint32_t number = 0;
  std::string_view name;
};

enum class WireType : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

// The way from the outermost message to one inside. Refers to its parent, which must outlive it.
struct Path {
  const Path *parent = nullptr;
  std::string_view name;    // of the field; of the outermost, its type
  std::int64_t index = -1;  // of a repeated field
  int depth = 0;
  std::string to_string() const;
};

class Message {
 public:
  // As in libprotobuf: what is nested deeper is refused.
  static constexpr int max_depth = 100;

  static Result<Message> parse(std::string_view bytes, Path path);

  const Path &path() const { return path_; }
  bool is_empty() const { return entries_.empty(); }
  bool has(Field field) const { return !occurrences(field).empty(); }
  std::size_t count(Field field) const { return occurrences(field).size(); }

  // A singular field: its last occurrence counts; absent, it is zero or empty.
  Result<std::int64_t> integer(Field field, std::int64_t if_absent = 0) const;
  Result<double> real(Field field) const;  // float or double
  Result<std::string_view> text(Field field) const;
  // The occurrences of a message are merged, which is the same as reading their bytes one after another; absent, it is
  // empty. Valid while this message lives and is not moved.
  Result<Message> child(Field field) const;

  // A repeated field, in order; numbers packed or not.
  Result<std::vector<std::int64_t>> integers(Field field) const;
  template <std::invocable<const Message &> Visit>
  Status for_each(Field field, Visit &&visit) const;
  template <std::invocable<std::string_view> Visit>
  Status for_each_text(Field field, Visit &&visit) const;
  // The bytes of a packed field of fixed-width numbers (or of unpacked ones, joined).
  Result<std::string> fixed_width(Field field, std::size_t width) const;

  // About this message, or about one of its fields: "PATH: ..." and "PATH.field: ...".
  template <class... Args>
  Error error(fmt::format_string<Args...> format, Args &&...args) const {
    return invalid_input("{}: {}", path_.to_string(), fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  Error error_in(Field field, fmt::format_string<Args...> format, Args &&...args) const {
    return invalid_input("{}.{}: {}", path_.to_string(), field.name, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  struct Entry {
    std::uint32_t number;
    WireType type;
    std::uint64_t value;     // Varint and fixed
    std::string_view bytes;  // Bytes
  };
  explicit Message(Path path) : path_(path) {}
  std::span<const Entry> occurrences(Field field) const;
  Status expect(Field field, const Entry &entry, WireType type) const;

  Path path_;
  std::vector<Entry> entries_;                 // by number, then in the order of the input
  std::shared_ptr<const std::string> merged_;  // the bytes, if they are those of several occurrences
};

class Writer {
 public:
  // Written even if zero, so that what was there is there again; libprotobuf reads it as absent.
  void integer(Field field, std::int64_t value);
  void real32(Field field, float value);
  void real64(Field field, double value);
  void text(Field field, std::string_view value);
  void integers(Field field, std::span<const std::int64_t> values);  // packed; nothing if there are none
  template <std::invocable<Writer &> Fill>
  void message(Field field, Fill &&fill) {
    Writer inner;
    fill(inner);
    text(field, inner.bytes_);
  }
  // Fields that are encoded already.
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
    BP_ASSIGN(Message inner, parse(entry.bytes, {&path_, field.name, index++, path_.depth + 1}));
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

}  // namespace bp::import::hlo_proto
