#include "plugins/npu/vector_unit.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>

#include "plugins/npu/function_unit.h"

namespace bp::npu {
namespace {

constexpr std::array functions = {
    VectorFunction{BP_OP_ABS, 1, of_floats | of_integers, 1},
    VectorFunction{BP_OP_NEGATE, 1, of_floats | of_integers, 1},
    VectorFunction{BP_OP_SIGN, 1, of_floats | of_integers, 1},
    VectorFunction{BP_OP_NOT, 1, of_integers | of_pred, 1},
    VectorFunction{BP_OP_POPULATION_COUNT, 1, of_integers, 1},
    VectorFunction{BP_OP_CEIL, 1, of_floats, 1},
    VectorFunction{BP_OP_FLOOR, 1, of_floats, 1},
    VectorFunction{BP_OP_ROUND_NEAREST_AFZ, 1, of_floats, 1},
    VectorFunction{BP_OP_ROUND_NEAREST_EVEN, 1, of_floats, 1},
    VectorFunction{BP_OP_IS_FINITE, 1, of_floats, 1},
    VectorFunction{BP_OP_CONVERT, 1, of_all, 1},
    VectorFunction{BP_OP_SQRT, 1, of_floats, 8},
    VectorFunction{BP_OP_EXPONENTIAL, 1, of_bf16, 8},
    VectorFunction{BP_OP_EXPONENTIAL_MINUS_ONE, 1, of_bf16, 8},
    VectorFunction{BP_OP_LOG, 1, of_bf16, 8},
    VectorFunction{BP_OP_LOG_PLUS_ONE, 1, of_bf16, 8},
    VectorFunction{BP_OP_RSQRT, 1, of_bf16, 8},
    VectorFunction{BP_OP_TANH, 1, of_bf16, 8},
    VectorFunction{BP_OP_LOGISTIC, 1, of_bf16, 8},
    VectorFunction{BP_OP_ERF, 1, of_bf16, 8},
    VectorFunction{BP_OP_ADD, 2, of_all, 1},
    VectorFunction{BP_OP_SUBTRACT, 2, of_floats | of_integers, 1},
    VectorFunction{BP_OP_MULTIPLY, 2, of_all, 1},
    VectorFunction{BP_OP_DIVIDE, 2, of_floats | of_integers, 8},
    VectorFunction{BP_OP_REMAINDER, 2, of_floats | of_integers, 8},
    VectorFunction{BP_OP_MAXIMUM, 2, of_all, 1},
    VectorFunction{BP_OP_MINIMUM, 2, of_all, 1},
    VectorFunction{BP_OP_AND, 2, of_integers | of_pred, 1},
    VectorFunction{BP_OP_OR, 2, of_integers | of_pred, 1},
    VectorFunction{BP_OP_XOR, 2, of_integers | of_pred, 1},
    VectorFunction{BP_OP_SHIFT_LEFT, 2, of_integers, 1},
    VectorFunction{BP_OP_SHIFT_RIGHT_ARITHMETIC, 2, of_integers, 1},
    VectorFunction{BP_OP_SHIFT_RIGHT_LOGICAL, 2, of_integers, 1},
    VectorFunction{BP_OP_COMPARE, 2, of_all, 1},
    VectorFunction{BP_OP_CLAMP, 3, of_floats | of_integers, 1},
    VectorFunction{BP_OP_SELECT, 3, of_all, 1},
};

// An element type: the type in which elements are stored, and the one in which they are computed with.
template <class StoredType, class WideType>
struct Element {
  using Stored = StoredType;
  using Wide = WideType;
  static Wide widen(Stored x) { return static_cast<Wide>(x); }
  static Stored narrow(Wide x) { return static_cast<Stored>(x); }
};
struct Bf16 {
  using Stored = std::uint16_t;
  using Wide = float;
  static Wide widen(Stored x) { return from_bf16(x); }
  static Stored narrow(Wide x) { return to_bf16(x); }
};
using F32 = Element<float, float>;
using S8 = Element<std::int8_t, std::int32_t>;
using S32 = Element<std::int32_t, std::int32_t>;
using Pred = Element<std::uint8_t, bool>;

// Calls body.template operator()<E>() for the element type of that number.
template <class Body>
void visit_type(std::uint32_t dtype, Body &&body) {
  switch (dtype) {
    case BP_DTYPE_BF16: return body.template operator()<Bf16>();
    case BP_DTYPE_F32: return body.template operator()<F32>();
    case BP_DTYPE_S8: return body.template operator()<S8>();
    case BP_DTYPE_S32: return body.template operator()<S32>();
    default: return body.template operator()<Pred>();
  }
}

template <class E>
typename E::Stored *elements(std::byte *scratchpad, std::uint32_t address) {
  return reinterpret_cast<typename E::Stored *>(scratchpad + address);
}

// Computes to[i] = f(from[0][i], ...), with as many operands as f has.
template <class To, class... From, class Function>
void map(const Instruction &instruction, std::byte *scratchpad, Function f) {
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    const std::tuple<const typename From::Stored *...> from{elements<From>(scratchpad, instruction.from[k])...};
    auto *to = elements<To>(scratchpad, instruction.to);
    for (std::uint32_t i = 0; i < instruction.columns; ++i) {
      to[i] = To::narrow(f(From::widen(std::get<k>(from)[i])...));
    }
  }(std::index_sequence_for<From...>());
}

template <class W>
W maximum(W x, W y) {
  if constexpr (std::is_floating_point_v<W>) {
    if (x != x || y != y) {
      return x != x ? x : y;
    }
    if (x == y) {
      return std::signbit(x) ? y : x;
    }
  }
  return x < y ? y : x;
}
template <class W>
W minimum(W x, W y) {
  if constexpr (std::is_floating_point_v<W>) {
    if (x != x || y != y) {
      return x != x ? x : y;
    }
    if (x == y) {
      return std::signbit(x) ? x : y;
    }
  }
  return y < x ? y : x;
}

// Arithmetic of integers modulo 2^32. The low bits of the results are the results for narrower types.
std::int32_t wrapped(std::uint32_t x) {
  return std::bit_cast<std::int32_t>(x);
}
std::uint32_t bits(std::int32_t x) {
  return std::bit_cast<std::uint32_t>(x);
}
std::int32_t divide(std::int32_t x, std::int32_t y) {
  return y == 0 ? -1 : y == -1 ? wrapped(0 - bits(x)) : x / y;
}
std::int32_t remainder(std::int32_t x, std::int32_t y) {
  return y == 0 ? x : y == -1 ? 0 : x % y;
}

template <class To, class From>
typename To::Wide convert(typename From::Wide x) {
  using Wide = typename To::Wide;
  if constexpr (std::is_same_v<Wide, bool>) {
    return x != 0;
  } else if constexpr (std::is_floating_point_v<typename From::Wide> && std::is_integral_v<Wide>) {
    using Limits = std::numeric_limits<typename To::Stored>;
    if (std::isnan(x)) {
      return 0;
    }
    // The largest s32 is not an f32, so numbers from the next power of two on become the largest s32.
    const auto above = static_cast<float>(Limits::max()) + (sizeof(typename To::Stored) < 4 ? 1.0f : 0.0f);
    return x >= above ? Limits::max() : x <= static_cast<float>(Limits::min()) ? Limits::min() : static_cast<Wide>(x);
  } else if constexpr (std::is_same_v<To, Bf16> && std::is_same_v<typename From::Wide, std::int32_t>) {
    // Digits beyond those of f32 count as an odd last one, so that the rounding to bf16 is the only one.
    constexpr std::uint32_t below = 0x1ff;
    const std::uint32_t size = x < 0 ? 0 - bits(x) : bits(x);
    const std::uint32_t odd = (size & ~below) | ((size & below) != 0 ? below + 1 : 0);
    const auto rounded = static_cast<float>(size < 1u << 24 ? size : odd);
    return x < 0 ? -rounded : rounded;
  } else {
    return static_cast<Wide>(x);
  }
}

// Returns a key that compares as the total order does: -NaN < -inf < ... < -0 < 0 < ... < inf < NaN
std::int32_t total_order_key(float x) {
  const auto bits = std::bit_cast<std::int32_t>(x);
  return bits ^ (bits >> 31 & 0x7fffffff);
}
std::int32_t total_order_key(std::int32_t x) {
  return x;
}

template <class W>
bool holds(std::uint32_t direction, W x, W y) {
  switch (direction) {
    case BP_COMPARISON_DIRECTION_EQ: return x == y;
    case BP_COMPARISON_DIRECTION_NE: return x != y;
    case BP_COMPARISON_DIRECTION_GE: return x >= y;
    case BP_COMPARISON_DIRECTION_GT: return x > y;
    case BP_COMPARISON_DIRECTION_LE: return x <= y;
    default: return x < y;
  }
}

template <class E>
void compute_float(const Instruction &i, std::byte *s) {
  const auto one = [&](float (*f)(float)) { map<E, E>(i, s, f); };
  switch (i.function) {
    case BP_OP_ABS: return one([](float x) { return std::fabs(x); });
    case BP_OP_NEGATE: return one([](float x) { return -x; });
    case BP_OP_SIGN: return one([](float x) { return x > 0 ? 1.0f : x < 0 ? -1.0f : x; });
    case BP_OP_CEIL: return one([](float x) { return std::ceil(x); });
    case BP_OP_FLOOR: return one([](float x) { return std::floor(x); });
    case BP_OP_ROUND_NEAREST_AFZ: return one([](float x) { return std::round(x); });
    case BP_OP_ROUND_NEAREST_EVEN: return one([](float x) { return std::nearbyint(x); });
    case BP_OP_IS_FINITE: return map<Pred, E>(i, s, [](float x) { return std::isfinite(x); });
    case BP_OP_SQRT: return one([](float x) { return std::sqrt(x); });
    case BP_OP_RSQRT: return one([](float x) { return 1 / std::sqrt(x); });
    case BP_OP_EXPONENTIAL: return one(exponential);
    case BP_OP_EXPONENTIAL_MINUS_ONE: return one(exponential_minus_one);
    case BP_OP_LOG: return one(logarithm);
    case BP_OP_LOG_PLUS_ONE: return one(logarithm_of_one_plus);
    case BP_OP_TANH: return one(hyperbolic_tangent);
    case BP_OP_LOGISTIC: return one(logistic);
    case BP_OP_ERF: return one(error_function);
    case BP_OP_ADD: return map<E, E, E>(i, s, [](float x, float y) { return x + y; });
    case BP_OP_SUBTRACT: return map<E, E, E>(i, s, [](float x, float y) { return x - y; });
    case BP_OP_MULTIPLY: return map<E, E, E>(i, s, [](float x, float y) { return x * y; });
    case BP_OP_DIVIDE: return map<E, E, E>(i, s, [](float x, float y) { return x / y; });
    case BP_OP_REMAINDER: return map<E, E, E>(i, s, [](float x, float y) { return std::fmod(x, y); });
    default: return;
  }
}

// Shifts by the width of the type or more give 0 or, if arithmetic to the right, copies of the sign bit.
template <class E>
void compute_integer(const Instruction &i, std::byte *s) {
  using W = std::int32_t;
  using U = std::make_unsigned_t<typename E::Stored>;
  constexpr std::uint32_t width = 8 * sizeof(U);
  switch (i.function) {
    case BP_OP_ABS: return map<E, E>(i, s, [](W x) { return x < 0 ? wrapped(0 - bits(x)) : x; });
    case BP_OP_NEGATE: return map<E, E>(i, s, [](W x) { return wrapped(0 - bits(x)); });
    case BP_OP_SIGN: return map<E, E>(i, s, [](W x) { return (x > 0) - (x < 0); });
    case BP_OP_NOT: return map<E, E>(i, s, [](W x) { return ~x; });
    case BP_OP_POPULATION_COUNT: return map<E, E>(i, s, [](W x) { return std::popcount(static_cast<U>(x)); });
    case BP_OP_ADD: return map<E, E, E>(i, s, [](W x, W y) { return wrapped(bits(x) + bits(y)); });
    case BP_OP_SUBTRACT: return map<E, E, E>(i, s, [](W x, W y) { return wrapped(bits(x) - bits(y)); });
    case BP_OP_MULTIPLY: return map<E, E, E>(i, s, [](W x, W y) { return wrapped(bits(x) * bits(y)); });
    case BP_OP_DIVIDE: return map<E, E, E>(i, s, divide);
    case BP_OP_REMAINDER: return map<E, E, E>(i, s, remainder);
    case BP_OP_AND: return map<E, E, E>(i, s, [](W x, W y) { return x & y; });
    case BP_OP_OR: return map<E, E, E>(i, s, [](W x, W y) { return x | y; });
    case BP_OP_XOR: return map<E, E, E>(i, s, [](W x, W y) { return x ^ y; });
    case BP_OP_SHIFT_LEFT:
      return map<E, E, E>(i, s, [](W x, W y) {
        const U distance = static_cast<U>(y);
        return distance < width ? wrapped(bits(x) << distance) : 0;
      });
    case BP_OP_SHIFT_RIGHT_LOGICAL:
      return map<E, E, E>(i, s, [](W x, W y) {
        const U distance = static_cast<U>(y);
        return distance < width ? wrapped(std::uint32_t{static_cast<U>(x)} >> distance) : 0;
      });
    case BP_OP_SHIFT_RIGHT_ARITHMETIC:
      return map<E, E, E>(i, s, [](W x, W y) {
        const U distance = static_cast<U>(y);
        return x >> (distance < width ? distance : width - 1);
      });
    default: return;
  }
}

void compute_pred(const Instruction &i, std::byte *s) {
  switch (i.function) {
    case BP_OP_NOT: return map<Pred, Pred>(i, s, [](bool x) { return !x; });
    case BP_OP_ADD:
    case BP_OP_OR: return map<Pred, Pred, Pred>(i, s, [](bool x, bool y) { return x || y; });
    case BP_OP_MULTIPLY:
    case BP_OP_AND: return map<Pred, Pred, Pred>(i, s, [](bool x, bool y) { return x && y; });
    case BP_OP_XOR: return map<Pred, Pred, Pred>(i, s, [](bool x, bool y) { return x != y; });
    default: return;
  }
}

template <class E>
void compute_vector(const Instruction &i, std::byte *s) {
  using W = typename E::Wide;
  switch (i.function) {
    case BP_OP_CONVERT: return visit_type(i.result_type, [&]<class To>() { map<To, E>(i, s, convert<To, E>); });
    case BP_OP_COMPARE:
      if ((i.option & in_total_order) != 0) {
        return map<Pred, E, E>(i, s, [option = i.option](W x, W y) {
          return holds(option & ~in_total_order, total_order_key(x), total_order_key(y));
        });
      }
      return map<Pred, E, E>(i, s, [direction = i.option](W x, W y) { return holds(direction, x, y); });
    case BP_OP_SELECT: {
      using Bits = Element<typename E::Stored, typename E::Stored>;  // so that a NaN keeps its bits
      return map<Bits, Pred, Bits, Bits>(i, s, [](bool choice, auto x, auto y) { return choice ? x : y; });
    }
    case BP_OP_CLAMP: return map<E, E, E, E>(i, s, [](W low, W x, W high) { return minimum(maximum(x, low), high); });
    case BP_OP_MAXIMUM: return map<E, E, E>(i, s, maximum<W>);
    case BP_OP_MINIMUM: return map<E, E, E>(i, s, minimum<W>);
    default: break;
  }
  if constexpr (std::is_same_v<W, float>) {
    compute_float<E>(i, s);
  } else if constexpr (std::is_same_v<W, bool>) {
    compute_pred(i, s);
  } else {
    compute_integer<E>(i, s);
  }
}

// Each lane combines every 64th element of a row; then the second half of the lanes is combined with the first half,
// until one is left.
template <class E, class Sum, class Combine>
void reduce_rows(const Instruction &i, std::byte *s, Combine combine) {
  using W = typename Sum::Wide;
  const auto *from = elements<E>(s, i.from[0]);
  auto *to = elements<Sum>(s, i.to);
  for (std::uint32_t row = 0; row < i.rows && i.columns != 0; ++row, from += i.columns) {
    std::array<W, lane_count> lanes;
    std::uint32_t lanes_left = std::min(i.columns, lane_count);
    for (std::uint32_t column = 0; column < i.columns; ++column) {
      W &lane = lanes[column % lane_count];
      const W x = static_cast<W>(E::widen(from[column]));
      lane = column < lane_count ? x : combine(lane, x);
    }
    while (lanes_left > 1) {
      const std::uint32_t half = (lanes_left + 1) / 2;
      for (std::uint32_t lane = half; lane < lanes_left; ++lane) {
        lanes[lane - half] = combine(lanes[lane - half], lanes[lane]);
      }
      lanes_left = half;
    }
    to[row] = Sum::narrow(combine(Sum::widen(to[row]), lanes[0]));
  }
}

template <class E, class Sum>
void reduce(const Instruction &i, std::byte *s) {
  using W = typename Sum::Wide;
  switch (i.function) {
    case BP_OP_MAXIMUM: return reduce_rows<E, Sum>(i, s, maximum<W>);
    case BP_OP_MINIMUM: return reduce_rows<E, Sum>(i, s, minimum<W>);
    default: break;
  }
  if constexpr (std::is_same_v<W, float>) {
    return i.function == BP_OP_ADD ? reduce_rows<E, Sum>(i, s, [](W x, W y) { return x + y; })
                                   : reduce_rows<E, Sum>(i, s, [](W x, W y) { return x * y; });
  } else {
    switch (i.function) {
      case BP_OP_ADD:
        return reduce_rows<E, Sum>(i, s, [](W x, W y) { return static_cast<W>(wrapped(bits(x) + bits(y))); });
      case BP_OP_MULTIPLY:
        return reduce_rows<E, Sum>(i, s, [](W x, W y) { return static_cast<W>(wrapped(bits(x) * bits(y))); });
      case BP_OP_AND: return reduce_rows<E, Sum>(i, s, [](W x, W y) { return static_cast<W>(x & y); });
      default: return reduce_rows<E, Sum>(i, s, [](W x, W y) { return static_cast<W>(x | y); });
    }
  }
}

}  // namespace

