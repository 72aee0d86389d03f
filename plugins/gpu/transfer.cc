#include "plugins/gpu/transfer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "plugin_api/cpp/call.h"

namespace bp::gpu {
namespace {

void *on_host(bp_loc_t place) {
  return reinterpret_cast<void *>(place.offset);
}

}  // namespace

bp_status start_copy(Machine &machine, bp_loc_t to, bp_loc_t from, std::uint64_t size, const bp_diag_t *diag) {
  if (size == 0) {
    return BP_OK;
  }
  if (to.memory != 0 && from.memory != 0) {
    return machine.move(to.memory + to.offset, from.memory + from.offset, size, diag);
  }
  if (to.memory != 0) {
    return machine.copy_in(to.memory + to.offset, on_host(from), size, diag);
  }
  if (from.memory != 0) {
    return machine.copy_out(on_host(to), from.memory + from.offset, size, diag);
  }
  const bp_status status = machine.finish(diag);
  if (status == BP_OK) {
    std::memmove(on_host(to), on_host(from), size);
  }
  return status;
}

// Copies a block of the pattern from the host, and then doubles the filled memory again and again.
bp_status start_fill(Machine &machine, bp_loc_t to, std::uint64_t size, std::uint64_t pattern,
                     std::uint32_t pattern_size, const bp_diag_t *diag) {
  if (!std::has_single_bit(pattern_size) || pattern_size > sizeof pattern) {
    return plugin::fail(
        diag, BP_INVALID,
        machine.backend() + ": a pattern of " + std::to_string(pattern_size) + " bytes, expected 1, 2, 4 or 8");
  }
  char block[4096];
  for (std::size_t at = 0; at < sizeof block; at += pattern_size) {
    std::memcpy(block + at, &pattern, pattern_size);
  }
  std::uint64_t filled = std::min<std::uint64_t>(size, sizeof block);
  bp_status status = start_copy(machine, to, {0, reinterpret_cast<std::uint64_t>(block)}, filled, diag);
  while (filled < size && status == BP_OK) {
    const std::uint64_t more = std::min(filled, size - filled);
    status = start_copy(machine, {to.memory, to.offset + filled}, to, more, diag);
    filled += more;
  }
  return status;
}

}  // namespace bp::gpu
