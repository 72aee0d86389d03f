#include "core/import/mlir/byte_reader.h"

#include <bit>

namespace bp::import::mlir {

Result<std::uint8_t> ByteReader::byte() {
  BP_ASSIGN(const std::string_view one, bytes(1));
  return static_cast<std::uint8_t>(one[0]);
}

Result<std::string_view> ByteReader::bytes(std::uint64_t size) {
  if (size > left()) {
    return error("{} bytes are left, expected {}", left(), size);
  }
  next_ += size;
  return bytes_.substr(next_ - size, size);
}

Result<std::string_view> ByteReader::text() {
  const std::size_t end = bytes_.find('\0', next_);
  if (end == std::string_view::npos) {
    return error("a text without the zero byte that ends it");
  }
  const std::string_view text = bytes_.substr(next_, end - next_);
  next_ = end + 1;
  return text;
}

Result<std::uint64_t> ByteReader::number() {
  BP_ASSIGN(const std::uint8_t first, byte());
  const int more = std::countr_zero(first);  // 8 if the byte is zero: all bits are in the bytes that follow
  BP_ASSIGN(const std::string_view rest, bytes(static_cast<std::uint64_t>(more)));
  std::uint64_t high = 0;
  for (std::size_t i = rest.size(); i-- > 0;) {
    high = high << 8 | static_cast<std::uint8_t>(rest[i]);
  }
  return more == 8 ? high : high << (7 - more) | static_cast<std::uint64_t>(first >> (more + 1));
}

Result<std::int64_t> ByteReader::signed_number() {
  BP_ASSIGN(const std::uint64_t bits, number());
  return static_cast<std::int64_t>(bits >> 1 ^ (0 - (bits & 1)));
}

Result<ByteReader::Flagged> ByteReader::flagged_number() {
  BP_ASSIGN(const std::uint64_t bits, number());
  return Flagged{bits >> 1, (bits & 1) != 0};
}

Result<std::size_t> ByteReader::count(std::string_view items) {
  BP_ASSIGN(const std::uint64_t found, number());
  if (found > left()) {
    return error("{} {}, but {} bytes are left", found, items, left());
  }
  return static_cast<std::size_t>(found);
}

Result<std::uint32_t> ByteReader::index(std::size_t size, std::string_view items) {
  BP_ASSIGN(const std::uint64_t found, number());
  if (found >= size) {
    return error("number {} of {} {}", found, size, items);
  }
  return static_cast<std::uint32_t>(found);
}

Status ByteReader::expect_end(std::string_view what) const {
  return at_end() ? Status() : error("{} bytes are left at the end of {}", left(), what);
}

}  // namespace bp::import::mlir
