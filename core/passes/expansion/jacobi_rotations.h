// Jacobi's rotations of many pairs of columns (and rows) at once, for eigenvalues and singular values. The columns are
// kept in two halves: column i of the first is rotated with column i of the second, then all columns but one move on
// (R. Brent, F. Luk, 1985). A sweep, in which each pair meets once, ends where it began.
#pragma once

#include <span>
#include <utility>

#include "core/passes/array_builder.h"

namespace bp::passes {

// Operations on square blocks of matrices, [..., k, k], and on rows of one number per column, [..., 1, k].
class Rotations {
 public:
  using Id = ir::InstructionId;

  Rotations(ArrayBuilder &builder, Id block) : b(builder), rows(b.shape(block).rank() - 2), columns(rows + 1) {}

  ArrayBuilder &b;
  const std::size_t rows, columns;  // dimensions

  // Returns the block with this row as its diagonal.
  Id with_diagonal(Id block, Id row);
  // Multiplies each row or column by the factor that is in its place.
  Id times(Id factors, Id block) { return b.product({b.broadcast_to(factors, block), block}); }
};

// The rotations of all pairs, as rows: columns p and q become c p - conj(s) q and s p + c q.
struct Angles {
  ir::InstructionId c, s;          // c real, in the type of s
  ir::InstructionId upper, lower;  // the new squares or diagonals
};

// Returns the rotations that make each matrix {{pp, pq}, {conj(pq), qq}} diagonal; pp and qq are real.
Angles angles_of(Rotations &r, ir::InstructionId pp, ir::InstructionId qq, ir::InstructionId pq);

using IdPair = std::pair<ir::InstructionId, ir::InstructionId>;
// Rotate columns p and q, and rows p and q as the adjoint of the rotation does.
IdPair rotate_columns(Rotations &r, const Angles &angles, ir::InstructionId p, ir::InstructionId q);
IdPair rotate_rows(Rotations &r, const Angles &angles, ir::InstructionId p, ir::InstructionId q);

// Moves all but the first on: the first of the second half comes into the first half, the last of the first half into
// the second one.
IdPair move_on(ArrayBuilder &b, ir::InstructionId first, ir::InstructionId second, std::size_t dimension);

// Returns the largest magnitude of each matrix, as [..., 1, 1]; NaN if an element is.
ir::InstructionId largest_magnitude(ArrayBuilder &b, ir::InstructionId matrices);

// Returns after how many rounds nothing is left to rotate, for an even number of columns.
std::int64_t round_count(ir::ElementType type, std::int64_t columns);

// Sorts `values`, [..., 1, n], and puts the columns of the matrices, [..., m, n], into the same order.
void sort_columns(ArrayBuilder &b, ir::InstructionId &values, ir::ComparisonDirection before,
                  std::span<ir::InstructionId *const> matrices);

}  // namespace bp::passes
