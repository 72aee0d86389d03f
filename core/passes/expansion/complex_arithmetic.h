// Arithmetic on pairs of real and imaginary parts, in which the formulas of complex functions are written. Limits
// depend on the precision of the parts: f32 or f64.
#pragma once

#include <limits>

#include "core/passes/array_builder.h"

namespace bp::passes {

// Parts of a complex value: two arrays of the same shape and real type.
struct Parts {
  ir::InstructionId real, imaginary;
};

namespace parts {

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
// Whether the real part is infinite and the imaginary part is not finite, so that it is not an angle.
Id is_infinite_without_angle(ArrayBuilder &b, Parts z);
// Returns |x| with the sign of y.
Id with_sign(ArrayBuilder &b, Id x, Id y);
// Returns |z|, without overflow in intermediate results; infinite if a part is infinite.
Id modulus(ArrayBuilder &b, Parts z);
// Returns log |z|, without loss of digits where |z| is near 1.
Id log_modulus(ArrayBuilder &b, Parts z);
Id angle(ArrayBuilder &b, Parts z);
Parts textbook_product(ArrayBuilder &b, Parts x, Parts y);
// Returns the textbook product. Where it is NaN, the product is recomputed with both factors scaled so that it is
// multiplied by 2^-1030 (f32: 2^-134), and scaled back, because the terms may have overflowed.
Parts multiply(ArrayBuilder &b, Parts x, Parts y);
// Replaces infinite parts by 1 and finite parts by 0, with their signs.
Parts infinite_direction(ArrayBuilder &b, Parts z);
Parts times_conjugate(ArrayBuilder &b, Parts x, Parts y);
Parts scaled(ArrayBuilder &b, Parts z, Id by);
Parts select(ArrayBuilder &b, Id condition, Parts x, Parts y);
// Divides by the larger part of the divisor first, so that its square is never formed. Where both parts of the result
// are NaN, zeros and infinities in the operands determine the result.
Parts divide(ArrayBuilder &b, Parts x, Parts y);
bool is_single(ArrayBuilder &b, Id x);
// Returns `huge` or `tiny` where the larger part is near the limits of its type, else 1.
Id by_size(ArrayBuilder &b, Parts z, double huge, double tiny);
// Returns the square root. Computed from z / 16 where the modulus of z would overflow, and from 2^48 z where halves and
// quotients would lose digits.
Parts square_root(ArrayBuilder &b, Parts unscaled);

// f(z) = i g(-iz): computes circular functions from hyperbolic ones.
template <Parts (*g)(ArrayBuilder &, Parts)>
Parts rotated(ArrayBuilder &b, Parts z) {
  const Parts turned = g(b, {z.imaginary, negate(b, z.real)});
  return {negate(b, turned.imaginary), turned.real};
}

// Inverse functions; see complex_inverse.cc.
Parts asinh(ArrayBuilder &b, Parts z);
Parts acosh(ArrayBuilder &b, Parts z);
Parts acos(ArrayBuilder &b, Parts z);
Parts atanh(ArrayBuilder &b, Parts z);
// Returns the angle of x + iy, continued to complex x and y: -i log((x + iy) / sqrt(x^2 + y^2)).
Parts atan2(ArrayBuilder &b, Parts y, Parts x);

}  // namespace parts
}  // namespace bp::passes
