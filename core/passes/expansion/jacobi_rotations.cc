#include "core/passes/expansion/jacobi_rotations.h"

#include <algorithm>

namespace bp::passes {

using ir::InstructionId;
using ir::Opcode;
using enum ir::ComparisonDirection;

InstructionId Rotations::with_diagonal(InstructionId block, InstructionId row) {
  return b.select({b.is_diagonal(block), b.broadcast_to(row, block), block});
}

Angles angles_of(Rotations &r, InstructionId pp, InstructionId qq, InstructionId pq) {
  ArrayBuilder &b = r.b;
  const InstructionId size = b.real(b.add(Opcode::Abs, {pq}));
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

IdPair rotate_columns(Rotations &r, const Angles &angles, InstructionId p, InstructionId q) {
  ArrayBuilder &b = r.b;
  return {b.difference({r.times(angles.c, p), r.times(b.conjugate(angles.s), q)}),
          b.sum({r.times(angles.s, p), r.times(angles.c, q)})};
}

IdPair rotate_rows(Rotations &r, const Angles &angles, InstructionId p, InstructionId q) {
  ArrayBuilder &b = r.b;
  const InstructionId c = b.transpose_matrices(angles.c), s = b.transpose_matrices(angles.s);
  return {b.difference({r.times(c, p), r.times(s, q)}), b.sum({r.times(b.conjugate(s), p), r.times(c, q)})};
}

IdPair move_on(ArrayBuilder &b, InstructionId first, InstructionId second, std::size_t dimension) {
  const std::int64_t k = b.shape(first).size(dimension);
  if (k == 1) {
    return {first, second};
  }
  const auto d = static_cast<std::int64_t>(dimension);
  const InstructionId next = b.concatenate(
      {b.slice(first, dimension, 0, 1), b.slice(second, dimension, 0, 1), b.slice(first, dimension, 1, k - 1)}, d);
  return {next, b.concatenate({b.slice(second, dimension, 1, k), b.slice(first, dimension, k - 1, k)}, d)};
}

InstructionId largest_magnitude(ArrayBuilder &b, InstructionId matrices) {
  const InstructionId magnitudes = b.real(b.add(Opcode::Abs, {matrices}));
  std::vector<std::int64_t> sizes(b.shape(matrices).sizes().begin(), b.shape(matrices).sizes().end());
  const auto rank = static_cast<std::int64_t>(sizes.size());
  const std::int64_t dimensions[] = {rank - 2, rank - 1};
  sizes.end()[-1] = sizes.end()[-2] = 1;
  const ir::ComputationId maximum =
      ir::add_scalar_computation(b.module(), Opcode::Maximum, b.type(magnitudes), "largest");
  const InstructionId largest = b.reduce(magnitudes, b.constant(b.type(magnitudes), 0), dimensions, maximum);
  return b.reshape(largest, std::span<const std::int64_t>(sizes));
}

std::int64_t round_count(ir::ElementType type, std::int64_t columns) {
  // Sweeps until the rest is below rounding, also for repeated values: the more columns, the later the convergence
  // becomes quadratic.
  constexpr std::int64_t sweeps_f32 = 8, sweeps_f64 = 11;
  const bool is_wide = type == ir::ElementType::F64 || type == ir::ElementType::C128;
  std::int64_t sweeps = is_wide ? sweeps_f64 : sweeps_f32;
  for (std::int64_t size = columns; size > 1; size /= 2) {
    sweeps += is_wide ? 3 : 1;
  }
  return sweeps * std::max<std::int64_t>(columns - 1, 1);
}

void sort_columns(ArrayBuilder &b, InstructionId &values, ir::ComparisonDirection before,
                  std::span<InstructionId *const> matrices) {
  const std::size_t columns = b.shape(values).rank() - 1;
  const InstructionId sorted = b.sort_with_positions(values, columns, before);
  values = b.get_tuple_element(sorted, 0);
  // Column i of a matrix of one 1 per column is the position of what comes to i.
  std::vector<std::int64_t> sizes(b.shape(values).sizes().begin(), b.shape(values).sizes().end());
  sizes[columns - 1] = sizes[columns];
  const ir::Shape indices = ir::Shape::array(ir::ElementType::S32, sizes);
  const InstructionId row = b.iota(indices, static_cast<std::int64_t>(columns) - 1);
  const InstructionId is_source = b.compare(Eq, row, b.broadcast_to(b.get_tuple_element(sorted, 1), row));
  const InstructionId first = *matrices[0];
  const InstructionId ones = b.broadcast_scalar(b.constant(b.type(first), 1), row);
  const InstructionId order = b.select({is_source, ones, b.splat(0, ones)});
  for (InstructionId *matrix : matrices) {
    *matrix = b.multiply_matrices(*matrix, order);
  }
}

}  // namespace bp::passes
