#include "core/debugging/draws.h"

#include <array>
#include <cmath>
#include <random>

#include "core/interpreter/random_inputs.h"
#include "core/interpreter/wide.h"

namespace bp::debugging {
namespace {

using ir::Literal;

template <class T, class Bits, int mantissa_bits>
T special_ieee(std::mt19937_64 &random) {
  constexpr int sign_bit = sizeof(Bits) * 8 - 1;
  constexpr Bits one = 1;
  constexpr Bits infinity = ((one << (sign_bit - mantissa_bits)) - 1) << mantissa_bits;
  constexpr Bits unit = (infinity >> 1) & ~((one << mantissa_bits) - 1) & infinity;  // 1.0 or 2.0
  constexpr Bits quiet_nan = infinity | one << (mantissa_bits - 1);
  constexpr std::array<Bits, 10> magnitudes{
      0,                                 // zero
      1,                                 // the smallest subnormal
      (one << mantissa_bits) - 1,        // the largest subnormal
      one << mantissa_bits,              // the smallest normal
      infinity - 1,                      // the largest
      infinity,                          //
      unit,                              //
      unit + 1,                          // its neighbour
      unit - (one << mantissa_bits),     // half of it
      unit + (Bits{3} << mantissa_bits)  // eight times as much
  };
  const std::uint64_t choice = random() % (2 * magnitudes.size() + 1);
  if (choice == 2 * magnitudes.size()) {
    return std::bit_cast<T>(quiet_nan);
  }
  const Bits sign = static_cast<Bits>(choice % 2) << sign_bit;
  return std::bit_cast<T>(static_cast<Bits>(sign | magnitudes[choice / 2]));
}

template <class T>
T special(std::mt19937_64 &random) {
  if constexpr (interpreter::is_complex_number<T>) {
    auto real = special<typename T::value_type>(random);
    return T(real, special<typename T::value_type>(random));
  } else if constexpr (std::is_same_v<T, float>) {
    return special_ieee<T, std::uint32_t, 23>(random);
  } else if constexpr (std::is_same_v<T, double>) {
    return special_ieee<T, std::uint64_t, 52>(random);
  } else if constexpr (interpreter::is_narrow_float<T>) {
    if constexpr (T::float_format.width() == 16) {
      return special_ieee<T, std::uint16_t, T::float_format.mantissa_bits>(random);
    } else {  // all codes are used, because there are few; NaNs become the one that rounding makes
      auto code = static_cast<typename T::Bits>(random() % (1u << T::float_format.width()));
      auto value = static_cast<double>(T::from_bits(code));
      return T(std::isnan(value) ? std::fabs(value) : value);
    }
  } else if constexpr (std::is_same_v<T, bool>) {
    return random() % 2 != 0;
  } else {
    // Zero, one, minus one (all ones), the extremes and their neighbours, and numbers that are useful as shift amounts.
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    int bits = static_cast<int>(sizeof(T)) * 8;
    bool is_signed = std::is_signed_v<T>;
    if constexpr (interpreter::is_narrow_int<T>) {
      bits = T::bits;
      is_signed = T::is_signed;
    }
    const std::int64_t top = bits == 64 ? least : std::int64_t{1} << (bits - (is_signed ? 1 : 0)) % 64;
    const auto below = static_cast<std::int64_t>(static_cast<std::uint64_t>(top) - 1);
    const std::array<std::int64_t, 10> values{0, 1, -1, top, below, top + 1, 2, bits - 1, bits, 3};
    return T(static_cast<std::conditional_t<interpreter::is_narrow_int<T>, std::int64_t, T>>(
        values[random() % values.size()]));
  }
}

template <class T>
T small(std::mt19937_64 &random) {
  auto number = [&] { return static_cast<double>(static_cast<std::int64_t>(random() % 7) - 3); };
  if constexpr (interpreter::is_complex_number<T>) {
    double real = number();
    return T(static_cast<typename T::value_type>(real), static_cast<typename T::value_type>(number()));
  } else {
    return T(number());
  }
}

Literal rewrite(const Literal &value, DrawKind kind, std::mt19937_64 &random) {
  if (value.shape().is_tuple()) {
    std::vector<Literal> elements;
    for (const Literal &element : value.tuple_elements()) {
      elements.push_back(rewrite(element, kind, random));
    }
    return Literal::tuple(std::move(elements));
  }
  Literal result = value;
  if (!value.shape().is_array()) {
    return result;
  }
  ir::visit_element_type(value.shape().element_type(), [&]<class T>() {
    for (T &element : result.mutable_elements<T>()) {
      if (kind == DrawKind::Small) {
        if constexpr (!std::is_integral_v<interpreter::WideType<T>>) {
          element = small<T>(random);
        }
      } else if (kind == DrawKind::Special || random() % 4 == 0) {
        element = special<T>(random);
      }
    }
  });
  return result;
}

}  // namespace

DrawKind kind_of_draw(int number) {
  return static_cast<DrawKind>(number % 4);
}

std::string_view to_string(DrawKind kind) {
  switch (kind) {
    case DrawKind::Ordinary: return "ordinary values";
    case DrawKind::Small: return "small integers";
    case DrawKind::Mixed: return "ordinary and special values";
    case DrawKind::Special: return "special values";
  }
  return {};
}

Result<std::vector<Literal>> draw_arguments(const ir::Module &module, std::uint64_t seed, int number) {
  // Draw 0 equals that of `run --seed`.
  const std::uint64_t own_seed = seed + 1000003 * static_cast<std::uint64_t>(number);
  BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module, own_seed));
  const DrawKind kind = kind_of_draw(number);
  if (kind != DrawKind::Ordinary) {
    std::mt19937_64 random(own_seed);
    for (Literal &argument : arguments) {
      argument = rewrite(argument, kind, random);
    }
  }
  return arguments;
}

}  // namespace bp::debugging
