// Rewrites functions of floats as exponential, log, sine, cosine, tanh, sqrt and arithmetic. The formulas are chosen so
// that intermediate results neither cancel nor overflow; f32 and f64 have the same formulas, in their own precision.
// Narrower floats are computed in f32 (float-normalization). Integer powers are products.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"
#include "core/passes/primitives/polynomial.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::ComparisonDirection;
using ir::ElementType;
using ir::Instruction;
using ir::Opcode;
using Id = ir::InstructionId;
using Operands = std::span<const Id>;

constexpr double pi = std::numbers::pi;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Operations in which the formulas are written.
struct Math {
  ArrayBuilder &b;

  Id number(double value, Id like) const { return b.splat(value, like); }
  Id plus(Id x, double value) const { return b.sum({x, number(value, x)}); }
  Id times(Id x, double value) const { return b.product({x, number(value, x)}); }
  Id minus(Id x) const { return b.add(Opcode::Negate, {x}); }
  Id from_one(Id x) const { return b.difference({number(1, x), x}); }
  Id square(Id x) const { return b.product({x, x}); }
  Id inverse(Id x) const { return b.quotient({number(1, x), x}); }
  Id abs(Id x) const { return b.add(Opcode::Abs, {x}); }
  Id exp(Id x) const { return b.add(Opcode::Exponential, {x}); }
  Id log(Id x) const { return b.add(Opcode::Log, {x}); }
  Id sqrt(Id x) const { return b.add(Opcode::Sqrt, {x}); }
  Id sin(Id x) const { return b.add(Opcode::Sine, {x}); }
  Id cos(Id x) const { return b.add(Opcode::Cosine, {x}); }
  Id floor(Id x) const { return b.add(Opcode::Floor, {x}); }
  Id max(Id x, Id y) const { return b.add(Opcode::Maximum, {x, y}); }
  Id min(Id x, Id y) const { return b.add(Opcode::Minimum, {x, y}); }
  Id less(Id x, Id y) const { return b.compare(ComparisonDirection::Lt, x, y); }
  Id less(Id x, double y) const { return less(x, number(y, x)); }
  Id greater(Id x, double y) const { return b.compare(ComparisonDirection::Gt, x, number(y, x)); }
  Id equal(Id x, Id y) const { return b.compare(ComparisonDirection::Eq, x, y); }
  Id equal(Id x, double y) const { return equal(x, number(y, x)); }
  Id is_nan(Id x) const { return b.compare(ComparisonDirection::Ne, x, x); }
  Id negation(Id x) const { return b.add(Opcode::Not, {x}); }

  // Tests the sign bit, so that it is right for zeros, too.
  Id is_negative(Id x) const {
    const bool single = b.type(x) == ElementType::F32;
    const Id bits = b.reinterpret(x, single ? ElementType::S32 : ElementType::S64);
    return less(bits, number(0, bits));
  }
  Id with_sign_of(Id magnitude, Id sign) const { return b.select({is_negative(sign), minus(magnitude), magnitude}); }
  bool is_single(Id x) const { return b.type(x) == ElementType::F32; }
};

