// Tiles in which those members that exchange values, a warp, multiply small matrices with a unit of theirs (team.h says
// which part of a matrix each has). A warp has every so many of the small matrices along either side of the tile.
#include <algorithm>

#include "plugins/llvm/contraction_tiles.h"

namespace bp::emit {

namespace {

class MatrixTiles final : public TileStrategy {
  using Unit = MatrixUnit;
  static constexpr int64_t depth = 32, warps_along_rows = 2;
  // Both slices have the contracted axes innermost: two neighbours are a word. The rows of a small matrix begin in
  // different banks, at multiples of 16 bytes.
  static constexpr int64_t slice_stride = depth + 8;

 public:
  MatrixTiles(const ContractionProblem &problem, Team &team)
      : TileStrategy(
            problem, team, depth,
            {warps_along_rows * Unit::rows, team.size() / team.exchanging() / warps_along_rows * Unit::columns},
            {4, 4}) {}

 private:
  llvm::Type *slice_type() const override { return llvm::Type::getInt16Ty(problem_.types.lhs->getContext()); }
  int64_t slice_size(size_t side) const override { return tile(side) * slice_stride; }
  llvm::Value *slice_place(const ContractionMemory &m, size_t, llvm::Value *k, llvm::Value *i) const override {
    return m.b.CreateAdd(m.b.CreateMul(i, m.integer(slice_stride)), k);
  }
  llvm::Value *read(const ContractionMemory &m, Operand operand, llvm::Value *offset,
                    llvm::Value *is_there) const override {
    return m.load_bits(operand, offset, is_there);
  }
  // The unit's sums are f32, and added by it.
  int64_t longest_chain() const override { return INT64_MAX / 4; }
  size_t sums() const override { return static_cast<size_t>(each_[row_side] * each_[column_side]) * Unit::sums; }

  llvm::Value *lane(const ContractionMemory &m) const {
    return m.b.CreateURem(team_.member(), m.integer(team_.exchanging()));
  }
  // Where in the tile the warp's first small matrix is.
  OfSides origin(const ContractionMemory &m) const {
    llvm::IRBuilder<> &b = m.b;
    llvm::Value *warp = b.CreateUDiv(team_.member(), m.integer(team_.exchanging()));
    return {b.CreateMul(b.CreateURem(warp, m.integer(warps_along_rows)), m.integer(Unit::rows)),
            b.CreateMul(b.CreateUDiv(warp, m.integer(warps_along_rows)), m.integer(Unit::columns))};
  }

  OfSides position(const ContractionMemory &m, size_t sum) const override {
    llvm::IRBuilder<> &b = m.b;
    const auto matrix = static_cast<int64_t>(sum) / Unit::sums, part = static_cast<int64_t>(sum) % Unit::sums;
    const OfSides first = origin(m);
    llvm::Value *group = b.CreateUDiv(lane(m), m.integer(4)), *pair = b.CreateURem(lane(m), m.integer(4));
    llvm::Value *row = b.CreateAdd(group, m.integer(matrix / each_[column_side] * unit_[row_side] + part / 2 * 8));
    llvm::Value *column = b.CreateAdd(b.CreateMul(pair, m.integer(2)),
                                      m.integer(matrix % each_[column_side] * unit_[column_side] + part % 2));
    return {b.CreateAdd(first[row_side], row), b.CreateAdd(first[column_side], column)};
  }

  Values multiply(const ContractionMemory &m, const OfSides &slices, Values sums) const override {
    llvm::IRBuilder<> &b = m.b;
    const OfSides first = origin(m);
    llvm::Value *group = b.CreateUDiv(lane(m), m.integer(4));
    llvm::Value *pair = b.CreateMul(b.CreateURem(lane(m), m.integer(4)), m.integer(2));
    // Two neighbours along the contracted axes, of the small matrix's line that is the lane's and `line` further.
    const auto word = [&](size_t side, int64_t matrix, int64_t line, int64_t k) {
      llvm::Value *i = b.CreateAdd(b.CreateAdd(first[side], group), m.integer(matrix * unit_[side] + line));
      llvm::Value *at = b.CreateAdd(slice_place(m, side, pair, i), m.integer(k));
      return b.CreateAlignedLoad(b.getInt32Ty(), b.CreateInBoundsGEP(slice_type(), slices[side], at), llvm::Align(4));
    };
    for (int64_t k = 0; k < depth; k += Unit::contracted) {
      std::vector<Values> columns;
      for (int64_t j = 0; j < each_[column_side]; ++j) {
        columns.push_back({word(column_side, j, 0, k), word(column_side, j, 0, k + 8)});
      }
      for (int64_t i = 0; i < each_[row_side]; ++i) {
        const Values row = {word(row_side, i, 0, k), word(row_side, i, 8, k), word(row_side, i, 0, k + 8),
                            word(row_side, i, 8, k + 8)};
        for (size_t j = 0; j < columns.size(); ++j) {
          const std::span<llvm::Value *> part =
              std::span(sums).subspan((static_cast<size_t>(i) * columns.size() + j) * Unit::sums, Unit::sums);
          const Values next = team_.multiply_matrices(b, problem_.types.lhs, row, columns[j], part);
          std::copy(next.begin(), next.end(), part.begin());
        }
      }
    }
    return sums;
  }
};

}  // namespace

std::unique_ptr<ContractionStrategy> make_matrix_tiles(const ContractionProblem &problem, Team &team) {
  return std::make_unique<MatrixTiles>(problem, team);
}

}  // namespace bp::emit
