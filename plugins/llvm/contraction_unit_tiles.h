// Tiles that a unit of the team multiplies: their slices are elements as they are stored, which it adds up by itself.
#pragma once

#include <cstdint>

#include "plugins/llvm/contraction_tiles.h"

namespace bp::emit {

class UnitTiles : public TileStrategy {
 protected:
  UnitTiles(const ContractionProblem &problem, Team &team, MatrixElement element, int64_t depth,
            std::array<int64_t, 2> unit, std::array<int64_t, 2> each)
      : TileStrategy(problem, team, depth, unit, each), element_(element) {}

  llvm::Type *slice_type() const override { return storage_type_of(problem_.types.lhs); }
  // As the unit wants it, which takes those of two bytes either way.
  bool has_contracted_lines(size_t side) const override {
    return bytes_of(element_) != 2 || lies_along_contracted(side);
  }
  Values elements(const ContractionMemory &memory, Operand, llvm::Value *stored) const override {
    return memory.parts_of(stored);
  }
  int64_t longest_chain() const override { return INT64_MAX / 4; }
  int64_t units_together() const override { return 1; }

  const MatrixElement element_;
};

}  // namespace bp::emit