// e^x - 1: the logarithm cancels the rounding error of e^x (Kahan). The factor near 1 is computed first, because
// products with x itself may overflow.
Id exponential_minus_one(Math m, Id x) {
  const Id e = m.exp(x), less_one = m.plus(e, -1);
  const Id near = m.b.product({less_one, m.b.quotient({x, m.log(e)})});
  const Id settled = m.b.bit_or({m.equal(less_one, -1), m.equal(e, infinity)});
  return m.b.select({m.equal(e, 1), x, m.b.select({settled, less_one, near})});
}
Id log_plus_one(Math m, Id x) {
  const Id moved = m.plus(x, 1);
  const Id near = m.b.product({m.log(moved), m.b.quotient({x, m.plus(moved, -1)})});
  const Id settled = m.b.bit_or({m.equal(moved, infinity), m.equal(moved, 0)});
  return m.b.select({m.equal(moved, 1), x, m.b.select({settled, m.log(moved), near})});
}
Id rsqrt(Math m, Id x) {
  return m.inverse(m.sqrt(x));
}
// e^x / (1 + e^x) for negative x, where e^-x overflows before the result is 0.
Id logistic(Math m, Id x) {
  const Id e = m.exp(m.minus(m.abs(x)));
  return m.b.quotient({m.b.select({m.less(x, 0), e, m.number(1, x)}), m.plus(e, 1)});
}
Id tangent(Math m, Id x) {
  return m.b.quotient({m.sin(x), m.cos(x)});
}
// Where e^x would overflow, its square root does not.
Id sinh(Math m, Id x) {
  const Id size = m.abs(x), grown = exponential_minus_one(m, size);
  const Id near = m.times(m.b.sum({grown, m.b.quotient({grown, m.plus(grown, 1)})}), 0.5);
  const Id root = m.exp(m.times(size, 0.5));
  const Id far = m.b.product({m.times(root, 0.5), root});
  return m.with_sign_of(m.b.select({m.greater(size, 20), far, near}), x);
}
Id cosh(Math m, Id x) {
  const Id root = m.exp(m.times(m.abs(x), 0.5)), grown = m.square(root);
  const Id near = m.times(m.b.sum({grown, m.inverse(grown)}), 0.5);
  return m.b.select({m.greater(m.abs(x), 20), m.b.product({m.times(root, 0.5), root}), near});
}
// For 0 <= x <= 1: with an estimate a from a parabola, atan(x) = a + atan(d), where d = tan(atan(x) - a) is small.
Id arc_tangent_below_one(Math m, Id x) {
  const Id guess = m.b.product({x, m.plus(m.times(m.from_one(x), 0.273), pi / 4)});
  const Id sine = m.sin(guess), cosine = m.cos(guess);
  const Id d =
      m.b.quotient({m.b.difference({m.b.product({x, cosine}), sine}), m.b.sum({cosine, m.b.product({x, sine})})});
  const Id squared = m.square(d);
  const Id series = m.plus(m.b.product({squared, m.plus(m.times(squared, 1.0 / 5), -1.0 / 3)}), 1);
  return m.b.sum({guess, m.b.product({d, series})});
}
Id arc_tangent_2(Math m, Id y, Id x) {
  const Id tall = m.abs(y), wide = m.abs(x);
  const Id small = m.min(tall, wide), large = m.max(tall, wide);
  const Id ratio = m.b.select({m.equal(small, large), m.b.select({m.equal(large, 0), large, m.number(1, large)}),
                               m.b.quotient({small, large})});
  const Id first = arc_tangent_below_one(m, ratio);
  const Id quarter = m.b.select({m.less(wide, tall), m.b.difference({m.number(pi / 2, first), first}), first});
  const Id half = m.b.select({m.is_negative(x), m.b.difference({m.number(pi, quarter), quarter}), quarter});
  return m.with_sign_of(half, y);
}
Id arc_tangent(Math m, Id x) {
  return arc_tangent_2(m, x, m.number(1, x));
}
Id arc_sine(Math m, Id x) {
  return arc_tangent_2(m, x, m.sqrt(m.b.product({m.from_one(x), m.plus(x, 1)})));
}
Id arc_cosine(Math m, Id x) {
  const Id half = arc_tangent_2(m, m.sqrt(m.from_one(x)), m.sqrt(m.plus(x, 1)));
  return m.b.sum({half, half});
}
// Where squares would overflow, x + sqrt(x^2 + 1) is 2 x.
Id log_of_double(Math m, Id x) {
  return m.plus(m.log(x), std::numbers::ln2);
}
Id inverse_sinh(Math m, Id x) {
  const Id size = m.abs(x), squared = m.square(size);
  const Id excess = m.b.sum({size, m.b.quotient({squared, m.plus(m.sqrt(m.plus(squared, 1)), 1)})});
  const Id finite = m.b.select({m.greater(size, 1e9), log_of_double(m, size), log_plus_one(m, excess)});
  return m.with_sign_of(finite, x);
}
Id inverse_cosh(Math m, Id x) {
  const Id above = m.plus(x, -1);
  const Id near = log_plus_one(m, m.b.sum({above, m.b.product({m.sqrt(above), m.sqrt(m.plus(above, 2))})}));
  return m.b.select({m.greater(x, 1e9), log_of_double(m, x), near});
}
Id inverse_tanh(Math m, Id x) {
  const Id size = m.abs(x);
  const Id ratio = m.b.quotient({m.b.sum({size, size}), m.from_one(size)});
  return m.with_sign_of(m.times(log_plus_one(m, ratio), 0.5), x);
}
// An estimate by the logarithm, then Newton's iteration.
Id cube_root(Math m, Id x) {
  const Id size = m.abs(x);
  Id root = m.exp(m.times(m.log(size), 1.0 / 3));
  for (int i = 0; i < 2; ++i) {
    const Id step = m.b.quotient({m.b.difference({m.b.quotient({size, m.square(root)}), root}), m.number(3, root)});
    root = m.b.sum({root, step});
  }
  const Id is_fixed = m.b.bit_or({m.equal(size, 0), m.equal(size, infinity)});
  return m.with_sign_of(m.b.select({is_fixed, size, root}), x);
}
// Up to 1 the power series; above, 1 - e^(-x^2) times a polynomial.
Id error_function(Math m, Id x) {
  const double last = m.is_single(x) ? 4 : 6;  // where it rounds to 1
  const auto scaled_complement = [last](double t) {
    const double at = 1 + (t + 1) / 2 * (last - 1);
    return std::erfc(at) * std::exp(at * at);
  };
  const Id size = m.min(m.abs(x), m.number(last, x)), squared = m.square(size);
  const Id inner = m.min(squared, m.number(1, squared));
  // The coefficient of x^(2n + 1) is 2 / sqrt(pi) (-1)^n / (n! (2n + 1)).
  const int terms = m.is_single(x) ? 10 : 18;
  double factorial = std::tgamma(terms + 1);
  Id series = m.number(0, x);
  for (int n = terms; n >= 0; --n) {
    series = m.plus(m.b.product({series, inner}), (n % 2 == 0 ? 2 : -2) / (std::sqrt(pi) * factorial * (2 * n + 1)));
    factorial /= std::max(n, 1);
  }
  const Id near = m.b.product({size, series});
  const Id t = m.plus(m.times(m.plus(m.max(size, m.number(1, size)), -1), 2 / (last - 1)), -1);
  const Id tail =
      m.b.product({m.exp(m.minus(squared)), Polynomial(scaled_complement, m.is_single(x) ? 14 : 34).at(m.b, t)});
  return m.with_sign_of(m.b.select({m.greater(size, 1), m.from_one(tail), near}), x);
}

