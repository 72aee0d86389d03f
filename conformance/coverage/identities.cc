#include "conformance/coverage/identities.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <map>
#include <utility>

namespace bp::coverage {
namespace {

using ir::ElementType;

constexpr std::string_view floats = "f32 bf16 f16 f64", wide_floats = "f32 bf16 f64", halves = "bf16 f16",
                           integers = "s32 s8 u8", signed_integers = "s32 s8", bytes = "s8 u8",
                           numbers = "f32 bf16 f16 f64 s32 s8 u8";

// In an expression, `op.WORD(a, b)` has the element type or the direction WORD, `$` is the element type, and `width` is
// the number of its bits. A number is of the element type unless it says another; equal subexpressions are one
// instruction.
constexpr Identity identity_table[] = {
    // --- Functions and their inverses ---
    {"log-of-exponential", floats, "log(exponential(x))"},
    {"log-of-large-exponential", floats, "log(exponential(multiply(x, 200)))"},
    {"exponential-of-log", floats, "exponential(log(x))"},
    {"exponential-of-double-log", floats, "exponential(multiply(log(x), 2))"},
    {"product-of-exponentials", floats, "multiply(exponential(x), exponential(y))"},
    {"exponential-of-sum", floats, "exponential(add(x, y))"},
    {"quotient-of-exponentials", floats, "divide(exponential(x), exponential(y))"},
    {"reciprocal-exponential", floats, "divide(1, exponential(x))"},
    {"log-of-product", floats, "log(multiply(x, y))"},
    {"sum-of-logs", floats, "add(log(x), log(y))"},
    {"log-of-quotient", floats, "log(divide(x, y))"},
    {"log-of-power", floats, "log(power(x, 2))"},
    {"exponential-minus-one", floats, "subtract(exponential(x), 1)"},
    {"log-of-one-plus", floats, "log(add(x, 1))"},
    {"logistic-by-exponential", floats, "divide(1, add(exponential(negate(x)), 1))"},
    {"one-minus-logistic", floats, "subtract(1, logistic(x))"},
    {"logistic-of-negative", floats, "logistic(negate(x))"},
    {"softplus", floats, "log(add(exponential(x), 1))"},
    {"tanh-by-exponentials", floats,
     "divide(subtract(exponential(x), exponential(negate(x))), add(exponential(x), exponential(negate(x))))"},
    {"negated-tanh-of-negative", floats, "negate(tanh(negate(x)))"},
    {"sine-of-negative", floats, "sine(negate(x))"},
    {"cosine-of-negative", floats, "cosine(negate(x))"},
    {"squares-of-sine-and-cosine", floats, "add(multiply(sine(x), sine(x)), multiply(cosine(x), cosine(x)))"},
    {"atan2-of-quotient", floats, "atan2(divide(x, y), 1)"},
    // --- Roots and powers ---
    {"root-of-square", floats, "sqrt(multiply(x, x))"},
    {"root-of-large-square", wide_floats, "sqrt(multiply(multiply(x, 1e19), multiply(x, 1e19)))"},
    {"root-of-small-square", wide_floats, "sqrt(multiply(multiply(x, 1e-21), multiply(x, 1e-21)))"},
    {"square-of-root", floats, "multiply(sqrt(x), sqrt(x))"},
    {"product-of-roots", floats, "multiply(sqrt(x), sqrt(y))"},
    {"root-of-product", floats, "sqrt(multiply(x, y))"},
    {"root-of-quotient", floats, "sqrt(divide(x, y))"},
    {"reciprocal-of-root", floats, "divide(1, sqrt(x))"},
    {"root-of-reciprocal", floats, "sqrt(divide(1, x))"},
    {"quotient-by-root", floats, "divide(x, sqrt(x))"},
    {"square-of-reciprocal-root", floats, "multiply(rsqrt(x), rsqrt(x))"},
    {"product-with-reciprocal-root", floats, "multiply(x, rsqrt(x))"},
    {"cube-root-of-cube", floats, "cbrt(multiply(multiply(x, x), x))"},
    {"power-of-two", floats, "power(x, 2)"},
    {"power-of-three", floats, "power(x, 3)"},
    {"power-of-one-half", floats, "power(x, 0.5)"},
    {"power-of-minus-one-half", floats, "power(x, -0.5)"},
    {"power-of-minus-one", floats, "power(x, -1)"},
    {"power-of-zero", floats, "multiply(power(x, 0), y)"},
    {"power-of-one", floats, "power(x, 1)"},
    {"powers-of-one", floats, "multiply(power(1, x), y)"},
    {"powers-of-two", floats, "power(2, x)"},
    {"power-of-power", floats, "power(power(x, 2), 0.5)"},
    {"power-by-log", floats, "exponential(multiply(y, log(x)))"},
    // --- Sums and differences ---
    {"sum-minus-first", numbers, "subtract(add(x, y), x)"},
    {"sum-minus-second", numbers, "subtract(add(x, y), y)"},
    {"difference-plus-second", numbers, "add(subtract(x, y), y)"},
    {"first-minus-difference", numbers, "subtract(x, subtract(x, y))"},
    {"difference-minus-first", numbers, "subtract(subtract(x, y), x)"},
    {"rest-of-sum", floats, "subtract(y, subtract(add(x, y), x))"},
    {"sum-of-three-from-left", numbers, "add(add(x, y), z)"},
    {"sum-of-three-from-right", numbers, "add(x, add(y, z))"},
    {"sum-of-four", numbers, "add(add(add(x, y), z), x)"},
    {"product-plus-two", numbers, "add(add(multiply(x, y), z), x)"},
    {"sum-with-constant-twice", wide_floats, "add(add(multiply(x, 1e9), y), 1e9)"},
    {"sum-with-opposite-constants", wide_floats, "add(add(x, 1e9), -1e9)"},
    {"square-with-opposite-constants", wide_floats, "multiply(add(add(multiply(x, x), 1e9), -1e9), x)"},
    {"sum-with-small-constants", floats, "add(add(x, 0.1), 0.2)"},
    {"sum-with-opposites", floats, "add(add(x, multiply(y, 1000)), negate(multiply(y, 1000)))"},
    {"sum-with-zero", numbers, "add(x, 0)"},
    {"sum-with-minus-zero", floats, "add(x, -0)"},
    {"difference-from-zero", numbers, "subtract(0, x)"},
    {"difference-from-minus-zero", floats, "subtract(-0, x)"},
    {"difference-to-zero", numbers, "subtract(x, 0)"},
    {"difference-with-itself", numbers, "add(subtract(x, x), y)"},
    {"difference-of-products", floats, "subtract(multiply(x, y), multiply(y, x)); multiply(x, y)"},
    {"negated-difference", numbers, "negate(subtract(x, y))"},
    {"reciprocal-of-negated-difference", floats, "divide(1, negate(subtract(x, y)))"},
    {"negated-sum", numbers, "negate(add(x, y))"},
    {"sum-with-negative", numbers, "add(x, negate(y))"},
    {"difference-with-negative", numbers, "subtract(x, negate(y))"},
    {"twice-negated", numbers, "negate(negate(x))"},
    {"three-times-by-sums", numbers, "add(add(x, x), x)"},
    {"mean-of-two", floats, "multiply(add(x, y), 0.5)"},
    // --- Products and quotients ---
    {"product-with-zero", floats, "multiply(x, 0)"},
    {"product-with-minus-zero", floats, "multiply(x, -0)"},
    {"sum-with-product-with-zero", numbers, "add(multiply(x, 0), y)"},
    {"root-with-zero", floats, "add(multiply(sqrt(x), 0), x)"},
    {"product-with-one", numbers, "multiply(x, 1)"},
    {"product-with-minus-one", floats, "multiply(x, -1)"},
    {"product-of-three-from-left", numbers, "multiply(multiply(x, y), z)"},
    {"product-with-inverse-constants", wide_floats, "multiply(multiply(x, 1e30), 1e-30)"},
    {"product-with-large-constants", floats, "multiply(multiply(x, 300), 300)"},
    {"product-plus", numbers, "add(multiply(x, y), z)"},
    {"product-minus", numbers, "subtract(multiply(x, y), z)"},
    {"minus-product", numbers, "subtract(z, multiply(x, y))"},
    {"sum-of-two-products", numbers, "add(multiply(x, y), multiply(z, x))"},
    {"product-minus-rounded-product", floats, "subtract(multiply(x, y), multiply(multiply(x, 1), y)); multiply(x, y)"},
    {"product-with-sum", numbers, "multiply(x, add(y, z))"},
    {"difference-of-squares", numbers, "subtract(multiply(x, x), multiply(y, y))"},
    {"product-of-sum-and-difference", numbers, "multiply(add(x, y), subtract(x, y))"},
    {"twice-and-half", floats, "multiply(multiply(x, 2), 0.5)"},
    {"three-times-and-third", floats, "divide(multiply(x, 3), 3)"},
    {"quotient-by-three", numbers, "divide(x, 3)"},
    {"quotient-by-ten", numbers, "divide(x, 10)"},
    {"quotient-by-two", numbers, "divide(x, 2)"},
    {"quotient-by-zero", floats, "select(compare.GT(divide(x, 0), 0), x, y)"},
    {"quotient-by-large", wide_floats, "divide(x, 3e38)"},
    {"quotient-with-itself", floats, "multiply(divide(x, x), y)"},
    {"quotient-of-zero", floats, "divide(0, x)"},
    {"reciprocal-of-reciprocal", floats, "divide(1, divide(1, x))"},
    {"product-with-reciprocal", floats, "multiply(x, divide(1, y))"},
    {"product-over-factor", floats, "divide(multiply(x, y), y)"},
    {"quotient-times-divisor", floats, "multiply(divide(x, y), y)"},
    {"quotient-of-quotient", floats, "divide(divide(x, y), z)"},
    {"quotient-by-quotient", floats, "divide(x, divide(y, z))"},
    {"sum-of-quotients", floats, "add(divide(x, z), divide(y, z))"},
    {"remainder-by-floor", floats, "subtract(x, multiply(floor(divide(x, y)), y))"},
    {"remainder-plus-divisor", floats, "remainder(add(remainder(x, y), y), y)"},
    // --- Signs and rounding ---
    {"absolute-value-of-negative", "f32 bf16 f16 f64 s32 s8", "abs(negate(x))"},
    {"absolute-value-of-product", "f32 bf16 f16 f64 s32 s8", "abs(multiply(x, y))"},
    {"absolute-value-of-square", "f32 bf16 f16 f64 s32 s8", "abs(multiply(x, x))"},
    {"negated-absolute-value", "f32 bf16 f16 f64 s32 s8", "negate(abs(x))"},
    {"sign-times-absolute-value", "f32 bf16 f16 f64 s32 s8", "multiply(sign(x), abs(x))"},
    {"sign-times-value", "f32 bf16 f16 f64 s32 s8", "multiply(sign(x), x)"},
    {"negated-floor-of-negative", floats, "negate(floor(negate(x)))"},
    {"value-minus-floor", floats, "subtract(x, floor(x))"},
    {"floor-of-sum-with-half", floats, "floor(add(x, 0.5))"},
    {"round-of-negative", floats, "round-nearest-afz(negate(x))"},
    {"rounded-by-large-constant", "f32", "subtract(add(x, 8388608), 8388608)"},
    // --- Maxima and minima ---
    {"maximum-both-ways", numbers, "maximum(x, y); maximum(y, x)"},
    {"minimum-both-ways", numbers, "minimum(x, y); minimum(y, x)"},
    {"minimum-of-maximum-and-operand", numbers, "minimum(maximum(x, y), y)"},
    {"maximum-of-minimum-and-operand", numbers, "maximum(x, minimum(x, y))"},
    {"clamp-from-below", numbers, "minimum(maximum(x, 3), 100)"},
    {"clamp-from-above", numbers, "maximum(minimum(x, 100), 3)"},
    {"clamp", numbers, "clamp(3, x, 100)"},
    {"clamp-with-crossed-limits", numbers, "minimum(maximum(x, 5), 1); maximum(minimum(x, 1), 5); clamp(5, x, 1)"},
    {"clamp-by-operands", numbers, "maximum(minimum(x, y), z)"},
    {"maximum-with-zero", numbers, "maximum(x, 0)"},
    {"maximum-with-negative", signed_integers, "maximum(x, negate(x))"},
    {"maximum-of-negatives", "f32 bf16 f16 f64 s32 s8", "negate(maximum(negate(x), negate(y)))"},
    {"maximum-by-select", numbers, "select(compare.GT(x, y), x, y); select(compare.GE(x, y), x, y)"},
    {"minimum-by-select", numbers, "select(compare.LT(x, y), x, y); select(compare.LE(x, y), x, y)"},
    {"maximum-by-swapped-select", numbers, "select(compare.GT(x, y), y, x); select(compare.LE(x, y), y, x)"},
    {"absolute-value-by-select", numbers, "select(compare.LT(x, 0), negate(x), x)"},
    {"absolute-value-by-select-ge", numbers, "select(compare.GE(x, 0), x, negate(x))"},
    // --- Comparisons and selects ---
    {"not-equal-to-itself", numbers, "select(compare.NE(x, x), y, x); select(compare.EQ(x, x), y, x)"},
    {"root-not-equal-to-itself", floats, "select(compare.NE(sqrt(x), sqrt(x)), y, x)"},
    {"not-less", numbers, "not(compare.LT(x, y)); not(compare.GE(x, y))"},
    {"not-equal", numbers, "not(compare.EQ(x, y)); not(compare.NE(x, y))"},
    {"less-or-greater", numbers, "select(or(compare.LT(x, y), compare.GT(x, y)), x, z)"},
    {"less-or-not-less", numbers, "select(or(compare.LT(x, y), compare.GE(x, y)), x, z)"},
    {"not-both", numbers, "select(not(and(compare.LE(x, y), compare.GE(x, y))), x, z)"},
    {"exclusive-comparisons", numbers, "select(xor(compare.LT(x, y), compare.GE(x, y)), x, z)"},
    {"sign-of-difference", numbers, "compare.LT(subtract(x, y), 0); compare.GT(subtract(x, y), 0)"},
    {"difference-is-zero", numbers, "select(compare.EQ(subtract(x, y), 0), x, z)"},
    {"more-than-itself", numbers,
     "select(compare.GT(add(x, 1), x), x, y); select(compare.LT(subtract(x, 1), x), x, y)"},
    {"more-than-summand", numbers, "select(compare.GT(add(x, y), x), x, y)"},
    {"negatives-compared", numbers, "compare.LT(negate(x), negate(y))"},
    {"products-compared", numbers, "compare.LT(multiply(x, 2), multiply(y, 2))"},
    {"square-is-not-negative", numbers, "select(compare.GE(multiply(x, x), 0), x, y)"},
    {"absolute-value-is-not-negative", "f32 bf16 f16 f64 s32 s8", "select(compare.GE(abs(x), 0), x, y)"},
    {"quotient-compared", numbers,
     "select(compare.EQ(divide(x, 3), 1), x, y); select(compare.LT(divide(x, 3), 1), x, y)"},
    {"unsigned-less-than-zero", numbers, "select(compare.LT(x, 0), x, y); select(compare.GE(x, 0), x, y)"},
    {"select-of-the-same", numbers, "select(compare.LT(x, y), y, y)"},
    {"select-of-equals", numbers, "select(compare.EQ(x, y), x, y); select(compare.NE(x, y), x, y)"},
    {"select-by-not", numbers, "select(not(compare.LT(x, y)), x, y)"},
    {"select-of-zero", numbers, "select(compare.EQ(x, 0), 0, x)"},
    {"select-in-select", numbers, "select(compare.LT(x, y), select(compare.LT(x, y), x, z), y)"},
    {"quotient-if-defined", floats, "select(compare.EQ(y, 0), 0, divide(x, y))"},
    {"log-if-defined", floats, "select(compare.GT(x, 0), log(x), 0)"},
    {"product-with-condition", numbers, "multiply(x, convert.$(compare.LT(x, y)))"},
    {"sum-by-conditions", numbers,
     "add(multiply(x, convert.$(compare.LT(x, y))), multiply(y, convert.$(compare.GE(x, y))))"},
    // --- Conversions there and back ---
    {"to-bf16-and-back", "f32 f16 f64 s32 s8 u8", "convert.$(convert.bf16(x))"},
    {"to-f16-and-back", "f32 bf16 f64 s32 s8 u8", "convert.$(convert.f16(x))"},
    {"to-f32-and-back", "f64 s32 s8 u8 bf16 f16", "convert.$(convert.f32(x))"},
    {"to-f64-and-back", "f32 bf16 f16 s32 s8 u8", "convert.$(convert.f64(x))"},
    {"to-s32-and-back", "f32 bf16 f16 f64 s8 u8", "convert.$(convert.s32(x))"},
    {"to-s16-and-back", "f32 bf16 s32 s8 u8", "convert.$(convert.s16(x))"},
    {"to-s8-and-back", "f32 bf16 f16 s32 u8", "convert.$(convert.s8(x))"},
    {"to-u8-and-back", "f32 bf16 f16 s32 s8", "convert.$(convert.u8(x))"},
    {"to-u32-and-back", "f32 s32 s8 u8", "convert.$(convert.u32(x))"},
    {"to-s64-and-back", "f32 s32 s8 u8", "convert.$(convert.s64(x))"},
    {"to-pred-and-back", numbers, "multiply(convert.$(convert.pred(x)), y)"},
    {"negated-after-bf16", "f32", "negate(convert.f32(convert.bf16(x)))"},
    {"negated-after-f16", "f32", "negate(convert.f32(convert.f16(x)))"},
    {"lost-by-bf16", "f32", "subtract(x, convert.f32(convert.bf16(x)))"},
    {"product-through-bf16", "f32", "multiply(convert.f32(convert.bf16(multiply(x, y))), z)"},
    {"twice-rounded", "f32 f64", "convert.$(convert.bf16(convert.f16(x))); convert.$(convert.f16(convert.bf16(x)))"},
    {"sum-in-f32", halves, "convert.$(add(add(convert.f32(x), convert.f32(y)), convert.f32(z)))"},
    {"product-in-f32", halves, "convert.$(add(multiply(convert.f32(x), convert.f32(y)), convert.f32(z)))"},
    {"sum-then-f32", halves, "convert.f32(add(x, y)); convert.f32(multiply(x, y))"},
    {"sum-in-s32", bytes, "convert.$(add(convert.s32(x), convert.s32(y)))"},
    {"quotient-in-s32", bytes, "convert.$(divide(add(convert.s32(x), convert.s32(y)), 2:s32))"},
    {"sum-then-s32", bytes, "convert.s32(add(x, y)); convert.s32(multiply(x, y)); convert.s32(negate(x))"},
    {"product-through-s8", "s32", "convert.s32(convert.s8(multiply(multiply(x, y), 1000)))"},
    {"product-through-u8", "s32", "convert.s32(convert.u8(multiply(multiply(x, y), 1000)))"},
    {"product-through-s16", "s32", "negate(convert.s32(convert.s16(multiply(multiply(x, y), 1000))))"},
    {"sum-of-narrowed", "s32", "add(convert.s8(x), convert.s8(y)); convert.s8(add(x, y))"},
    {"narrowed-compared", "s32", "compare.LT(convert.s8(x), convert.s8(y)); compare.LT(convert.u8(x), convert.u8(y))"},
    {"narrowed-quotient", "s32", "divide(convert.s8(x), 3:s8); convert.s8(divide(x, 3))"},
    {"narrowed-shift", "s32", "shift-right-arithmetic(convert.s8(x), 2:s8); convert.s8(shift-right-arithmetic(x, 2))"},
    {"floor-to-s32", "f32 bf16 f16", "convert.s32(floor(x)); convert.s32(ceil(x)); convert.$(convert.s32(floor(x)))"},
    {"bits-as-s32", "f32", "bitcast-convert.f32(bitcast-convert.s32(x))"},
    {"bits-as-f32", "s32", "bitcast-convert.s32(bitcast-convert.f32(x))"},
    {"sign-bit-flipped", "f32", "bitcast-convert.f32(xor(bitcast-convert.u32(x), 2147483648:u32))"},
    {"sign-bit-cleared", "f32", "bitcast-convert.f32(and(bitcast-convert.u32(x), 2147483647:u32))"},
    {"bits-compared", "f32", "compare.LT(bitcast-convert.s32(x), bitcast-convert.s32(y))"},
    {"signs-as-bytes", bytes, "bitcast-convert.s8(x); bitcast-convert.u8(x)"},
    // --- Integers that wrap ---
    {"doubled-and-halved", integers, "divide(multiply(x, 2), 2)"},
    {"six-times-over-three", integers, "divide(multiply(x, 6), 3)"},
    {"product-over-factor-of-integers", integers, "divide(multiply(x, y), y)"},
    {"quotient-times-divisor-of-integers", integers, "multiply(divide(x, y), y)"},
    {"quotient-and-remainder", integers, "add(multiply(divide(x, y), y), remainder(x, y))"},
    {"quotient-by-three-and-five", integers, "divide(divide(x, 3), 5)"},
    {"quotient-by-large-products", integers, "add(divide(divide(x, 100), 100), y)"},
    {"quotient-by-minus-one", signed_integers, "divide(x, -1)"},
    {"quotient-by-minus-two", signed_integers, "divide(x, -2)"},
    {"quotient-by-eight", integers, "divide(x, 8)"},
    {"quotient-of-the-same-integer", integers, "add(divide(x, x), y)"},
    {"negated-quotient", signed_integers, "negate(divide(x, 3)); divide(negate(x), 3)"},
    {"remainder-by-two", integers, "remainder(x, 2)"},
    {"remainder-by-eight", integers, "remainder(x, 8)"},
    {"remainder-by-minus-eight", signed_integers, "remainder(x, -8)"},
    {"remainder-by-one", integers, "add(remainder(x, 1), y)"},
    {"remainder-by-itself", integers, "add(remainder(x, x), y)"},
    {"remainder-of-remainder", integers, "remainder(remainder(x, 12), 8)"},
    {"remainder-of-sum", integers, "remainder(add(x, y), 7)"},
    {"remainder-is-one", integers, "compare.EQ(remainder(x, 2), 1)"},
    {"remainder-of-product", integers, "add(remainder(multiply(x, 6), 6), y)"},
    {"product-with-constants", integers, "multiply(multiply(x, 100), 100)"},
    {"product-with-eight", integers, "multiply(x, 8)"},
    {"product-with-seven", integers, "subtract(multiply(x, 8), x)"},
    {"absolute-value-of-least", signed_integers, "abs(x); negate(x); abs(abs(x))"},
    {"power-of-integers", integers, "power(x, 2); power(x, 3)"},
    {"power-of-minus-one-of-integers", signed_integers, "power(x, -1); power(-1, x)"},
    {"mean-of-integers", integers, "divide(add(x, y), 2)"},
    // --- Shifts and bits ---
    {"left-and-right", integers, "shift-right-logical(shift-left(x, 3), 3)"},
    {"left-and-right-arithmetic", integers, "shift-right-arithmetic(shift-left(x, 3), 3)"},
    {"right-and-left", integers, "shift-left(shift-right-logical(x, 3), 3)"},
    {"right-arithmetic-and-left", integers, "shift-left(shift-right-arithmetic(x, 3), 3)"},
    {"left-less-than-right", integers, "shift-right-logical(shift-left(x, 2), 5)"},
    {"shifts-by-width", integers,
     "shift-left(x, width); shift-right-logical(x, width); shift-right-arithmetic(x, width)"},
    {"shifts-by-more-than-width", integers,
     "shift-left(x, 100); shift-right-logical(x, 100); shift-right-arithmetic(x, 100)"},
    {"shifted-left-twice", integers, "add(shift-left(shift-left(x, 5), width), y)"},
    {"shifted-left-beyond-width", integers,
     "add(shift-left(shift-left(x, 7), 7), y); add(shift-left(shift-left(x, 31), 1), y)"},
    {"shifted-right-twice", integers, "add(shift-right-logical(shift-right-logical(x, 7), 7), y)"},
    {"shifted-right-arithmetic-twice", integers,
     "shift-right-arithmetic(shift-right-arithmetic(x, 7), 7); shift-right-arithmetic(shift-right-arithmetic(x, 31), "
     "31)"},
    {"shifted-by-operands", integers, "add(shift-left(shift-left(x, y), z), y)"},
    {"shifted-and-back-by-operand", integers, "shift-right-logical(shift-left(x, y), y)"},
    {"shift-of-one", integers, "shift-left(1, x)"},
    {"product-with-shift-of-one", integers, "multiply(x, shift-left(1, y))"},
    {"rotated", "s32", "or(shift-left(x, 5), shift-right-logical(x, 27))"},
    {"rotated-by-operand", integers, "or(shift-left(x, y), shift-right-logical(x, subtract(width, y)))"},
    {"halved-by-shift", integers, "shift-right-arithmetic(x, 1)"},
    {"mean-by-shift", integers, "shift-right-arithmetic(add(x, y), 1); shift-right-logical(add(x, y), 1)"},
    {"mean-by-bits", integers, "add(and(x, y), shift-right-arithmetic(xor(x, y), 1))"},
    {"masked-after-shift", integers, "and(shift-right-arithmetic(x, 4), 15)"},
    {"negative-by-not", integers, "add(not(x), 1); subtract(-1:$, x)"},
    {"sum-by-bits", integers, "add(xor(x, y), multiply(and(x, y), 2))"},
    {"or-of-disjoint", integers, "or(and(x, 12), and(y, 3)); add(and(x, 12), and(y, 3)); add(and(x, 12), and(y, 5))"},
    {"xor-there-and-back", integers, "xor(xor(x, y), y)"},
    {"xor-with-itself", integers, "xor(x, x); and(x, not(x)); or(x, not(x))"},
    {"not-of-and", integers, "not(and(not(x), not(y)))"},
    {"lowest-bit", integers, "and(x, negate(x)); and(x, subtract(x, 1))"},
    {"leading-zeros-of-not", integers, "count-leading-zeros(not(x)); count-leading-zeros(and(x, negate(x)))"},
    {"ones-of-not", integers, "popcnt(not(x)); subtract(width, popcnt(x))"},
    {"sign-by-shift", signed_integers, "xor(x, shift-right-arithmetic(x, 7)); shift-right-arithmetic(x, 31)"},
    // --- Several results ---
    {"sum-shared", numbers, "add(x, y); multiply(add(x, y), x)"},
    {"exponential-shared", floats, "exponential(x); log(exponential(x)); negate(exponential(x))"},
    {"root-shared", floats, "sqrt(x); multiply(sqrt(x), y); divide(1, sqrt(x))"},
    {"conversion-shared", "f32", "convert.bf16(x); convert.f32(convert.bf16(x)); add(convert.f32(convert.bf16(x)), y)"},
    {"comparison-shared", numbers, "compare.LT(x, y); select(compare.LT(x, y), x, y); select(compare.LT(x, y), y, x)"},
    {"swapped", numbers, "y; x; subtract(y, x); subtract(x, y)"},
    // --- Shapes that almost cancel ---
    {"transposed-twice", numbers,
     "x = $[5,7,3] parameter(0)  t = $[7,3,5] transpose(x), dimensions={1,2,0}  "
     "ROOT r = $[3,5,7] transpose(t), dimensions={1,2,0}"},
    {"transposed-back", numbers,
     "x = $[5,7,3] parameter(0)  y = $[5,7,3] parameter(1)  t = $[7,3,5] transpose(x), dimensions={1,2,0}  "
     "u = $[5,7,3] transpose(t), dimensions={2,0,1}  ROOT r = $[5,7,3] subtract(u, y)"},
    {"transposed-as-reshape", numbers,
     "x = $[6,5] parameter(0)  t = $[5,6] transpose(x), dimensions={1,0}  ROOT r = $[6,5] reshape(t)"},
    {"reshaped-between-transposes", numbers,
     "x = $[4,6,5] parameter(0)  t = $[5,6,4] transpose(x), dimensions={2,1,0}  s = $[6,5,4] reshape(t)  "
     "ROOT r = $[4,5,6] transpose(s), dimensions={2,1,0}"},
    {"transposed-with-size-one", numbers,
     "x = $[5,1,7] parameter(0)  ROOT r = $[7,1,5] transpose(x), dimensions={2,1,0}"},
    {"transposed-square", numbers,
     "x = $[9,9] parameter(0)  t = $[9,9] transpose(x), dimensions={1,0}  ROOT r = $[9,9] subtract(x, t)"},
    {"reversed-in-other-dimensions", numbers,
     "x = $[9,9] parameter(0)  a = $[9,9] reverse(x), dimensions={0}  b = $[9,9] reverse(a), dimensions={1}  "
     "ROOT r = ($[9,9], $[9,9]) tuple(b, a)"},
    {"reversed-transposed-reversed", numbers,
     "x = $[9,9] parameter(0)  a = $[9,9] reverse(x), dimensions={0}  t = $[9,9] transpose(a), dimensions={1,0}  "
     "ROOT r = $[9,9] reverse(t), dimensions={0}"},
    {"reversed-concatenation", numbers,
     "x = $[7] parameter(0)  y = $[12] parameter(1)  c = $[19] concatenate(x, y), dimensions={0}  "
     "ROOT r = $[19] reverse(c), dimensions={0}"},
    {"slice-of-pad", numbers,
     "x = $[20] parameter(0)  z = $[] parameter(1)  p = $[27] pad(x, z), padding=3_4  a = $[20] slice(p), "
     "slice={[3:23]}  "
     "b = $[20] slice(p), slice={[4:24]}  c = $[20] slice(p), slice={[0:20]}  "
     "ROOT r = ($[20], $[20], $[20]) tuple(a, b, c)"},
    {"pad-of-slice", numbers,
     "x = $[27] parameter(0)  z = $[] parameter(1)  s = $[20] slice(x), slice={[3:23]}  "
     "ROOT r = $[27] pad(s, z), padding=3_4"},
    {"pad-there-and-back", numbers,
     "x = $[20] parameter(0)  z = $[] parameter(1)  p = $[16] pad(x, z), padding=-2_-2  "
     "ROOT r = $[20] pad(p, z), padding=2_2"},
    {"pads-with-two-values", numbers,
     "x = $[20] parameter(0)  y = $[] parameter(1)  z = $[] parameter(2)  p = $[23] pad(x, y), padding=1_2  "
     "ROOT r = $[27] pad(p, z), padding=3_1"},
    {"pad-between-then-slice", numbers,
     "x = $[20] parameter(0)  z = $[] parameter(1)  p = $[39] pad(x, z), padding=0_0_1  "
     "a = $[20] slice(p), slice={[0:39:2]}  b = $[19] slice(p), slice={[1:39:2]}  "
     "ROOT r = ($[20], $[19]) tuple(a, b)"},
    {"slice-of-slice", numbers,
     "x = $[40] parameter(0)  s = $[13] slice(x), slice={[1:40:3]}  ROOT r = $[5] slice(s), slice={[2:12:2]}"},
    {"slice-of-concatenation", numbers,
     "x = $[11] parameter(0)  y = $[9] parameter(1)  c = $[20] concatenate(x, y), dimensions={0}  "
     "a = $[11] slice(c), slice={[0:11]}  b = $[9] slice(c), slice={[10:19]}  ROOT r = ($[11], $[9]) tuple(a, b)"},
    {"concatenation-of-slices", numbers,
     "x = $[20] parameter(0)  a = $[8] slice(x), slice={[0:8]}  b = $[12] slice(x), slice={[8:20]}  "
     "c = $[12] slice(x), slice={[7:19]}  d = $[20] concatenate(a, b), dimensions={0}  "
     "e = $[20] concatenate(b, a), dimensions={0}  f = $[20] concatenate(a, c), dimensions={0}  "
     "ROOT r = ($[20], $[20], $[20]) tuple(d, e, f)"},
    {"concatenation-of-the-same", numbers,
     "x = $[4,5] parameter(0)  c = $[8,5] concatenate(x, x), dimensions={0}  "
     "d = $[4,10] concatenate(x, x), dimensions={1}  ROOT r = ($[8,5], $[4,10]) tuple(c, d)"},
    {"broadcast-of-square", numbers,
     "x = $[6] parameter(0)  y = $[6,6] parameter(1)  a = $[6,6] broadcast(x), dimensions={0}  "
     "b = $[6,6] broadcast(x), dimensions={1}  s = $[6,6] subtract(a, b)  ROOT r = $[6,6] add(s, y)"},
    {"broadcast-transposed", numbers,
     "x = $[6,6] parameter(0)  b = $[3,6,6] broadcast(x), dimensions={1,2}  "
     "ROOT t = $[6,6,3] transpose(b), dimensions={2,1,0}"},
    {"broadcast-of-reshape", numbers,
     "x = $[6,4] parameter(0)  s = $[24] reshape(x)  b = $[2,24] broadcast(s), dimensions={1}  "
     "ROOT r = $[4,12] reshape(b)"},
    {"update-then-slice", numbers,
     "x = $[20] parameter(0)  y = $[7] parameter(1)  i = s32[] parameter(2)  u = $[20] dynamic-update-slice(x, y, i)  "
     "s = $[7] dynamic-slice(u, i), dynamic_slice_sizes={7}  ROOT r = ($[20], $[7]) tuple(u, s)"},
    {"slice-then-update", numbers,
     "x = $[20] parameter(0)  i = s32[] parameter(1)  s = $[7] dynamic-slice(x, i), dynamic_slice_sizes={7}  "
     "n = $[7] negate(s)  ROOT u = $[20] dynamic-update-slice(x, n, i)"},
    {"gather-in-reverse", numbers,
     "x = $[20] parameter(0)  i = s32[20] iota(), iota_dimension=0  k = s32[] constant(19)  "
     "b = s32[20] broadcast(k), dimensions={}  j = s32[20] subtract(b, i)  "
     "ROOT r = $[20] gather(x, j), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1}"},
    {"select-of-triangle", numbers,
     "x = $[6,6] parameter(0)  i = s32[6,6] iota(), iota_dimension=0  j = s32[6,6] iota(), iota_dimension=1  "
     "c = pred[6,6] compare(i, j), direction=GE  t = $[6,6] transpose(x), dimensions={1,0}  "
     "ROOT r = $[6,6] select(c, x, t)"},
    // --- Reductions ---
    {"sum-of-broadcast", numbers,
     "x = $[6] parameter(0)  z = $[] parameter(1)  b = $[6,5] broadcast(x), dimensions={0}  "
     "s = $[6] reduce(b, z), dimensions={1}, to_apply=sum  t = $[5] reduce(b, z), dimensions={0}, to_apply=sum  "
     "ROOT r = ($[6], $[5]) tuple(s, t)"},
    {"product-of-broadcast", numbers,
     "x = $[6] parameter(0)  z = $[] parameter(1)  b = $[6,3] broadcast(x), dimensions={0}  "
     "ROOT r = $[6] reduce(b, z), dimensions={1}, to_apply=product"},
    {"maximum-of-broadcast", numbers,
     "x = $[6] parameter(0)  z = $[] parameter(1)  b = $[6,5] broadcast(x), dimensions={0}  "
     "ROOT r = $[6] reduce(b, z), dimensions={1}, to_apply=most"},
    {"sum-of-sums", numbers,
     "x = $[6,5,7] parameter(0)  z = $[] parameter(1)  a = $[6,7] reduce(x, z), dimensions={1}, to_apply=sum  "
     "ROOT r = $[7] reduce(a, z), dimensions={0}, to_apply=sum"},
    {"sum-of-maxima", numbers,
     "x = $[6,5,7] parameter(0)  z = $[] parameter(1)  a = $[6,7] reduce(x, z), dimensions={1}, to_apply=most  "
     "ROOT r = $[6] reduce(a, z), dimensions={1}, to_apply=sum"},
    {"maximum-of-sums", numbers,
     "x = $[6,5,7] parameter(0)  z = $[] parameter(1)  a = $[6,7] reduce(x, z), dimensions={1}, to_apply=sum  "
     "ROOT r = $[6] reduce(a, z), dimensions={1}, to_apply=most"},
    {"sums-with-two-starts", numbers,
     "x = $[6,5] parameter(0)  y = $[] parameter(1)  z = $[] parameter(2)  "
     "a = $[6] reduce(x, y), dimensions={1}, to_apply=sum  ROOT r = $[] reduce(a, z), dimensions={0}, to_apply=sum"},
    {"sum-of-transposed", numbers,
     "x = $[6,6] parameter(0)  z = $[] parameter(1)  t = $[6,6] transpose(x), dimensions={1,0}  "
     "a = $[6] reduce(t, z), dimensions={1}, to_apply=sum  b = $[6] reduce(x, z), dimensions={1}, to_apply=sum  "
     "ROOT r = $[6] subtract(a, b)"},
    {"sum-of-pad", numbers,
     "x = $[6,5] parameter(0)  y = $[] parameter(1)  z = $[] parameter(2)  p = $[6,9] pad(x, y), padding=0_0x1_3  "
     "ROOT r = $[6] reduce(p, z), dimensions={1}, to_apply=sum"},
    {"maximum-of-pad", numbers,
     "x = $[6,5] parameter(0)  y = $[] parameter(1)  z = $[] parameter(2)  p = $[6,9] pad(x, y), padding=0_0x1_3  "
     "ROOT r = $[6] reduce(p, z), dimensions={1}, to_apply=most"},
    {"sum-of-concatenation", numbers,
     "x = $[6,5] parameter(0)  y = $[6,3] parameter(1)  z = $[] parameter(2)  "
     "c = $[6,8] concatenate(x, y), dimensions={1}  ROOT r = $[6] reduce(c, z), dimensions={1}, to_apply=sum"},
    {"maximum-of-negated", numbers,
     "x = $[6,5] parameter(0)  z = $[] parameter(1)  n = $[6,5] negate(x)  "
     "m = $[6] reduce(n, z), dimensions={1}, to_apply=most  ROOT r = $[6] negate(m)"},
    {"negated-sum-of-all", numbers,
     "x = $[6,5] parameter(0)  z = $[] parameter(1)  s = $[6] reduce(x, z), dimensions={1}, to_apply=sum  "
     "ROOT r = $[6] negate(s)"},
    {"sum-of-products", numbers,
     "x = $[6,33] parameter(0)  y = $[6,33] parameter(1)  z = $[] parameter(2)  m = $[6,33] multiply(x, y)  "
     "ROOT r = $[6] reduce(m, z), dimensions={1}, to_apply=sum"},
    {"sum-of-converted", halves,
     "x = $[6,33] parameter(0)  z = f32[] parameter(1)  w = f32[6,33] convert(x)  "
     "s = f32[6] reduce(w, z), dimensions={1}, to_apply=wide_sum  ROOT r = $[6] convert(s)"},
    {"converted-sum", bytes,
     "x = $[6,33] parameter(0)  z = $[] parameter(1)  s = $[6] reduce(x, z), dimensions={1}, to_apply=sum  "
     "ROOT r = s32[6] convert(s)"},
    {"sum-of-reversed", numbers,
     "x = $[6,6] parameter(0)  z = $[] parameter(1)  v = $[6,6] reverse(x), dimensions={0}  "
     "ROOT r = $[6] reduce(v, z), dimensions={1}, to_apply=sum"},
    {"mean", floats,
     "x = $[6,7] parameter(0)  z = $[] constant(0)  s = $[6] reduce(x, z), dimensions={1}, to_apply=sum  "
     "k = $[] constant(7)  n = $[6] broadcast(k), dimensions={}  ROOT r = $[6] divide(s, n)"},
    {"variance-by-squares", floats,
     "x = $[6,8] parameter(0)  z = $[] constant(0)  q = $[6,8] multiply(x, x)  k = $[] constant(8)  "
     "n = $[6] broadcast(k), dimensions={}  s = $[6] reduce(x, z), dimensions={1}, to_apply=sum  "
     "t = $[6] reduce(q, z), dimensions={1}, to_apply=sum  m = $[6] divide(s, n)  u = $[6] divide(t, n)  "
     "v = $[6] multiply(m, m)  ROOT r = $[6] subtract(u, v)"},
    {"variance-by-differences", floats,
     "x = $[6,8] parameter(0)  z = $[] constant(0)  k = $[] constant(8)  n = $[6] broadcast(k), dimensions={}  "
     "s = $[6] reduce(x, z), dimensions={1}, to_apply=sum  m = $[6] divide(s, n)  "
     "b = $[6,8] broadcast(m), dimensions={0}  d = $[6,8] subtract(x, b)  q = $[6,8] multiply(d, d)  "
     "t = $[6] reduce(q, z), dimensions={1}, to_apply=sum  ROOT r = $[6] divide(t, n)"},
    {"softmax-without-maximum", floats,
     "x = $[6,7] parameter(0)  z = $[] constant(0)  e = $[6,7] exponential(x)  "
     "s = $[6] reduce(e, z), dimensions={1}, to_apply=sum  b = $[6,7] broadcast(s), dimensions={0}  "
     "ROOT r = $[6,7] divide(e, b)"},
    {"softmax-with-maximum", floats,
     "x = $[6,7] parameter(0)  z = $[] constant(0)  l = $[] constant(-inf)  "
     "m = $[6] reduce(x, l), dimensions={1}, to_apply=most  c = $[6,7] broadcast(m), dimensions={0}  "
     "d = $[6,7] subtract(x, c)  e = $[6,7] exponential(d)  s = $[6] reduce(e, z), dimensions={1}, to_apply=sum  "
     "b = $[6,7] broadcast(s), dimensions={0}  ROOT r = $[6,7] divide(e, b)"},
    // --- Moved elements that become wider: packed ones may begin within a byte ---
    {"converted-slice", "s4 u4 s2",
     "x = $[33,41] parameter(0)  a = $[33,33] slice(x), slice={[0:33], [3:36]}  b = $[30,41] slice(x), "
     "slice={[3:33], [0:41]}  c = s32[33,33] convert(a)  d = s32[30,41] convert(b)  "
     "ROOT r = (s32[33,33], s32[30,41]) tuple(c, d)"},
    {"converted-pad-and-concatenation", "s4 u4 s2",
     "x = $[7,41] parameter(0)  z = $[] parameter(1)  a = $[7,46] pad(x, z), padding=0_0x3_2  "
     "b = $[7,82] concatenate(x, x), dimensions={1}  c = s32[7,46] convert(a)  d = s32[7,82] convert(b)  "
     "ROOT r = (s32[7,46], s32[7,82]) tuple(c, d)"},
    {"converted-reverse-and-transpose", "s4 u4 s2",
     "x = $[9,41] parameter(0)  a = $[9,41] reverse(x), dimensions={1}  b = $[41,9] transpose(x), dimensions={1,0}  "
     "c = s32[9,41] convert(a)  d = s32[41,9] convert(b)  ROOT r = (s32[9,41], s32[41,9]) tuple(c, d)"},
    {"converted-dynamic-slice", "s4 u4 s2",
     "x = $[9,41] parameter(0)  i = s32[] parameter(1)  z = s32[] constant(1)  "
     "a = $[7,33] dynamic-slice(x, z, i), dynamic_slice_sizes={7,33}  ROOT r = s32[7,33] convert(a)"},
    // --- Products of matrices ---
    {"dot-of-transposed", numbers,
     "x = $[6,6] parameter(0)  y = $[6,6] parameter(1)  t = $[6,6] transpose(x), dimensions={1,0}  "
     "ROOT r = $[6,6] dot(t, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"dot-with-transposed", numbers,
     "x = $[6,6] parameter(0)  y = $[6,6] parameter(1)  t = $[6,6] transpose(y), dimensions={1,0}  "
     "ROOT r = $[6,6] dot(x, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"transposed-dot", numbers,
     "x = $[6,6] parameter(0)  y = $[6,6] parameter(1)  "
     "d = $[6,6] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}  "
     "ROOT r = $[6,6] transpose(d), dimensions={1,0}"},
    {"dot-of-reversed", numbers,
     "x = $[6,6] parameter(0)  y = $[6,6] parameter(1)  a = $[6,6] reverse(x), dimensions={1}  "
     "b = $[6,6] reverse(y), dimensions={0}  c = $[6,6] reverse(y), dimensions={1}  "
     "d = $[6,6] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}  "
     "e = $[6,6] dot(a, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}  "
     "ROOT r = ($[6,6], $[6,6]) tuple(d, e)"},
    {"dot-of-negated", "f32 bf16 f16 f64 s32 s8",
     "x = $[6,7] parameter(0)  y = $[7,5] parameter(1)  n = $[6,7] negate(x)  "
     "d = $[6,5] dot(n, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}  ROOT r = $[6,5] negate(d)"},
    {"dot-of-dot", numbers,
     "x = $[6,6] parameter(0)  y = $[6,6] parameter(1)  w = $[6,6] parameter(2)  "
     "d = $[6,6] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}  "
     "ROOT r = $[6,6] dot(d, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"dot-with-zeros", numbers,
     "x = $[6,6] parameter(0)  y = $[6,6] parameter(1)  c = $[6,6] constant("
     "{{0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, "
     "0}, {0, 0, 0, 0, 0, 0}}"
     ")  d = $[6,6] dot(x, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}  "
     "e = $[6,6] dot(c, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}  "
     "f = $[6,6] add(d, y)  g = $[6,6] add(e, y)  ROOT r = ($[6,6], $[6,6]) tuple(f, g)"},
    {"dot-with-half-of-zeros", numbers,
     "x = $[6,6] parameter(0)  y = $[6,6] parameter(1)  c = $[6,6] constant("
     "{{1, 1, 1, 0, 0, 0}, {1, 1, 1, 0, 0, 0}, {1, 1, 1, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, "
     "0}, {0, 0, 0, 0, 0, 0}}"
     ")  d = $[6,6] dot(x, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}  "
     "e = $[6,6] dot(c, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}  "
     "f = $[6,6] add(d, y)  g = $[6,6] add(e, y)  ROOT r = ($[6,6], $[6,6]) tuple(f, g)"},
    {"dot-with-identity-matrix", numbers,
     "x = $[6,6] parameter(0)  y = $[6,6] parameter(1)  c = $[6,6] constant("
     "{{1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0}, {0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 1, "
     "0}, {0, 0, 0, 0, 0, 1}}"
     ")  d = $[6,6] dot(x, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}  "
     "e = $[6,6] dot(c, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}  "
     "f = $[6,6] add(d, y)  g = $[6,6] add(e, y)  ROOT r = ($[6,6], $[6,6]) tuple(f, g)"},
    {"dot-of-broadcast", numbers,
     "x = $[7] parameter(0)  y = $[7,5] parameter(1)  b = $[6,7] broadcast(x), dimensions={1}  "
     "ROOT r = $[6,5] dot(b, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"dot-of-both-sides", numbers,
     "x = $[6,6] parameter(0)  a = $[6,6] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}  "
     "b = $[6,6] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}  "
     "ROOT r = ($[6,6], $[6,6]) tuple(a, b)"},
    {"dot-plus-dot", numbers,
     "x = $[6,6] parameter(0)  y = $[6,6] parameter(1)  w = $[6,6] parameter(2)  "
     "d = $[6,6] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}  "
     "e = $[6,6] dot(x, w), lhs_contracting_dims={0}, rhs_contracting_dims={0}  ROOT r = $[6,6] add(d, e)"},
    {"dot-of-slices", numbers,
     "x = $[6,8] parameter(0)  y = $[8,5] parameter(1)  a = $[6,4] slice(x), slice={[0:6], [2:6]}  "
     "b = $[4,5] slice(y), slice={[3:7], [0:5]}  "
     "ROOT r = $[6,5] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
};

constexpr std::string_view combiners = R"(
sum { a = $[] parameter(0)  b = $[] parameter(1)  ROOT r = $[] add(a, b) }
product { a = $[] parameter(0)  b = $[] parameter(1)  ROOT r = $[] multiply(a, b) }
most { a = $[] parameter(0)  b = $[] parameter(1)  ROOT r = $[] maximum(a, b) }
wide_sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
)";

// Odd, so that vectors have a remainder, and enough for most pairs of special values.
constexpr int count_of_elements = 1229;

// Translates expressions to HLO.
class Translator {
 public:
  explicit Translator(ElementType type) : type_(type) {}

