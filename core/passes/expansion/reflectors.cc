#include "core/passes/expansion/reflectors.h"

namespace bp::passes {

using ir::InstructionId;
using ir::Opcode;
using enum ir::ComparisonDirection;

Reflector make_reflector(Reflectors &r, InstructionId column, InstructionId j) {
  ArrayBuilder &b = r.b;
  const InstructionId alpha = b.dynamic_slice(column, r.rows, j, 1);
  const InstructionId tail = r.below(column, j);
  const InstructionId alpha_real = b.real(alpha);
  // The largest magnitude is divided out, so that squares neither overflow nor vanish.
  const InstructionId magnitudes = b.real(b.add(Opcode::Abs, {tail}));
  const InstructionId alpha_magnitude = b.real(b.add(Opcode::Abs, {alpha}));
  const std::int64_t row_dimension[] = {static_cast<std::int64_t>(r.rows)};
  const ir::ElementType real_type = b.type(magnitudes);
  const ir::ComputationId maximum = ir::add_scalar_computation(b.module(), Opcode::Maximum, real_type, "largest");
  InstructionId scale = b.reduce(magnitudes, b.constant(real_type, 0), row_dimension, maximum);
  const ir::Shape number = b.shape(alpha_real);
  scale = b.reshape(scale, number.sizes());
  scale = b.add(Opcode::Maximum, {scale, alpha_magnitude});
  const InstructionId zero = b.splat(0, scale), one = b.splat(1, scale);
  scale = b.select({b.compare(Eq, scale, zero), one, scale});
  const InstructionId scaled = b.quotient({tail, b.broadcast_to(r.cast_like(scale, tail), tail)});
  const InstructionId alpha_scaled = b.quotient({alpha, r.cast_like(scale, alpha)});
  const InstructionId tail_norm = b.real(b.multiply_matrices(b.adjoint(scaled), scaled));
  const InstructionId alpha_norm = b.real(b.product({b.conjugate(alpha_scaled), alpha_scaled}));
  const InstructionId norm = b.add(Opcode::Sqrt, {b.sum({tail_norm, alpha_norm})});
  const InstructionId beta = b.select({b.compare(Lt, alpha_real, zero), norm, b.add(Opcode::Negate, {norm})});
  // Nothing is to be reflected if all below the diagonal is zero, and the diagonal is real.
  InstructionId is_done = b.compare(Eq, tail_norm, zero);
  if (ir::is_complex(b.type(alpha))) {
    is_done = b.bit_and({is_done, b.compare(Eq, b.add(Opcode::Imag, {alpha}), zero)});
  }
  const InstructionId safe_beta = b.select({is_done, one, beta});
  const InstructionId complex_beta = r.cast_like(safe_beta, alpha);
  InstructionId tau = b.quotient({b.difference({complex_beta, alpha_scaled}), complex_beta});
  tau = b.select({is_done, b.splat(0, tau), tau});
  InstructionId divisor = b.difference({alpha_scaled, complex_beta});
  divisor = b.select({is_done, b.splat(1, divisor), divisor});
  const InstructionId v = r.vector(b.quotient({scaled, b.broadcast_to(divisor, column)}), j);
  return {v, tau, b.select({is_done, alpha, r.cast_like(b.product({scale, beta}), alpha)})};
}

}  // namespace bp::passes
