// The cpu backend claims many of these functions itself, for speed (plugins/llvm/complex.cc); for it, this is what it
// lacks, and what its own are tested against.
// Sources: C99 annex G for special values; W. Kahan, "Branch cuts for complex elementary functions" for the inverse
// functions; R. Smith, "Algorithm 116" for division.
#include "core/passes/complex_formulas.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numbers>

namespace bp::passes {
namespace {

using ir::ComparisonDirection;
using ir::Opcode;
using Id = ir::InstructionId;
using Operands = std::span<const Parts>;

constexpr double infinity = std::numeric_limits<double>::infinity();

Id apply(Expansion &b, Opcode opcode, Id x) {
  return b.add(opcode, {x});
}
Id negate(Expansion &b, Id x) {
  return apply(b, Opcode::Negate, x);
}
Id absolute(Expansion &b, Id x) {
  return apply(b, Opcode::Abs, x);
}
Id half(Expansion &b, Id x) {
  return b.product({x, b.splat(0.5, x)});
}
Id square(Expansion &b, Id x) {
  return b.product({x, x});
}
Id plus(Expansion &b, Id x, double y) {
  return b.sum({x, b.splat(y, x)});
}
Id compare(Expansion &b, ComparisonDirection direction, Id x, double y) {
  return b.compare(direction, x, b.splat(y, x));
}
Id is_zero(Expansion &b, Id x) {
  return compare(b, ComparisonDirection::Eq, x, 0);
}
Id is_infinite(Expansion &b, Id x) {
  return compare(b, ComparisonDirection::Eq, absolute(b, x), infinity);
}
Id is_finite(Expansion &b, Id x) {
  return apply(b, Opcode::IsFinite, x);
}
Id is_nan(Expansion &b, Id x) {
  return b.compare(ComparisonDirection::Ne, x, x);
}
Id has_infinite(Expansion &b, Parts z) {
  Id real = is_infinite(b, z.real);
  return b.bit_or({real, is_infinite(b, z.imaginary)});
}
Id has_only_finite(Expansion &b, Parts z) {
  Id real = is_finite(b, z.real);
  return b.bit_and({real, is_finite(b, z.imaginary)});
}
// An infinite real part, and an imaginary one that is no angle.
Id is_infinite_without_angle(Expansion &b, Parts z) {
  Id unbounded = is_infinite(b, z.real);
  return b.bit_and({unbounded, apply(b, Opcode::Not, is_finite(b, z.imaginary))});
}
// |x| with the sign of y.
Id with_sign(Expansion &b, Id x, Id y) {
  // The sign of a zero counts: 1/y has it too.
  Id shown = b.select({is_zero(b, y), b.quotient({b.splat(1, y), y}), y});
  Id size = absolute(b, x);
  return b.select({compare(b, ComparisonDirection::Lt, shown, 0), negate(b, size), size});
}

// log |z|, where |z| near 1 loses no digits.
Id log_modulus(Expansion &b, Parts z) {
  Id x = absolute(b, z.real), y = absolute(b, z.imaginary);
  Id large = b.add(Opcode::Maximum, {x, y}), small = b.add(Opcode::Minimum, {x, y});
  Id ratio = b.select({is_zero(b, large), b.splat(0, large), b.quotient({small, large})});
  Id far = b.sum({apply(b, Opcode::Log, large), half(b, apply(b, Opcode::LogPlusOne, square(b, ratio)))});
  Id excess = b.sum({b.product({plus(b, large, -1), plus(b, large, 1)}), square(b, small)});  // |z|^2 - 1
  Id near = half(b, apply(b, Opcode::LogPlusOne, excess));
  Id is_near =
      b.bit_and({compare(b, ComparisonDirection::Gt, large, 0.5), compare(b, ComparisonDirection::Lt, large, 3)});
  Id finite = b.select({is_near, near, far});
  Id infinite = b.bit_or({is_infinite(b, x), is_infinite(b, y)});
  return b.select({infinite, b.splat(infinity, finite), finite});
}

Id angle(Expansion &b, Parts z) {
  return b.add(Opcode::Atan2, {z.imaginary, z.real});
}

Parts multiply(Expansion &b, Parts x, Parts y) {
  Id real = b.difference({b.product({x.real, y.real}), b.product({x.imaginary, y.imaginary})});
  return {real, b.sum({b.product({x.real, y.imaginary}), b.product({x.imaginary, y.real})})};
}

// As if the infinite parts of a number were 1, and its finite ones 0.
Parts infinite_direction(Expansion &b, Parts z) {
  const auto part = [&](Id x) {
    Id size = b.select({is_infinite(b, x), b.splat(1, x), b.splat(0, x)});
    return with_sign(b, size, x);
  };
  Id real = part(z.real);
  return {real, part(z.imaginary)};
}
Parts times_conjugate(Expansion &b, Parts x, Parts y) {
  return multiply(b, x, {y.real, negate(b, y.imaginary)});
}
Parts scaled(Expansion &b, Parts z, Id by) {
  Id real = b.product({z.real, by});
  return {real, b.product({z.imaginary, by})};
}
Parts select(Expansion &b, Id condition, Parts x, Parts y) {
  Id real = b.select({condition, x.real, y.real});
  return {real, b.select({condition, x.imaginary, y.imaginary})};
}

// The larger part of the divisor is divided out first, so that its square is never formed. Where that gives NaN twice,
// zeros and infinities decide.
Parts divide(Expansion &b, Parts x, Parts y) {
  Id imaginary_larger = b.compare(ComparisonDirection::Lt, absolute(b, y.real), absolute(b, y.imaginary));
  Id large = b.select({imaginary_larger, y.imaginary, y.real});
  Id small = b.select({imaginary_larger, y.real, y.imaginary});
  Id ratio = b.quotient({small, large});
  Id divisor = b.sum({large, b.product({small, ratio})});
  // x * conj(y) / large, for either part as the larger one.
  Id first = b.select({imaginary_larger, b.sum({b.product({x.real, ratio}), x.imaginary}),
                       b.sum({x.real, b.product({x.imaginary, ratio})})});
  Id second = b.select({imaginary_larger, b.difference({b.product({x.imaginary, ratio}), x.real}),
                        b.difference({x.imaginary, b.product({x.real, ratio})})});
  Id real = b.quotient({first, divisor});
  const Parts quotient{real, b.quotient({second, divisor})};

  Id zero = b.splat(0, large), unbounded = b.splat(infinity, large);
  Id divisor_zero = b.bit_and({is_zero(b, y.real), is_zero(b, y.imaginary)});
  Id known = b.add(Opcode::Not, {b.bit_and({is_nan(b, x.real), is_nan(b, x.imaginary)})});
  const Parts by_zero = scaled(b, x, with_sign(b, unbounded, y.real));
  Id to_infinity = b.bit_and({has_infinite(b, x), has_only_finite(b, y)});
  const Parts huge = scaled(b, times_conjugate(b, infinite_direction(b, x), y), unbounded);
  Id to_zero = b.bit_and({has_infinite(b, y), has_only_finite(b, x)});
  const Parts tiny = scaled(b, times_conjugate(b, x, infinite_direction(b, y)), zero);
  Parts recovered = select(b, to_zero, tiny, quotient);
  recovered = select(b, to_infinity, huge, recovered);
  recovered = select(b, b.bit_and({divisor_zero, known}), by_zero, recovered);
  Id is_lost = b.bit_and({is_nan(b, quotient.real), is_nan(b, quotient.imaginary)});
  return select(b, is_lost, recovered, quotient);
}

Parts square_root(Expansion &b, Parts z) {
  Id x = absolute(b, z.real), y = absolute(b, z.imaginary);
  Id root = apply(b, Opcode::Sqrt, b.sum({half(b, x), half(b, complex_modulus(b, z))}));
  Id other = b.select({is_zero(b, root), b.splat(0, root), b.quotient({half(b, y), root})});
  Id right = compare(b, ComparisonDirection::Ge, z.real, 0);
  Parts result{b.select({right, root, other}), with_sign(b, b.select({right, other, root}), z.imaginary)};
  Id infinite = is_infinite(b, z.imaginary);
  return {b.select({infinite, b.splat(infinity, root), result.real}),
          b.select({infinite, z.imaginary, result.imaginary})};
}

Parts exponential(Expansion &b, Parts z) {
  Id size = apply(b, Opcode::Exponential, z.real);
  Id real_axis = is_zero(b, z.imaginary);  // there infinity times sin(0) is 0
  Id real = b.select({real_axis, size, b.product({size, apply(b, Opcode::Cosine, z.imaginary)})});
  Id imaginary = b.select({real_axis, z.imaginary, b.product({size, apply(b, Opcode::Sine, z.imaginary)})});
  // Zero and infinity are so in any direction.
  Id no_angle = is_infinite_without_angle(b, z), zero = b.splat(0, size);
  Id vanishes = b.bit_and({no_angle, compare(b, ComparisonDirection::Lt, z.real, 0)});
  return {b.select({no_angle, size, real}), b.select({vanishes, zero, imaginary})};
}

Parts sinh_of(Expansion &b, Parts z) {
  Id real = b.product({apply(b, Opcode::Sinh, z.real), apply(b, Opcode::Cosine, z.imaginary)});
  Id imaginary = b.product({apply(b, Opcode::Cosh, z.real), apply(b, Opcode::Sine, z.imaginary)});
  Id bounded = b.select({is_zero(b, z.real), z.real, real});
  return {b.select({is_infinite_without_angle(b, z), b.splat(infinity, real), bounded}),
          b.select({is_zero(b, z.imaginary), z.imaginary, imaginary})};
}
Parts cosh_of(Expansion &b, Parts z) {
  Id real = b.product({apply(b, Opcode::Cosh, z.real), apply(b, Opcode::Cosine, z.imaginary)});
  Id imaginary = b.product({apply(b, Opcode::Sinh, z.real), apply(b, Opcode::Sine, z.imaginary)});
  Id zero = b.product({with_sign(b, b.splat(0, real), z.real), with_sign(b, b.splat(1, real), z.imaginary)});
  Id is_real = b.bit_or({is_zero(b, z.real), is_zero(b, z.imaginary)});
  return {b.select({is_infinite_without_angle(b, z), b.splat(infinity, real), real}),
          b.select({is_real, zero, imaginary})};
}
// (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y), and its limit where that overflows.
Parts tanh_of(Expansion &b, Parts z) {
  Id sinh = apply(b, Opcode::Sinh, z.real), cosh = apply(b, Opcode::Cosh, z.real);
  Id sine = apply(b, Opcode::Sine, z.imaginary), cosine = apply(b, Opcode::Cosine, z.imaginary);
  Id divisor = b.sum({square(b, sinh), square(b, cosine)});
  Id large = compare(b, ComparisonDirection::Gt, absolute(b, z.real), 22);
  Id decay = apply(b, Opcode::Exponential, b.product({absolute(b, z.real), b.splat(-2, z.real)}));
  Id product = b.product({sine, cosine});
  Id real = b.select({large, with_sign(b, b.splat(1, sinh), z.real), b.quotient({b.product({sinh, cosh}), divisor})});
  Id imaginary = b.select({large, b.product({product, decay, b.splat(4, product)}), b.quotient({product, divisor})});
  Id settled = b.select({is_zero(b, z.imaginary), z.imaginary, imaginary});
  Id vanishes = with_sign(b, b.splat(0, imaginary), z.imaginary);
  return {b.select({is_zero(b, z.real), z.real, real}), b.select({is_infinite_without_angle(b, z), vanishes, settled})};
}

Parts asin_of(Expansion &b, Parts z) {
  Parts below = square_root(b, {b.difference({b.splat(1, z.real), z.real}), negate(b, z.imaginary)});
  Parts above = square_root(b, {plus(b, z.real, 1), z.imaginary});
  Id across = b.difference({b.product({below.real, above.imaginary}), b.product({below.imaginary, above.real})});
  Id along = b.difference({b.product({below.real, above.real}), b.product({below.imaginary, above.imaginary})});
  return {b.add(Opcode::Atan2, {z.real, along}), apply(b, Opcode::Asinh, across)};
}
Parts acos_of(Expansion &b, Parts z) {
  Parts below = square_root(b, {b.difference({b.splat(1, z.real), z.real}), negate(b, z.imaginary)});
  Parts above = square_root(b, {plus(b, z.real, 1), z.imaginary});
  Id across = b.difference({b.product({above.real, below.imaginary}), b.product({above.imaginary, below.real})});
  Id angle = b.add(Opcode::Atan2, {below.real, above.real});
  return {b.sum({angle, angle}), apply(b, Opcode::Asinh, across)};
}
Parts acosh_of(Expansion &b, Parts z) {
  Parts below = square_root(b, {plus(b, z.real, -1), z.imaginary});
  Parts above = square_root(b, {plus(b, z.real, 1), z.imaginary});
  Id along = b.sum({b.product({below.real, above.real}), b.product({below.imaginary, above.imaginary})});
  Id angle = b.add(Opcode::Atan2, {below.imaginary, above.real});
  return {apply(b, Opcode::Asinh, along), b.sum({angle, angle})};
}
Parts atanh_of(Expansion &b, Parts z) {
  Id rest = b.difference({b.splat(1, z.real), z.real});
  Id distance = b.sum({square(b, rest), square(b, z.imaginary)});
  Id real = b.product({apply(b, Opcode::LogPlusOne, b.quotient({b.product({z.real, b.splat(4, z.real)}), distance})),
                       b.splat(0.25, z.real)});
  Id across = b.sum({z.imaginary, z.imaginary});
  Id along = b.difference({b.product({rest, plus(b, z.real, 1)}), square(b, z.imaginary)});
  return {real, half(b, b.add(Opcode::Atan2, {across, along}))};
}

// f(z) = i g(-iz): the circular functions from the hyperbolic ones.
template <Parts (*g)(Expansion &, Parts)>
Parts rotated(Expansion &b, Operands z) {
  Parts turned = g(b, {z[0].imaginary, negate(b, z[0].real)});
  return {negate(b, turned.imaginary), turned.real};
}
// What infinite and undefined parts make of an inverse function, where the formulas above give NaN.
struct Special {
  Expansion &b;
  Parts z;
  Id infinite_real = is_infinite(b, z.real), infinite_imaginary = is_infinite(b, z.imaginary);
  Id infinite = b.bit_or({infinite_real, infinite_imaginary});
  Id nan_real = b.compare(ComparisonDirection::Ne, z.real, z.real);
  Id nan_imaginary = b.compare(ComparisonDirection::Ne, z.imaginary, z.imaginary);

