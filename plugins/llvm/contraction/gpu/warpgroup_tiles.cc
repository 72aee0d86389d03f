// Tiles that the unit of each warpgroup multiplies from the team's memory (team.h defines how slices are stored there):
// the members copy the slices and keep the sums. A warpgroup has 64 rows of the tile, and all of its columns.
#include "plugins/llvm/contraction/gpu/unit_tiles.h"

namespace bp::emit {

namespace {

using Unit = WarpgroupUnit;

class WarpgroupTiles final : public UnitTiles {
 public:
  WarpgroupTiles(const ContractionProblem &problem, Team &team, const ContractionShape &shape)
      : UnitTiles(problem, team, Unit::line_bytes, {warpgroup_rows, Unit::min_columns}, shape) {}

 private:
  size_t sums() const override { return static_cast<size_t>(Unit::rows * tile(column_side) / Unit::members); }
  int64_t max_memory_bytes() const override { return team_.whole_memory_bytes(); }
  int64_t slice_size(size_t side) const override { return tile(side) * depth_; }

  llvm::Value *slice_offset(const ContractionMemory &m, size_t side, llvm::Value *k, llvm::Value *i) const override {
    llvm::IRBuilder<> &b = m.b;
    const int64_t bytes = bytes_of(element_), in_piece = 16 / bytes;
    llvm::Value *line = i, *in_line = k;
    if (!has_contracted_lines(side)) {
      llvm::Value *block = b.CreateUDiv(i, m.integer(Unit::neighbours));
      line = b.CreateAdd(b.CreateMul(block, m.integer(depth_)), k);
      in_line = b.CreateURem(i, m.integer(Unit::neighbours));
    }
    llvm::Value *piece =
        b.CreateXor(b.CreateUDiv(in_line, m.integer(in_piece)), b.CreateURem(line, m.integer(Unit::lines_together)));
    llvm::Value *at =
        b.CreateAdd(b.CreateMul(line, m.integer(Unit::line_bytes / bytes)), b.CreateMul(piece, m.integer(in_piece)));
    return b.CreateAdd(at, b.CreateURem(in_line, m.integer(in_piece)));
  }

  bool takes_boxes() const override { return true; }
  void fence_copied(const ContractionMemory &m) const override { team_.proxy_fence(m.b); }

  OfSides position(const ContractionMemory &m, size_t sum) const override {
    llvm::IRBuilder<> &b = m.b;
    const auto part = static_cast<int64_t>(sum) % 4, columns = static_cast<int64_t>(sum) / 4 * 8;
    llvm::Value *lane = b.CreateURem(team_.member(), m.integer(team_.exchange_width()));
    llvm::Value *warp = b.CreateUDiv(team_.member(), m.integer(team_.exchange_width()));
    llvm::Value *row = b.CreateAdd(b.CreateMul(warp, m.integer(16)), b.CreateUDiv(lane, m.integer(4)));
    llvm::Value *pair = b.CreateMul(b.CreateURem(lane, m.integer(4)), m.integer(2));
    return {b.CreateAdd(row, m.integer(part / 2 * 8)), b.CreateAdd(pair, m.integer(columns + part % 2))};
  }

  Values multiply(const ContractionMemory &m, const OfSides &slices, Values sums) const override {
    llvm::IRBuilder<> &b = m.b;
    llvm::Value *group = b.CreateUDiv(team_.member(), m.integer(Unit::members));
    llvm::Value *rows = b.CreateInBoundsGEP(b.getInt8Ty(), slices[row_side],
                                            b.CreateMul(group, m.integer(Unit::rows * Unit::line_bytes)));
    return team_.wgmma(b, element_, {rows, has_contracted_lines(row_side)},
                       {slices[column_side], has_contracted_lines(column_side)}, sums);
  }

  bool multiplies_async() const override { return true; }
  Values finish_sums(const ContractionMemory &m, Values sums) const override { return team_.wgmma_wait(m.b, sums); }
};

}  // namespace

std::unique_ptr<ContractionStrategy> make_warpgroup_tiles(const ContractionProblem &problem, Team &team,
                                                          const ContractionShape &shape) {
  return std::make_unique<WarpgroupTiles>(problem, team, shape);
}

}  // namespace bp::emit