// For integer exponents that are not negative: repeated squaring, with one iteration per bit of the exponent's type,
// except the sign bit.
Id power_by_squaring(ArrayBuilder &b, Id base, Id exponent, int iterations) {
  const auto step = [](ArrayBuilder &body, Id, std::vector<Id> values) {
    const auto [result, square, rest] = std::tuple(values[0], values[1], values[2]);
    const Id is_odd =
        body.compare(ComparisonDirection::Ne, body.bit_and({rest, body.splat(1, rest)}), body.splat(0, rest));
    return std::vector{body.select({is_odd, body.product({result, square}), result}), body.product({square, square}),
                       body.shift_right(rest, 1)};
  };
  return b.loop(iterations, {b.splat(1, base), base, exponent}, step)[0];
}

// A number as the sum of two, where `low` holds the digits that do not fit into `high`. The product in the exponent of
// a power needs them, because its error is multiplied by the size of the exponent.
struct Double {
  Id high, low;
};

// Returns the exact sum of two numbers (Knuth).
Double exact_sum(Math m, Id x, Id y) {
  const Id sum = m.b.sum({x, y}), rest = m.b.difference({sum, x});
  return {sum, m.b.sum({m.b.difference({x, m.b.difference({sum, rest})}), m.b.difference({y, rest})})};
}
// Splits a number into two with half of its bits each, so that their products are exact.
Double split(Math m, Id x) {
  const bool single = m.is_single(x);
  const Id bits = m.b.reinterpret(x, single ? ElementType::U32 : ElementType::U64);
  const std::uint64_t kept = single ? 0xfffff000 : 0xfffffffff8000000;
  const Id high = m.b.reinterpret(m.b.bit_and({bits, m.b.splat_bits(kept, bits)}), m.b.type(x));
  return {high, m.b.difference({x, high})};
}
// Returns the exact product (Dekker).
Double exact_product(Math m, Id x, Id y) {
  const Id product = m.b.product({x, y});
  const Double a = split(m, x), c = split(m, y);
  Id low = m.b.difference({m.b.product({a.high, c.high}), product});
  low = m.b.sum({low, m.b.product({a.high, c.low}), m.b.product({a.low, c.high}), m.b.product({a.low, c.low})});
  return {product, low};
}

// The logarithm of a constant in two parts: the first has few bits, so that products with exponents are exact.
struct KnownLog {
  double first, rest;
};
constexpr KnownLog log_2 = {0x1.62e42fef8p-1, 0x1.1cf79abc9e3b4p-36},
                   log_3_4 = {-0x1.269621138p-2, 0x1.9236c3e20a44cp-37},
                   log_5_4 = {0x1.c8ff7c79p-3, 0x1.53443584bb03ep-36};
KnownLog known_log(const KnownLog &log, bool single) {
  constexpr double grid = 0x1p-15;
  const double first = single ? std::floor(log.first / grid) * grid : log.first;
  return {first, log.first - first + log.rest};
}

