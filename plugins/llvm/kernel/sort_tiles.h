// A sort by teams. Each line along the sorted dimension is cut into tiles, and a team sorts a tile in its memory. Then
// sorted runs are merged in passes, two runs into one of twice the length, where a team makes one tile of the result.
// Stable. Elements without an order, such as NaN with an ordinary <, come out in an undefined order or may replace
// other elements, but nothing outside of the line is read or written.
#pragma once

#include "plugins/llvm/generator/index.h"
#include "plugins/llvm/generator/kernel_site.h"
#include "plugins/llvm/generator/team.h"
#include "plugins/llvm/vector_target.h"

namespace bp::emit {

struct SortTiles {
  std::int64_t lines = 1, length = 1;   // length: elements per line
  std::int64_t members = 1, share = 1;  // members of a team, and elements per member; both powers of two
  std::int64_t bytes_of_team = 0;       // bytes of memory per team

  std::int64_t tile() const { return members * share; }
  std::int64_t tiles_of_line() const { return (length + tile() - 1) / tile(); }
  std::int64_t items() const { return lines * tiles_of_line(); }
  // Returns the number of merge passes; before the first one, runs are as long as a tile.
  int passes() const;
};

// Chooses the tiles. max_members: maximum number of members of a team. memory_bytes: memory of a team, which may only
// be exceeded if not even a few elements fit. There must be elements to sort.
SortTiles sort_tiles(InstructionView sort, std::int64_t max_members, std::int64_t memory_bytes);

// Emits item site.begin, from site.operands, which may be the same memory as the results, to site.results. width: i64,
// the length of the runs to merge, in which case operands and results must be in different memory; null to sort tiles.
void emit_sort_tile(KernelBuilder &builder, const KernelSite &site, const VectorTarget &target, const SortTiles &tiles,
                    Team &team, llvm::Value *width);

}  // namespace bp::emit
