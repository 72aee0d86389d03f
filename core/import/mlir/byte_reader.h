// Reads the numbers of MLIR bytecode from a range of bytes that may hold anything: each read is checked.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/result.h"

namespace bp::import::mlir {

class ByteReader {
 public:
  // `offset`: the offset of the bytes in the file, for messages.
  explicit ByteReader(std::string_view bytes, std::size_t offset = 0) : bytes_(bytes), offset_(offset) {}

  std::size_t offset() const { return offset_ + next_; }  // in the file
  std::size_t left() const { return bytes_.size() - next_; }
  bool at_end() const { return left() == 0; }

  Result<std::uint8_t> byte();
  Result<std::string_view> bytes(std::uint64_t size);
  // Reads the bytes up to a zero, which is skipped.
  Result<std::string_view> text();

  // A number of 1 to 9 bytes: the trailing zero bits of the first byte tell how many bytes follow.
  Result<std::uint64_t> number();
  // A number whose lowest bit is its sign (zigzag).
  Result<std::int64_t> signed_number();
  struct Flagged {
    std::uint64_t value;
    bool flag;
  };
  Result<Flagged> flagged_number();  // a number whose lowest bit is a flag
  // The number of items that follow, each of at least one byte. Fails if fewer bytes are left.
  Result<std::size_t> count(std::string_view items);
  // The index of one of `size` items.
  Result<std::uint32_t> index(std::size_t size, std::string_view items);
  // Fails if bytes are left.
  Status expect_end(std::string_view what) const;

  template <class... Args>
  Error error(fmt::format_string<Args...> format, Args &&...args) const {
    return invalid_input("byte {}: {}", offset(), fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  std::string_view bytes_;
  std::size_t offset_;
  std::size_t next_ = 0;
};

}  // namespace bp::import::mlir
