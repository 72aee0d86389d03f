// Writes the numbers of MLIR bytecode: the counterpart of ByteReader.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace bp::import::mlir {

class ByteWriter {
 public:
  ByteWriter() = default;
  explicit ByteWriter(std::uint64_t code) { number(code); }  // begins with the number

  void byte(std::uint8_t value) { bytes_ += static_cast<char>(value); }
  void bytes(std::string_view bytes) { bytes_ += bytes; }
  void text(std::string_view text);  // with the zero byte that ends it

  // A number of 1 to 9 bytes: the trailing zero bits of the first byte tell how many bytes follow.
  void number(std::uint64_t value);
  // A number whose lowest bit is its sign (zigzag).
  void signed_number(std::int64_t value);
  // A number whose lowest bit is a flag. `value` has at most 63 bits.
  void flagged_number(std::uint64_t value, bool flag) { number(value << 1 | (flag ? 1 : 0)); }
  // Signed numbers after their count.
  void signed_numbers(std::span<const std::int64_t> values);

  const std::string &written() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace bp::import::mlir
