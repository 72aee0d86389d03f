#include "plugins/gpu/transfer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace bp::gpu {
namespace {

void *on_host(bp_loc_t place) {
  return reinterpret_cast<void *>(place.offset);
}

}  // namespace

plugin::Status start_copy(Machine &machine, bp_loc_t to, bp_loc_t from, std::uint64_t size) {
  if (size == 0) {
    return {};
  }
  if (to.memory != 0 && from.memory != 0) {
    return machine.move(to.memory + to.offset, from.memory + from.offset, size);
  }
  if (to.memory != 0) {
    return machine.copy_in(to.memory + to.offset, on_host(from), size);
  }
  if (from.memory != 0) {
    return machine.copy_out(on_host(to), from.memory + from.offset, size);
  }
  BP_TRY(machine.finish());
  std::memmove(on_host(to), on_host(from), size);
  return {};
}

// Copies a block of the pattern from the host, and then doubles the filled memory again and again.
plugin::Status start_fill(Machine &machine, bp_loc_t to, std::uint64_t size, std::uint64_t pattern,
                          std::uint32_t pattern_size) {
  if (!std::has_single_bit(pattern_size) || pattern_size > sizeof pattern) {
    return plugin::Error(BP_INVALID, "a pattern of " + std::to_string(pattern_size) + " bytes, expected 1, 2, 4 or 8");
  }
  char block[4096];
  for (std::size_t at = 0; at < sizeof block; at += pattern_size) {
    std::memcpy(block + at, &pattern, pattern_size);
  }
  std::uint64_t filled = std::min<std::uint64_t>(size, sizeof block);
  BP_TRY(start_copy(machine, to, {0, reinterpret_cast<std::uint64_t>(block)}, filled));
  while (filled < size) {
    const std::uint64_t more = std::min(filled, size - filled);
    BP_TRY(start_copy(machine, {to.memory, to.offset + filled}, to, more));
    filled += more;
  }
  return {};
}

}  // namespace bp::gpu