// Returns the logarithm of a finite positive number. The number is c n 2^k with n near 1, and log(n) = 2 atanh(s) with
// s = (n - 1) / (n + 1), whose first term is computed exactly and whose other terms are much smaller. c is 3/4, 1 or
// 5/4.
Double precise_log(Math m, Id x) {
  ArrayBuilder &b = m.b;
  const bool single = m.is_single(x);
  const int mantissa = single ? 23 : 52, lift = single ? 24 : 53;
  const Id is_subnormal = m.less(x, single ? 0x1p-126 : 0x1p-1022);
  const Id lifted = b.select({is_subnormal, m.times(x, std::ldexp(1, lift)), x});
  // Relative to the bits of the square root of 1/2, the upper bits are k, and the lower bits the mantissa of c n.
  const std::uint64_t root = single ? 0x3f3504f3 : 0x3fe6a09e667f3bcd, bias = single ? 128 : 1024;
  const Id bits = b.reinterpret(lifted, single ? ElementType::U32 : ElementType::U64);
  const Id counted = b.sum({bits, b.splat_bits((bias << mantissa) - root, bits)});
  const Id fraction = b.bit_and({counted, b.splat_bits((std::uint64_t{1} << mantissa) - 1, counted)});
  const Id cn = b.reinterpret(b.sum({fraction, b.splat_bits(root, fraction)}), b.type(x));
  const Id exponent = m.plus(b.convert(b.shift_right(counted, mantissa), b.type(x)), -static_cast<double>(bias));
  const Id k = b.select({is_subnormal, m.plus(exponent, -lift), exponent});

  const Id is_low = m.less(cn, 0.857), is_high = m.greater(cn, 1.118);
  const auto choose = [&](double low, double middle, double high) {
    return b.select({is_low, m.number(low, cn), b.select({is_high, m.number(high, cn), m.number(middle, cn)})});
  };
  const Id c = choose(0.75, 1, 1.25);
  const Id above = b.difference({cn, c});
  const Double below = exact_sum(m, cn, c);
  const Id s = b.quotient({above, below.high});
  const Double back = exact_product(m, s, below.high);
  const Id left = b.difference({b.difference({b.difference({above, back.high}), back.low}), b.product({s, below.low})});
  const Id squared = m.square(s);
  const int terms = single ? 4 : 8;
  Id series = m.number(2.0 / (2 * terms + 1), s);
  for (int i = terms - 1; i >= 1; --i) {
    series = m.plus(b.product({series, squared}), 2.0 / (2 * i + 1));
  }
  const Id others = b.sum({m.times(b.quotient({left, below.high}), 2), b.product({b.product({series, squared}), s})});

  const KnownLog two = known_log(log_2, single), low = known_log(log_3_4, single), high = known_log(log_5_4, single);
  const Id known = b.sum({m.times(k, two.first), choose(low.first, 0, high.first)});  // exact
  const Double sum = exact_sum(m, known, m.times(s, 2));
  return exact_sum(m, sum.high, b.sum({sum.low, m.times(k, two.rest), choose(low.rest, 0, high.rest), others}));
}

// Returns x^y for finite positive x.
Id precise_power(Math m, Id x, Id y) {
  const double most = m.is_single(x) ? 0x1p40 : 0x1p70;  // beyond, only powers of 1 are neither 0 nor infinite
  const Id limited = m.max(m.min(y, m.number(most, y)), m.number(-most, y));
  const Double log = precise_log(m, x);
  const Double exponent = exact_product(m, limited, log.high);
  const Id low = m.b.sum({exponent.low, m.b.product({limited, log.low})});
  // Computed from its square root, so that nothing overflows before the result does.
  const Id root = m.exp(m.times(exponent.high, 0.5));
  const Id power = m.b.product({m.b.sum({root, m.b.product({root, low})}), root});
  const Id is_large = m.greater(m.abs(exponent.high), m.is_single(x) ? 170 : 1400);  // where 0 times infinity may occur
  return m.b.select({is_large, m.exp(exponent.high), power});
}

