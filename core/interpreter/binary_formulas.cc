// Formulas of ops on two operands, and of clamp and select.
#include <algorithm>
#include <cmath>
#include <functional>

#include "core/interpreter/complex_functions.h"
#include "core/interpreter/loops.h"

namespace bp::interpreter {
namespace {

using ir::ComparisonDirection;
using ir::Opcode;
using Bits = std::uint64_t;

template <class W>
W integer_divide(W x, W y) {
  if (y == W(0)) {
    return static_cast<W>(~Bits(0));
  }
  if constexpr (std::is_signed_v<W>) {
    if (y == -1) {
      return static_cast<W>(Bits(0) - static_cast<Bits>(x));  // MIN / -1 is MIN
    }
  }
  return x / y;
}

template <class W>
W integer_remainder(W x, W y) {
  if (y == W(0)) {
    return x;
  }
  if constexpr (std::is_signed_v<W>) {
    if (y == -1) {
      return 0;
    }
  }
  return x % y;
}

// With a negative exponent, only powers of 1 and -1 are integers; all others are fractions, which are truncated to 0.
template <class W>
W integer_power(W x, W y) {
  if constexpr (std::is_signed_v<W>) {
    if (y < 0) {
      return x == 1 ? 1 : x == -1 ? ((y & 1) != 0 ? -1 : 1) : 0;
    }
  }
  Bits result = 1, base = static_cast<Bits>(x);
  for (Bits exponent = static_cast<Bits>(y); exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) {
      result *= base;
    }
    base *= base;
  }
  return static_cast<W>(result);
}

template <class W>
W multiply_high(W x, W y, int bits) {
  if constexpr (std::is_signed_v<W>) {
    return static_cast<W>((static_cast<Int128>(x) * y) >> bits);
  } else {
    return static_cast<W>((static_cast<UInt128>(x) * y) >> bits);
  }
}

template <class W>
W shift_right_arithmetic(W x, W y, int bits) {
  Bits distance = low_bits(static_cast<Bits>(y), bits);
  std::int64_t value = sign_extended(static_cast<Bits>(x), bits);
  return static_cast<W>(value >> std::min<Bits>(distance, 63));
}

template <class W>
Loop integer_loop(Opcode opcode) {
  using P = LoopParameters;
  switch (opcode) {
    case Opcode::Add: return loop_of_two<W, W, [](W x, W y) { return static_cast<W>(Bits(x) + Bits(y)); }>;
    case Opcode::Subtract: return loop_of_two<W, W, [](W x, W y) { return static_cast<W>(Bits(x) - Bits(y)); }>;
    case Opcode::Multiply: return loop_of_two<W, W, [](W x, W y) { return static_cast<W>(Bits(x) * Bits(y)); }>;
    case Opcode::Divide: return loop_of_two<W, W, integer_divide<W>>;
    case Opcode::Remainder: return loop_of_two<W, W, integer_remainder<W>>;
    case Opcode::Power: return loop_of_two<W, W, integer_power<W>>;
    case Opcode::MultiplyHigh:
      return loop_of_two<W, W, [](W x, W y, const P &p) { return multiply_high(x, y, p.bits); }>;
    case Opcode::Maximum: return loop_of_two<W, W, maximum<W>>;
    case Opcode::Minimum: return loop_of_two<W, W, minimum<W>>;
    case Opcode::And: return loop_of_two<W, W, [](W x, W y) { return static_cast<W>(x & y); }>;
    case Opcode::Or: return loop_of_two<W, W, [](W x, W y) { return static_cast<W>(x | y); }>;
    case Opcode::Xor: return loop_of_two<W, W, [](W x, W y) { return static_cast<W>(x ^ y); }>;
    case Opcode::ShiftLeft:
      return loop_of_two<W, W, [](W x, W y, const P &p) {
        Bits distance = low_bits(Bits(y), p.bits);
        return static_cast<W>(distance >= Bits(p.bits) ? 0 : Bits(x) << distance);
      }>;
    case Opcode::ShiftRightLogical:
      return loop_of_two<W, W, [](W x, W y, const P &p) {
        Bits distance = low_bits(Bits(y), p.bits);
        return static_cast<W>(distance >= Bits(p.bits) ? 0 : low_bits(Bits(x), p.bits) >> distance);
      }>;
    case Opcode::ShiftRightArithmetic:
      return loop_of_two<W, W, [](W x, W y, const P &p) { return shift_right_arithmetic(x, y, p.bits); }>;
    default: return nullptr;
  }
}

template <class W>
Loop float_loop(Opcode opcode) {
  switch (opcode) {
    case Opcode::Add: return loop_of_two<W, W, [](W x, W y) { return x + y; }>;
    case Opcode::Subtract: return loop_of_two<W, W, [](W x, W y) { return x - y; }>;
    case Opcode::Multiply: return loop_of_two<W, W, [](W x, W y) { return x * y; }>;
    case Opcode::Divide: return loop_of_two<W, W, [](W x, W y) { return x / y; }>;
    case Opcode::Remainder: return loop_of_two<W, W, [](W x, W y) { return std::fmod(x, y); }>;
    case Opcode::Power: return computed_loop_of_two<W, [](auto x, auto y) { return std::pow(x, y); }>;
    case Opcode::Atan2: return computed_loop_of_two<W, [](auto x, auto y) { return std::atan2(x, y); }>;
    case Opcode::Maximum: return loop_of_two<W, W, maximum<W>>;
    case Opcode::Minimum: return loop_of_two<W, W, minimum<W>>;
    default: return nullptr;
  }
}

template <class W, Extended (*function)(Extended, Extended)>
constexpr Loop extended_loop_of_two = loop_of_two<W, W, [](W x, W y) {
  return static_cast<W>(function(static_cast<Extended>(x), static_cast<Extended>(y)));
}>;

template <class W>
Loop complex_number_loop(Opcode opcode) {
  switch (opcode) {
    case Opcode::Add: return loop_of_two<W, W, [](W x, W y) { return x + y; }>;
    case Opcode::Subtract: return loop_of_two<W, W, [](W x, W y) { return x - y; }>;
    case Opcode::Multiply: return extended_loop_of_two<W, multiply_precisely>;
    case Opcode::Divide: return extended_loop_of_two<W, divide_precisely>;
    case Opcode::Power: return extended_loop_of_two<W, power>;
    case Opcode::Atan2: return extended_loop_of_two<W, complex_atan2>;
    default: return nullptr;
  }
}

template <class W>
Loop ordered_compare_loop(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::Eq: return loop_of_two<W, bool, std::equal_to<>{}>;
    case ComparisonDirection::Ne: return loop_of_two<W, bool, std::not_equal_to<>{}>;
    case ComparisonDirection::Ge: return loop_of_two<W, bool, std::greater_equal<>{}>;
    case ComparisonDirection::Gt: return loop_of_two<W, bool, std::greater<>{}>;
    case ComparisonDirection::Le: return loop_of_two<W, bool, std::less_equal<>{}>;
    case ComparisonDirection::Lt: return loop_of_two<W, bool, std::less<>{}>;
  }
  return nullptr;
}