  Id neither_nan() { return b.add(Opcode::Not, {b.bit_or({nan_real, nan_imaginary})}); }
  Id signed_constant(double value, Id sign) { return with_sign(b, b.splat(value, sign), sign); }
};
constexpr double pi = std::numbers::pi;

Parts asinh_everywhere(Expansion &b, Parts z) {
  Parts finite = rotated<asin_of>(b, std::span(&z, 1));
  Special special{b, z};
  Id quarter = b.select({special.infinite_imaginary, special.signed_constant(pi / 4, z.imaginary),
                         special.signed_constant(0, z.imaginary)});
  Id limit = b.select({special.infinite_real, quarter, special.signed_constant(pi / 2, z.imaginary)});
  Id imaginary = b.select({b.bit_and({special.infinite, special.neither_nan()}), limit, finite.imaginary});
  Id along = b.bit_and({special.nan_real, is_zero(b, z.imaginary)});
  return {b.select({special.infinite, special.signed_constant(infinity, z.real), finite.real}),
          b.select({along, z.imaginary, imaginary})};
}
Parts acosh_everywhere(Expansion &b, Parts z) {
  Parts finite = acosh_of(b, z);
  Special special{b, z};
  Id imaginary = b.select({special.infinite, angle(b, z), finite.imaginary});
  Id across = b.bit_and({special.nan_imaginary, is_zero(b, z.real)});
  return {b.select({special.infinite, b.splat(infinity, finite.real), finite.real}),
          b.select({across, b.splat(pi / 2, imaginary), imaginary})};
}
Parts acos_everywhere(Expansion &b, Parts z) {
  Parts finite = acos_of(b, z);
  Special special{b, z};
  Id real = b.select({special.infinite, absolute(b, angle(b, z)), finite.real});
  Id across = b.bit_and({special.nan_imaginary, is_zero(b, z.real)});
  return {b.select({across, b.splat(pi / 2, real), real}),
          b.select({special.infinite, negate(b, special.signed_constant(infinity, z.imaginary)), finite.imaginary})};
}
Parts atanh_everywhere(Expansion &b, Parts z) {
  Parts finite = atanh_of(b, z);
  Special special{b, z};
  Id across = b.bit_and({special.nan_imaginary, is_zero(b, z.real)});
  Id real = b.select({special.infinite, special.signed_constant(0, z.real), finite.real});
  Id limited = b.bit_and({special.infinite, b.add(Opcode::Not, {special.nan_imaginary})});
  return {b.select({across, z.real, real}),
          b.select({limited, special.signed_constant(pi / 2, z.imaginary), finite.imaginary})};
}

template <Parts (*f)(Expansion &, Parts)>
Parts of_one(Expansion &b, Operands z) {
  return f(b, z[0]);
}
template <Parts (*f)(Expansion &, Parts, Parts)>
Parts of_two(Expansion &b, Operands z) {
  return f(b, z[0], z[1]);
}
template <Opcode opcode>
Parts part_by_part(Expansion &b, Operands z) {
  if (z.size() == 1) {
    return {b.add(opcode, {z[0].real}), b.add(opcode, {z[0].imaginary})};
  }
  return {b.add(opcode, {z[0].real, z[1].real}), b.add(opcode, {z[0].imaginary, z[1].imaginary})};
}

Parts cosine(Expansion &b, Operands z) {
  return cosh_of(b, {negate(b, z[0].imaginary), z[0].real});
}
Parts logarithm(Expansion &b, Operands z) {
  return {log_modulus(b, z[0]), angle(b, z[0])};
}
Parts log_plus_one(Expansion &b, Operands operands) {
  Parts z = operands[0];
  Parts moved{plus(b, z.real, 1), z.imaginary};
  Id excess = b.sum({b.product({z.real, plus(b, z.real, 2)}), square(b, z.imaginary)});  // |1 + z|^2 - 1
  Id near = half(b, apply(b, Opcode::LogPlusOne, excess));
  Id is_near =
      compare(b, ComparisonDirection::Lt, b.add(Opcode::Maximum, {absolute(b, z.real), absolute(b, z.imaginary)}), 0.5);
  return {b.select({is_near, near, log_modulus(b, moved)}), angle(b, moved)};
}
// e^x cos y - 1, without the cancellation.
Parts exponential_minus_one(Expansion &b, Operands operands) {
  Parts z = operands[0];
  Id sine = apply(b, Opcode::Sine, half(b, z.imaginary));
  Id real =
      b.difference({b.product({apply(b, Opcode::ExponentialMinusOne, z.real), apply(b, Opcode::Cosine, z.imaginary)}),
                    b.product({square(b, sine), b.splat(2, sine)})});
  Id imaginary = b.product({apply(b, Opcode::Exponential, z.real), apply(b, Opcode::Sine, z.imaginary)});
  Id real_axis = is_zero(b, z.imaginary);
  return {b.select({real_axis, apply(b, Opcode::ExponentialMinusOne, z.real), real}),
          b.select({real_axis, z.imaginary, imaginary})};
}
// The angle of x + iy continued to complex x and y: -i log((x + iy) / sqrt(x^2 + y^2)).
Parts atan2_of(Expansion &b, Parts y, Parts x) {
  Parts xx = multiply(b, x, x), yy = multiply(b, y, y);
  Parts radius = square_root(b, {b.sum({xx.real, yy.real}), b.sum({xx.imaginary, yy.imaginary})});
  Parts turned = divide(b, {b.difference({x.real, y.imaginary}), b.sum({x.imaginary, y.real})}, radius);
  return {angle(b, turned), negate(b, log_modulus(b, turned))};
}
Parts one(Expansion &b, Id like) {
  return {b.splat(1, like), b.splat(0, like)};
}
Parts reciprocal_square_root(Expansion &b, Operands z) {
  return divide(b, one(b, z[0].real), square_root(b, z[0]));
}
Parts logistic(Expansion &b, Operands z) {
  Parts decay = exponential(b, {negate(b, z[0].real), negate(b, z[0].imaginary)});
  return divide(b, one(b, z[0].real), {plus(b, decay.real, 1), decay.imaginary});
}
Parts sign(Expansion &b, Operands operands) {
  Parts z = operands[0];
  Id size = complex_modulus(b, z);
  Id zero = is_zero(b, size);
  return {b.select({zero, z.real, b.quotient({z.real, size})}),
          b.select({zero, z.imaginary, b.quotient({z.imaginary, size})})};
}
// |z|^c e^(-d arg z), turned by d log|z| + c arg z. Zero to a positive real power is zero, to zero is one, else NaN.
Parts power(Expansion &b, Operands operands) {
  Parts z = operands[0], w = operands[1];
  Id turn = angle(b, z), modulus = complex_modulus(b, z), log = log_modulus(b, z);
  Id size = b.product({b.add(Opcode::Power, {modulus, w.real}),
                       apply(b, Opcode::Exponential, negate(b, b.product({w.imaginary, turn})))});
  Id phase = b.sum({b.product({w.imaginary, log}), b.product({w.real, turn})});
  Parts result{b.product({size, apply(b, Opcode::Cosine, phase)}), b.product({size, apply(b, Opcode::Sine, phase)})};
  Id zero = is_zero(b, modulus);
  Id real_exponent = is_zero(b, w.imaginary);
  Id vanishes = b.bit_and({zero, real_exponent, compare(b, ComparisonDirection::Gt, w.real, 0)});
  Id unity = b.bit_and({real_exponent, is_zero(b, w.real)});
  Id undefined = b.bit_and({zero, b.add(Opcode::Not, {b.bit_or({vanishes, unity})})});
  auto settle = [&](Id part, double at_one) {
    Id nan = b.splat(std::numeric_limits<double>::quiet_NaN(), part);
    Id known = b.select({vanishes, b.splat(0, part), b.select({unity, b.splat(at_one, part), part})});
    return b.select({undefined, nan, known});
  };
  return {settle(result.real, 1), settle(result.imaginary, 0)};
}

constexpr std::array formulas = {
    ComplexFormula{Opcode::Add, part_by_part<Opcode::Add>, false},
    ComplexFormula{Opcode::Subtract, part_by_part<Opcode::Subtract>, false},
    ComplexFormula{Opcode::Negate, part_by_part<Opcode::Negate>, false},
    ComplexFormula{Opcode::Multiply, of_two<multiply>},
    ComplexFormula{Opcode::Divide, of_two<divide>},
    ComplexFormula{Opcode::Power, power},
    ComplexFormula{Opcode::Atan2, of_two<atan2_of>},
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
    ComplexFormula{Opcode::Sine, rotated<sinh_of>},
    ComplexFormula{Opcode::Cosine, cosine},
    ComplexFormula{Opcode::Tan, rotated<tanh_of>},
    ComplexFormula{Opcode::Asin, rotated<asinh_everywhere>},
    ComplexFormula{Opcode::Acos, of_one<acos_everywhere>},
    ComplexFormula{Opcode::Atan, rotated<atanh_everywhere>},
    ComplexFormula{Opcode::Asinh, of_one<asinh_everywhere>},
    ComplexFormula{Opcode::Acosh, of_one<acosh_everywhere>},
    ComplexFormula{Opcode::Atanh, of_one<atanh_everywhere>},
};

}  // namespace

const ComplexFormula *find_complex_formula(Opcode opcode) {
  const auto found = std::ranges::find(formulas, opcode, &ComplexFormula::opcode);
  return found == formulas.end() ? nullptr : &*found;
}

Id complex_modulus(Expansion &b, Parts z) {
  Id x = absolute(b, z.real), y = absolute(b, z.imaginary);
  Id large = b.add(Opcode::Maximum, {x, y}), small = b.add(Opcode::Minimum, {x, y});
  Id ratio = b.select({is_zero(b, large), b.splat(0, large), b.quotient({small, large})});
  Id finite = b.product({large, apply(b, Opcode::Sqrt, plus(b, square(b, ratio), 1))});
  Id infinite = b.bit_or({is_infinite(b, x), is_infinite(b, y)});
  return b.select({infinite, b.splat(infinity, finite), finite});
}

}  // namespace bp::passes
