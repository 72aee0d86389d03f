// The functions of complex numbers, in f64, directly in registers. The core has most of them as formulas of HLO ops
// (complex-expansion), for devices without complex numbers. With those formulas, cpu takes 1.2 to 2 times as long
// (power: 4 times), because parts are split and joined in memory; a test compares the results of both.
#include "plugins/llvm/scalar/complex.h"

#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/expression.h"
#include "plugins/llvm/scalar/math.h"

namespace bp::emit {
namespace {

using llvm::IRBuilderBase;
using llvm::Value;

// The complex number re + i im; both parts are f64.
struct Complex {
  Expression re, im;
};

Expression apply(UnaryEmitter function, const Expression &x) {
  return x.with(function(x.builder(), x.value()));
}
Expression atan2(const Expression &y, const Expression &x) {
  return x.with(emit_atan2(x.builder(), y.value(), x.value()));
}
Expression is_infinite(const Expression &x) {
  return abs(x) == infinity;
}
Expression is_finite(const Expression &x) {
  return abs(x) < infinity;
}
Complex select(const Expression &condition, const Complex &x, const Complex &y) {
  return {emit::select(condition, x.re, y.re), emit::select(condition, x.im, y.im)};
}
Complex times_i(const Complex &z) {
  return {-z.im, z.re};
}
// sin and tan of a + ib are the hyperbolic functions of b + ia with real and imaginary part exchanged.
Complex exchanged(const Complex &z) {
  return {z.im, z.re};
}

Complex one_like(const Complex &z) {
  return {z.re.constant(1), z.re.constant(0)};
}
Complex add(const Complex &x, const Complex &y) {
  return {x.re + y.re, x.im + y.im};
}
Complex subtract(const Complex &x, const Complex &y) {
  return {x.re - y.re, x.im - y.im};
}

// Returns z, or repair() in lanes where z is wrong. repair() is behind a branch that is seldom taken.
template <class Repair>
Complex repaired(const Complex &z, const Expression &is_wrong, const Repair &repair) {
  IRBuilderBase &b = z.re.builder();
  Value *any = is_wrong.type()->isVectorTy() ? b.CreateOrReduce(is_wrong.value()) : is_wrong.value();
  llvm::BasicBlock *before = b.GetInsertBlock();
  llvm::BasicBlock *after = split_at_insertion_point(b, "right");
  llvm::BasicBlock *wrong = llvm::BasicBlock::Create(b.getContext(), "wrong", before->getParent(), after);
  b.CreateCondBr(any, wrong, after);

  b.SetInsertPoint(wrong);
  const Complex chosen = select(is_wrong, repair(), z);
  llvm::BasicBlock *end = b.GetInsertBlock();
  b.CreateBr(after);

  b.SetInsertPoint(after, after->begin());
  const auto joined = [&](const Expression &plain, const Expression &other) {
    llvm::PHINode *phi = b.CreatePHI(plain.type(), 2);
    phi->addIncoming(plain.value(), before);
    phi->addIncoming(other.value(), end);
    return plain.with(phi);
  };
  const Expression re = joined(z.re, chosen.re);
  return {re, joined(z.im, chosen.im)};
}

template <class Term>
Complex product_of_terms(const Complex &x, const Complex &y, const Term &term) {
  return {term(x.re, y.re) - term(x.im, y.im), term(x.re, y.im) + term(x.im, y.re)};
}
Complex textbook_product(const Complex &x, const Complex &y) {
  return product_of_terms(x, y, [](const Expression &a, const Expression &b) { return a * b; });
}
// If a part of the textbook product is NaN, two terms may have overflowed although their sum is finite, or infinite
// with a definite sign: the same sum scaled by 2^-1030 decides. A NaN that comes from an infinite or NaN factor stays
// NaN.
Complex multiply(const Complex &x, const Complex &y) {
  const Complex plain = textbook_product(x, y);
  return repaired(plain, is_nan(plain.re) | is_nan(plain.im), [&] {
    const Complex small = product_of_terms(x, y, [](const Expression &a, const Expression &b) {
      return emit::select(is_infinite(a) | is_infinite(b), a * b, (a * 0x1p-515) * (b * 0x1p-515));
    });
    const auto settled = [](const Expression &part, const Expression &small_part) {
      return emit::select(is_nan(part), small_part * 0x1p515 * 0x1p515, part);
    };
    return Complex{settled(plain.re, small.re), settled(plain.im, small.im)};
  });
}

// Returns a power of two that scales the larger part to [2, 4), or to less if it is subnormal; 0 for infinities and
// NaN.
Expression scale_to_two(const Complex &z) {
  const Expression a = abs(z.re), b = abs(z.im), larger = select(a > b, a, b);
  const Expression bits = select(larger > 0x1p-1022, larger, 0x1p-1022).bits();
  const Expression exponent_bits = bits.constant(0x7ffp52);
  return (exponent_bits - (bits & exponent_bits)).as_float();
}

// Returns ab + cd without loss by cancellation: the rounding error of cd is added again (Kahan). A zero has the sign
// that the textbook formula gives.
Expression sum_of_products(const Expression &a, const Expression &b, const Expression &c, const Expression &d) {
  const Expression cd = c * d, sum = fma(a, b, cd) + fma(c, d, -cd);
  return select(sum == 0, a * b + cd, sum);
}

// Quotient of numbers with a part that is zero, infinite or NaN: Smith's formula, and if both parts of that are NaN,
// the value given by annex G.
Complex special_quotient(const Complex &x, const Complex &y) {
  const Expression swap = abs(y.re) < abs(y.im);
  const Expression large = select(swap, y.im, y.re), small = select(swap, y.re, y.im);
  const Expression quotient = small / large;
  // The ratio is zero only if it is exactly zero, because an infinite number times zero is NaN.
  const Expression vanishes = (quotient == 0) & (small != 0) & is_finite(large);
  const Expression ratio = select(vanishes, copy_sign(quotient.constant(0x1p-1074), quotient), quotient);
  const Expression denominator = fma(small, ratio, large);
  const Expression re = select(swap, fma(x.re, ratio, x.im), fma(x.im, ratio, x.re)) / denominator;
  const Expression im = select(swap, fma(x.im, ratio, -x.re), fma(-x.re, ratio, x.im)) / denominator;
  const Expression is_lost = is_nan(re) & is_nan(im);
  const Expression zero = re.constant(0), one = re.constant(1);
  // Division by zero.
  const Expression by_zero = (y.re == 0) & (y.im == 0) & !(is_nan(x.re) & is_nan(x.im));
  const Expression unbounded = copy_sign(re.constant(infinity), y.re);
  // An infinite number divided by a finite one: as if its infinite parts were 1 and its finite ones 0. The reverse
  // likewise.
  const auto unit = [&](const Complex &z) {
    return Complex{copy_sign(select(is_infinite(z.re), one, zero), z.re),
                   copy_sign(select(is_infinite(z.im), one, zero), z.im)};
  };
  const auto times_conjugate = [](const Complex &a, const Complex &b) {
    return Complex{a.re * b.re + a.im * b.im, a.im * b.re - a.re * b.im};
  };
  const Expression x_infinite = is_infinite(x.re) | is_infinite(x.im),
                   y_infinite = is_infinite(y.re) | is_infinite(y.im);
  const Expression to_infinity = x_infinite & is_finite(y.re) & is_finite(y.im);
  const Expression to_zero = y_infinite & is_finite(x.re) & is_finite(x.im);
  const Complex huge = times_conjugate(unit(x), y), tiny = times_conjugate(x, unit(y));
  Complex recovered = {re, im};
  recovered = select(to_zero, {tiny.re * 0, tiny.im * 0}, recovered);
  recovered = select(to_infinity, {huge.re * infinity, huge.im * infinity}, recovered);
  recovered = select(by_zero, {unbounded * x.re, unbounded * x.im}, recovered);
  return select(is_lost, recovered, {re, im});
}

// Returns x times the conjugate of y divided by |y|^2, for numbers scaled such that no term overflows or vanishes.
Complex divide(const Complex &x, const Complex &y) {
  const Expression x_scale = scale_to_two(x), y_scale = scale_to_two(y);
  const Complex u = {x.re * x_scale, x.im * x_scale}, v = {y.re * y_scale, y.im * y_scale};
  const Expression square = fma(v.re, v.re, v.im * v.im);
  // The quotient of the scales may overflow; each half of its exponent does not.
  const auto exponent = [](const Expression &scale) { return (scale.bits() >> 52) - 1023; };
  const Expression shift = integer_to_whole(exponent(y_scale) - exponent(x_scale));
  const auto part = [&](const Expression &dividend) { return scale_by_power_of_two(dividend / square, shift); };
  const Complex quotient = {part(sum_of_products(u.re, v.re, u.im, v.im)),
                            part(sum_of_products(u.im, v.re, -u.re, v.im))};
  return repaired(quotient, is_nan(quotient.re), [&] { return special_quotient(x, y); });
}

// |z| in parts: the larger part, the smaller part, and the quotient of smaller and larger (0 if the larger one is 0 or
// infinite).
struct Magnitude {
  Expression larger, smaller, ratio;
};
Magnitude magnitude(const Complex &z) {
  const Expression a = abs(z.re), b = abs(z.im);
  const Expression a_larger = a > b;
  const Expression unbounded = is_infinite(z.re) | is_infinite(z.im);
  const Expression larger = select(unbounded, infinity, select(a_larger, a, b));
  const Expression smaller = select(a_larger, b, a);
  return {larger, smaller, select(unbounded | (smaller == 0), 0, smaller / larger)};
}
Expression absolute(const Complex &z) {
  const Magnitude m = magnitude(z);
  return m.larger * sqrt(fma(m.ratio, m.ratio, 1));
}

// Above this argument e^x, sinh and cosh are computed as two factors, of which the first one does not overflow, because
// the product with a sine may be finite.
constexpr double limit = 700;

Complex exponential(const Complex &z) {
  const Expression is_large = z.re > limit;
  const Expression first = apply(emit_exp, select(is_large, limit, z.re));
  const Expression second = apply(emit_exp, select(is_large, z.re - limit, 0));
  const Expression re = first * apply(emit_cos, z.im) * second, im = first * apply(emit_sin, z.im) * second;
  const Expression no_angle = !is_finite(z.im);
  const Expression vanishes = (z.re == -infinity) & no_angle, grows = (z.re == infinity) & no_angle;
  return {select(vanishes, 0, select(grows, infinity, select(z.im == 0, first * second, re))),
          select(vanishes, 0, select(z.im == 0, z.im, im))};
}

// Returns (e^a cos b - 1) + i e^a sin b, with a real part without cancellation: cos b - 1 = -2 sin^2(b/2).
Complex exponential_minus_one(const Complex &z) {
  const Complex whole = exponential(z);
  const Expression half_sine = apply(emit_sin, z.im * 0.5);
  const Expression re = apply(emit_expm1, z.re) * apply(emit_cos, z.im) - half_sine * half_sine * 2;
  const Expression no_angle = is_infinite(z.re) & !is_finite(z.im);
  return {select(no_angle, quiet_nan, select(z.re > 50, whole.re - 1, re)), select(no_angle, quiet_nan, whole.im)};
}

// Returns log|z|; square_minus_one is |z|^2 - 1 and is used if z is near the unit circle.
Expression log_of_magnitude(const Complex &z, const Expression &square_minus_one, const Expression &is_near) {
  const Magnitude m = magnitude(z);
  const Expression far = apply(emit_log, select(is_near, 1, m.larger));
  return far + apply(emit_log1p, select(is_near, square_minus_one, m.ratio * m.ratio)) * 0.5;
}
// Returns the exact rounding error of the sum a + b.
Expression lost_by(const Expression &sum, const Expression &a, const Expression &b) {
  const Expression from_b = sum - a;
  return (a - (sum - from_b)) + (b - from_b);
}
// Returns |z|^2 - 1 as (a - 1)(a + 1) + b^2, where a is the larger and b the smaller part. Near the unit circle the
// terms cancel, and only their rounding errors are left.
Expression square_minus_one(const Complex &z) {
  const Magnitude m = magnitude(z);
  const Expression below = m.larger - 1, above = m.larger + 1;  // `below` is exact if the terms cancel
  const Expression product = below * above, square = m.smaller * m.smaller, sum = product + square;
  const Expression lost_by_product = fma(below, above, -product) + below * lost_by(above, m.larger, above.constant(1));
  const Expression lost = lost_by_product + fma(m.smaller, m.smaller, -square);
  return select(abs(sum) < 0.5, sum + (lost + lost_by(sum, product, square)), sum);
}
Complex log(const Complex &z) {
  const Expression square = square_minus_one(z);
  const Expression is_near = (square > -0.75) & (square < 3);
  return {log_of_magnitude(z, square, is_near), atan2(z.im, z.re)};
}
// Computes |1 + z|^2 - 1 from z itself if z is small, otherwise from 1 + z and its rounding error.
Complex log_plus_one(const Complex &z) {
  const Complex next = {z.re + 1, z.im};
  const Expression is_small = (abs(z.re) < 0.5) & (abs(z.im) < 0.5);
  // 2a + b^2 + a^2 may cancel, and only the rounding errors are left then.
  const Expression twice = z.re * 2, b_square = z.im * z.im, a_square = z.re * z.re;
  const Expression first = twice + b_square, sum = first + a_square;
  const Expression lost = (lost_by(sum, first, a_square) + lost_by(first, twice, b_square)) +
                          (fma(z.im, z.im, -b_square) + fma(z.re, z.re, -a_square));
  const Expression small_square = sum + lost;
  const Expression lost_by_next = next.re * 2 * lost_by(next.re, z.re, next.re.constant(1));
  const Expression next_square = square_minus_one(next);
  const Expression far_square = next_square + select(abs(next_square) < 0.5, lost_by_next, 0);
  const Expression square = select(is_small, small_square, far_square);
  const Expression is_near = is_small | ((square > -0.75) & (square < 3));
  return {log_of_magnitude(next, square, is_near), atan2(next.im, next.re)};
}

// A power of two, and the inverse of its square root, with which the modulus of a number does not overflow and its
// halves and quotients keep their digits.
struct Scale {
  Expression factor, inverse_root;
};
Scale scale_of(const Complex &z) {
  const Expression larger = magnitude(z).larger, one = z.re.constant(1);
  const Expression is_huge = (larger > 0x1p1020) & is_finite(larger), is_tiny = larger < 0x1p-960;
  return {select(is_huge, 0x1p-4, select(is_tiny, 0x1p108, one)),
          select(is_huge, 0x1p2, select(is_tiny, 0x1p-54, one))};
}

Complex square_root(const Complex &unscaled) {
  const Scale scale = scale_of(unscaled);
  const Complex z = {unscaled.re * scale.factor, unscaled.im * scale.factor};
  const Expression t = emit::sqrt(abs(z.re) * 0.5 + absolute(z) * 0.5);
  const Expression other = abs(z.im) / (t * 2);
  const Expression is_right = z.re >= 0;
  Expression re = select(is_right, t, other) * scale.inverse_root, im = select(is_right, other, t) * scale.inverse_root;
  const Expression is_zero = (z.re == 0) & (z.im == 0);
  re = select(is_zero, 0, re);
  im = select(is_zero, 0, im);
  re = select(z.re == -infinity, select(is_nan(z.im), quiet_nan, re.constant(0)), re);
  im = select(z.re == -infinity, infinity, im);
  re = select((z.re == infinity) | is_infinite(z.im), infinity, re);
  im = select(z.re == infinity, select(is_nan(z.im), quiet_nan, im.constant(0)), im);
  im = select(is_infinite(z.im), infinity, im);
  return {re, copy_sign(im, z.im)};
}

struct Bounded {
  Expression x, growth;
};
Bounded bounded(const Expression &x) {
  const Expression size = abs(x), is_large = size > limit;
  return {select(is_large, copy_sign(x.constant(limit), x), x), apply(emit_exp, select(is_large, size - limit, 0))};
}
Complex hyperbolic_sine(const Complex &z) {
  const auto [x, growth] = bounded(z.re);
  const Expression re = apply(emit_sinh, x) * apply(emit_cos, z.im) * growth;
  const Expression im = apply(emit_cosh, x) * apply(emit_sin, z.im) * growth;
  const Expression unbounded = is_infinite(z.re) & !is_finite(z.im);
  return {select(unbounded, infinity, select((z.re == 0) & is_nan(re), z.re, re)), select(z.im == 0, z.im, im)};
}
Complex hyperbolic_cosine(const Complex &z) {
  const auto [x, growth] = bounded(z.re);
  const Expression re = apply(emit_cosh, x) * apply(emit_cos, z.im) * growth;
  const Expression im = apply(emit_sinh, x) * apply(emit_sin, z.im) * growth;
  const Expression unbounded = is_infinite(z.re) & !is_finite(z.im);
  const Expression zero = copy_sign(re.constant(0), z.re) * copy_sign(re.constant(1), z.im);
  const Expression is_real = ((z.re == 0) | (z.im == 0)) & is_nan(im);
  return {select(unbounded, infinity, re), select(is_real, zero, im)};
}
// Returns (sinh a cosh a + i sin b cos b) / (sinh^2 a + cos^2 b); for large |a| the real part is 1 and the imaginary
// part 4 sin b cos b e^-2|a|.
Complex hyperbolic_tangent(const Complex &z) {
  const Expression sine = apply(emit_sin, z.im), cosine = apply(emit_cos, z.im);
  const Expression is_far = abs(z.re) > 300;
  const Expression a = select(is_far, 1, z.re);
  const Expression hyperbolic_sine = apply(emit_sinh, a), hyperbolic_cosine = apply(emit_cosh, a);
  const Expression denominator = fma(hyperbolic_sine, hyperbolic_sine, cosine * cosine);
  const Expression far = sine * cosine * 4 * apply(emit_exp, abs(z.re) * -2);
  Expression re = select(is_far, copy_sign(z.re.constant(1), z.re), hyperbolic_sine * hyperbolic_cosine / denominator);
  Expression im = select(is_far, far, sine * cosine / denominator);
  re = select(is_finite(z.re) & !is_finite(z.im), sine, re);  // the sine is NaN here
  im = select(z.im == 0, z.im, im);
  im = select(is_infinite(z.re) & !is_finite(z.im), copy_sign(im.constant(0), z.im), im);
  return {select(z.re == 0, z.re, re), im};
}

// Returns e^(y log x). A positive real number to a real power is real, also if it is infinite. x^0 and 1^y are 1; 0^y
// is 0 for positive real y and NaN for all other y.
Complex power(const Complex &x, const Complex &y) {
  const Expression zero = x.re.constant(0), none = x.re.constant(quiet_nan);
  const Complex base = log(x), product = multiply(y, base);
  const Expression is_real = (x.im == 0) & (y.im == 0) & (x.re > 0);
  const Expression turn = y.re * base.im, no_turn = copy_sign(zero, turn);
  const Complex exponent = select(is_real, {y.re * base.re, select(is_nan(turn), no_turn, turn)}, product);
  // For a very large exponent the angle may be lost; the power is 0 or infinite nevertheless.
  const Expression is_far = abs(exponent.re) > 0x1p20;
  const Complex general =
      exponential({select(is_far, copy_sign(exponent.re.constant(infinity), exponent.re), exponent.re), exponent.im});
  const Complex of_zero = select((y.re > 0) & (y.im == 0), Complex{zero, zero}, Complex{none, none});
  const Complex result = select((x.re == 0) & (x.im == 0), of_zero, general);
  const Expression is_one = ((y.re == 0) & (y.im == 0)) | ((x.re == 1) & (x.im == 0));
  return select(is_one, one_like(x), result);
}

Complex negate(const Complex &z) {
  return {-z.re, -z.im};
}
Complex sign(const Complex &unscaled) {
  const Expression factor = scale_of(unscaled).factor;
  const Complex z = {unscaled.re * factor, unscaled.im * factor};
  const Expression size = absolute(z);
  return select(size == 0, z, {z.re / size, z.im / size});
}
// Returns conj(sqrt z) / |z|. Numbers below 1 are scaled up, because a part of sqrt z may be subnormal although the
// quotient is normal.
Complex reciprocal_square_root(const Complex &unscaled) {
  const Expression larger = magnitude(unscaled).larger, one = larger.constant(1);
  const Expression is_small = larger < 1, is_large = (larger > 0x1p200) & is_finite(larger);
  const Expression factor = select(is_small, 0x1p400, select(is_large, 0x1p-400, one));
  const Complex z = {unscaled.re * factor, unscaled.im * factor}, root = square_root(z);
  const Expression divisor = absolute(z) * select(is_small, 0x1p-200, select(is_large, 0x1p200, one));
  // Zeros have the signs of 1 / sqrt z.
  const Expression is_unbounded = is_infinite(root.re) | is_infinite(root.im), zero = one.constant(0);
  const Expression towards = select(is_infinite(root.im), copy_sign(zero, root.im), zero);
  return {select(is_unbounded, select(is_infinite(root.re), zero, towards),
                 select(divisor == 0, infinity, root.re / divisor)),
          select(is_unbounded, select(is_infinite(root.im), -towards, zero), -root.im / divisor)};
}
// Returns (1 + e^-a cos b) + i e^-a sin b divided by its squared modulus, which is (1 - e^-a)^2 + 4 e^-a cos^2(b/2);
// for negative a numerator and denominator are multiplied by e^2a.
Complex logistic(const Complex &z) {
  const Expression b = select(is_infinite(z.re) & !is_finite(z.im), 0, z.im), down = -abs(z.re);
  const Expression decay = apply(emit_exp, down), less_one = apply(emit_expm1, down);
  const Expression half_cosine = apply(emit_cos, b * 0.5), other = half_cosine * half_cosine * 2;
  const Expression divisor = fma(less_one, less_one, decay * other * 2);
  const Expression re = select(z.re < 0, decay * (less_one + other), fma(decay, other, -less_one));
  return {re / divisor, decay * apply(emit_sin, b) / divisor};
}
Complex sine(const Complex &z) {
  return exchanged(hyperbolic_sine(exchanged(z)));
}
Complex cosine(const Complex &z) {
  return hyperbolic_cosine(times_i(z));
}
Complex tangent(const Complex &z) {
  return exchanged(hyperbolic_tangent(exchanged(z)));
}

template <class Function>
struct Row {
  std::uint16_t op;
  Function function;
};
constexpr Row<Complex (*)(const Complex &)> unary_rows[] = {
    {BP_OP_NEGATE, negate},
    {BP_OP_SIGN, sign},
    {BP_OP_EXPONENTIAL, exponential},
    {BP_OP_EXPONENTIAL_MINUS_ONE, exponential_minus_one},
    {BP_OP_LOG, log},
    {BP_OP_LOG_PLUS_ONE, log_plus_one},
    {BP_OP_SQRT, square_root},
    {BP_OP_RSQRT, reciprocal_square_root},
    {BP_OP_SINE, sine},
    {BP_OP_COSINE, cosine},
    {BP_OP_TAN, tangent},
    {BP_OP_SINH, hyperbolic_sine},
    {BP_OP_COSH, hyperbolic_cosine},
    {BP_OP_TANH, hyperbolic_tangent},
    {BP_OP_LOGISTIC, logistic},
};
constexpr Row<Complex (*)(const Complex &, const Complex &)> binary_rows[] = {
    {BP_OP_ADD, add},       {BP_OP_SUBTRACT, subtract}, {BP_OP_MULTIPLY, multiply},
    {BP_OP_DIVIDE, divide}, {BP_OP_POWER, power},
};

auto find(const auto &rows, std::uint16_t op) -> decltype(rows[0].function) {
  for (const auto &row : rows) {
    if (row.op == op) {
      return row.function;
    }
  }
  return nullptr;
}

Complex widen(IRBuilderBase &b, Value *value) {
  const ComplexParts parts = parts_of(b, value);
  const Expression re(b, parts.real), im(b, parts.imaginary);
  return re.is_f64() ? Complex{re, im} : Complex{re.to_f64(), im.to_f64()};
}
Value *narrow(const Expression &x, std::uint16_t dtype) {
  return dtype == BP_DTYPE_C64 ? x.to_f32().value() : x.value();
}
Value *narrow(IRBuilderBase &b, const Complex &z, std::uint16_t dtype) {
  return make_complex(b, {narrow(z.re, dtype), narrow(z.im, dtype)});
}

}  // namespace

bool is_complex_unary(std::uint16_t op) {
  return op == BP_OP_ABS || op == BP_OP_REAL || op == BP_OP_IMAG || op == BP_OP_COPY || find(unary_rows, op) != nullptr;
}

bool is_complex_binary(std::uint16_t op) {
  return find(binary_rows, op) != nullptr;
}

Value *emit_complex_unary(IRBuilderBase &b, std::uint16_t op, std::uint16_t dtype, Value *x) {
  switch (op) {
    case BP_OP_COPY: return x;
    case BP_OP_REAL: return parts_of(b, x).real;
    case BP_OP_IMAG: return parts_of(b, x).imaginary;
    case BP_OP_ABS: return narrow(absolute(widen(b, x)), dtype);
    default: return narrow(b, find(unary_rows, op)(widen(b, x)), dtype);
  }
}

Value *emit_complex_binary(IRBuilderBase &b, std::uint16_t op, std::uint16_t dtype, Value *x, Value *y) {
  // In f64, no term of a c64 product overflows.
  const bool is_plain = op == BP_OP_MULTIPLY && dtype == BP_DTYPE_C64;
  const auto function = is_plain ? textbook_product : find(binary_rows, op);
  return narrow(b, function(widen(b, x), widen(b, y)), dtype);
}

}  // namespace bp::emit
