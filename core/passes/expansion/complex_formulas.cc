// The cpu backend claims many of these functions, for speed (plugins/llvm/scalar/complex.cc); these formulas are used
// for the others, and are the reference in tests of its own functions. Source of special values: C99 annex G.
#include "core/passes/expansion/complex_formulas.h"

#include <algorithm>
#include <array>
#include <numbers>

namespace bp::passes::parts {
namespace {

using Operands = std::span<const Parts>;

// A number whose e^x, cosh and sinh do not overflow, and the factor by which these are to be multiplied. The product
// with a sine may be finite where e^x is not.
struct Bounded {
  Id near, growth;
};
Bounded bounded(ArrayBuilder &b, Id x) {
  Id size = absolute(b, x);
  Id near = b.add(Opcode::Minimum, {size, b.splat(is_single(b, x) ? 85 : 700, size)});
  Id growth = apply(b, Opcode::Exponential, b.difference({size, near}));
  return {with_sign(b, near, x),
          b.select({compare(b, ComparisonDirection::Eq, growth, 1), b.splat(1, growth), growth})};
}

Parts exponential(ArrayBuilder &b, Parts z) {
  const Bounded x = bounded(b, z.real);
  Id grows = compare(b, ComparisonDirection::Gt, z.real, 0);
  Id first = apply(b, Opcode::Exponential, b.select({grows, x.near, z.real}));
  Id growth = b.select({grows, x.growth, b.splat(1, first)});
  Id size = b.product({first, growth});
  Id real_axis = is_zero(b, z.imaginary);  // there infinity times sin(0) is 0
  Id real = b.select({real_axis, size, b.product({first, apply(b, Opcode::Cosine, z.imaginary), growth})});
  Id imaginary = b.select({real_axis, z.imaginary, b.product({first, apply(b, Opcode::Sine, z.imaginary), growth})});
  // Zero and infinity are the result for any angle.
  Id no_angle = is_infinite_without_angle(b, z), zero = b.splat(0, size);
  Id vanishes = b.bit_and({no_angle, compare(b, ComparisonDirection::Lt, z.real, 0)});
  return {b.select({no_angle, size, real}), b.select({vanishes, zero, imaginary})};
}

Parts sinh_of(ArrayBuilder &b, Parts z) {
  const Bounded x = bounded(b, z.real);
  Id real = b.product({apply(b, Opcode::Sinh, x.near), apply(b, Opcode::Cosine, z.imaginary), x.growth});
  Id imaginary = b.product({apply(b, Opcode::Cosh, x.near), apply(b, Opcode::Sine, z.imaginary), x.growth});
  Id settled = b.select({b.bit_and({is_zero(b, z.real), is_nan(b, real)}), z.real, real});
  return {b.select({is_infinite_without_angle(b, z), b.splat(infinity, real), settled}),
          b.select({is_zero(b, z.imaginary), z.imaginary, imaginary})};
}
Parts cosh_of(ArrayBuilder &b, Parts z) {
  const Bounded x = bounded(b, z.real);
  Id real = b.product({apply(b, Opcode::Cosh, x.near), apply(b, Opcode::Cosine, z.imaginary), x.growth});
  Id imaginary = b.product({apply(b, Opcode::Sinh, x.near), apply(b, Opcode::Sine, z.imaginary), x.growth});
  Id zero = b.product({with_sign(b, b.splat(0, real), z.real), with_sign(b, b.splat(1, real), z.imaginary)});
  Id is_real = b.bit_and({b.bit_or({is_zero(b, z.real), is_zero(b, z.imaginary)}), is_nan(b, imaginary)});
  return {b.select({is_infinite_without_angle(b, z), b.splat(infinity, real), real}),
          b.select({is_real, zero, imaginary})};
}
// Returns (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y), and its limit where that overflows.
Parts tanh_of(ArrayBuilder &b, Parts z) {
  Id sinh = apply(b, Opcode::Sinh, z.real), cosh = apply(b, Opcode::Cosh, z.real);
  Id sine = apply(b, Opcode::Sine, z.imaginary), cosine = apply(b, Opcode::Cosine, z.imaginary);
  Id divisor = b.sum({square(b, sinh), square(b, cosine)});
  Id large = compare(b, ComparisonDirection::Gt, absolute(b, z.real), 22);
  Id decay = apply(b, Opcode::Exponential, b.product({absolute(b, z.real), b.splat(-2, z.real)}));
  Id product = b.product({sine, cosine});
  Id real = b.select({large, with_sign(b, b.splat(1, sinh), z.real), b.quotient({b.product({sinh, cosh}), divisor})});
  Id imaginary = b.select({large, b.product({product, decay, b.splat(4, product)}), b.quotient({product, divisor})});
  Id no_angle = b.bit_and({is_finite(b, z.real), apply(b, Opcode::Not, is_finite(b, z.imaginary))});
  real = b.select({no_angle, sine, real});  // NaN
  Id settled = b.select({is_zero(b, z.imaginary), z.imaginary, imaginary});
  Id vanishes = with_sign(b, b.splat(0, imaginary), z.imaginary);
  return {b.select({is_zero(b, z.real), z.real, real}), b.select({is_infinite_without_angle(b, z), vanishes, settled})};
}
template <Parts (*f)(ArrayBuilder &, Parts)>
Parts of_one(ArrayBuilder &b, Operands z) {
  return f(b, z[0]);
}
template <Parts (*f)(ArrayBuilder &, Parts, Parts)>
Parts of_two(ArrayBuilder &b, Operands z) {
  return f(b, z[0], z[1]);
}
template <Opcode opcode>
Parts part_by_part(ArrayBuilder &b, Operands z) {
  if (z.size() == 1) {
    return {b.add(opcode, {z[0].real}), b.add(opcode, {z[0].imaginary})};
  }
  return {b.add(opcode, {z[0].real, z[1].real}), b.add(opcode, {z[0].imaginary, z[1].imaginary})};
}

Parts cosine(ArrayBuilder &b, Operands z) {
  return cosh_of(b, {negate(b, z[0].imaginary), z[0].real});
}
Parts logarithm(ArrayBuilder &b, Operands z) {
  return {log_modulus(b, z[0]), angle(b, z[0])};
}
Parts log_plus_one(ArrayBuilder &b, Operands operands) {
  Parts z = operands[0];
  Parts moved{plus(b, z.real, 1), z.imaginary};
  Id excess = b.sum({b.product({z.real, plus(b, z.real, 2)}), square(b, z.imaginary)});  // |1 + z|^2 - 1
  Id near = half(b, apply(b, Opcode::LogPlusOne, excess));
  Id is_near =
      compare(b, ComparisonDirection::Lt, b.add(Opcode::Maximum, {absolute(b, z.real), absolute(b, z.imaginary)}), 0.5);
  return {b.select({is_near, near, log_modulus(b, moved)}), angle(b, moved)};
}
// Returns e^z - 1; the real part e^x cos y - 1 is computed without cancellation.
Parts exponential_minus_one(ArrayBuilder &b, Operands operands) {
  Parts z = operands[0];
  const Parts whole = exponential(b, z);
  Id sine = apply(b, Opcode::Sine, half(b, z.imaginary));
  Id real =
      b.difference({b.product({apply(b, Opcode::ExponentialMinusOne, z.real), apply(b, Opcode::Cosine, z.imaginary)}),
                    b.product({square(b, sine), b.splat(2, sine)})});
  Id real_axis = is_zero(b, z.imaginary);
  Id result = b.select({real_axis, apply(b, Opcode::ExponentialMinusOne, z.real), real});
  Id no_angle = is_infinite_without_angle(b, z), nan = b.splat(std::numeric_limits<double>::quiet_NaN(), result);
  Id is_large = compare(b, ComparisonDirection::Gt, z.real, 50);
  return {b.select({no_angle, nan, b.select({is_large, plus(b, whole.real, -1), result})}),
          b.select({no_angle, nan, whole.imaginary})};
}
// Returns conj(sqrt z) / |z|. Numbers below 1 are scaled up, because a part of sqrt z may be subnormal where the
// quotient is not.
Parts reciprocal_square_root(ArrayBuilder &b, Operands operands) {
  const double scale = is_single(b, operands[0].real) ? 0x1p30 : 0x1p200;
  Id size = b.add(Opcode::Maximum, {absolute(b, operands[0].real), absolute(b, operands[0].imaginary)});
  Id is_small = compare(b, ComparisonDirection::Lt, size, 1),
     is_large = compare(b, ComparisonDirection::Gt, size, scale);
  const auto by_size = [&](double small, double large) {
    return b.select({is_small, b.splat(small, size), b.select({is_large, b.splat(large, size), b.splat(1, size)})});
  };
  const Parts z = scaled(b, operands[0], by_size(scale * scale, 1 / scale / scale));
  const Parts root = square_root(b, z);
  Id divisor = b.product({modulus(b, z), by_size(1 / scale, scale)});
  Id real = b.quotient({root.real, divisor});
  const Parts quotient{b.select({is_zero(b, divisor), b.splat(infinity, real), real}),
                       b.quotient({negate(b, root.imaginary), divisor})};
  // Zeros have the signs that 1 / sqrt z gives them.
  Id zero = b.splat(0, real), turns = is_infinite(b, root.imaginary);
  Id towards = b.select({turns, with_sign(b, zero, root.imaginary), zero});
  const Parts none{b.select({is_infinite(b, root.real), zero, towards}), b.select({turns, negate(b, towards), zero})};
  return select(b, has_infinite(b, root), none, quotient);
}
// Returns (1 + e^-x cos y) + i e^-x sin y, divided by its squared modulus, which is (1 - e^-x)^2 + 4 e^-x cos^2(y/2).
// For negative x, numerator and denominator are multiplied by e^2x.
Parts logistic(ArrayBuilder &b, Operands operands) {
  Parts z = operands[0];
  Id y = b.select({is_infinite_without_angle(b, z), b.splat(0, z.imaginary), z.imaginary});
  Id down = negate(b, absolute(b, z.real));
  Id decay = apply(b, Opcode::Exponential, down), less_one = apply(b, Opcode::ExponentialMinusOne, down);
  Id half_cosine = apply(b, Opcode::Cosine, half(b, y));
  Id other = b.product({half_cosine, half_cosine, b.splat(2, half_cosine)});
  Id divisor = b.sum({square(b, less_one), b.product({decay, other, b.splat(2, decay)})});
  Id right = b.difference({b.product({decay, other}), less_one});
  Id left = b.product({decay, b.sum({less_one, other})});
  Id real = b.select({compare(b, ComparisonDirection::Lt, z.real, 0), left, right});
  return {b.quotient({real, divisor}), b.quotient({b.product({decay, apply(b, Opcode::Sine, y)}), divisor})};
}
Parts sign(ArrayBuilder &b, Operands operands) {
  Parts z = scaled(b, operands[0], by_size(b, operands[0], 0x1p-4, 0x1p48));
  Id size = modulus(b, z);
  Id zero = is_zero(b, size);
  return {b.select({zero, z.real, b.quotient({z.real, size})}),
          b.select({zero, z.imaginary, b.quotient({z.imaginary, size})})};
}
// Returns e^(w log z). A positive real number to a real power is real, also if it is infinite. Any number to the power
// of 0 is 1, and so is 1 to any power. Powers of 0 are defined for positive real exponents only.
Parts power(ArrayBuilder &b, Operands operands) {
  Parts z = operands[0], w = operands[1];
  const Parts log{log_modulus(b, z), angle(b, z)};
  const Parts exponent = multiply(b, w, log);
  // Large exponents may have no valid angle; the power is 0 or infinite nevertheless.
  Id is_far = compare(b, ComparisonDirection::Gt, absolute(b, exponent.real), 0x1p20);
  Id size = b.select({is_far, b.product({exponent.real, b.splat(infinity, exponent.real)}), exponent.real});
  const Parts general = exponential(b, {size, exponent.imaginary});
  Id is_on_axis = b.bit_and({is_zero(b, z.imaginary), is_zero(b, w.imaginary)});
  Id is_positive = b.bit_and({is_on_axis, compare(b, ComparisonDirection::Gt, z.real, 0)});
  Id none = b.splat(0, z.real), unity = b.splat(1, z.real);
  const Parts real{b.add(Opcode::Power, {z.real, w.real}), with_sign(b, none, b.product({w.real, z.imaginary}))};
  Parts result = select(b, is_positive, real, general);

  Id is_growing = b.bit_and({is_zero(b, w.imaginary), compare(b, ComparisonDirection::Gt, w.real, 0)});
  Id of_zero = b.select({is_growing, none, b.splat(std::numeric_limits<double>::quiet_NaN(), none)});
  result = select(b, b.bit_and({is_zero(b, z.real), is_zero(b, z.imaginary)}), {of_zero, of_zero}, result);
  Id to_none = b.bit_and({is_zero(b, w.real), is_zero(b, w.imaginary)});
  Id of_unity = b.bit_and({compare(b, ComparisonDirection::Eq, z.real, 1), is_zero(b, z.imaginary)});
  return select(b, b.bit_or({to_none, of_unity}), {unity, none}, result);
}

constexpr std::array formulas = {
    ComplexFormula{Opcode::Add, part_by_part<Opcode::Add>, false},
    ComplexFormula{Opcode::Subtract, part_by_part<Opcode::Subtract>, false},
    ComplexFormula{Opcode::Negate, part_by_part<Opcode::Negate>, false},
    ComplexFormula{Opcode::Multiply, of_two<multiply>},
    ComplexFormula{Opcode::Divide, of_two<divide>},
    ComplexFormula{Opcode::Power, power},
    ComplexFormula{Opcode::Atan2, of_two<atan2>},
    ComplexFormula{Opcode::Sign, sign},
    ComplexFormula{Opcode::Sqrt, of_one<square_root>},
    ComplexFormula{Opcode::Rsqrt, reciprocal_square_root},
    ComplexFormula{Opcode::Exponential, of_one<exponential>},
    ComplexFormula{Opcode::ExponentialMinusOne, exponential_minus_one},
    ComplexFormula{Opcode::Log, logarithm},
    ComplexFormula{Opcode::LogPlusOne, log_plus_one},
    ComplexFormula{Opcode::Logistic, logistic},
    ComplexFormula{Opcode::Sinh, of_one<sinh_of>},
    ComplexFormula{Opcode::Cosh, of_one<cosh_of>},
    ComplexFormula{Opcode::Tanh, of_one<tanh_of>},
    ComplexFormula{Opcode::Sine, of_one<rotated<sinh_of>>},
    ComplexFormula{Opcode::Cosine, cosine},
    ComplexFormula{Opcode::Tan, of_one<rotated<tanh_of>>},
    ComplexFormula{Opcode::Asin, of_one<rotated<asinh>>},
    ComplexFormula{Opcode::Acos, of_one<acos>},
    ComplexFormula{Opcode::Atan, of_one<rotated<atanh>>},
    ComplexFormula{Opcode::Asinh, of_one<asinh>},
    ComplexFormula{Opcode::Acosh, of_one<acosh>},
    ComplexFormula{Opcode::Atanh, of_one<atanh>},
};

}  // namespace
}  // namespace bp::passes::parts

namespace bp::passes {

const ComplexFormula *find_complex_formula(ir::Opcode opcode) {
  const auto found = std::ranges::find(parts::formulas, opcode, &ComplexFormula::opcode);
  return found == parts::formulas.end() ? nullptr : &*found;
}

}  // namespace bp::passes
