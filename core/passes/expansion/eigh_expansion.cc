// Rewrites the custom call "Eigh" as sweeps of Jacobi's rotations, which make a Hermitian matrix diagonal. Pairs of
// rows and columns are rotated at once: the matrix is kept in four blocks, such that each diagonal element of the upper
// left meets one of the lower right, and all but one move on after each round (R. Brent, F. Luk, 1985). A sweep, in
// which each pair meets once, ends where it began.
//
// The call takes [..., n, n] and returns the eigenvectors, in columns, and the eigenvalues, real.
#include <numeric>

#include "core/ir/factorization_calls.h"
#include "core/passes/expand.h"
#include "core/passes/expansion/jacobi_rotations.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::InstructionId;
using ir::Opcode;
using enum ir::ComparisonDirection;
using Ids = std::vector<InstructionId>;

// The blocks of the matrix, and the left and right half of the columns of the eigenvectors.
enum Part : std::size_t { UpperLeft, UpperRight, LowerLeft, LowerRight, Left, Right, part_count };

// One round: rotates all pairs, and lets them move on.
Ids round(ArrayBuilder &b, Ids parts) {
  Rotations r(b, parts[UpperLeft]);
  const InstructionId pp = b.real(b.diagonal(parts[UpperLeft])), qq = b.real(b.diagonal(parts[LowerRight]));
  const Angles angles = angles_of(r, pp, qq, b.diagonal(parts[UpperRight]));
  for (const auto &[left, right] : {std::pair(UpperLeft, UpperRight), {LowerLeft, LowerRight}, {Left, Right}}) {
    std::tie(parts[left], parts[right]) = rotate_columns(r, angles, parts[left], parts[right]);
  }
  for (const auto &[upper, lower] : {std::pair(UpperLeft, LowerLeft), {UpperRight, LowerRight}}) {
    std::tie(parts[upper], parts[lower]) = rotate_rows(r, angles, parts[upper], parts[lower]);
  }
  const ir::ElementType type = b.type(parts[UpperLeft]);
  parts[UpperLeft] = r.with_diagonal(parts[UpperLeft], b.cast(angles.upper, type));
  parts[LowerRight] = r.with_diagonal(parts[LowerRight], b.cast(angles.lower, type));
  for (const Part part : {UpperRight, LowerLeft}) {
    parts[part] = r.with_diagonal(parts[part], b.splat(0, angles.s));
  }
  for (const auto &[left, right] : {std::pair(UpperLeft, UpperRight), {LowerLeft, LowerRight}, {Left, Right}}) {
    std::tie(parts[left], parts[right]) = move_on(b, parts[left], parts[right], r.columns);
  }
  for (const auto &[upper, lower] : {std::pair(UpperLeft, LowerLeft), {UpperRight, LowerRight}}) {
    std::tie(parts[upper], parts[lower]) = move_on(b, parts[upper], parts[lower], r.rows);
  }
  return parts;
}

// Returns the Hermitian matrix of which only one triangle is read.
InstructionId from_triangle(ArrayBuilder &b, InstructionId a, bool is_lower) {
  const std::size_t rank = b.shape(a).rank();
  const InstructionId row = b.indices(a, rank - 2), column = b.indices(a, rank - 1);
  const InstructionId other = b.adjoint(a);
  InstructionId whole = b.select({b.compare(is_lower ? Gt : Lt, row, column), a, other});
  InstructionId diagonal = a;
  if (ir::is_complex(b.type(a))) {
    diagonal = b.cast(b.real(a), b.type(a));
  }
  return b.select({b.compare(Eq, row, column), diagonal, whole});
}

