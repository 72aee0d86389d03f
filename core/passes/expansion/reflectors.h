// Householder's reflectors, H = I - tau v v^H, for factorizations column by column.
// Source of the semantics: LAPACK's larfg.
#pragma once

#include "core/passes/array_builder.h"

namespace bp::passes {

// Arithmetic on the reflectors of a batch of matrices. A column of each matrix has the shape [..., rows, 1], and a
// number for each matrix has the shape [..., 1, 1].
class Reflectors {
 public:
  using Id = ir::InstructionId;

  Reflectors(ArrayBuilder &builder, Id matrix) : b(builder), rows(b.shape(matrix).rank() - 2), columns(rows + 1) {}

  ArrayBuilder &b;
  const std::size_t rows, columns;  // dimensions

  // Returns x converted to the element type of `like`.
  Id cast_like(Id x, Id like) { return b.cast(x, b.type(like)); }

  // Returns the column below row j, with zeros in and above it.
  Id below(Id column, Id j) {
    return b.select({b.compare_index(ir::ComparisonDirection::Gt, column, rows, j), column, b.splat(0, column)});
  }
  // Returns the column below row j, with 1 in row j and zeros above it.
  Id vector(Id column, Id j) {
    return b.select(
        {b.compare_index(ir::ComparisonDirection::Eq, column, rows, j), b.splat(1, column), below(column, j)});
  }
  // Returns matrix - tau v (v^H matrix).
  Id reflect(Id matrix, Id v, Id tau) {
    Id row = b.multiply_matrices(b.adjoint(v), matrix);
    row = b.product({b.broadcast_to(tau, row), row});
    return b.difference({matrix, b.multiply_matrices(v, row)});
  }
};

// A reflector that maps a column to beta times a unit vector.
struct Reflector {
  ir::InstructionId v, tau, beta;
};

// Returns the reflector that keeps the column's rows above row j, makes row j beta and the rows below it zero. The 1 of
// v is in row j.
Reflector make_reflector(Reflectors &r, ir::InstructionId column, ir::InstructionId j);

}  // namespace bp::passes
