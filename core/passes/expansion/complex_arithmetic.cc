// Sources: R. Smith, "Algorithm 116" for the division; C99 annex G for its special cases.
#include "core/passes/expansion/complex_arithmetic.h"
#include "core/passes/array_builder.h"

namespace bp::passes::parts {

Id apply(ArrayBuilder &b, Opcode opcode, Id x) {
  return b.add(opcode, {x});
}
Id negate(ArrayBuilder &b, Id x) {
  return apply(b, Opcode::Negate, x);
}
Id absolute(ArrayBuilder &b, Id x) {
  return apply(b, Opcode::Abs, x);
}
Id half(ArrayBuilder &b, Id x) {
  return b.product({x, b.splat(0.5, x)});
}
Id square(ArrayBuilder &b, Id x) {
  return b.product({x, x});
}
Id plus(ArrayBuilder &b, Id x, double y) {
  return b.sum({x, b.splat(y, x)});
}
Id compare(ArrayBuilder &b, ComparisonDirection direction, Id x, double y) {
  return b.compare(direction, x, b.splat(y, x));
}
Id is_zero(ArrayBuilder &b, Id x) {
  return compare(b, ComparisonDirection::Eq, x, 0);
}
Id is_infinite(ArrayBuilder &b, Id x) {
  return compare(b, ComparisonDirection::Eq, absolute(b, x), infinity);
}
Id is_finite(ArrayBuilder &b, Id x) {
  return apply(b, Opcode::IsFinite, x);
}
Id is_nan(ArrayBuilder &b, Id x) {
  return b.compare(ComparisonDirection::Ne, x, x);
}
Id has_infinite(ArrayBuilder &b, Parts z) {
  Id real = is_infinite(b, z.real);
  return b.bit_or({real, is_infinite(b, z.imaginary)});
}
Id has_only_finite(ArrayBuilder &b, Parts z) {
  Id real = is_finite(b, z.real);
  return b.bit_and({real, is_finite(b, z.imaginary)});
}
Id is_infinite_without_angle(ArrayBuilder &b, Parts z) {
  Id unbounded = is_infinite(b, z.real);
  return b.bit_and({unbounded, apply(b, Opcode::Not, is_finite(b, z.imaginary))});
}
Id with_sign(ArrayBuilder &b, Id x, Id y) {
  // The sign of a zero counts: 1/y has that sign, too.
  Id shown = b.select({is_zero(b, y), b.quotient({b.splat(1, y), y}), y});
  Id size = absolute(b, x);
  return b.select({compare(b, ComparisonDirection::Lt, shown, 0), negate(b, size), size});
}

Id modulus(ArrayBuilder &b, Parts z) {
  Id x = absolute(b, z.real), y = absolute(b, z.imaginary);
  Id large = b.add(Opcode::Maximum, {x, y}), small = b.add(Opcode::Minimum, {x, y});
  Id ratio = b.select({is_zero(b, large), b.splat(0, large), b.quotient({small, large})});
  Id finite = b.product({large, apply(b, Opcode::Sqrt, plus(b, square(b, ratio), 1))});
  Id infinite = b.bit_or({is_infinite(b, x), is_infinite(b, y)});
  return b.select({infinite, b.splat(infinity, finite), finite});
}
Id log_modulus(ArrayBuilder &b, Parts z) {
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

Id angle(ArrayBuilder &b, Parts z) {
  return b.add(Opcode::Atan2, {z.imaginary, z.real});
}

Parts textbook_product(ArrayBuilder &b, Parts x, Parts y) {
  Id real = b.difference({b.product({x.real, y.real}), b.product({x.imaginary, y.imaginary})});
  return {real, b.sum({b.product({x.real, y.imaginary}), b.product({x.imaginary, y.real})})};
}

Parts infinite_direction(ArrayBuilder &b, Parts z) {
  const auto part = [&](Id x) {
    Id size = b.select({is_infinite(b, x), b.splat(1, x), b.splat(0, x)});
    return with_sign(b, size, x);
  };
  Id real = part(z.real);
  return {real, part(z.imaginary)};
}
Parts times_conjugate(ArrayBuilder &b, Parts x, Parts y) {
  return textbook_product(b, x, {y.real, negate(b, y.imaginary)});
}
Parts scaled(ArrayBuilder &b, Parts z, Id by) {
  Id real = b.product({z.real, by});
  return {real, b.product({z.imaginary, by})};
}
Parts select(ArrayBuilder &b, Id condition, Parts x, Parts y) {
  Id real = b.select({condition, x.real, y.real});
  return {real, b.select({condition, x.imaginary, y.imaginary})};
}

Parts multiply(ArrayBuilder &b, Parts x, Parts y) {
  const Parts plain = textbook_product(b, x, y);
  const double root = is_single(b, x.real) ? 0x1p-67 : 0x1p-515;
  const auto times = [&](Parts z, double factor) { return scaled(b, z, b.splat(factor, z.real)); };
  const Parts small = textbook_product(b, times(x, root), times(y, root));
  const Parts large = times(times(small, 1 / root), 1 / root);
  Id real = b.select({is_nan(b, plain.real), large.real, plain.real});
  return {real, b.select({is_nan(b, plain.imaginary), large.imaginary, plain.imaginary})};
}

Parts divide(ArrayBuilder &b, Parts x, Parts y) {
  Id imaginary_larger = b.compare(ComparisonDirection::Lt, absolute(b, y.real), absolute(b, y.imaginary));
  Id large = b.select({imaginary_larger, y.imaginary, y.real});
  Id small = b.select({imaginary_larger, y.real, y.imaginary});
  Id ratio = b.quotient({small, large});
  Id divisor = b.sum({large, b.product({small, ratio})});
  // x * conj(y) / large, whichever part is the larger one.
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

bool is_single(ArrayBuilder &b, Id x) {
  return b.type(x) == ir::ElementType::F32;
}
Id by_size(ArrayBuilder &b, Parts z, double huge, double tiny) {
  const bool single = is_single(b, z.real);
  Id larger = b.add(Opcode::Maximum, {absolute(b, z.real), absolute(b, z.imaginary)});
  Id usual = b.select({compare(b, ComparisonDirection::Lt, larger, single ? 0x1p-100 : 0x1p-960), b.splat(tiny, larger),
                       b.splat(1, larger)});
  return b.select(
      {compare(b, ComparisonDirection::Gt, larger, single ? 0x1p124 : 0x1p1020), b.splat(huge, larger), usual});
}
Parts square_root(ArrayBuilder &b, Parts unscaled) {
  const Parts z = scaled(b, unscaled, by_size(b, unscaled, 0x1p-4, 0x1p48));
  Id x = absolute(b, z.real), y = absolute(b, z.imaginary);
  Id root = apply(b, Opcode::Sqrt, b.sum({half(b, x), half(b, modulus(b, z))}));
  // The root is doubled rather than y halved, because y may be the smallest number.
  Id other = b.select({is_zero(b, root), b.splat(0, root), b.quotient({y, b.sum({root, root})})});
  Id right = compare(b, ComparisonDirection::Ge, z.real, 0);
  Parts result{b.select({right, root, other}), with_sign(b, b.select({right, other, root}), z.imaginary)};
  Id infinite = is_infinite(b, z.imaginary);
  result = scaled(b, result, by_size(b, unscaled, 0x1p2, 0x1p-24));
  return {b.select({infinite, b.splat(infinity, root), result.real}),
          b.select({infinite, z.imaginary, result.imaginary})};
}

}  // namespace bp::passes::parts
