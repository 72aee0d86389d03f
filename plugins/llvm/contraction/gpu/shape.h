// The shapes of a contraction's kernel on a GPU: how the output is divided among threads and teams.
#pragma once

#include <cstdint>

#include "plugins/llvm/generator/team.h"

namespace bp::emit {

// Threads: one thread per element of the output. Split: a team has some elements, and its members share the contracted
// axes. The others are tiles, one per team, which multiplies them number by number, or with the units of warps or
// warpgroups.
enum class ContractionWay : uint8_t { Threads, Split, ScalarTiles, MatrixTiles, WarpgroupTiles };

struct ContractionShape {
  ContractionWay way = ContractionWay::Threads;
  int64_t rows = 1, columns = 1;  // of the output, per thread or team

  bool operator==(const ContractionShape &) const = default;
};

// Number of members of a team that does tiles, and the maximum number of slices that are being copied or multiplied at
// once.
constexpr int64_t tile_members = 256, max_slices = 4;
constexpr int64_t warpgroup_rows = tile_members / WarpgroupUnit::members * WarpgroupUnit::rows;  // rows of a tile
// Length of a slice along the contracted axes: numbers of a scalar tile, bytes of a matrix tile.
constexpr int64_t scalar_depth = 8, matrix_line_bytes = 2 * MatrixUnit::contracted_bytes;

// Work that is divided among teams: the number of items, and the number of vectors that one item reads, which members
// share. A tile of the output is for tile_members, and its length is 0.
struct TeamWork {
  int64_t items = 0;
  int64_t length = 0;
  bool is_for_warpgroups = false;
  // Whether registers are left for another team on the same multiprocessor, because the slices of a tile are copied
  // asynchronously.
  bool leaves_registers = false;
  int64_t sum_bits = 0;  // bits of the sums that a member keeps, if they depend on the problem
};

}  // namespace bp::emit
