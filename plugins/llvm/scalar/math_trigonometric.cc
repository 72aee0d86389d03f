// Trigonometric functions and their inverses. Arguments are reduced modulo pi/2 by subtracting a multiple whose product
// with the leading parts of pi/2 is exact. Huge arguments, which are rare, are passed lane by lane to a function that
// multiplies by the relevant 192 bits of 2/pi (Payne and Hanek).
#include <llvm/IR/Module.h>

#include "plugins/llvm/scalar/math.h"
#include "plugins/llvm/scalar/math_exponential.h"
#include "plugins/llvm/scalar/math_precision.h"
#include "plugins/llvm/scalar/math_single.h"

namespace bp::emit {

namespace {

constexpr double half_pi = 1.5707963267948966;  // half_pi + half_pi_low: pi/2 to 107 bits
constexpr double half_pi_low = 6.123233995736766e-17;
// pi/2 in parts of 33, 33 and 53 bits.
constexpr double half_pi_parts[] = {1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21};

// pi/2 in parts of f32, to 72 bits.
constexpr double half_pi_parts_of_f32[] = {1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15};

// (sin(r) - r) / r^3 and (cos(r) - 1 + z/2) / z^2 in z = r^2, |r| <= pi/4: 2^-58 and 2^-63.9.
constexpr double sin_coefficients[] = {-0.16666666666666632,   0.008333333333322316,    -0.00019841269829725912,
                                       2.7557313662334277e-06, -2.5050753312139967e-08, 1.5896507930074328e-10};
constexpr double cos_coefficients[] = {0.041666666666666595,   -0.00138888888888729,   2.4801587288750866e-05,
                                       -2.755731414932975e-07, 2.0875696661401338e-09, -1.1358314801232333e-11};
// The same functions to 2^-37.6 and 2^-42.9, for f32.
constexpr double sin_for_f32_coefficients[] = {-0.16666666641423633, 0.008333329362208104, -0.0001983932715529038,
                                               2.7182376965535153e-06};
constexpr double cos_for_f32_coefficients[] = {0.04166666661912375, -0.0013888883468201126, 2.4799451730340255e-05,
                                               -2.7205058085416035e-07};
// (asin(x) - x) / x^3 in z = x^2 on [0, 1/4]: 2^-59.8.
constexpr double asin_coefficients[] = {
    0.16666666666666763,  0.07499999999970078,   0.04464285717530304,  0.03038194267455448, 0.022372215924301248,
    0.017351595200974863, 0.013981021790859385,  0.011397268808097072, 0.01078944511274797, 0.003671756861088975,
    0.021791601943003346, -0.021117959410428242, 0.03270287450852809};
// (atan(x) - x) / x^3 in z = x^2 on [0, tan(pi/8)^2]: 2^-64.2.
constexpr double atan_coefficients[] = {-0.33333333333333326, 0.19999999999997678,  -0.14285714285388967,
                                        0.11111111088236263,  -0.09090908146599534, 0.07692282804773719,
                                        -0.0666622742958305,  0.058770283092097815, -0.05218445914893843,
                                        0.045037169339621985, -0.03347832954883096, 0.015199062320292733};

// 64 zero bits, then the first bits of the fraction of 2/pi.
constexpr uint64_t two_over_pi[] = {0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
                                    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
                                    0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
                                    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
                                    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
                                    0xf0cfbc209af4361d, 0xa9e391615ee61b08};

// x = quadrant * pi/2 + high + low, |high| <= pi/4. Only the low two bits of the integer quadrant are defined.
struct Reduced {
  Expression high;
  Expression low;
  Expression quadrant;
};

Reduced reduce_moderate(const Expression &x) {
  Expression multiple = round_even(x * (1 / half_pi));
  Expression first = fma(multiple, -half_pi_parts[0], x);  // exact, because the product is exact
  Expression product = multiple * -half_pi_parts[1];       // exact
  Expression second = first + product;
  Expression part = second - first;
  Expression lost = (first - (second - part)) + (product - part);
  Expression tail = fma(multiple, -half_pi_parts[2], lost);
  Expression high = second + tail;
  return {high, tail - (high - second), whole_to_low_bits(multiple)};
}

// The remainder of x after the first part is exact, because the parts have 24 bits and multiples are below 2^17.
Reduced reduce_moderate_narrow(const Expression &x) {
  const Expression multiple = round_even(x * (1 / half_pi));
  Expression rest = x;
  for (const double part : half_pi_parts_of_f32) {
    rest = fma(multiple, -part, rest);
  }
  return {rest, x.constant(0), whole_to_low_bits(multiple)};
}

Reduced reduce_moderate_single(const Expression &x) {
  const Expression multiple = round_even(x * (1 / half_pi));
  const Expression first = fma(multiple, -half_pi_parts_of_f32[0], x);  // exact
  const auto [product, product_lost] = exact_product(multiple, x.constant(-half_pi_parts_of_f32[1]));
  const auto [sum, sum_lost] = exact_sum(first, product);
  const auto [high, low] = exact_sum(sum, fma(multiple, -half_pi_parts_of_f32[2], product_lost) + sum_lost);
  return {high, low, whole_to_low_bits(multiple)};
}

// Returns the module's function that reduces one finite |x| >= 2^20 to {f64 high, f64 low, i64 quadrant}.
llvm::Function *huge_reduction_function(llvm::Module &module) {
  constexpr const char *name = "bp.reduce_huge_by_half_pi";
  if (llvm::Function *existing = module.getFunction(name)) {
    return existing;
  }
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *f64 = llvm::Type::getDoubleTy(context);
  llvm::Type *i64 = llvm::Type::getInt64Ty(context);
  llvm::Type *i128 = llvm::Type::getInt128Ty(context);
  auto *result_type = llvm::StructType::get(f64, f64, i64);
  auto *function = llvm::Function::Create(llvm::FunctionType::get(result_type, {f64}, false),
                                          llvm::GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  auto *words = llvm::ConstantDataArray::get(context, two_over_pi);
  auto *table = new llvm::GlobalVariable(module, words->getType(), true, llvm::GlobalValue::PrivateLinkage, words,
                                         "bp.two_over_pi");
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", function));

  // |x| = mantissa * 2^exponent. Only the part of the product with 2/pi below 4 matters: with 64 zero bits in front of
  // the table, these are the bits from exponent + 62 on.
  llvm::Value *bits = b.CreateBitCast(function->getArg(0), i64);
  llvm::Value *biased = b.CreateAnd(b.CreateLShr(bits, 52), 0x7ff);
  llvm::Value *mantissa = b.CreateOr(b.CreateAnd(bits, (uint64_t{1} << 52) - 1), uint64_t{1} << 52);
  llvm::Value *position = b.CreateAdd(biased, llvm::ConstantInt::getSigned(i64, 62 - 1075));
  llvm::Value *word = b.CreateLShr(position, 6);
  llvm::Value *shift = b.CreateAnd(position, 63);
  auto load_word = [&](unsigned i) {
    llvm::Value *index = b.CreateAdd(word, b.getInt64(i));
    return b.CreateLoad(i64, b.CreateInBoundsGEP(i64, table, index));
  };
  auto window = [&](unsigned i) {
    return b.CreateIntrinsic(llvm::Intrinsic::fshl, {i64}, {load_word(i), load_word(i + 1), shift});
  };
  auto wide = [&](llvm::Value *v) { return b.CreateZExt(v, i128); };
  llvm::Value *low = b.CreateMul(wide(mantissa), wide(window(2)));
  llvm::Value *middle = b.CreateAdd(b.CreateMul(wide(mantissa), wide(window(1))), b.CreateLShr(low, 64));
  llvm::Value *upper = b.CreateShl(b.CreateMul(wide(mantissa), wide(window(0))), 64);
  llvm::Value *product = b.CreateAdd(upper, middle);

  // The first two bits are the quadrant, the rest is the fraction, moved to [-1/2, 1/2).
  llvm::Value *fraction = b.CreateShl(product, 2);
  llvm::Value *is_upper_half = b.CreateICmpSLT(fraction, llvm::ConstantInt::get(i128, 0));
  llvm::Value *quadrant = b.CreateAdd(b.CreateTrunc(b.CreateLShr(product, 126), i64), b.CreateZExt(is_upper_half, i64));
  llvm::Value *size = b.CreateSelect(is_upper_half, b.CreateNeg(fraction), fraction);
  llvm::Value *zeros = b.CreateIntrinsic(llvm::Intrinsic::ctlz, {i128}, {size, b.getFalse()});
  llvm::Value *normal = b.CreateShl(size, zeros);
  // The first 53 bits and the next 53 bits as two f64, scaled by 2^-53 and 2^-106 of the power of two above the leading
  // bit.
  auto digits = [&](unsigned from) {
    llvm::Value *integer =
        b.CreateAnd(b.CreateTrunc(b.CreateLShr(normal, 128 - 53 - from), i64), (uint64_t{1} << 53) - 1);
    return b.CreateUIToFP(integer, f64);
  };
  llvm::Value *exponent = b.CreateSub(b.getInt64(1023), b.CreateTrunc(zeros, i64));
  Expression scale(b, b.CreateBitCast(b.CreateShl(exponent, 52), f64));
  Expression high = scale.with(digits(0)) * 0x1p-53 * scale;
  Expression rest = scale.with(digits(53)) * 0x1p-106 * scale;
  Expression product_high = high * half_pi;
  Expression product_low = fma(high, half_pi, -product_high) + fma(high, half_pi_low, rest * half_pi);
  Expression sign = scale.with(b.CreateSelect(is_upper_half, scale.constant(-1).value(), scale.constant(1).value()));
  Expression is_negative = scale.with(b.CreateICmpSLT(bits, b.getInt64(0)));
  sign = select(is_negative, -sign, sign);
  llvm::Value *signed_quadrant = b.CreateSelect(is_negative.value(), b.CreateNeg(quadrant), quadrant);
  llvm::Value *result = llvm::PoisonValue::get(result_type);
  result = b.CreateInsertValue(result, (product_high * sign).value(), 0);
  result = b.CreateInsertValue(result, (product_low * sign).value(), 1);
  b.CreateRet(b.CreateInsertValue(result, signed_quadrant, 2));
  return function;
}

// Returns the module's function that reduces one finite |x| >= 2^17 in f32 to {f32 high, f32 low, i32 quadrant}. The
// product of the 24-bit mantissa with 128 bits of 2/pi has 62 correct bits below 4, and every f32 is at least 2^-30
// away from a multiple of pi/2.
llvm::Function *huge_single_reduction_function(llvm::Module &module) {
  constexpr const char *name = "bp.reduce_huge_single_by_half_pi";
  if (llvm::Function *existing = module.getFunction(name)) {
    return existing;
  }
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *f32 = llvm::Type::getFloatTy(context);
  llvm::Type *i32 = llvm::Type::getInt32Ty(context), *i64 = llvm::Type::getInt64Ty(context);
  llvm::Type *i128 = llvm::Type::getInt128Ty(context);
  auto *result_type = llvm::StructType::get(f32, f32, i32);
  auto *function = llvm::Function::Create(llvm::FunctionType::get(result_type, {f32}, false),
                                          llvm::GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  constexpr std::size_t words_for_f32 = 5;
  auto *words = llvm::ConstantDataArray::get(context, llvm::ArrayRef(two_over_pi, words_for_f32));
  auto *table = new llvm::GlobalVariable(module, words->getType(), true, llvm::GlobalValue::PrivateLinkage, words,
                                         "bp.two_over_pi_for_f32");
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", function));

  // |x| = mantissa * 2^exponent; with 64 zero bits in front of the table, the relevant bits start at exponent + 62.
  llvm::Value *bits = b.CreateBitCast(function->getArg(0), i32);
  llvm::Value *biased = b.CreateAnd(b.CreateLShr(bits, 23), 0xff);
  llvm::Value *mantissa = b.CreateZExt(b.CreateOr(b.CreateAnd(bits, 0x7fffff), 0x800000), i64);
  llvm::Value *position = b.CreateAdd(biased, llvm::ConstantInt::getSigned(i32, 62 - 150));
  llvm::Value *word = b.CreateLShr(position, 6);
  llvm::Value *shift = b.CreateZExt(b.CreateAnd(position, 63), i64);
  auto load_word = [&](unsigned i) {
    return b.CreateLoad(i64, b.CreateInBoundsGEP(i64, table, b.CreateAdd(word, b.getInt32(i))));
  };
  auto window = [&](unsigned i) {
    return b.CreateIntrinsic(llvm::Intrinsic::fshl, {i64}, {load_word(i), load_word(i + 1), shift});
  };
  llvm::Value *lower = b.CreateMul(b.CreateZExt(mantissa, i128), b.CreateZExt(window(1), i128));
  llvm::Value *product = b.CreateAdd(b.CreateMul(window(0), mantissa), b.CreateTrunc(b.CreateLShr(lower, 64), i64));
  // The first two bits are the quadrant, the rest is the fraction, moved to [-1/2, 1/2).
  llvm::Value *fraction = b.CreateShl(product, 2);
  llvm::Value *is_upper_half = b.CreateZExt(b.CreateICmpSLT(fraction, b.getInt64(0)), i32);
  llvm::Value *quadrant = b.CreateAdd(b.CreateTrunc(b.CreateLShr(product, 62), i32), is_upper_half);
  // Splits the fraction into two f32. Without its last bit, the fraction can be rounded away from zero and still fit
  // into an i64.
  llvm::Value *digits = b.CreateAShr(fraction, 1);
  llvm::Value *rounded = b.CreateSIToFP(digits, f32);
  const Expression high = Expression(b, rounded) * 0x1p-63;
  const Expression low = high.with(b.CreateSIToFP(b.CreateSub(digits, b.CreateFPToSI(rounded, i64)), f32)) * 0x1p-63;
  const Expression angle = high * half_pi_parts_of_f32[0];
  const Expression lost = fma(high, half_pi_parts_of_f32[0], -angle);
  const Expression angle_low = fma(low, half_pi_parts_of_f32[0], fma(high, half_pi_parts_of_f32[1], lost));
  llvm::Value *is_negative = b.CreateICmpSLT(bits, b.getInt32(0));
  llvm::Value *result = llvm::PoisonValue::get(result_type);
  result = b.CreateInsertValue(result, b.CreateSelect(is_negative, (-angle).value(), angle.value()), 0);
  result = b.CreateInsertValue(result, b.CreateSelect(is_negative, (-angle_low).value(), angle_low.value()), 1);
  b.CreateRet(b.CreateInsertValue(result, b.CreateSelect(is_negative, b.CreateNeg(quadrant), quadrant), 2));
  return function;
}

// Replaces the lanes of `moderate` in which x is huge: a branch around a chain of calls, one per lane.
Reduced with_huge_lanes(const Expression &x, double limit, const Reduced &moderate,
                        llvm::Function *(*function_in)(llvm::Module &)) {
  llvm::IRBuilderBase &b = x.builder();
  Expression is_huge = (abs(x) >= limit) & (abs(x) < infinity);
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(x.type());
  llvm::Value *any = vector ? b.CreateOrReduce(is_huge.value()) : is_huge.value();
  llvm::BasicBlock *before = b.GetInsertBlock();
  llvm::Function *function = before->getParent();
  llvm::BasicBlock *after = split_at_insertion_point(b, "moderate");
  llvm::BasicBlock *huge = llvm::BasicBlock::Create(b.getContext(), "huge", function, after);
  b.CreateCondBr(any, huge, after);

  b.SetInsertPoint(huge);
  llvm::Function *reduce = function_in(*function->getParent());
  llvm::Value *parts[] = {moderate.high.value(), moderate.low.value(), moderate.quadrant.value()};
  // Lanes that are not huge also call the function, with a substitute argument; their results are discarded.
  Expression safe = select(is_huge, x, 0x1p60);
  for (unsigned lane = 0; lane < (vector ? vector->getNumElements() : 1); ++lane) {
    llvm::Value *element = vector ? b.CreateExtractElement(safe.value(), lane) : safe.value();
    llvm::Value *condition = vector ? b.CreateExtractElement(is_huge.value(), lane) : is_huge.value();
    llvm::Value *reduced = b.CreateCall(reduce, {element});
    for (unsigned i = 0; i < 3; ++i) {
      llvm::Value *old = vector ? b.CreateExtractElement(parts[i], lane) : parts[i];
      llvm::Value *chosen = b.CreateSelect(condition, b.CreateExtractValue(reduced, i), old);
      parts[i] = vector ? b.CreateInsertElement(parts[i], chosen, lane) : chosen;
    }
  }
  b.CreateBr(after);

  b.SetInsertPoint(after, after->begin());
  llvm::Value *originals[] = {moderate.high.value(), moderate.low.value(), moderate.quadrant.value()};
  for (unsigned i = 0; i < 3; ++i) {
    llvm::PHINode *phi = b.CreatePHI(parts[i]->getType(), 2);
    phi->addIncoming(originals[i], before);
    phi->addIncoming(parts[i], huge);
    parts[i] = phi;
  }
  return {x.with(parts[0]), x.with(parts[1]), x.with(parts[2])};
}

DoubleDouble sin_of(const Reduced &r, std::span<const double> coefficients) {
  Expression z = r.high * r.high;
  Expression series = r.high * z * polynomial(z, coefficients);
  return sum_of(r.high, series + fma(z * r.low, -0.5, r.low));
}

DoubleDouble cos_of(const Reduced &r, std::span<const double> coefficients) {
  Expression z = r.high * r.high;
  auto [leading, lost] = sum_of(z.constant(1), z * -0.5);
  return sum_of(leading, lost + (z * z * polynomial(z, coefficients) - r.high * r.low));
}

// The same in f32. A quotient of sine and cosine has an error below half a unit only if the low part of the square is
// used, too.
DoubleDouble sin_of_single(const Reduced &r) {
  auto [z, z_low] = exact_product(r.high, r.high);
  Expression slope = polynomial(z, sin_for_f32_coefficients);
  Expression factor = fma(z, slope, z_low * slope);
  return sum_of(r.high, fma(r.high, factor, fma(z * r.low, -0.5, r.low)));
}

DoubleDouble cos_of_single(const Reduced &r) {
  auto [z, z_low] = exact_product(r.high, r.high);
  auto [leading, lost] = sum_of(z.constant(1), z * -0.5);
  Expression linear = fma(z * r.low, 1.0 / 6, -r.low);  // -sin(high) * low / high
  Expression tail = fma(z * z, polynomial(z, cos_for_f32_coefficients), fma(r.high, linear, z_low * -0.5));
  return sum_of(leading, lost + tail);
}

// Type of an argument: an f64; an f32 held in f64, with the precision that f32 needs; an f32; or an f16 or bf16 held in
// f32.
enum class Argument : std::uint8_t { Double, SingleInDouble, Single, Narrow };
struct SineAndCosine {
  DoubleDouble sine;
  DoubleDouble cosine;
  Expression quadrant;
};
SineAndCosine sine_and_cosine(const Expression &x, Argument argument) {
  if (argument == Argument::Single || argument == Argument::Narrow) {
    const Reduced moderate = argument == Argument::Single ? reduce_moderate_single(x) : reduce_moderate_narrow(x);
    Reduced reduced = with_huge_lanes(x, 0x1p17, moderate, huge_single_reduction_function);
    return {sin_of_single(reduced), cos_of_single(reduced), reduced.quadrant};
  }
  if (argument == Argument::SingleInDouble) {
    Expression multiple = round_even(x * (1 / half_pi));
    Expression rest = fma(multiple, -half_pi_low, fma(multiple, -half_pi, x));
    Reduced reduced =
        with_huge_lanes(x, 0x1p28, {rest, x.constant(0), whole_to_low_bits(multiple)}, huge_reduction_function);
    return {sin_of(reduced, sin_for_f32_coefficients), cos_of(reduced, cos_for_f32_coefficients), reduced.quadrant};
  }
  Reduced reduced = with_huge_lanes(x, 0x1p20, reduce_moderate(x), huge_reduction_function);
  return {sin_of(reduced, sin_coefficients), cos_of(reduced, cos_coefficients), reduced.quadrant};
}

Expression has_bit(const Expression &integer, double bit) {
  return (integer & integer.constant(bit)) != 0;
}

// Returns sin(x + turn * pi/2).
Expression turned_sine(const Expression &x, double turn, Argument argument) {
  auto [sine, cosine, quadrant] = sine_and_cosine(x, argument);
  Expression turned = quadrant + turn;
  Expression value = select(has_bit(turned, 1), cosine.high, sine.high);
  return select(has_bit(turned, 2), -value, value);
}

// Returns the quotient of sine and cosine, corrected by the rounding errors of both.
Expression tangent(const Expression &x, Argument argument) {
  auto [sine, cosine, quadrant] = sine_and_cosine(x, argument);
  Expression is_odd = has_bit(quadrant, 1);
  Expression dividend = select(is_odd, -cosine.high, sine.high);
  Expression divisor = select(is_odd, sine.high, cosine.high);
  Expression quotient = dividend / divisor;
  Expression dividend_lost = select(is_odd, -cosine.low, sine.low);
  Expression divisor_lost = select(is_odd, sine.low, cosine.low);
  Expression residual = fma(-quotient, divisor, dividend) + fma(-quotient, divisor_lost, dividend_lost);
  return quotient + residual / divisor;
}

// From 1/2 on, asin(a) = pi/2 - 2 asin(y) and acos(a) = 2 asin(y) with y = sqrt((1 - a) / 2).
struct ArcSine {
  Expression is_large;
  Expression root;   // y, or a where a < 1/2
  Expression extra;  // asin(root) - root, plus the rounding error of the square root
};
ArcSine arc_sine(const Expression &magnitude) {
  Expression is_large = magnitude >= 0.5;
  Expression half_complement = (-magnitude + 1) * 0.5;
  Expression z = select(is_large, half_complement, magnitude * magnitude);
  Expression root = select(is_large, sqrt(half_complement), magnitude);
  Expression lost = select(is_large & (root > 0), fma(-root, root, z) / (root * 2), 0);
  return {is_large, root, fma(root * z, polynomial(z, asin_coefficients), lost)};
}

// Returns (high + low) - (x + extra), with high >= |x|.
Expression difference(double high, double low, const Expression &x, const Expression &extra) {
  Expression difference = -x + high;
  Expression lost = (-difference + high) - x;
  return difference + (lost - (extra - low));
}

Expression asin_f64(const Expression &x) {
  auto [is_large, root, extra] = arc_sine(abs(x));
  Expression large = difference(half_pi, half_pi_low, root * 2, extra * 2);
  return copy_sign(select(is_large, large, root + extra), x);
}

Expression acos_f64(const Expression &x) {
  auto [is_large, root, extra] = arc_sine(abs(x));
  Expression near_one = (root + extra) * 2;
  Expression near_minus_one = difference(2 * half_pi, 2 * half_pi_low, root * 2, extra * 2);
  Expression middle = difference(half_pi, half_pi_low, x, copy_sign(extra, x));
  return select(is_large, select(x < 0, near_minus_one, near_one), middle);
}

// The angle of the point (x, y), neither of them negative, as high + low: from the quotient of the smaller and the
// larger coordinate, rotated by pi/4 from tan(pi/8) on.
struct Angle {
  Expression high;
  Expression low;
};
Angle angle_of(const Expression &y, const Expression &x) {
  Expression is_steep = y > x;
  Expression smaller = select(is_steep, x, y);
  Expression larger = select(is_steep, y, x);
  Expression is_turned = smaller > larger * 0.41421356237309503;
  Expression quotient = select(is_turned, smaller - larger, smaller) / select(is_turned, smaller + larger, larger);
  Expression z = quotient * quotient;
  Expression series = quotient * z * polynomial(z, atan_coefficients);
  Expression base = select(is_turned, x.constant(half_pi / 2), 0);
  Expression base_low = select(is_turned, x.constant(half_pi_low / 2), 0);
  Expression sum = base + quotient;
  Expression sum_low = select(is_turned, quotient - (sum - base), 0) + (series + base_low);
  Expression steep = -sum + half_pi;
  Expression steep_low = ((-steep + half_pi) - sum) + (-sum_low + half_pi_low);
  return {select(is_steep, steep, sum), select(is_steep, steep_low, sum_low)};
}

Expression atan_f64(const Expression &x) {
  Expression magnitude = abs(x);
  auto [high, low] = angle_of(magnitude, x.constant(1));
  Expression result = select(magnitude == infinity, half_pi, high + low);
  return copy_sign(select(is_nan(x), x, result), x);
}

Expression atan2_f64(const Expression &y, const Expression &x) {
  Expression height = abs(y);
  Expression width = abs(x);
  Expression both_infinite = (height == infinity) & (width == infinity);
  Expression both_zero = (height == 0) & (width == 0);
  height = select(both_infinite, 1, height);
  width = select(both_infinite | both_zero, 1, width);
  // Prevents overflow of sums and loss of bits of quotients with subnormal operands.
  Expression is_big = (height > 0x1p1000) | (width > 0x1p1000);
  Expression is_small = (height < 0x1p-900) & (width < 0x1p-900);
  Expression scale = select(is_big, x.constant(0x1p-100), select(is_small, x.constant(0x1p110), 1));
  Expression scaled_height = height * scale;
  Expression scaled_width = width * scale;
  auto [high, low] = angle_of(scaled_height, scaled_width);
  Expression is_left = x.bits() < 0;
  Expression right = high + low;
  Expression left = difference(2 * half_pi, 2 * half_pi_low, high, low);
  Expression result = select(is_left, left, right);
  Expression vertical = (height == infinity) & (width < infinity);
  result = select(vertical, half_pi, result);
  Expression horizontal = (width == infinity) & (height < infinity);
  result = select(horizontal, select(is_left, x.constant(2 * half_pi), 0), result);
  return select(is_nan(x) | is_nan(y), quiet_nan, copy_sign(result, y));
}

llvm::Value *emit_turned_sine(llvm::IRBuilderBase &builder, llvm::Value *value, double turn) {
  Expression x(builder, value);
  if (x.is_f64()) {
    return turned_sine(x, turn, Argument::Double).value();
  }
  return avoids_f64(builder) ? turned_sine(x, turn, Argument::Single).value()
                             : turned_sine(x.to_f64(), turn, Argument::SingleInDouble).to_f32().value();
}

}  // namespace

// The argument reduction loses the sign of a zero.
llvm::Value *emit_sin(llvm::IRBuilderBase &builder, llvm::Value *value) {
  Expression x(builder, value);
  return select(x == 0, x, x.with(emit_turned_sine(builder, value, 0))).value();
}

llvm::Value *emit_cos(llvm::IRBuilderBase &builder, llvm::Value *value) {
  return emit_turned_sine(builder, value, 1);
}

llvm::Value *emit_tan(llvm::IRBuilderBase &builder, llvm::Value *value) {
  Expression x(builder, value);
  const auto result = [&] {
    if (x.is_f64()) {
      return tangent(x, Argument::Double);
    }
    return avoids_f64(builder) ? tangent(x, Argument::Single) : tangent(x.to_f64(), Argument::SingleInDouble).to_f32();
  };
  return select(x == 0, x, result()).value();
}

llvm::Value *emit_narrow_sin(llvm::IRBuilderBase &builder, llvm::Value *value) {
  Expression x(builder, value);
  return select(x == 0, x, turned_sine(x, 0, Argument::Narrow)).value();
}

llvm::Value *emit_narrow_cos(llvm::IRBuilderBase &builder, llvm::Value *value) {
  return turned_sine({builder, value}, 1, Argument::Narrow).value();
}

llvm::Value *emit_narrow_tan(llvm::IRBuilderBase &builder, llvm::Value *value) {
  Expression x(builder, value);
  return select(x == 0, x, tangent(x, Argument::Narrow)).value();
}

llvm::Value *emit_asin(llvm::IRBuilderBase &builder, llvm::Value *value) {
  return of_both(builder, value, asin_f64, single::asin);
}

llvm::Value *emit_acos(llvm::IRBuilderBase &builder, llvm::Value *value) {
  return of_both(builder, value, acos_f64, single::acos);
}

llvm::Value *emit_atan(llvm::IRBuilderBase &builder, llvm::Value *value) {
  return of_both(builder, value, atan_f64, single::atan);
}

llvm::Value *emit_atan2(llvm::IRBuilderBase &builder, llvm::Value *y_value, llvm::Value *x_value) {
  return of_both(builder, y_value, x_value, atan2_f64, single::atan2);
}

}  // namespace bp::emit
