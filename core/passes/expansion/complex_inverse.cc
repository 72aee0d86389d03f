// Inverse functions of complex numbers. Sources: W. Kahan, "Branch cuts for complex elementary functions"; C99 annex G
// for special values.
#include <numbers>

#include "core/passes/array_builder.h"
#include "core/passes/expansion/complex_arithmetic.h"

namespace bp::passes::parts {
namespace {

Parts asin_of(ArrayBuilder &b, Parts z) {
  Parts below = square_root(b, {b.difference({b.splat(1, z.real), z.real}), negate(b, z.imaginary)});
  Parts above = square_root(b, {plus(b, z.real, 1), z.imaginary});
  Id across = b.difference({b.product({below.real, above.imaginary}), b.product({below.imaginary, above.real})});
  Id along = b.difference({b.product({below.real, above.real}), b.product({below.imaginary, above.imaginary})});
  return {b.add(Opcode::Atan2, {z.real, along}), apply(b, Opcode::Asinh, across)};
}
Parts acos_of(ArrayBuilder &b, Parts z) {
  Parts below = square_root(b, {b.difference({b.splat(1, z.real), z.real}), negate(b, z.imaginary)});
  Parts above = square_root(b, {plus(b, z.real, 1), z.imaginary});
  Id across = b.difference({b.product({above.real, below.imaginary}), b.product({above.imaginary, below.real})});
  Id angle = b.add(Opcode::Atan2, {below.real, above.real});
  return {b.sum({angle, angle}), apply(b, Opcode::Asinh, across)};
}
Parts acosh_of(ArrayBuilder &b, Parts z) {
  Parts below = square_root(b, {plus(b, z.real, -1), z.imaginary});
  Parts above = square_root(b, {plus(b, z.real, 1), z.imaginary});
  Id along = b.sum({b.product({below.real, above.real}), b.product({below.imaginary, above.imaginary})});
  Id angle = b.add(Opcode::Atan2, {below.imaginary, above.real});
  return {apply(b, Opcode::Asinh, along), b.sum({angle, angle})};
}
// Returns the inverse hyperbolic tangent. Its real part is log(|1 + z| / |1 - z|) / 2, computed from |x| because it is
// odd; near 1 it is log(2 / |1 - z|) / 2, because the square of this quotient would overflow.
Parts atanh_of(ArrayBuilder &b, Parts z) {
  Id size = absolute(b, z.real);
  Id rest = b.difference({b.splat(1, size), size});
  Id scale = by_size(b, {rest, z.imaginary}, 0x1p-4, 1);  // keeps the modulus of the largest numbers finite
  Id distance = modulus(b, scaled(b, {rest, z.imaginary}, scale));
  Id once = b.quotient({b.product({size, scale}), distance});
  Id ratio = b.product({b.quotient({b.product({once, b.splat(4, size)}), distance}), scale});
  Id far = half(b, half(b, apply(b, Opcode::LogPlusOne, ratio)));
  Id near = half(b, b.difference({b.splat(std::numbers::ln2, size), apply(b, Opcode::Log, distance)}));
  Id is_near = compare(b, ComparisonDirection::Lt, distance, is_single(b, size) ? 0x1p-40 : 0x1p-300);
  Id across = b.sum({z.imaginary, z.imaginary});
  Id along = b.difference({b.product({rest, plus(b, size, 1)}), square(b, z.imaginary)});
  Id is_high =
      b.bit_and({compare(b, ComparisonDirection::Gt, absolute(b, z.imaginary), is_single(b, size) ? 0x1p60 : 0x1p500),
                 b.compare(ComparisonDirection::Eq, z.real, z.real)});
  Id quarter = with_sign(b, b.splat(std::numbers::pi / 2, size), z.imaginary);
  return {with_sign(b, b.select({is_near, near, far}), z.real),
          b.select({is_high, quarter, half(b, b.add(Opcode::Atan2, {across, along}))})};
}

// Properties of an argument with infinite or NaN parts, which determine the result of an inverse function where the
// formulas above give NaN.
struct Special {
  ArrayBuilder &b;
  Parts z;
  Id infinite_real = is_infinite(b, z.real), infinite_imaginary = is_infinite(b, z.imaginary);
  Id infinite = b.bit_or({infinite_real, infinite_imaginary});
  Id nan_real = b.compare(ComparisonDirection::Ne, z.real, z.real);
  Id nan_imaginary = b.compare(ComparisonDirection::Ne, z.imaginary, z.imaginary);

