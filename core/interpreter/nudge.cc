#include "core/interpreter/nudge.h"

#include <bit>
#include <cmath>
#include <complex>

#include "core/interpreter/wide.h"

namespace bp::interpreter {
namespace {

// Floats of all formats but one consist of sign and magnitude, and the next magnitude has the next code.
template <class T, class Bits>
void nudge_float(T &value, bool up) {
  auto as_double = [](const T &x) { return static_cast<double>(x); };
  if (as_double(value) == 0 || !std::isfinite(as_double(value))) {
    return;
  }
  auto bits = std::bit_cast<Bits>(value);
  auto moved = std::bit_cast<T>(static_cast<Bits>(up ? bits + 1 : bits - 1));
  if (std::isfinite(as_double(moved)) && std::signbit(as_double(moved)) == std::signbit(as_double(value))) {
    value = moved;
  }
}

template <class T>
void nudge_element(T &value, bool up) {
  if constexpr (is_narrow_float<T>) {
    nudge_float<T, typename T::Bits>(value, up);
  } else if constexpr (std::is_same_v<T, float>) {
    nudge_float<T, std::uint32_t>(value, up);
  } else if constexpr (std::is_same_v<T, double>) {
    nudge_float<T, std::uint64_t>(value, up);
  } else if constexpr (is_complex_number<T>) {
    auto real = value.real(), imaginary = value.imag();
    nudge_element(real, up);
    nudge_element(imaginary, !up);
    value = {real, imaginary};
  }
}

template <class T>
void perturb_element(T &value, std::uint64_t bits) {
  if constexpr (is_complex_number<T>) {
    auto real = value.real(), imaginary = value.imag();
    perturb_element(real, bits);
    perturb_element(imaginary, bits << 8);
    value = {real, imaginary};
  } else if constexpr (!std::is_integral_v<WideType<T>>) {
    const double old = static_cast<double>(value);
    const auto moved = T(old * (1 + static_cast<double>(bits >> 40) * 0x1p-29));
    const bool is_unmoved = static_cast<double>(moved) == old;
    if (is_unmoved) {
      nudge_element(value, (bits >> 63) != 0);
    } else if (std::isfinite(static_cast<double>(moved))) {
      value = moved;
    }
  }
}

// Calls move(element, bits) for each float, with bits that depend on the seed; the high bits are the more random ones.
template <class Move>
Result<ir::Literal> move_floats(const ir::Literal &value, std::uint64_t seed, const Move &move) {
  if (value.shape().is_tuple()) {
    std::vector<ir::Literal> elements;
    for (const ir::Literal &element : value.tuple_elements()) {
      BP_ASSIGN(ir::Literal moved, move_floats(element, seed + elements.size(), move));
      elements.push_back(std::move(moved));
    }
    return ir::Literal::tuple(std::move(elements));
  }
  if (!value.shape().is_array() ||
      !(ir::is_floating(value.shape().element_type()) || ir::is_complex(value.shape().element_type()))) {
    return value;
  }
  BP_ASSIGN(ir::Literal result, ir::Literal::zeros(value.shape()));
  ir::visit_element_type(value.shape().element_type(), [&]<class T>() {
    auto from = value.elements<T>();
    auto to = result.mutable_elements<T>();
    std::uint64_t state = seed * 2 + 1;
    for (std::size_t i = 0; i < from.size(); ++i) {
      to[i] = from[i];
      state = state * 6364136223846793005u + 1442695040888963407u;
      move(to[i], state);
    }
  });
  return result;
}

}  // namespace

Result<ir::Literal> nudge(const ir::Literal &value, std::uint64_t seed) {
  return move_floats(value, seed, [](auto &element, std::uint64_t bits) { nudge_element(element, (bits >> 63) != 0); });
}

Result<ir::Literal> perturb(const ir::Literal &value, std::uint64_t seed) {
  return move_floats(value, seed, [](auto &element, std::uint64_t bits) { perturb_element(element, bits); });
}

}  // namespace bp::interpreter
