// How the slices of an emit::WarpgroupUnit are read: in steps, each of which multiplies 32 bytes along the contracted
// axis.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plugins/llvm/generator/team.h"

namespace bp::gpu {

inline constexpr std::size_t steps_of_slice = 4;

// Where the lines of one step lie, in bytes from the start of the slice: the first line begins at `start`; the next 8
// lines are `stride` bytes further on. For lines along the side, the next 64 neighbours are `leading` bytes further on.
struct SliceLayout {
  std::uint64_t start = 0, leading = 0, stride = 0;
};

constexpr SliceLayout slice_layout(std::size_t step, bool has_contracted_lines) {
  using Unit = emit::WarpgroupUnit;
  constexpr std::uint64_t stride = Unit::lines_together * Unit::line_bytes;
  // A step is a part of each line along the contracted axis, or 16 lines along the side, whose elements have two bytes.
  return has_contracted_lines
             ? SliceLayout{.start = step * (Unit::line_bytes / steps_of_slice), .leading = 0, .stride = stride}
             : SliceLayout{.start = step * 16 * Unit::line_bytes, .leading = Unit::block_bytes, .stride = stride};
}

}  // namespace bp::gpu
