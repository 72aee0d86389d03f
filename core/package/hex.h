// Hashes as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/sha256.h"

namespace bp::package {

// Returns 64 hexadecimal digits.
std::string to_hex(const Sha256 &hash);
// Returns nullopt for anything but 64 lower-case hexadecimal digits.
std::optional<Sha256> parse_hex(std::string_view digits);

}  // namespace bp::package