template <class W>
void clamp_all(const void *const *operands, void *result, std::size_t count, const LoopParameters &) {
  const W *low = static_cast<const W *>(operands[0]);
  const W *x = static_cast<const W *>(operands[1]);
  const W *high = static_cast<const W *>(operands[2]);
  W *out = static_cast<W *>(result);
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = minimum(maximum(x[i], low[i]), high[i]);
  }
}

template <std::size_t width>
void select_all(const void *const *operands, void *result, std::size_t count, const LoopParameters &) {
  struct Element {
    std::byte bytes[width];
  };
  const bool *predicate = static_cast<const bool *>(operands[0]);
  const Element *on_true = static_cast<const Element *>(operands[1]);
  const Element *on_false = static_cast<const Element *>(operands[2]);
  Element *out = static_cast<Element *>(result);
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = predicate[i] ? on_true[i] : on_false[i];
  }
}

}  // namespace

Loop binary_loop(Opcode opcode, Wide wide) {
  return visit_wide(wide, [&]<class W>() {
    if constexpr (is_complex_number<W>) {
      return complex_number_loop<W>(opcode);
    } else if constexpr (std::is_integral_v<W>) {
      return integer_loop<W>(opcode);
    } else {
      return float_loop<W>(opcode);
    }
  });
}

Loop clamp_loop(Wide wide) {
  return visit_wide(wide, []<class W>() -> Loop {
    if constexpr (is_complex_number<W>) {
      return nullptr;
    } else {
      return clamp_all<W>;
    }
  });
}

Loop complex_loop(Wide wide) {
  if (wide == Wide::Double) {
    return loop_of_two<double, std::complex<double>, [](double x, double y) { return std::complex<double>(x, y); }>;
  }
  return loop_of_two<float, std::complex<float>, [](float x, float y) { return std::complex<float>(x, y); }>;
}

Loop compare_loop(ComparisonDirection direction, Wide wide) {
  return visit_wide(wide, [&]<class W>() -> Loop {
    if constexpr (is_complex_number<W>) {
      switch (direction) {
        case ComparisonDirection::Eq: return loop_of_two<W, bool, [](W x, W y) { return x == y; }>;
        case ComparisonDirection::Ne: return loop_of_two<W, bool, [](W x, W y) { return x != y; }>;
        default: return nullptr;
      }
    } else {
      return ordered_compare_loop<W>(direction);
    }
  });
}

ConvertLoop total_order_loop(ir::ElementType type) {
  return ir::visit_element_type(type, []<class T>() -> ConvertLoop {
    if constexpr (is_narrow_float<T> || std::is_floating_point_v<T>) {
      return [](const void *from, void *to, std::size_t count) {
        std::transform(static_cast<const T *>(from), static_cast<const T *>(from) + count,
                       static_cast<std::int64_t *>(to), total_order_key<T>);
      };
    } else {
      return nullptr;
    }
  });
}

Loop select_loop(std::size_t byte_width) {
  switch (byte_width) {
    case 1: return select_all<1>;
    case 2: return select_all<2>;
    case 4: return select_all<4>;
    case 8: return select_all<8>;
    default: return select_all<16>;
  }
}

}  // namespace bp::interpreter
