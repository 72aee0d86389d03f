// Counter-based random number generators: ThreeFry-2x32 with 20 rounds and Philox-4x32 with 10, of Salmon, Moraes,
// Dror and Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3" (2011).
#pragma once

#include <array>
#include <cstdint>

namespace bp::interpreter {

std::array<std::uint32_t, 2> three_fry(std::array<std::uint32_t, 2> key, std::array<std::uint32_t, 2> counter);
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 2> key, std::array<std::uint32_t, 4> counter);

}  // namespace bp::interpreter
