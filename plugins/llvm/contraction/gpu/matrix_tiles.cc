// Tiles in which the members that exchange values, a warp, multiply small matrices with their matrix unit (team.h
// defines which part of a matrix each member has). The small matrices along either side of the tile are distributed
// over the warps in turn. Those with elements of two bytes are transposed when they are loaded, if lines do not run
// along the contracted axis.
#include <algorithm>

#include "plugins/llvm/contraction/gpu/unit_tiles.h"

namespace bp::emit {

namespace {

class MatrixTiles final : public UnitTiles {
  using Unit = MatrixUnit;
  static constexpr int64_t warps_along_rows = 2;

 public:
  // A line of a slice is two lengths of the unit, which one load reads.
  MatrixTiles(const ContractionProblem &problem, Team &team, const ContractionShape &shape)
      : UnitTiles(
            problem, team, matrix_line_bytes,
            {warps_along_rows * Unit::rows, team.size() / team.exchange_width() / warps_along_rows * Unit::columns},
            shape) {}

 private:
  size_t sums() const override { return static_cast<size_t>(each_[row_side] * each_[column_side]) * Unit::sums; }

  llvm::Value *lane(const ContractionMemory &m) const {
    return m.b.CreateURem(team_.member(), m.integer(team_.exchange_width()));
  }
  // Returns the position of the warp's first small matrix in the tile.
  OfSides origin(const ContractionMemory &m) const {
    llvm::IRBuilder<> &b = m.b;
    llvm::Value *warp = b.CreateUDiv(team_.member(), m.integer(team_.exchange_width()));
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

  // Loads four matrices of 8 lines of 16 bytes each. The lane passes the address of a line, or of a column of a matrix
  // to be transposed, at `line` and k of small matrix number `matrix` of the side.
  Values load(const ContractionMemory &m, size_t side, llvm::Value *slice, int64_t matrix, llvm::Value *line,
              llvm::Value *k) const {
    llvm::IRBuilder<> &b = m.b;
    llvm::Value *i = b.CreateAdd(b.CreateAdd(origin(m)[side], m.integer(matrix * unit_[side])), line);
    llvm::Value *at = b.CreateInBoundsGEP(slice_type(), slice, slice_offset(m, side, k, i));
    return team_.ldmatrix(b, at, !has_contracted_lines(side));
  }

  Values multiply(const ContractionMemory &m, const OfSides &slices, Values sums) const override {
    llvm::IRBuilder<> &b = m.b;
    const int64_t half = Unit::contracted_bytes / 2 / bytes_of(element_), whole = 2 * half;
    // Four matrices are loaded at once, and each lane passes the address of a line of one of them.
    llvm::Value *number = b.CreateUDiv(lane(m), m.integer(8)), *line = b.CreateURem(lane(m), m.integer(8));
    const auto at_line = [&](size_t side, llvm::Value *i, llvm::Value *k) -> OfSides {
      return has_contracted_lines(side) ? OfSides{b.CreateAdd(i, line), k} : OfSides{i, b.CreateAdd(k, line)};
    };
    std::vector<Values> columns;
    const OfSides of_columns = at_line(column_side, m.integer(0), b.CreateMul(number, m.integer(half)));
    for (int64_t j = 0; j < each_[column_side]; ++j) {
      columns.push_back(load(m, column_side, slices[column_side], j, of_columns[0], of_columns[1]));
    }
    for (int64_t step = 0; step < 2; ++step) {
      llvm::Value *upper = b.CreateMul(b.CreateURem(number, m.integer(2)), m.integer(8));
      llvm::Value *last = b.CreateMul(b.CreateUDiv(number, m.integer(2)), m.integer(half));
      const OfSides of_rows = at_line(row_side, upper, b.CreateAdd(last, m.integer(step * whole)));
      for (int64_t i = 0; i < each_[row_side]; ++i) {
        const Values row = load(m, row_side, slices[row_side], i, of_rows[0], of_rows[1]);
        for (size_t j = 0; j < columns.size(); ++j) {
          const std::span<llvm::Value *> part =
              std::span(sums).subspan((static_cast<size_t>(i) * columns.size() + j) * Unit::sums, Unit::sums);
          const auto column = std::span(columns[j]).subspan(static_cast<size_t>(step) * 2, 2);
          const Values next = team_.mma(b, element_, row, column, part);
          std::copy(next.begin(), next.end(), part.begin());
        }
      }
    }
    return sums;
  }
};

}  // namespace

std::unique_ptr<ContractionStrategy> make_matrix_tiles(const ContractionProblem &problem, Team &team,
                                                       const ContractionShape &shape) {
  return std::make_unique<MatrixTiles>(problem, team, shape);
}

}  // namespace bp::emit
