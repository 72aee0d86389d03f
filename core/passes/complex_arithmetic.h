// What formulas on the parts of complex numbers are written in. Where a part is single, so are the limits.
#pragma once

#include <limits>

#include "core/passes/complex_formulas.h"

namespace bp::passes::parts {

using Id = ir::InstructionId;
using ir::ComparisonDirection;
using ir::Opcode;

constexpr double infinity = std::numeric_limits<double>::infinity();

Id apply(Expansion &b, Opcode opcode, Id x);
Id negate(Expansion &b, Id x);
Id absolute(Expansion &b, Id x);
Id half(Expansion &b, Id x);
Id square(Expansion &b, Id x);
Id plus(Expansion &b, Id x, double y);
Id compare(Expansion &b, ComparisonDirection direction, Id x, double y);
Id is_zero(Expansion &b, Id x);
Id is_infinite(Expansion &b, Id x);
Id is_finite(Expansion &b, Id x);
Id is_nan(Expansion &b, Id x);
Id has_infinite(Expansion &b, Parts z);
Id has_only_finite(Expansion &b, Parts z);
// An infinite real part, and an imaginary one that is no angle.
Id is_infinite_without_angle(Expansion &b, Parts z);
// |x| with the sign of y.
Id with_sign(Expansion &b, Id x, Id y);
// log |z|, where |z| near 1 loses no digits.
Id log_modulus(Expansion &b, Parts z);
Id angle(Expansion &b, Parts z);
Parts textbook_product(Expansion &b, Parts x, Parts y);
// The textbook product, but where terms overflow and it is NaN therefore, what 2^-1030 (single: 2^-134) of it tells.
Parts multiply(Expansion &b, Parts x, Parts y);
// As if the infinite parts of a number were 1, and its finite ones 0.
Parts infinite_direction(Expansion &b, Parts z);
Parts times_conjugate(Expansion &b, Parts x, Parts y);
Parts scaled(Expansion &b, Parts z, Id by);
Parts select(Expansion &b, Id condition, Parts x, Parts y);
// The larger part of the divisor is divided out first, so that its square is never formed. Where that gives NaN twice,
// zeros and infinities decide.
Parts divide(Expansion &b, Parts x, Parts y);
bool is_single(Expansion &b, Id x);
// `huge` or `tiny` where the larger part is so, else 1.
Id by_size(Expansion &b, Parts z, double huge, double tiny);
// Where the modulus of a number overflows, or halves and quotients lose digits, the root of 1/16 of it, or of 2^48
// times it.
Parts square_root(Expansion &b, Parts unscaled);

// f(z) = i g(-iz): the circular functions from the hyperbolic ones.
template <Parts (*g)(Expansion &, Parts)>
Parts rotated(Expansion &b, Parts z) {
  const Parts turned = g(b, {z.imaginary, negate(b, z.real)});
  return {negate(b, turned.imaginary), turned.real};
}

// The inverse functions, in complex_inverse.cc.
Parts asinh(Expansion &b, Parts z);
Parts acosh(Expansion &b, Parts z);
Parts acos(Expansion &b, Parts z);
Parts atanh(Expansion &b, Parts z);
// The angle of x + iy continued to complex x and y: -i log((x + iy) / sqrt(x^2 + y^2)).
Parts atan2(Expansion &b, Parts y, Parts x);

}  // namespace bp::passes::parts
