// SHA-256, computed by libcrypto.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bp {

using Sha256 = std::array<std::uint8_t, 32>;
Sha256 sha256(std::span<const std::byte> bytes);

}  // namespace bp
