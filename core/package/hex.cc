#include "core/package/hex.h"

#include <fmt/format.h>

namespace bp::package {

std::string to_hex(const Sha256 &hash) {
  std::string digits;
  for (const std::uint8_t byte : hash) {
    digits += fmt::format("{:02x}", byte);
  }
  return digits;
}

std::optional<Sha256> parse_hex(std::string_view digits) {
  Sha256 hash{};
  if (digits.size() != 2 * hash.size()) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < digits.size(); ++i) {
    constexpr std::string_view all = "0123456789abcdef";
    const std::size_t digit = all.find(digits[i]);
    if (digit == std::string_view::npos) {
      return std::nullopt;
    }
    hash[i / 2] = static_cast<std::uint8_t>(hash[i / 2] << 4 | digit);
  }
  return hash;
}

}  // namespace bp::package
