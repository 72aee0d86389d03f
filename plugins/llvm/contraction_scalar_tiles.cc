// Tiles in which each member multiplies numbers: of a tile it has every so many rows and columns, so that what neighbours
// read and write are neighbours, too.
#include <algorithm>

#include "plugins/llvm/contraction_tiles.h"

namespace bp::emit {

namespace {

constexpr int64_t most_members_along_columns = 16;

std::array<int64_t, 2> members_of(const Team &team) {
  const int64_t columns = std::min(team.size(), most_members_along_columns);
  return {team.size() / columns, columns};
}

class ScalarTiles final : public TileStrategy {
 public:
  ScalarTiles(const ContractionProblem &problem, Team &team)
      : TileStrategy(problem, team, 8, members_of(team), {8, 4}) {}

 private:
  llvm::Type *slice_type() const override { return problem_.types.accumulate; }
  // Odd, so that its columns are not all in one bank.
  int64_t slice_stride(size_t side) const { return tile(side) + 1; }
  int64_t slice_size(size_t side) const override { return slice_stride(side) * depth_; }
  llvm::Value *slice_place(const ContractionMemory &m, size_t side, llvm::Value *k, llvm::Value *i) const override {
    return m.b.CreateAdd(m.b.CreateMul(k, m.integer(slice_stride(side))), i);
  }
  llvm::Value *read(const ContractionMemory &m, Operand operand, llvm::Value *offset,
                    llvm::Value *is_there) const override {
    return m.load_scalar(operand, offset, is_there);
  }
  int64_t longest_chain() const override { return 256; }
  size_t sums() const override { return static_cast<size_t>(each_[row_side] * each_[column_side]); }

  // Of the member, along a side.
  llvm::Value *member(const ContractionMemory &m, size_t side) const {
    llvm::Value *columns = m.integer(unit_[column_side]);
    return side == row_side ? m.b.CreateUDiv(team_.member(), columns) : m.b.CreateURem(team_.member(), columns);
  }
  OfSides position(const ContractionMemory &m, size_t sum) const override {
    const auto columns = static_cast<size_t>(each_[column_side]);
    const auto at = [&](size_t side, size_t number) {
      return m.b.CreateAdd(member(m, side), m.integer(static_cast<int64_t>(number) * unit_[side]));
    };
    return {at(row_side, sum / columns), at(column_side, sum % columns)};
  }

  Values multiply(const ContractionMemory &m, const OfSides &slices, Values sums) const override {
    llvm::IRBuilder<> &b = m.b;
    const OfSides members = {member(m, row_side), member(m, column_side)};
    const auto elements = [&](size_t side, int64_t k) {
      Values values;
      for (int64_t i = 0; i < each_[side]; ++i) {
        llvm::Value *at = b.CreateAdd(members[side], m.integer(k * slice_stride(side) + i * unit_[side]));
        values.push_back(b.CreateLoad(slice_type(), b.CreateInBoundsGEP(slice_type(), slices[side], at)));
      }
      return values;
    };
    for (int64_t k = 0; k < depth_; ++k) {
      const Values row = elements(row_side, k), column = elements(column_side, k);
      for (size_t i = 0; i < row.size(); ++i) {
        for (size_t j = 0; j < column.size(); ++j) {
          llvm::Value *&sum = sums[i * column.size() + j];
          sum = m.multiply_add(row[i], column[j], sum);
        }
      }
    }
    return sums;
  }
};

}  // namespace

std::unique_ptr<ContractionStrategy> make_scalar_tiles(const ContractionProblem &problem, Team &team) {
  return std::make_unique<ScalarTiles>(problem, team);
}

}  // namespace bp::emit