// Returns a power of two for each matrix, as [..., 1, 1], with which no sum overflows and nothing vanishes; NaN for a
// matrix that is not finite.
InstructionId scale_of(ArrayBuilder &b, InstructionId a) {
  const InstructionId largest = largest_magnitude(b, a);
  const double huge = b.type(largest) == ir::ElementType::F64 ? 0x1p500 : 0x1p60, tiny = 1 / huge;
  const InstructionId is_tiny = b.compare(Lt, largest, b.splat(tiny, largest));
  const InstructionId if_tiny = b.select({is_tiny, b.splat(huge, largest), b.splat(1, largest)});
  const InstructionId is_huge = b.compare(Gt, largest, b.splat(huge, largest));
  const InstructionId scale = b.select({is_huge, b.splat(tiny, largest), if_tiny});
  return b.sum({scale, b.difference({largest, largest})});
}

// Returns the eigenvectors of [..., n, n] and, as [..., 1, n], the eigenvalues.
std::pair<InstructionId, InstructionId> diagonalize(ArrayBuilder &b, InstructionId a) {
  const std::size_t rows = b.shape(a).rank() - 2, columns = rows + 1;
  const std::int64_t n = b.shape(a).size(rows), even = n + n % 2, k = even / 2;
  if (even != n) {  // another row and column of zeros, which no rotation touches
    std::vector<ir::PaddingDimension> padding(b.shape(a).rank());
    padding[rows].high = padding[columns].high = 1;
    a = b.pad(a, b.constant(b.type(a), 0), padding);
  }
  Ids parts(part_count);
  const InstructionId upper = b.slice(a, rows, 0, k), lower = b.slice(a, rows, k, even);
  parts[UpperLeft] = b.slice(upper, columns, 0, k);
  parts[UpperRight] = b.slice(upper, columns, k, even);
  parts[LowerLeft] = b.slice(lower, columns, 0, k);
  parts[LowerRight] = b.slice(lower, columns, k, even);
  const InstructionId unit = b.select({b.is_diagonal(a), b.splat(1, a), b.splat(0, a)});
  parts[Left] = b.slice(unit, columns, 0, k);
  parts[Right] = b.slice(unit, columns, k, even);
  parts = b.loop(round_count(b.type(a), even), parts,
                 [](ArrayBuilder &body, InstructionId, Ids values) { return round(body, values); });
  const InstructionId values = b.real(
      b.concatenate({b.diagonal(parts[UpperLeft]), b.diagonal(parts[LowerRight])}, static_cast<std::int64_t>(columns)));
  const InstructionId vectors = b.concatenate({parts[Left], parts[Right]}, static_cast<std::int64_t>(columns));
  return {b.slice(b.slice(vectors, rows, 0, n), columns, 0, n), b.slice(values, columns, 0, n)};
}

}  // namespace

Result<bool> eigh_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction call) -> Result<InstructionId> {
    if (ir::factorization_of(call) != ir::Factorization::Eigh) {
      return call.id();
    }
    const ir::EighOptions options = ir::eigh_options(call);
    const ir::Shape vector_shape = call.shape().elements()[0], value_shape = call.shape().elements()[1];
    ArrayBuilder b(module, call);
    InstructionId a = b.with_layout(call.operands()[0], ir::Layout::descending(vector_shape.rank()));
    a = from_triangle(b, b.cast(a, compute_type(vector_shape.element_type())), options.is_lower);
    const InstructionId scale = scale_of(b, a);
    auto [vectors, values] = diagonalize(b, b.product({a, b.broadcast_to(b.cast(scale, b.type(a)), a)}));
    values = b.quotient({values, b.broadcast_to(scale, values)});
    if (options.is_sorted) {
      InstructionId *matrices[] = {&vectors};
      sort_columns(b, values, Lt, matrices);
    }
    const InstructionId results[] = {
        b.with_layout(b.cast(vectors, vector_shape.element_type()), vector_shape.layout()),
        b.with_layout(b.cast(b.reshape(values, value_shape.sizes()), value_shape.element_type()),
                      value_shape.layout())};
    return b.tuple(results);
  });
}

}  // namespace bp::passes
