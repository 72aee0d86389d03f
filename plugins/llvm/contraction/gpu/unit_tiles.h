// Tiles that a unit of the team multiplies: slices consist of the stored elements, and the unit adds the products
// itself.
#pragma once

#include <cstdint>

#include "plugins/llvm/contraction/gpu/tiles.h"

namespace bp::emit {

class UnitTiles : public TileStrategy {
 protected:
  // line_bytes: bytes of a slice along the contracted axes.
  UnitTiles(const ContractionProblem &problem, Team &team, int64_t line_bytes, std::array<int64_t, 2> unit,
            const ContractionShape &shape)
      : TileStrategy(problem, team, line_bytes / bytes_of(*matrix_element(problem.types)), unit, shape),
        element_(*matrix_element(problem.types)) {}

  llvm::Type *slice_type() const override { return storage_type_of(problem_.types.lhs); }
  // The unit accepts elements of two bytes in both directions, others only in contracted lines.
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