// Returns x^y = e^(y log|x|), with the sign of an odd y for negative x. Special values are handled last.
Id power(Math m, Id x, Id y) {
  ArrayBuilder &b = m.b;
  const Id size = m.abs(x), zero = m.number(0, x), one = m.number(1, x);
  const Id half = m.times(y, 0.5);
  const Id is_whole = m.equal(m.floor(y), y);
  const Id is_odd = b.bit_and({is_whole, m.negation(m.equal(m.floor(half), half))});
  // For 0 and infinity, the sign of y determines the result.
  const Id is_extreme = b.bit_or({m.equal(size, 0), m.equal(size, infinity)});
  const Id inverted = b.select({m.less(y, zero), m.inverse(size), b.select({m.is_nan(y), y, size})});
  const Id usual = b.select({m.is_nan(x), x, precise_power(m, b.select({is_extreme, one, size}), y)});
  const Id grown = b.select({is_extreme, inverted, usual});
  // 1 to any power is 1; for |x| = 1 the exponent is 0 unless y is infinite.
  const Id plain = b.select({m.equal(size, 1), b.select({m.is_nan(y), y, one}), grown});
  const Id negative = m.is_negative(x);
  const Id with_sign = b.select({b.bit_and({negative, is_odd}), m.minus(plain), plain});
  const Id is_finite = m.less(size, infinity);
  const Id no_root = b.bit_and({m.less(x, zero), is_finite, m.negation(is_whole)});
  const Id result = b.select({no_root, m.number(std::numeric_limits<double>::quiet_NaN(), x), with_sign});
  return b.select({b.bit_or({m.equal(y, 0), m.equal(x, 1)}), one, result});
}
// With a negative exponent, only powers of 1 and -1 are integers.
Id integer_power(ArrayBuilder &b, Id x, Id y) {
  const Math m{b};
  const ElementType type = b.type(x);
  if (!ir::is_signed(type)) {
    return power_by_squaring(b, x, y, ir::bit_width(type));
  }
  const Id result = power_by_squaring(b, x, y, ir::bit_width(type) - 1);
  const Id is_odd = m.equal(b.bit_and({y, m.number(1, y)}), 1);
  const Id of_minus_one = b.select({is_odd, m.number(-1, x), m.number(1, x)});
  const Id inverse = b.select({m.equal(x, 1), x, b.select({m.equal(x, -1), of_minus_one, m.number(0, x)})});
  return b.select({m.less(y, 0), inverse, result});
}

using OfOne = Id (*)(Math, Id);
struct FunctionRow {
  Opcode opcode;
  OfOne function;
};
constexpr std::array rows = {
    FunctionRow{Opcode::ExponentialMinusOne, exponential_minus_one},
    FunctionRow{Opcode::LogPlusOne, log_plus_one},
    FunctionRow{Opcode::Rsqrt, rsqrt},
    FunctionRow{Opcode::Cbrt, cube_root},
    FunctionRow{Opcode::Logistic, logistic},
    FunctionRow{Opcode::Tan, tangent},
    FunctionRow{Opcode::Sinh, sinh},
    FunctionRow{Opcode::Cosh, cosh},
    FunctionRow{Opcode::Asin, arc_sine},
    FunctionRow{Opcode::Acos, arc_cosine},
    FunctionRow{Opcode::Atan, arc_tangent},
    FunctionRow{Opcode::Asinh, inverse_sinh},
    FunctionRow{Opcode::Acosh, inverse_cosh},
    FunctionRow{Opcode::Atanh, inverse_tanh},
    FunctionRow{Opcode::Erf, error_function},
};

}  // namespace

Result<bool> function_expansion(ir::Module &module, const PassContext &context) {
  const std::vector<bool> embedded = embedded_computations(module);
  return expand_all(module, context, [&](Instruction i) -> Result<Id> {
    if (!i.is(ir::Trait::Elementwise) || i.operand_count() == 0 || !is_plain(i) || needs_better_than_formulas(i)) {
      return i.id();
    }
    const ElementType type = i.shape().element_type();
    const std::vector<Id> operands(i.operands().begin(), i.operands().end());
    if (ir::is_integer(type) && ir::bit_width(type) >= 8) {
      // In embedded computations, where loops are not possible, it is not changed.
      const auto parent = index(i.parent().id());
      if (i.opcode() != Opcode::Power || parent >= embedded.size() || embedded[parent]) {
        return i.id();
      }
      ArrayBuilder b(module, i);
      return integer_power(b, operands[0], operands[1]);
    }
    if (type != ElementType::F32 && type != ElementType::F64) {
      return i.id();
    }
    ArrayBuilder b(module, i);
    if (i.opcode() == Opcode::Power) {
      return power({b}, operands[0], operands[1]);
    }
    if (i.opcode() == Opcode::Atan2) {
      return arc_tangent_2({b}, operands[0], operands[1]);
    }
    const auto row = std::ranges::find(rows, i.opcode(), &FunctionRow::opcode);
    return row == rows.end() ? i.id() : row->function({b}, operands[0]);
  });
}

}  // namespace bp::passes