  std::string translate(std::string_view expressions) {
    std::vector<std::string> parts, names, types;
    boost::split(parts, expressions, boost::is_any_of(";"));
    for (const std::string &part : parts) {
      rest_ = part;
      const Value value = read();
      names.push_back(value.name);
      types.push_back(array_of(value.type));
    }
    std::string body = boost::join(lines_, "\n");
    if (parts.size() == 1) {
      boost::replace_first(body, fmt::format("{} =", names[0]), fmt::format("ROOT {} =", names[0]));
    } else {
      body += fmt::format("\nROOT r = ({}) tuple({})", boost::join(types, ", "), boost::join(names, ", "));
    }
    return boost::join(parameters_, "\n") + "\n" + body + "\n";
  }

 private:
  struct Value {
    std::string name, type;
  };

  static std::string array_of(std::string_view type) { return fmt::format("{}[{}]", type, count_of_elements); }

  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }
  bool take(char c) {
    skip_space();
    const bool is_next = rest_.starts_with(c);
    rest_.remove_prefix(is_next ? 1 : 0);
    return is_next;
  }
  std::string take_word() {
    skip_space();
    const std::size_t end = std::min(rest_.find_first_of("(), "), rest_.size());
    std::string word(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return word;
  }

  // Adds an instruction, or returns the equal one that exists.
  Value add(const std::string &type, const std::string &instruction) {
    const auto [at, is_new] = names_.try_emplace(type + instruction, fmt::format("v{}", names_.size()));
    if (is_new) {
      lines_.push_back(fmt::format("{} = {} {}", at->second, type, instruction));
    }
    return {at->second, type.substr(0, type.find('['))};
  }

  Value parameter(char letter) {
    const std::size_t index = static_cast<std::size_t>(letter - 'x');
    const std::string type(ir::to_string(type_));
    for (std::size_t i = parameters_.size(); i <= index; ++i) {
      parameters_.push_back(fmt::format("{} = {} parameter({})", "xyz"[i], array_of(type), i));
    }
    return {std::string(1, letter), type};
  }

  Value read() {
    std::string word = take_word();
    if (word == "x" || word == "y" || word == "z") {
      return parameter(word[0]);
    }
    if (!rest_.starts_with('(')) {
      return number(word);
    }
    std::string op = word, detail;
    if (const std::size_t dot = word.find('.'); dot != word.npos) {
      op = word.substr(0, dot);
      detail = boost::replace_all_copy(word.substr(dot + 1), "$", ir::to_string(type_));
    }
    return call(op, detail);
  }

  Value number(std::string word) {
    std::string type(ir::to_string(type_));
    if (const std::size_t colon = word.find(':'); colon != word.npos) {
      type = boost::replace_all_copy(word.substr(colon + 1), "$", ir::to_string(type_));
      word = word.substr(0, colon);
    }
    if (word == "width") {
      word = std::to_string(ir::bit_width(type_));
    }
    if (type == "u8" && word == "-1") {
      word = "255";
    }
    const Value scalar = add(type + "[]", fmt::format("constant({})", word));
    return add(array_of(type), fmt::format("broadcast({}), dimensions={{}}", scalar.name));
  }

  Value call(const std::string &op, const std::string &detail) {
    std::vector<Value> operands;
    take('(');
    do {
      operands.push_back(read());
    } while (take(','));
    take(')');
    std::vector<std::string> names;
    for (const Value &operand : operands) {
      names.push_back(operand.name);
    }
    const bool converts = op == "convert" || op == "bitcast-convert", compares = op == "compare";
    const std::string result = compares ? "pred" : converts ? detail : operands[op == "select" ? 1 : 0].type;
    return add(array_of(result),
               fmt::format("{}({}){}", op, boost::join(names, ", "), compares ? ", direction=" + detail : ""));
  }

  ElementType type_;
  std::string_view rest_;
  std::vector<std::string> parameters_;
  std::map<std::string, std::string> names_;  // by instruction
  std::vector<std::string> lines_;
};

bool is_hlo(const Identity &identity) {
  return identity.text.find("ROOT") != identity.text.npos;
}

}  // namespace

std::span<const Identity> identities() {
  return identity_table;
}

const Identity *find_identity(std::string_view name) {
  const auto found = std::ranges::find(identity_table, name, &Identity::name);
  return found == std::end(identity_table) ? nullptr : &*found;
}

bool is_elementwise(const Identity &identity) {
  return !is_hlo(identity);
}

std::vector<ElementType> types_of(const Identity &identity) {
  std::vector<std::string> names;
  boost::split(names, identity.types, boost::is_any_of(" "));
  std::vector<ElementType> types;
  for (const std::string &name : names) {
    types.push_back(ir::element_type_from_string(name).value_or(ElementType::Invalid));
  }
  return types;
}

std::string text_of(const Identity &identity, ElementType type) {
  if (!is_hlo(identity)) {
    return fmt::format("HloModule identity\nENTRY main {{\n{}}}\n", Translator(type).translate(identity.text));
  }
  return boost::replace_all_copy(fmt::format("HloModule identity\n{}ENTRY main {{ {} }}\n", combiners, identity.text),
                                 "$", ir::to_string(type));
}

}  // namespace bp::coverage