  Id neither_nan() { return b.add(Opcode::Not, {b.bit_or({nan_real, nan_imaginary})}); }
  Id signed_constant(double value, Id sign) { return with_sign(b, b.splat(value, sign), sign); }
};
constexpr double pi = std::numbers::pi;

// Whether |z| is so large that the square root of 1 + z^2 is that of z^2, and the function is log(2 z), whose angle is
// that of z.
Id is_far_out(ArrayBuilder &b, Parts z) {
  Id larger = b.add(Opcode::Maximum, {absolute(b, z.real), absolute(b, z.imaginary)});
  return compare(b, ComparisonDirection::Gt, larger, 0x1p30);
}
Id log_of_double(ArrayBuilder &b, Parts z) {
  return plus(b, log_modulus(b, z), std::numbers::ln2);
}

// Returns a power of two that brings the larger parts of both into the range where squares neither overflow nor
// underflow, and no further, because the signs of small parts select branches.
Id common_scale(ArrayBuilder &b, Parts x, Parts y) {
  const bool single = is_single(b, x.real);
  const auto larger = [&](Parts z) { return b.add(Opcode::Maximum, {absolute(b, z.real), absolute(b, z.imaginary)}); };
  Id largest = b.add(Opcode::Maximum, {larger(x), larger(y)});
  Id is_huge = compare(b, ComparisonDirection::Gt, largest, single ? 0x1p60 : 0x1p500);
  Id is_tiny = compare(b, ComparisonDirection::Lt, largest, single ? 0x1p-60 : 0x1p-500);
  Id lift = b.select({is_tiny, b.splat(single ? 0x1p90 : 0x1p574, largest), b.splat(1, largest)});
  return b.select({is_huge, b.splat(single ? 0x1p-70 : 0x1p-524, largest), lift});
}

}  // namespace

Parts asinh(ArrayBuilder &b, Parts z) {
  const Parts far{with_sign(b, log_of_double(b, z), z.real), b.add(Opcode::Atan2, {z.imaginary, absolute(b, z.real)})};
  Parts finite = select(b, is_far_out(b, z), far, rotated<asin_of>(b, z));
  Special special{b, z};
  Id quarter = b.select({special.infinite_imaginary, special.signed_constant(pi / 4, z.imaginary),
                         special.signed_constant(0, z.imaginary)});
  Id limit = b.select({special.infinite_real, quarter, special.signed_constant(pi / 2, z.imaginary)});
  Id imaginary = b.select({b.bit_and({special.infinite, special.neither_nan()}), limit, finite.imaginary});
  Id along = b.bit_and({special.nan_real, is_zero(b, z.imaginary)});
  return {b.select({special.infinite, special.signed_constant(infinity, z.real), finite.real}),
          b.select({along, z.imaginary, imaginary})};
}
Parts acosh(ArrayBuilder &b, Parts z) {
  Parts finite = select(b, is_far_out(b, z), {log_of_double(b, z), angle(b, z)}, acosh_of(b, z));
  Special special{b, z};
  Id imaginary = b.select({special.infinite, angle(b, z), finite.imaginary});
  Id across = b.bit_and({special.nan_imaginary, is_zero(b, z.real)});
  return {b.select({special.infinite, b.splat(infinity, finite.real), finite.real}),
          b.select({across, b.splat(pi / 2, imaginary), imaginary})};
}
Parts acos(ArrayBuilder &b, Parts z) {
  const Parts far{b.add(Opcode::Atan2, {absolute(b, z.imaginary), z.real}),
                  negate(b, with_sign(b, log_of_double(b, z), z.imaginary))};
  Parts finite = select(b, is_far_out(b, z), far, acos_of(b, z));
  Special special{b, z};
  Id real = b.select({special.infinite, absolute(b, angle(b, z)), finite.real});
  Id across = b.bit_and({special.nan_imaginary, is_zero(b, z.real)});
  return {b.select({across, b.splat(pi / 2, real), real}),
          b.select({special.infinite, negate(b, special.signed_constant(infinity, z.imaginary)), finite.imaginary})};
}
Parts atanh(ArrayBuilder &b, Parts z) {
  Parts finite = atanh_of(b, z);
  Special special{b, z};
  Id across = b.bit_and({special.nan_imaginary, is_zero(b, z.real)});
  Id real = b.select({special.infinite, special.signed_constant(0, z.real), finite.real});
  Id limited = b.bit_and({special.infinite, b.add(Opcode::Not, {special.nan_imaginary})});
  return {b.select({across, z.real, real}),
          b.select({limited, special.signed_constant(pi / 2, z.imaginary), finite.imaginary})};
}

// With u = x + iy and v = x - iy, the result is (arg u - arg v) / 2 - i (log|u| - log|v|) / 2, up to half turns. The
// number of half turns is taken from the original formula.
Parts atan2(ArrayBuilder &b, Parts unscaled_y, Parts unscaled_x) {
  Id scale = common_scale(b, unscaled_x, unscaled_y);
  const Parts x = scaled(b, unscaled_x, scale), y = scaled(b, unscaled_y, scale);
  const Parts u{b.difference({x.real, y.imaginary}), b.sum({x.imaginary, y.real})},
      v{b.sum({x.real, y.imaginary}), b.difference({x.imaginary, y.real})};
  const Parts conjugates = times_conjugate(b, x, y), turned = times_conjugate(b, u, v),
              product = textbook_product(b, u, v);
  const auto square_of = [&](Parts z) { return b.sum({square(b, z.real), square(b, z.imaginary)}); };
  Id square_u = square_of(u), square_v = square_of(v);
  Id larger = b.add(Opcode::Maximum, {square_u, square_v}), smaller = b.add(Opcode::Minimum, {square_u, square_v});
  // |u|^2 - |v|^2 = 4 im(x conj(y)) and im(u conj(v)) = 2 re(x conj(y)). The right sides are more accurate, unless |u|
  // and |v| differ widely, near the branch points x = iy and x = -iy.
  Id less = b.quotient({negate(b, absolute(b, b.product({conjugates.imaginary, b.splat(4, larger)}))), larger});
  Id is_near = compare(b, ComparisonDirection::Lt, less, -0.5);
  // Scaled down, a product in re(x conj(y)) may vanish; then the sign is that of the numbers as they were.
  Id aligned =
      b.sum({b.product({unscaled_x.real, unscaled_y.real}), b.product({unscaled_x.imaginary, unscaled_y.imaginary})});
  Id twice = b.sum({conjugates.real, conjugates.real});
  Id is_small = compare(b, ComparisonDirection::Lt, absolute(b, twice), is_single(b, twice) ? 0x1p-126 : 0x1p-1022);
  Id is_lost_sign = b.bit_and({is_small, compare(b, ComparisonDirection::Ne, aligned, 0)});
  twice = b.select({is_lost_sign, with_sign(b, twice, aligned), twice});
  Id across = b.select({is_near, turned.imaginary, twice});
  Id turn = half(b, angle(b, {turned.real, across}));

  const Parts xx = textbook_product(b, x, x), yy = textbook_product(b, y, y);
  // Scaled down, the small part of a number may vanish, but its sign says on which side of the square root's cut it is.
  const auto turning = [&](Parts z) { return b.product({z.real, z.imaginary}); };
  Id imaginary = b.sum({xx.imaginary, yy.imaginary}), side = b.sum({turning(unscaled_x), turning(unscaled_y)});
  imaginary = b.select({is_zero(b, imaginary), with_sign(b, imaginary, side), imaginary});
  const Parts sum{b.sum({xx.real, yy.real}), imaginary};
  Id roughly = angle(b, divide(b, u, square_root(b, select(b, is_near, product, sum))));
  Id half_turns = apply(b, Opcode::RoundNearestEven, b.product({b.difference({roughly, turn}), b.splat(1 / pi, turn)}));
  // A half turn in the direction of `across`, whose sign is right even if `turn` underflows, would leave the range.
  Id direction = b.select({is_near, turned.imaginary, b.select({is_lost_sign, aligned, twice})});
  Id is_beyond = compare(b, ComparisonDirection::Gt, b.product({half_turns, direction}), 0);
  half_turns = b.select({is_beyond, negate(b, half_turns), half_turns});

  // Squares may underflow; then the logarithms differ widely and are subtracted directly.
  Id ratio = b.quotient({smaller, larger});
  Id is_lost = compare(b, ComparisonDirection::Lt, ratio, is_single(b, ratio) ? 0x1p-60 : 0x1p-500);
  Id apart = negate(b, absolute(b, b.difference({log_modulus(b, u), log_modulus(b, v)})));
  Id near = b.select({is_lost, b.sum({apart, apart}), apply(b, Opcode::Log, ratio)});
  Id log = b.select({is_near, near, apply(b, Opcode::LogPlusOne, less)});
  Id quarter = half(b, half(b, log));
  Id is_u_larger = compare(b, ComparisonDirection::Gt, conjugates.imaginary, 0);
  return {b.sum({turn, b.product({half_turns, b.splat(pi, turn)})}),
          b.select({is_u_larger, quarter, negate(b, quarter)})};
}

}  // namespace bp::passes::parts
