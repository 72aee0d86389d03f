// Encoding of calls as bytes: numbers as they are in memory (little-endian), texts and lists preceded by their length.
// Data that may be large and repeated (modules, constants, artifacts) is `content`: it is stored once, under its hash.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/base/result.h"
#include "core/base/sha256.h"

namespace bp::remote {

using Bytes = std::span<const std::byte>;

// Keeps contents, so that the bytes of a call only contain their hashes.
class ContentStore {
 public:
  virtual ~ContentStore() = default;
  // Keeps a content and returns the hash under which it is kept. `own` is the hash that the content itself states, or
  // nullptr.
  virtual Sha256 keep(Bytes content, const Sha256 *own) = 0;
};
class ContentSource {
 public:
  virtual ~ContentSource() = default;
  // Returns the content with this hash, which lives as long as the source, or nullopt.
  virtual std::optional<Bytes> find(const Sha256 &hash) const = 0;
  // Whether a module is known to be valid, so that it need not be checked.
  virtual bool is_checked(Bytes /*module*/) const { return false; }
};

class Writer {
 public:
  // The store is borrowed. Without one, contents are part of the bytes.
  explicit Writer(ContentStore *store = nullptr) : store_(store) {}

  template <class T>
  void number(const T &value) {
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
    bytes_.append(reinterpret_cast<const char *>(&value), sizeof(T));
  }
  void text(std::string_view text) {
    number(std::uint64_t{text.size()});
    bytes_.append(text);
  }
  // Writes a text or nullptr, as Reader::optional_text() reads it.
  void text(const char *text);
  void content(Bytes content, const Sha256 *own_hash = nullptr);
  void append(const Writer &other) { bytes_ += other.bytes_; }

  const std::string &bytes() const { return bytes_; }

 private:
  ContentStore *store_;
  std::string bytes_;
};

// Reads what a Writer wrote. The bytes may be invalid: from the first error on, everything reads as zero or empty.
class Reader {
 public:
  // Both arguments are borrowed.
  explicit Reader(Bytes bytes, const ContentSource *source = nullptr) : bytes_(bytes), source_(source) {}
  explicit Reader(std::string_view bytes, const ContentSource *source = nullptr)
      : Reader(std::as_bytes(std::span(bytes)), source) {}

  template <class T>
  T number() {
    T value{};
    if (const Bytes found = take(sizeof(T)); !found.empty()) {
      std::memcpy(&value, found.data(), sizeof(T));
    }
    return value;
  }
  template <class T>
  void number(T &value) {
    value = number<T>();
  }
  std::string_view text();
  // Reads what Writer::text(const char *) wrote; nullopt stands for nullptr.
  std::optional<std::string> optional_text();
  Bytes content();
  // Reads the length of a list whose elements take at least `min_bytes` bytes each.
  std::size_t count(std::size_t min_bytes = 1);

  const ContentSource *source() const { return source_; }
  bool is_at_end() const { return bytes_.empty(); }
  // Returns the bytes that are left.
  std::string_view rest() const { return {reinterpret_cast<const char *>(bytes_.data()), bytes_.size()}; }
  void fail(std::string message);
  // Returns the first error.
  Status status() const { return error_.empty() ? Status() : Status(Error(ErrorCode::InvalidInput, error_)); }
  bool ok() const { return error_.empty(); }

 private:
  Bytes take(std::size_t size);

  Bytes bytes_;
  const ContentSource *source_;
  std::string error_;
};

}  // namespace bp::remote