const VectorFunction *find_function(std::uint32_t op) {
  const auto found = std::ranges::find(functions, op, &VectorFunction::op);
  return found == functions.end() ? nullptr : &*found;
}

std::uint8_t set_of(std::uint32_t dtype) {
  switch (dtype) {
    case BP_DTYPE_BF16: return of_bf16;
    case BP_DTYPE_F32: return of_f32;
    case BP_DTYPE_S8:
    case BP_DTYPE_S32: return of_integers;
    case BP_DTYPE_PRED: return of_pred;
    default: return 0;
  }
}

bool reduces(std::uint32_t op, std::uint32_t dtype) {
  switch (op) {
    case BP_OP_ADD:
    case BP_OP_MULTIPLY:
    case BP_OP_MAXIMUM:
    case BP_OP_MINIMUM: return set_of(dtype) != 0;
    case BP_OP_AND:
    case BP_OP_OR: return (set_of(dtype) & (of_integers | of_pred)) != 0;
    default: return false;
  }
}

std::uint32_t sum_type(std::uint32_t dtype) {
  return set_of(dtype) == of_pred ? BP_DTYPE_PRED : set_of(dtype) == of_integers ? BP_DTYPE_S32 : BP_DTYPE_F32;
}

void compute(const Instruction &i, std::byte *scratchpad) {
  visit_type(i.type, [&]<class E>() {
    auto *to = elements<E>(scratchpad, i.to);
    switch (i.opcode) {
      case Opcode::Ramp:
        for (std::uint32_t column = 0; column < i.columns; ++column) {
          to[column] = E::narrow(static_cast<typename E::Wide>(i.rows + column));
        }
        return;
      case Opcode::Vector: return compute_vector<E>(i, scratchpad);
      default:
        if constexpr (std::is_same_v<typename E::Wide, float>) {
          reduce<E, F32>(i, scratchpad);
        } else if constexpr (std::is_same_v<typename E::Wide, bool>) {
          reduce<E, Pred>(i, scratchpad);
        } else {
          reduce<E, S32>(i, scratchpad);
        }
    }
  });
}

float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

std::uint16_t to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (std::isnan(x)) {
    return static_cast<std::uint16_t>(bits >> 16 | 0x40);  // stays a NaN
  }
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace bp::npu
