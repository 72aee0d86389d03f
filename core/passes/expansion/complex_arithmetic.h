// What formulas on the parts of complex numbers are written in. Where a part is single, so are the limits.
#pragma once

#include <limits>

#include "core/passes/array_builder.h"
#include "core/passes/expansion/complex_formulas.h"

namespace bp::passes::parts {

using Id = ir::InstructionId;
using ir::ComparisonDirection;
using ir::Opcode;

constexpr double infinity = std::numeric_limits<double>::infinity();

Id apply(ArrayBuilder &b, Opcode opcode, Id x);
Id negate(ArrayBuilder &b, Id x);
Id absolute(ArrayBuilder &b, Id x);
Id half(ArrayBuilder &b, Id x);
Id square(ArrayBuilder &b, Id x);
Id plus(ArrayBuilder &b, Id x, double y);
Id compare(ArrayBuilder &b, ComparisonDirection direction, Id x, double y);
Id is_zero(ArrayBuilder &b, Id x);
Id is_infinite(ArrayBuilder &b, Id x);
Id is_finite(ArrayBuilder &b, Id x);
Id is_nan(ArrayBuilder &b, Id x);
Id has_infinite(ArrayBuilder &b, Parts z);
Id has_only_finite(ArrayBuilder &b, Parts z);
// An infinite real part, and an imaginary one that is no angle.
Id is_infinite_without_angle(ArrayBuilder &b, Parts z);
// |x| with the sign of y.
Id with_sign(ArrayBuilder &b, Id x, Id y);
// log |z|, where |z| near 1 loses no digits.
Id log_modulus(ArrayBuilder &b, Parts z);
Id angle(ArrayBuilder &b, Parts z);
Parts textbook_product(ArrayBuilder &b, Parts x, Parts y);
// The textbook product, but where terms overflow and it is NaN therefore, what 2^-1030 (single: 2^-134) of it tells.
Parts multiply(ArrayBuilder &b, Parts x, Parts y);
// As if the infinite parts of a number were 1, and its finite ones 0.
Parts infinite_direction(ArrayBuilder &b, Parts z);
Parts times_conjugate(ArrayBuilder &b, Parts x, Parts y);
Parts scaled(ArrayBuilder &b, Parts z, Id by);
Parts select(ArrayBuilder &b, Id condition, Parts x, Parts y);
// The larger part of the divisor is divided out first, so that its square is never formed. Where that gives NaN twice,
// zeros and infinities decide.
Parts divide(ArrayBuilder &b, Parts x, Parts y);
bool is_single(ArrayBuilder &b, Id x);
// `huge` or `tiny` where the larger part is so, else 1.
Id by_size(ArrayBuilder &b, Parts z, double huge, double tiny);
// Where the modulus of a number overflows, or halves and quotients lose digits, the root of 1/16 of it, or of 2^48
// times it.
Parts square_root(ArrayBuilder &b, Parts unscaled);

// f(z) = i g(-iz): the circular functions from the hyperbolic ones.
template <Parts (*g)(ArrayBuilder &, Parts)>
Parts rotated(ArrayBuilder &b, Parts z) {
  const Parts turned = g(b, {z.imaginary, negate(b, z.real)});
  return {negate(b, turned.imaginary), turned.real};
}

// The inverse functions, in complex_inverse.cc.
Parts asinh(ArrayBuilder &b, Parts z);
Parts acosh(ArrayBuilder &b, Parts z);
Parts acos(ArrayBuilder &b, Parts z);
Parts atanh(ArrayBuilder &b, Parts z);
// The angle of x + iy continued to complex x and y: -i log((x + iy) / sqrt(x^2 + y^2)).
Parts atan2(ArrayBuilder &b, Parts y, Parts x);

}  // namespace bp::passes::parts
