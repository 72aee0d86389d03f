#include "core/passes/primitives/wide_integer_formulas.h"

#include <array>
#include <cmath>

namespace bp::passes {

using ir::ComparisonDirection;
using ir::ElementType;
using ir::Opcode;

ir::InstructionId rounded_to_odd(ArrayBuilder &b, ir::InstructionId x) {
  constexpr int lost = 9;
  const auto below = b.bit_and({x, b.splat((1 << lost) - 1, x)});
  const auto is_inexact = b.compare(ComparisonDirection::Ne, below, b.splat(0, x));
  const auto odd = b.shift_left(b.convert(is_inexact, ElementType::U32), lost);
  const auto rounded = b.bit_or({b.shift_left(b.shift_right(x, lost), lost), odd});
  return b.select({b.compare(ComparisonDirection::Lt, x, b.splat(1 << 24, x)), x, rounded});
}

Halves WideMath::sum(Halves x, Halves y) const {
  const Id low = b_.sum({x.low, y.low});
  const Id carry = b_.convert(b_.compare(ComparisonDirection::Lt, low, x.low), ElementType::U32);
  return {low, b_.sum({x.high, y.high, carry})};
}

Halves WideMath::difference(Halves x, Halves y) const {
  const Id borrow = b_.convert(b_.compare(ComparisonDirection::Lt, x.low, y.low), ElementType::U32);
  return {b_.difference({x.low, y.low}), b_.difference({b_.difference({x.high, y.high}), borrow})};
}

Halves WideMath::negation(Halves x) const {
  return difference(number(0, x.low), x);
}

// The high half is the sum of the high half of the product of the low halves and the low halves of the mixed products.
Halves WideMath::product(Halves x, Halves y) const {
  const Id carried = b_.add(Opcode::MultiplyHigh, {x.low, y.low});
  return {b_.product({x.low, y.low}), b_.sum({carried, b_.product({x.low, y.high}), b_.product({x.high, y.low})})};
}

Halves WideMath::by_halves(Opcode opcode, Halves x, Halves y) const {
  return {b_.add(opcode, {x.low, y.low}), b_.add(opcode, {x.high, y.high})};
}

Halves WideMath::select(Id predicate, Halves x, Halves y) const {
  return {b_.select({predicate, x.low, y.low}), b_.select({predicate, x.high, y.high})};
}

WideMath::Id WideMath::is_negative(Halves x) const {
  return b_.compare(ComparisonDirection::Gt, x.high, b_.splat_bits(0x7fffffff, x.high));
}

// Inverting the sign bit makes signed order equal to unsigned order.
WideMath::Id WideMath::less(Halves x, Halves y) const {
  const auto key = [&](Id high) {
    return is_signed_ ? b_.exclusive_or({high, b_.splat_bits(0x80000000, high)}) : high;
  };
  const Id high_less = b_.compare(ComparisonDirection::Lt, key(x.high), key(y.high));
  const Id high_equal = b_.compare(ComparisonDirection::Eq, x.high, y.high);
  return b_.bit_or({high_less, b_.bit_and({high_equal, b_.compare(ComparisonDirection::Lt, x.low, y.low)})});
}

WideMath::Id WideMath::equal(Halves x, Halves y) const {
  return b_.bit_and(
      {b_.compare(ComparisonDirection::Eq, x.low, y.low), b_.compare(ComparisonDirection::Eq, x.high, y.high)});
}

WideMath::Id WideMath::is_zero(Halves x) const {
  const Id bits = b_.bit_or({x.low, x.high});
  return b_.compare(ComparisonDirection::Eq, bits, b_.splat(0, bits));
}

Halves WideMath::magnitude(Halves x) const {
  return is_signed_ ? select(is_negative(x), negation(x), x) : x;
}

// Shifts of u32 already give 0, or the sign, for distances of 32 and more, so each result half combines shifts of both
// halves.
Halves WideMath::shift(Opcode opcode, Halves x, Halves distance) const {
  const Id n = b_.select({b_.compare(ComparisonDirection::Eq, distance.high, b_.splat(0, distance.high)), distance.low,
                          b_.splat(64, distance.low)});
  const Id rest = b_.difference({b_.splat(32, n), n}), beyond = b_.difference({n, b_.splat(32, n)});
  const Id is_far = b_.compare(ComparisonDirection::Ge, n, b_.splat(32, n));
  if (opcode == Opcode::ShiftLeft) {
    const Id near = b_.bit_or({b_.add(opcode, {x.high, n}), b_.add(Opcode::ShiftRightLogical, {x.low, rest})});
    return {b_.add(opcode, {x.low, n}), b_.select({is_far, b_.add(opcode, {x.low, beyond}), near})};
  }
  const auto moved = [&](Id bits, Id by) {
    return opcode == Opcode::ShiftRightLogical
               ? b_.add(opcode, {bits, by})
               : b_.convert(b_.add(opcode, {b_.convert(bits, ElementType::S32), b_.convert(by, ElementType::S32)}),
                            ElementType::U32);
  };
  const Id near = b_.bit_or({b_.add(Opcode::ShiftRightLogical, {x.low, n}), b_.add(Opcode::ShiftLeft, {x.high, rest})});
  return {b_.select({is_far, moved(x.high, beyond), near}), moved(x.high, n)};
}

// Long division by subtracting, from the highest bit to the lowest.
WideMath::Division WideMath::division_without_sign(Halves x, Halves y) const {
  const Id zero = b_.splat(0, x.low);
  const auto step = [](ArrayBuilder &body, Id, std::vector<Id> values) {
    const WideMath math(body, false);
    const Halves rest{values[0], values[1]}, dividend{values[2], values[3]}, divisor{values[4], values[5]};
    // [rest, dividend], as one number of 128 bits, is shifted by one; the bits of the quotient are appended at its end.
    const Id top = body.shift_right(dividend.high, 31);
    const Halves next{body.bit_or({body.shift_left(rest.low, 1), top}),
                      body.bit_or({body.shift_left(rest.high, 1), body.shift_right(rest.low, 31)})};
    const Id carried = body.compare(ComparisonDirection::Ne, body.shift_right(rest.high, 31), body.splat(0, rest.high));
    const Id takes = body.bit_or({carried, body.add(Opcode::Not, {math.less(next, divisor)})});
    const Halves left = math.select(takes, math.difference(next, divisor), next);
    const Halves moved{body.bit_or({body.shift_left(dividend.low, 1), body.convert(takes, ElementType::U32)}),
                       body.bit_or({body.shift_left(dividend.high, 1), body.shift_right(dividend.low, 31)})};
    return std::vector{left.low, left.high, moved.low, moved.high, divisor.low, divisor.high};
  };
  const std::vector<Id> done = b_.loop(64, {zero, zero, x.low, x.high, y.low, y.high}, step);
  return {{done[2], done[3]}, {done[0], done[1]}};
}

WideMath::Division WideMath::division(Halves x, Halves y) const {
  Division result = division_without_sign(magnitude(x), magnitude(y));
  if (is_signed_) {
    const Id x_negative = is_negative(x), differs = b_.exclusive_or({x_negative, is_negative(y)});
    result.quotient = select(differs, negation(result.quotient), result.quotient);
    result.remainder = select(x_negative, negation(result.remainder), result.remainder);
  }
  const Id by_zero = is_zero(y);
  return {select(by_zero, number(~std::uint64_t{0}, x.low), result.quotient), select(by_zero, x, result.remainder)};
}

Halves WideMath::from_float(Id x) const {
  const double limit = std::ldexp(1.0, is_signed_ ? 63 : 64), half = std::ldexp(1.0, 32);
  const Id size = b_.add(Opcode::Floor, {b_.add(Opcode::Abs, {x})});
  const Id high = b_.add(Opcode::Floor, {b_.product({size, b_.splat(1 / half, size)})});
  const Id low = b_.difference({size, b_.product({high, b_.splat(half, high)})});
  const Halves whole{b_.convert(low, ElementType::U32), b_.convert(high, ElementType::U32)};
  const Id is_below_zero = b_.compare(ComparisonDirection::Lt, x, b_.splat(0, x));
  const Id is_large = b_.compare(ComparisonDirection::Ge, size, b_.splat(limit, size));
  const Halves zero = number(0, whole.low);
  const Halves most = number(is_signed_ ? INT64_MAX : UINT64_MAX, whole.low);
  const Halves least = is_signed_ ? number(std::uint64_t{1} << 63, whole.low) : zero;
  const Halves negative = select(is_large, least, is_signed_ ? negation(whole) : zero);
  const Halves value = select(is_below_zero, negative, select(is_large, most, whole));
  return select(b_.compare(ComparisonDirection::Ne, x, x), zero, value);
}

// Rounds the highest 32 bits once, whose last bit is also set if any lower bits are set; then scales the result.
WideMath::Id WideMath::to_float(Halves x, ElementType type) const {
  const Halves size = magnitude(x);
  const Id is_small = b_.compare(ComparisonDirection::Eq, size.high, b_.splat(0, size.high));
  const Id zeros = b_.add(Opcode::CountLeadingZeros, {size.high});
  const Id distance = b_.difference({b_.splat(32, zeros), zeros});
  const Halves moved = shift(Opcode::ShiftRightLogical, size, {distance, b_.splat(0, distance)});
  const Halves put_back = shift(Opcode::ShiftLeft, moved, {distance, b_.splat(0, distance)});
  const Id is_inexact = b_.add(Opcode::Not, {equal(put_back, size)});
  const Id top = b_.bit_or({moved.low, b_.convert(is_inexact, ElementType::U32)});
  const Id all_bits = b_.select({is_small, size.low, top});
  const Id bits = type == ElementType::F32 ? all_bits : rounded_to_odd(b_, all_bits);
  const Id by = b_.select({is_small, b_.splat(0, distance), distance});
  // 2^by.
  const Id exponent = b_.shift_left(b_.sum({by, b_.splat(127, by)}), 23);
  const Id scaled = b_.product({b_.convert(bits, ElementType::F32), b_.reinterpret(exponent, ElementType::F32)});
  const Id value = is_signed_ ? b_.select({is_negative(x), b_.add(Opcode::Negate, {scaled}), scaled}) : scaled;
  return b_.cast(value, type);
}

}  // namespace bp::passes
