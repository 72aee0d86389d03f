// Faults of integers and of conversions, added to the plugin `cpu`: they show only for certain operands and types.
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "conformance/mutants/module_faults.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/run_faults.h"

namespace bp::conformance {
namespace {

template <class T>
constexpr T least = std::numeric_limits<T>::min();
template <class T>
constexpr T largest = std::numeric_limits<T>::max();

bool holds(std::int64_t direction, bool is_less, bool is_equal) {
  switch (direction) {
    case BP_COMPARISON_DIRECTION_EQ: return is_equal;
    case BP_COMPARISON_DIRECTION_NE: return !is_equal;
    case BP_COMPARISON_DIRECTION_GE: return !is_less;
    case BP_COMPARISON_DIRECTION_GT: return !is_less && !is_equal;
    case BP_COMPARISON_DIRECTION_LE: return is_less || is_equal;
    default: return is_less;
  }
}
// Compares operands of one type as those of another.
template <class T>
Fault compared_as(std::uint16_t dtype) {
  return after_step(BP_OP_COMPARE, [dtype](const Step &step) {
    for (std::int64_t i = 0; step.operand(0).dtype() == dtype && i < step.count(); ++i) {
      // A narrower type is that of the low half of each operand.
      const std::int64_t at = i * static_cast<std::int64_t>(sizeof(std::int64_t) / sizeof(T));
      const T a = step.in<T>(0)[at], b = step.in<T>(1)[at];
      step.out<std::uint8_t>()[i] = holds(step.instruction.integer(BP_ATTR_DIRECTION, 0), a < b, a == b) ? 1 : 0;
    }
  });
}

// The bits of the bf16 nearest to a float; and those that are left without rounding.
std::uint16_t rounded(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
std::uint16_t truncated(float x) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16);
}

// Converts to a narrow integer by way of s32, as a vector unit does that has no narrower conversions.
template <class T>
Fault by_way_of_s32(std::uint16_t to) {
  return each_conversion<float, T>(BP_DTYPE_F32, to, [](T result, float x) {
    return std::fabs(x) < 2147483648.0f ? static_cast<T>(static_cast<std::int32_t>(x)) : result;
  });
}

// Starts of packed elements are bytes: odd ones are rounded down.
void round_starts_down(const Edit &slice) {
  if (slice.old.result().shape().element_bits() == 4) {
    slice.change_numbers(BP_ATTR_SLICE, [](std::vector<std::int64_t> &numbers) {
      if (!numbers.empty() && numbers[numbers.size() - 3] % 2 == 1) {
        --numbers[numbers.size() - 3];
        --numbers[numbers.size() - 2];
      }
    });
  }
}

constexpr Mutant integer_table[] = {
    // --- division and shifts ---
    {"least-divided-by-least", "integers", "the least integer divided by itself is -1", "cpu", "ops/divide/s*",
     [] {
       return each_integer(BP_OP_DIVIDE, [](auto result, auto a, auto b) {
         using T = decltype(a);
         return std::is_signed_v<T> && a == least<T> && b == least<T> ? T(-1) : result;
       });
     },
     nullptr, "eclipse-omr/omr#4942"},
    {"unsigned-division-guarded", "integers",
     "the guard for the least integer divided by -1 is applied to unsigned integers too", "cpu", "ops/divide/u*",
     [] {
       return each_integer(BP_OP_DIVIDE, [](auto result, auto a, auto b) {
         using T = decltype(a);
         constexpr T top = T(T(1) << (8 * sizeof(T) - 1));
         return std::is_unsigned_v<T> && a == top && b == largest<T> ? a : result;
       });
     },
     nullptr, "eclipse-omr/omr#3674"},
    {"remainder-by-minus-one", "integers", "the remainder of the least integer and -1 is the least integer", "cpu",
     "ops/remainder/s*",
     [] {
       return each_integer(BP_OP_REMAINDER, [](auto result, auto a, auto b) {
         using T = decltype(a);
         return std::is_signed_v<T> && a == least<T> && b == T(-1) ? a : result;
       });
     },
     nullptr, "wasm-micro-runtime/wasm-micro-runtime#1213"},
    {"narrow-shift-fills-zeros", "integers", "arithmetic shifts of s8 and s16 fill with zeros", "cpu",
     "ops/shift-right-arithmetic/*",
     [] {
       return with_instructions(BP_OP_SHIFT_RIGHT_ARITHMETIC, [](const Edit &shift) {
         const std::uint16_t dtype = shift.old.result().shape().dtype();
         if (dtype == BP_DTYPE_S8 || dtype == BP_DTYPE_S16) {
           shift.changed().op = BP_OP_SHIFT_RIGHT_LOGICAL;
         }
       });
     },
     nullptr, "typescope/jo#23"},
    {"shift-masked", "integers", "shifts of 32 and 64 bits to the left use only the low bits of the amount", "cpu",
     "ops/shift-left/*",
     [] {
       return each_integer(BP_OP_SHIFT_LEFT, [](auto result, auto a, auto b) {
         using U = std::make_unsigned_t<decltype(a)>;
         return sizeof(U) >= 4 ? static_cast<decltype(a)>(U(a) << (U(b) % (8 * sizeof(U)))) : result;
       });
     },
     nullptr, "nepx/halfix#8"},
    {"multiply-24-bits", "integers", "products of u32 use the low 24 bits of each operand", "cpu", "ops/multiply/u32/*",
     [] {
       return each_integer(BP_OP_MULTIPLY, [](auto result, auto a, auto b) {
         using T = decltype(a);
         return std::is_same_v<T, std::uint32_t> ? static_cast<T>((a & T(0xffffff)) * (b & T(0xffffff))) : result;
       });
     }},
    {"bytes-saturate", "integers", "sums of s8 saturate", "cpu", "ops/add/s8/*",
     [] {
       return each_integer(BP_OP_ADD, [](auto result, auto a, auto b) {
         return std::is_same_v<decltype(a), std::int8_t> ? static_cast<decltype(a)>(std::clamp<int>(a + b, -128, 127))
                                                         : result;
       });
     }},
    {"negate-saturates", "integers", "the negative of the least s16 is the largest", "cpu", "ops/negate/s16/*",
     [] {
       return each_integer(BP_OP_NEGATE, [](auto result, auto a, auto) {
         using T = decltype(a);
         return std::is_same_v<T, std::int16_t> && a == least<T> ? largest<T> : result;
       });
     }},
    {"ones-sign-extended", "integers", "popcnt of a negative s8 counts the bits of its extension to 32 bits", "cpu",
     "ops/popcnt/s8/*",
     [] {
       return each_integer(BP_OP_POPULATION_COUNT, [](auto result, auto a, auto) {
         return std::is_same_v<decltype(a), std::int8_t> && a < 0 ? static_cast<decltype(a)>(result + 24) : result;
       });
     }},
    {"leading-zeros-of-zero", "integers", "the number of leading zeros of 0 is one too low for 64 bits", "cpu",
     "ops/count-leading-zeros/*",
     [] {
       return each_integer(BP_OP_COUNT_LEADING_ZEROS, [](auto result, auto a, auto) {
         return sizeof(a) == 8 && a == 0 ? static_cast<decltype(a)>(63) : result;
       });
     }},
    // --- comparisons ---
    {"compare-u64-signed", "integers", "u64 are compared as s64", "cpu", "ops/compare*/u64/*",
     [] { return compared_as<std::int64_t>(BP_DTYPE_U64); }, nullptr, "open2b/scriggo#436"},
    {"compare-s64-low-half", "integers", "s64 are compared by their low 32 bits", "cpu", "ops/compare/s64/*",
     [] { return compared_as<std::int32_t>(BP_DTYPE_S64); }},
    // --- conversions between floats and integers ---
    {"float-out-of-s32", "conversions", "f32 beyond s32, and NaN, become the least s32", "cpu", "ops/convert.s32/f32/*",
     [] {
       return each_conversion<float, std::int32_t>(BP_DTYPE_F32, BP_DTYPE_S32, [](std::int32_t result, float x) {
         return std::fabs(x) < 2147483648.0f ? result : least<std::int32_t>;
       });
     },
     nullptr, "tensorflow/tensorflow#115736"},
    {"float-wraps-into-u8", "conversions", "f32 beyond u8 wrap", "cpu", "ops/convert.u8/f32/*",
     [] { return by_way_of_s32<std::uint8_t>(BP_DTYPE_U8); }, nullptr, "ml-explore/mlx#4038"},
    {"u64-as-s64", "conversions", "u64 with the highest bit become negative f64", "cpu", "ops/convert.f64/u64/*",
     [] {
       return each_conversion<std::int64_t, double>(BP_DTYPE_U64, BP_DTYPE_F64,
                                                    [](double, std::int64_t x) { return static_cast<double>(x); });
     }},
    {"s64-rounded-twice", "conversions", "s64 are rounded to f64 before they are rounded to f32", "cpu",
     "ops/convert.f32/s64/*",
     [] {
       return each_conversion<std::int64_t, float>(BP_DTYPE_S64, BP_DTYPE_F32, [](float, std::int64_t x) {
         return static_cast<float>(static_cast<double>(x));
       });
     }},
    {"s32-truncated-to-bf16", "conversions", "s32 are truncated to bf16", "cpu", "ops/convert.bf16/s32/*",
     [] {
       return each_conversion<std::int32_t, std::uint16_t>(
           BP_DTYPE_S32, BP_DTYPE_BF16, [](std::uint16_t, std::int32_t x) { return truncated(static_cast<float>(x)); });
     },
     nullptr, "tile-ai/tilelang#2483"},
    {"s32-rounded-twice", "conversions", "s32 are rounded to f32 before they are rounded to bf16", "cpu",
     "ops/convert.bf16/s32/*",
     [] {
       return each_conversion<std::int32_t, std::uint16_t>(
           BP_DTYPE_S32, BP_DTYPE_BF16, [](std::uint16_t, std::int32_t x) { return rounded(static_cast<float>(x)); });
     },
     nullptr, "arch-hdl-lang/arch-com#628"},
    // --- conversions between floats ---
    {"bf16-vectors-truncated", "conversions", "f32 are truncated to bf16 in full vectors of 16, and rounded after them",
     "cpu", "ops/convert.bf16/f32/*",
     [] {
       return after_step(BP_OP_CONVERT, [](const Step &step) {
         const std::int64_t vectors = step.count() / 16 * 16;
         for (std::int64_t i = 0; step.converts(BP_DTYPE_F32, BP_DTYPE_BF16) && i < vectors; ++i) {
           const float x = step.in<float>(0)[i];
           step.out<std::uint16_t>()[i] = std::isnan(x) ? step.out<std::uint16_t>()[i] : truncated(x);
         }
       });
     },
     nullptr, "tenstorrent/tt-metal#19882"},
    {"nan-payload-to-infinity", "conversions", "NaNs whose high payload bits are 0 become infinities of bf16", "cpu",
     "ops/convert.bf16/f32/*",
     [] {
       return each_conversion<float, std::uint16_t>(BP_DTYPE_F32, BP_DTYPE_BF16, [](std::uint16_t result, float x) {
         return std::isnan(x) && (truncated(x) & 0x7f) == 0 ? truncated(x) : result;
       });
     },
     nullptr, "groonga/groonga#2961"},
    {"f8e4m3fn-saturates", "conversions", "f32 beyond f8e4m3fn become the largest f8e4m3fn", "cpu",
     "ops/convert.f8e4m3fn/f32/*",
     [] {
       return each_conversion<float, std::uint8_t>(BP_DTYPE_F32, BP_DTYPE_F8E4M3FN, [](std::uint8_t result, float x) {
         return (result & 0x7f) == 0x7f && !std::isnan(x) ? static_cast<std::uint8_t>(result - 1) : result;
       });
     },
     nullptr, "ROCm/rocm-systems#8800"},
    {"f8e4m3fn-top-lost", "conversions", "f16 from 256 on become the largest f8e4m3fn", "cpu",
     "ops/convert.f8e4m3fn/f16/*",
     [] {
       return each_conversion<std::uint16_t, std::uint8_t>(
           BP_DTYPE_F16, BP_DTYPE_F8E4M3FN, [](std::uint8_t result, std::uint16_t) {
             return (result & 0x7f) >= 0x78 && (result & 0x7f) < 0x7e ? std::uint8_t((result & 0x80) | 0x7e) : result;
           });
     },
     nullptr, "tile-ai/tilelang-metax#140"},
    {"f64-rounded-twice", "conversions", "f64 are rounded to f32 before they are rounded to f16", "cpu",
     "ops/convert.f16/f64/*",
     [] {
       return before_step(BP_OP_CONVERT, [](const Step &step, ChangedInputs &inputs) {
         if (step.converts(BP_DTYPE_F64, BP_DTYPE_F16) && step.is_input(0)) {
           auto *x = inputs.operand<double>(step.instruction, 0);
           for (std::int64_t i = 0; i < step.count(); ++i) {
             x[i] = static_cast<double>(static_cast<float>(x[i]));
           }
         }
       });
     }},
    // --- packed elements ---
    {"packed-odd-element-lost", "packing", "the last element of an odd number of 4-bit elements is 0", "cpu",
     "attributes/*/s4/*",
     [] {
       return after_step(0, [](const Step &step) {
         if (step.result().element_bits() == 4 && step.count() % 2 == 1) {
           step.out<std::uint8_t>()[step.count() / 2] &= 0xf0;
         }
       });
     }},
    {"packed-start-in-bytes", "packing", "a slice of packed 4-bit elements starts at a byte", "cpu",
     "attributes/slice/s4/*", [] { return with_instructions(BP_OP_SLICE, round_starts_down); }, nullptr,
     "iree-org/iree#14481"},
};

}  // namespace

const std::span<const Mutant> integer_mutants = integer_table;

}  // namespace bp::conformance
