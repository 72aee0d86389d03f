// Tiles in which each member multiplies numbers. Groups of neighbouring rows and columns of a tile, which are read as
// vectors, are distributed over the members in turn.
#include <algorithm>

#include "plugins/llvm/contraction/gpu/tiles.h"

namespace bp::emit {

namespace {

constexpr int64_t max_members_along_columns = 16;

std::array<int64_t, 2> members_of(const Team &team) {
  const int64_t columns = std::min(team.size(), max_members_along_columns);
  return {team.size() / columns, columns};
}

class ScalarTiles final : public TileStrategy {
 public:
  ScalarTiles(const ContractionProblem &problem, Team &team, const ContractionShape &shape)
      : TileStrategy(problem, team, scalar_depth, members_of(team), shape) {}

 private:
  llvm::Type *slice_type() const override { return problem_.types.accumulate; }
  bool has_contracted_lines(size_t) const override { return false; }
  Values elements(const ContractionMemory &m, Operand operand, llvm::Value *stored) const override {
    return m.as_sums(operand, stored);
  }
  int64_t longest_chain() const override { return 256; }
  size_t sums() const override { return static_cast<size_t>(each_[row_side] * each_[column_side]); }

  // Returns the number of neighbours along a side in a group of a member, at most 16 bytes.
  int64_t lanes(size_t side) const {
    return std::min<int64_t>(each_[side], 128 / problem_.types.accumulate->getScalarSizeInBits());
  }
  int64_t units_together() const override { return lanes(row_side); }
  // Returns the index of the first element in the group that contains the member's element `number` along a side.
  llvm::Value *group(const ContractionMemory &m, size_t side, int64_t number) const {
    llvm::Value *columns = m.integer(unit_[column_side]);
    llvm::Value *member =
        side == row_side ? m.b.CreateUDiv(team_.member(), columns) : m.b.CreateURem(team_.member(), columns);
    return m.b.CreateAdd(m.b.CreateMul(member, m.integer(lanes(side))),
                         m.integer(number / lanes(side) * lanes(side) * unit_[side]));
  }
  OfSides position(const ContractionMemory &m, size_t sum) const override {
    const auto at = [&](size_t side, int64_t number) {
      return m.b.CreateAdd(group(m, side, number), m.integer(number % lanes(side)));
    };
    const auto number = static_cast<int64_t>(sum);
    return {at(row_side, number / each_[column_side]), at(column_side, number % each_[column_side])};
  }

  Values multiply(const ContractionMemory &m, const OfSides &slices, Values sums) const override {
    llvm::IRBuilder<> &b = m.b;
    const auto elements_at = [&](size_t side, int64_t k) {
      auto *type = llvm::FixedVectorType::get(slice_type(), static_cast<unsigned>(lanes(side)));
      const auto bytes = static_cast<uint64_t>(lanes(side)) * slice_type()->getScalarSizeInBits() / 8;
      Values values;
      for (int64_t i = 0; i < each_[side]; i += lanes(side)) {
        llvm::Value *at = slice_offset(m, side, m.integer(k), group(m, side, i));
        llvm::Value *from = b.CreateInBoundsGEP(slice_type(), slices[side], at);
        const Values vector = m.parts_of(b.CreateAlignedLoad(type, from, llvm::Align(bytes)));
        values.insert(values.end(), vector.begin(), vector.end());
      }
      return values;
    };
    for (int64_t k = 0; k < depth_; ++k) {
      const Values row = elements_at(row_side, k), column = elements_at(column_side, k);
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

std::unique_ptr<ContractionStrategy> make_scalar_tiles(const ContractionProblem &problem, Team &team,
                                                       const ContractionShape &shape) {
  return std::make_unique<ScalarTiles>(problem, team, shape);
}

}  // namespace bp::emit
