// A sort by teams. Each line along the sorted dimension is cut into tiles; a team sorts a tile in its memory. Then sorted
// runs are merged, pass after pass, two into one of twice the length, where a team makes one tile of the result. Stable;
// what is not ordered at all, such as NaN by an ordinary <, comes out in no particular order, or in place of another
// element, but nothing outside of the line is read or written.
#pragma once

#include "plugins/llvm/kernel/kernel.h"

namespace bp::emit {

struct SortTiles {
  std::int64_t lines = 1, length = 1;   // length: elements of a line
  std::int64_t members = 1, share = 1;  // of a team, and elements of each; both powers of two
  std::int64_t bytes_of_team = 0;       // memory

  std::int64_t tile() const { return members * share; }
  std::int64_t tiles_of_line() const { return (length + tile() - 1) / tile(); }
  std::int64_t items() const { return lines * tiles_of_line(); }
  // The number of merges that follow: runs are as long as a tile before the first one.
  int passes() const;
};

// max_members: of a team. memory_bytes: of a team, unless not even a few elements fit. There are elements to sort.
SortTiles sort_tiles(InstructionView sort, std::int64_t max_members, std::int64_t memory_bytes);

// Item site.begin, from site.operands, which is where results are or not, to site.results. width: of the runs that are
// merged, i64, in which case nothing may lie in the same memory; null to sort tiles.
void emit_sort_tile(KernelBuilder &builder, const KernelSite &site, const VectorTarget &target, const SortTiles &tiles,
                    Team &team, llvm::Value *width);

}  // namespace bp::emit
