#include "core/interpreter/random_bits.h"

#include <bit>

namespace bp::interpreter {

std::array<std::uint32_t, 2> three_fry(std::array<std::uint32_t, 2> key, std::array<std::uint32_t, 2> counter) {
  constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const std::uint32_t keys[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1bd11bda};
  std::array<std::uint32_t, 2> x = {counter[0] + keys[0], counter[1] + keys[1]};
  for (std::uint32_t group = 1; group <= 5; ++group) {
    for (int rotation : rotations[(group + 1) % 2]) {
      x[0] += x[1];
      x[1] = std::rotl(x[1], rotation) ^ x[0];
    }
    x[0] += keys[group % 3];
    x[1] += keys[(group + 1) % 3] + group;
  }
  return x;
}

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 2> key, std::array<std::uint32_t, 4> counter) {
  for (int round = 0; round < 10; ++round) {
    std::uint64_t first = std::uint64_t{0xd2511f53} * counter[0];
    std::uint64_t second = std::uint64_t{0xcd9e8d57} * counter[2];
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
    key[0] += 0x9e3779b9;
    key[1] += 0xbb67ae85;
  }
  return counter;
}

}  // namespace bp::interpreter
