#include "core/import/mlir/byte_writer.h"

#include <algorithm>
#include <bit>

namespace bp::import::mlir {

void ByteWriter::text(std::string_view text) {
  bytes_ += text;
  bytes_ += '\0';
}

void ByteWriter::number(std::uint64_t value) {
  constexpr int max_size = 8, bits_per_byte = 7;  // seven bits of each byte are left for the value
  const int size = value == 0 ? 1 : (static_cast<int>(std::bit_width(value)) + bits_per_byte - 1) / bits_per_byte;
  if (size > max_size) {
    byte(0);
  }
  std::uint64_t rest = size > max_size ? value : value << size | std::uint64_t{1} << (size - 1);
  for (int i = 0; i < std::min(size, max_size); ++i, rest >>= 8) {
    byte(static_cast<std::uint8_t>(rest & 0xff));
  }
}

void ByteWriter::signed_number(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  number(bits << 1 ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

void ByteWriter::signed_numbers(std::span<const std::int64_t> values) {
  number(values.size());
  for (const std::int64_t value : values) {
    signed_number(value);
  }
}

}  // namespace bp::import::mlir
