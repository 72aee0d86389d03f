// Rewrites the custom call "Eigh" as sweeps of Jacobi's rotations, which make a Hermitian matrix diagonal. Pairs of
// rows and columns are rotated at once: the matrix is kept in four blocks, such that each diagonal element of the upper
// left meets one of the lower right, and all but one move on after each round (R. Brent, F. Luk, 1985). A sweep, in
// which each pair meets once, ends where it began.
//
// The call takes [..., n, n] and returns the eigenvectors, in columns, and the eigenvalues, real.
#include <numeric>

#include "core/ir/factorization_calls.h"
#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::InstructionId;
using ir::Opcode;
using enum ir::ComparisonDirection;
using Ids = std::vector<InstructionId>;

// Sweeps until the rest is below rounding, for sizes to which Jacobi's method is applied: it converges quadratically.
constexpr std::int64_t sweeps_f32 = 9, sweeps_f64 = 12;

// The blocks of the matrix, and the left and right half of the columns of the eigenvectors.
enum Part : std::size_t { UpperLeft, UpperRight, LowerLeft, LowerRight, Left, Right, part_count };

class Rotations {
 public:
  Rotations(ArrayBuilder &builder, InstructionId block)
      : b(builder), rows(b.shape(block).rank() - 2), columns(rows + 1) {}

  ArrayBuilder &b;
  const std::size_t rows, columns;  // dimensions

  InstructionId real(InstructionId x) { return ir::is_complex(b.type(x)) ? b.add(Opcode::Real, {x}) : x; }

  InstructionId is_diagonal(InstructionId like) {
    const ir::Shape indices = ir::Shape::array(ir::ElementType::S32, b.shape(like).sizes());
    const InstructionId row = b.iota(indices, static_cast<std::int64_t>(rows));
    const InstructionId column = b.iota(indices, static_cast<std::int64_t>(columns));
    return b.compare(Eq, row, column);
  }
  // Returns the diagonal of a square block as a row, [..., 1, k].
  InstructionId diagonal(InstructionId block) {
    const InstructionId only = b.select({is_diagonal(block), block, b.splat(0, block)});
    InstructionId ones = b.splat(1, b.slice(only, rows, 0, 1));
    return b.multiply_matrices(ones, only);
  }
  // Returns the block with this row as its diagonal.
  InstructionId with_diagonal(InstructionId block, InstructionId row) {
    return b.select({is_diagonal(block), b.broadcast_to(row, block), block});
  }
  InstructionId column_of(InstructionId row) { return b.transpose_matrices(row); }
  InstructionId times(InstructionId factors, InstructionId block) {
    return b.product({b.broadcast_to(factors, block), block});
  }
};

// The rotations of all pairs, as rows [..., 1, k]: columns p and q become c p - conj(s) q and s p + c q.
struct Angles {
  InstructionId c, s;          // c real, in the type of s
  InstructionId upper, lower;  // the new diagonals
};

Angles angles_of(Rotations &r, const Ids &parts) {
  ArrayBuilder &b = r.b;
  const InstructionId pp = r.real(r.diagonal(parts[UpperLeft])), qq = r.real(r.diagonal(parts[LowerRight]));
  const InstructionId pq = r.diagonal(parts[UpperRight]);
  const InstructionId size = r.real(b.add(Opcode::Abs, {pq}));
  const InstructionId zero = b.splat(0, size), one = b.splat(1, size);
  const InstructionId is_zero = b.compare(Eq, size, zero);
  const InstructionId safe_size = b.select({is_zero, one, size});
  const InstructionId tau = b.quotient({b.quotient({b.difference({qq, pp}), safe_size}), b.splat(2, size)});
  // t = sign(tau) / (|tau| + sqrt(1 + tau^2)), also where tau^2 is infinite.
  const InstructionId magnitude = b.add(Opcode::Abs, {tau});
  const InstructionId root = b.add(Opcode::Sqrt, {b.sum({one, b.product({tau, tau})})});
  InstructionId t = b.quotient({one, b.sum({magnitude, root})});
  t = b.select({b.compare(Lt, tau, zero), b.add(Opcode::Negate, {t}), t});
  t = b.select({is_zero, zero, t});
  const InstructionId c = b.add(Opcode::Rsqrt, {b.sum({one, b.product({t, t})})});
  const InstructionId sine = b.product({t, c});
  const InstructionId phase = b.quotient({pq, b.cast(safe_size, b.type(pq))});
  const InstructionId change = b.product({t, size});
  return {b.cast(c, b.type(pq)), b.product({b.cast(sine, b.type(pq)), phase}), b.difference({pp, change}),
          b.sum({qq, change})};
}

// Rotates columns p and q: returns c p - conj(s) q and s p + c q. The factors are rows.
std::pair<InstructionId, InstructionId> rotate_columns(Rotations &r, const Angles &angles, InstructionId p,
                                                       InstructionId q) {
  ArrayBuilder &b = r.b;
  return {b.difference({r.times(angles.c, p), r.times(b.conjugate(angles.s), q)}),
          b.sum({r.times(angles.s, p), r.times(angles.c, q)})};
}

// Rotates rows p and q, as the adjoint of the rotation does: returns c p - s q and conj(s) p + c q.
std::pair<InstructionId, InstructionId> rotate_rows(Rotations &r, const Angles &angles, InstructionId p,
                                                    InstructionId q) {
  ArrayBuilder &b = r.b;
  const InstructionId c = r.column_of(angles.c), s = r.column_of(angles.s);
  return {b.difference({r.times(c, p), r.times(s, q)}), b.sum({r.times(b.conjugate(s), p), r.times(c, q)})};
}

// Moves all but the first on: the first of the second half comes into the first half, the last of the first half into
// the second one.
std::pair<InstructionId, InstructionId> move_on(ArrayBuilder &b, InstructionId first, InstructionId second,
                                                std::size_t dimension) {
  const std::int64_t k = b.shape(first).size(dimension);
  if (k == 1) {
    return {first, second};
  }
  const auto d = static_cast<std::int64_t>(dimension);
  const InstructionId next = b.concatenate(
      {b.slice(first, dimension, 0, 1), b.slice(second, dimension, 0, 1), b.slice(first, dimension, 1, k - 1)}, d);
  return {next, b.concatenate({b.slice(second, dimension, 1, k), b.slice(first, dimension, k - 1, k)}, d)};
}

// One round: rotates all pairs, and lets them move on.
Ids round(ArrayBuilder &b, Ids parts) {
  Rotations r(b, parts[UpperLeft]);
  const Angles angles = angles_of(r, parts);
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
  const ir::Shape indices = ir::Shape::array(ir::ElementType::S32, b.shape(a).sizes());
  const InstructionId row = b.iota(indices, static_cast<std::int64_t>(rank) - 2);
  const InstructionId column = b.iota(indices, static_cast<std::int64_t>(rank) - 1);
  const InstructionId other = b.conjugate(b.transpose_matrices(a));
  InstructionId whole = b.select({b.compare(is_lower ? Gt : Lt, row, column), a, other});
  InstructionId diagonal = a;
  if (ir::is_complex(b.type(a))) {
    diagonal = b.cast(b.add(Opcode::Real, {a}), b.type(a));
  }
  return b.select({b.compare(Eq, row, column), diagonal, whole});
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
  Rotations r(b, a);
  const InstructionId unit = b.select({r.is_diagonal(a), b.splat(1, a), b.splat(0, a)});
  parts[Left] = b.slice(unit, columns, 0, k);
  parts[Right] = b.slice(unit, columns, k, even);
  const bool is_wide = b.type(r.real(a)) == ir::ElementType::F64;
  const std::int64_t rounds = (is_wide ? sweeps_f64 : sweeps_f32) * std::max<std::int64_t>(even - 1, 1);
  parts = b.loop(rounds, parts, [](ArrayBuilder &body, InstructionId, Ids values) { return round(body, values); });
  Rotations after(b, parts[UpperLeft]);
  const InstructionId values = after.real(b.concatenate(
      {after.diagonal(parts[UpperLeft]), after.diagonal(parts[LowerRight])}, static_cast<std::int64_t>(columns)));
  const InstructionId vectors = b.concatenate({parts[Left], parts[Right]}, static_cast<std::int64_t>(columns));
  return {b.slice(b.slice(vectors, rows, 0, n), columns, 0, n), b.slice(values, columns, 0, n)};
}

// Puts the eigenvalues, [..., 1, n], and the columns of the eigenvectors in ascending order.
void sort(ArrayBuilder &b, InstructionId &vectors, InstructionId &values) {
  const std::size_t columns = b.shape(values).rank() - 1;
  const InstructionId sorted = b.sort_with_positions(values, columns, Lt);
  values = b.get_tuple_element(sorted, 0);
  // Column i of a matrix of one 1 per column is the position of what comes to i.
  const ir::Shape indices = ir::Shape::array(ir::ElementType::S32, b.shape(vectors).sizes());
  const InstructionId row = b.iota(indices, static_cast<std::int64_t>(columns) - 1);
  const InstructionId is_source = b.compare(Eq, row, b.broadcast_to(b.get_tuple_element(sorted, 1), row));
  const InstructionId order = b.select({is_source, b.splat(1, vectors), b.splat(0, vectors)});
  vectors = b.multiply_matrices(vectors, order);
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
    auto [vectors, values] = diagonalize(b, a);
    if (options.is_sorted) {
      sort(b, vectors, values);
    }
    const InstructionId results[] = {
        b.with_layout(b.cast(vectors, vector_shape.element_type()), vector_shape.layout()),
        b.with_layout(b.cast(b.reshape(values, value_shape.sizes()), value_shape.element_type()),
                      value_shape.layout())};
    return b.tuple(results);
  });
}

}  // namespace bp::passes
