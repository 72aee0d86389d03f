#include "conformance/suite/values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

#include "conformance/check/number.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/float_spacing.h"

namespace bp::conformance {
namespace {

using ir::ElementType;
using ir::Literal;

// SplitMix64, as a function of a counter.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t z = seed + (counter + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Returns the element whose low bits are these.
template <class T>
T from_bits(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, bool>) {
    return (bits & 1) != 0;
  } else if constexpr (is_narrow_int<T>) {
    return T(static_cast<std::int64_t>(bits));
  } else if constexpr (is_narrow_float<T>) {
    constexpr unsigned width = T::float_format.width();
    return T::from_bits(static_cast<typename T::Bits>(bits & ((std::uint64_t{1} << width) - 1)));
  } else if constexpr (is_complex<T>) {
    return T(from_bits<typename T::value_type>(bits), 0);
  } else {
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }
}

// The bits of a number that are all there is to it, from the lowest.
template <class T>
constexpr int width_of() {
  if constexpr (is_narrow_int<T>) {
    return T::bits;
  } else if constexpr (is_narrow_float<T>) {
    return ir::FloatFormat(T::float_format).width();
  } else {
    return 8 * static_cast<int>(sizeof(T));
  }
}

template <class T>
std::uint64_t bits_of(T number) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof number);
  return bits;
}

// Bits of the mantissa that are stored.
template <class T>
constexpr int mantissa_bits_of() {
  if constexpr (is_narrow_float<T>) {
    return ir::FloatFormat(T::float_format).mantissa_bits;
  } else {
    return std::numeric_limits<T>::digits - 1;
  }
}

// An integer of up to 64 bits, or the bits of the mantissa of a float, of which rounding to one of the usual numbers of
// digits is a tie, or would be without its last bit.
std::uint64_t near_tie(std::uint64_t bits, int width) {
  constexpr int digits_of_types[] = {4, 8, 11, 24, 53};
  const std::uint64_t other = random_bits(bits, 2);
  const int length = 8 + static_cast<int>(other % 57);
  const int digits = digits_of_types[(other >> 8) % std::size(digits_of_types)];
  const int used = std::min(length, width - 1);
  if (digits + 1 >= used) {
    return other >> (64 - used);
  }
  const std::uint64_t kept = (std::uint64_t{1} << (digits - 1)) | (other >> (65 - digits));
  const std::uint64_t tie = ((kept << 1) | 1) << (used - digits - 1);
  return tie + ((other >> 16) % 3 == 0 ? 0 : (other >> 16) % 3 == 1 ? 1 : ~std::uint64_t{0});
}

// Floats: of either sign, from 2^-6 to 2^6, all exponents equally likely; an eighth is near a tie of narrower types.
// Integers: half of them small, a quarter with random bits, a quarter near ties of floats.
template <class T>
T random_element(std::uint64_t bits) {
  if constexpr (is_complex<T>) {
    using Part = typename T::value_type;
    return T(random_element<Part>(bits), random_element<Part>(random_bits(bits, 0)));
  } else if constexpr (is_float<T>) {
    const double tie = static_cast<double>(std::max<std::uint64_t>(near_tie(bits, 53), 1));
    const bool is_near_tie = (bits >> 20) % 8 == 0;
    const double fraction =
        is_near_tie ? std::ldexp(tie, -std::ilogb(tie)) : 1 + static_cast<double>(bits >> 12) * 0x1p-52;
    const double size = std::ldexp(fraction, static_cast<int>(bits % 12) - 6);
    return T((bits & 0x800) != 0 ? -size : size);
  } else {
    const std::uint64_t other = random_bits(bits, 1);
    if ((bits & 1) == 0) {
      return from_bits<T>(static_cast<std::uint64_t>(other % 32) - 16);
    }
    const std::uint64_t large = (bits & 2) == 0 ? other : near_tie(bits, static_cast<int>(sizeof(T) * 8));
    return from_bits<T>((bits & 4) == 0 ? large : ~large + 1);
  }
}

// A number of any order of magnitude; of complex numbers, one whose square is finite unless it is for a root.
template <class T>
T number_of_any_size(std::uint64_t bits, ir::Opcode opcode) {
  if constexpr (is_complex<T>) {
    using Part = typename T::value_type;
    constexpr int largest = std::numeric_limits<Part>::max_exponent;
    const bool is_for_root = opcode == ir::Opcode::Sqrt || opcode == ir::Opcode::Rsqrt || opcode == ir::Opcode::Abs;
    const std::uint64_t other = random_bits(bits, 3);
    const T ordinary = random_element<T>(bits);
    if (is_for_root && other % 2 == 0) {  // both parts near the limit of what is finite, or of what is not 0
      const int exponent = other % 4 == 0 ? largest - 1 : 2 - largest;
      const auto moved = [&](Part part) { return std::ldexp(part, exponent - std::ilogb(part)); };
      return T(moved(ordinary.real()), moved(ordinary.imag()));
    }
    const int exponent = static_cast<int>(other / 2 % (2 * largest / 3)) - largest / 3;
    return T(std::ldexp(ordinary.real(), exponent), std::ldexp(ordinary.imag(), exponent));
  } else if constexpr (is_float<T>) {
    const std::uint64_t other = random_bits(bits, 3);
    const T any = from_bits<T>(other);
    if (other % 2 == 0 && std::isfinite(static_cast<double>(any))) {
      return any;
    }
    const int exponent = static_cast<int>(random_bits(bits, 4) % 40) - 20;
    return T(std::ldexp(static_cast<double>(random_element<T>(bits)), exponent));
  } else {
    return random_element<T>(bits);
  }
}

// From -3 to 3, or mostly -1 and 1: then products of many are small, too. A type without such a number gets 1.
template <class T>
T small_integer(std::uint64_t bits, bool is_unit) {
  if constexpr (is_complex<T>) {
    using Part = typename T::value_type;
    return T(small_integer<Part>(bits, is_unit), small_integer<Part>(bits >> 16, is_unit));
  } else if constexpr (is_float<T>) {
    constexpr double small[] = {-3, -2, -1, -1, 0, 1, 2, 3}, unit[] = {-1, -1, 1, 1, 1, 1, 1, 2};
    const double value = (is_unit ? unit : small)[bits % 8];
    return static_cast<double>(T(value)) == value ? T(value) : T(1.0);
  } else {
    return from_bits<T>(bits);
  }
}

template <class T>
T negative(T value) {
  if constexpr (is_complex<T>) {
    return T(negative(value.real()), negative(value.imag()));
  } else if constexpr (is_float<T>) {
    return T(-std::fabs(static_cast<double>(value)));
  } else {
    return value;
  }
}

template <class T>
T uniform_element(std::uint64_t seed) {
  if constexpr (is_float<T>) {
    constexpr double numbers[] = {-0.0, -0.0, 0.0, -1.0, 1.0, -2.5, 3.0};
    const T value(numbers[seed % std::size(numbers)]);
    return value;
  } else {
    return random_element<T>(seed);
  }
}

// How the elements of an operand with many digits are drawn.
struct WideIntegers {
  int digits = 1;
  bool are_rare = false;  // most elements are -1 and 1, so that small terms meet large sums
};

// Returns an odd integer with up to as many digits.
template <class T>
T wide_integer(std::uint64_t bits, const WideIntegers &wide) {
  if constexpr (is_complex<T>) {
    using Part = typename T::value_type;
    return T(wide_integer<Part>(bits, wide), wide_integer<Part>(random_bits(bits, 0), wide));
  } else if constexpr (is_float<T>) {
    const bool is_small = wide.are_rare && bits % 16 != 0;
    const std::uint64_t integer = is_small ? 1 : (bits >> 8) % (std::uint64_t{1} << wide.digits) | 1;
    const double value = static_cast<double>(integer) * ((bits & 0x10) != 0 ? -1 : 1);
    return static_cast<double>(T(value)) == value ? T(value) : T(1.0);
  } else {
    return from_bits<T>(bits);
  }
}

// Sums of as many terms have to be exact in the digits with which they are computed.
WideIntegers choose_wide(ElementType type, std::int64_t terms, std::uint64_t seed) {
  const ElementType part = ir::is_complex(type) ? ir::real_part_type(type) : type;
  const int digits_of_type = ir::is_floating(part) ? ir::spacing_of(part).mantissa_bits + 1 : 1;
  const int digits_of_sums = part == ElementType::F64 ? 53 : 24;
  const int digits_of_terms = std::bit_width(static_cast<std::uint64_t>(terms)) + (ir::is_complex(type) ? 1 : 0);
  return {.digits = std::clamp(digits_of_sums - digits_of_terms, 1, digits_of_type), .are_rare = seed % 2 == 0};
}

// Mostly the integer of the type with the largest absolute value, otherwise the largest one; or the other way round.
template <class T>
T extreme_integer(std::uint64_t bits, bool is_mostly_least) {
  if constexpr (is_float<T> || is_complex<T>) {
    return small_integer<T>(bits, false);
  } else if constexpr (std::is_same_v<T, bool>) {
    return bits % 2 != 0;
  } else {
    std::uint64_t top = std::uint64_t{1} << (sizeof(T) * 8 - 1);
    bool is_signed = std::is_signed_v<T>;
    const auto all_ones = from_bits<T>(~std::uint64_t{0});
    if constexpr (is_narrow_int<T>) {
      top = std::uint64_t{1} << (T::bits - 1);
      is_signed = static_cast<std::int64_t>(all_ones) < 0;
    }
    return !is_signed ? all_ones : from_bits<T>((bits % 8 == 0) == is_mostly_least ? top - 1 : top);
  }
}

template <class T>
std::vector<T> special_floats(SpecialValueSet set) {
  std::vector<double> wide = {1, -1, 0.5, 1.5, 2.5, -0.5, -2.5, 3, 0.1, -7.25, 100, 1e4, 65520, 16777217, 0};
  std::vector<T> all;
  for (const double value : wide) {
    all.push_back(T(value));
  }
  if constexpr (is_narrow_float<T>) {
    constexpr ir::FloatFormat format = T::float_format;
    const std::uint32_t sign = 1u << (format.width() - 1), one_exponent = 1u << format.mantissa_bits;
    // Smallest and largest subnormal, smallest normal, and the last bit patterns: largest, infinity, NaN.
    for (const std::uint32_t code : {1u, one_exponent - 1, one_exponent, sign - 1, sign - 2, sign - one_exponent,
                                     sign - one_exponent - 1, sign - one_exponent + 1, 0u}) {
      all.push_back(from_bits<T>(code));
      all.push_back(from_bits<T>(code | sign));
    }
  } else {
    using Limits = std::numeric_limits<T>;
    // Ties of narrow types, and numbers that are not quite: rounding to a wider type first makes ties of them.
    for (const double tie : {0x1p-11, 0x1p-8, 0x1p-4, 0x1p-3}) {
      for (const double last : {0.0, Limits::epsilon() * 1.0, Limits::epsilon() * -1.0}) {
        all.push_back(T(1 + tie + last));
      }
    }
    // A NaN whose payload is in bits that narrower types lack.
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    all.push_back(std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(Limits::infinity()) + 1)));
    for (const T value : {T(0), Limits::denorm_min(), Limits::min() - Limits::denorm_min(), Limits::min(),
                          Limits::max(), Limits::infinity(), Limits::epsilon(), std::nextafter(T(1), T(2)),
                          std::sqrt(Limits::max()), Limits::quiet_NaN()}) {
      all.push_back(value);
      all.push_back(-value);
    }
  }
  // Rounding to an integer by adding a half fails next to a half, and where integers are as near as floats.
  const double digits = std::ldexp(1.0, mantissa_bits_of<T>());
  all.push_back(from_bits<T>(bits_of(T(0.5)) - 1));
  all.push_back(T(digits + 1));
  all.push_back(T(digits - 0.5));
  if (set == SpecialValueSet::Quiet) {
    std::ranges::replace_if(
        all, [](T value) { return std::isnan(static_cast<double>(value)); },
        T(std::numeric_limits<double>::quiet_NaN()));
  }
  std::erase_if(all, [&](T value) {
    const auto x = static_cast<double>(value);
    return set == SpecialValueSet::Ordered && (std::isnan(x) || (x == 0 && std::signbit(x)));
  });
  return all;
}

// Mostly small integers. Sums of thousands of them are exact in f32, and special values remain in any order.
template <class T>
std::vector<T> summands() {
  std::vector<T> all;
  for (int i = 0; i < 60; ++i) {
    all.push_back(T(static_cast<double>(i % 3 - 1)));
  }
  all.push_back(T(std::numeric_limits<double>::infinity()));
  return all;
}

// Numbers at which conversions to f16, bf16, f8e5m2 and f8e4m3fn overflow or vanish: the largest number, the tie with
// the one above, the tie of the smallest one with 0, and their neighbours.
template <class T>
void add_limits_of_narrow_types(std::vector<T> &all) {
  struct Limits {
    double largest, tie, smallest;
  };
  for (const Limits &type : {Limits{65504, 65520, 0x1p-24}, Limits{0x1.FEp127, 0x1.FFp127, 0x1p-133},
                             Limits{57344, 61440, 0x1p-16}, Limits{448, 464, 0x1p-9}}) {
    for (const T value : {T(type.largest), std::nextafter(T(type.tie), T(0)), T(type.tie), T(-type.largest),
                          T(type.smallest / 2), std::nextafter(T(type.smallest / 2), T(1))}) {
      all.push_back(value);
    }
  }
}

// Integers of 64 bits next to ties of floats that have few bits: rounding to a wider float first makes ties of them.
template <class T>
void add_neighbours_of_ties(std::vector<T> &all) {
  for (const int mantissa_bits : {23, 10, 7, 3, 2}) {
    for (const int exponent : {62, 63}) {
      const std::uint64_t spacing = std::uint64_t{1} << (exponent - mantissa_bits);
      const std::uint64_t tie = (std::uint64_t{1} << exponent) + spacing / 2;
      all.insert(all.end(), {from_bits<T>(tie + 1), from_bits<T>(tie + spacing - 1)});
    }
  }
}

template <class T>
std::vector<T> special_values(SpecialValueSet set, const ir::OpInfo &op) {
  if constexpr (is_complex<T>) {
    using Part = typename T::value_type;
    // Implementations disagree on function results for infinite parts and on the side of a branch cut that a zero lies
    // on.
    std::vector<T> all;
    // The square of the modulus overflows, the modulus does not. A large complex exponent makes each rounding error
    // large.
    const bool has_large_numbers = op.opcode != ir::Opcode::Power;
    const Part large =
        has_large_numbers ? Part(std::sqrt(static_cast<double>(std::numeric_limits<Part>::max())) * 1.5) : Part(2);
    for (const Part re : {Part(0.001), Part(1), Part(-1.5), Part(0.25), Part(-30), large}) {
      for (const Part im : {Part(0.5), Part(2), Part(-0.5), Part(-0.01), -large}) {
        all.emplace_back(re, im);
      }
    }
    if (!op.has(ir::Trait::Function) && op.opcode != ir::Opcode::Divide) {
      for (const Part part : {Part(0), Part(2), Part(-1.5)}) {
        all.insert(all.end(), {T(part, Part(0)), T(Part(0), part)});
      }
    }
    return all;
  } else if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (is_float<T>) {
    std::vector<T> all = set == SpecialValueSet::Summands ? summands<T>() : special_floats<T>(set);
    if constexpr (!is_narrow_float<T>) {
      if (op.opcode == ir::Opcode::Convert || op.opcode == ir::Opcode::Tuple) {
        add_limits_of_narrow_types(all);
      }
    }
    return all;
  } else {
    constexpr std::uint64_t top = [] {
      if constexpr (is_narrow_int<T>) {
        return std::uint64_t{1} << (T::bits - 1);
      } else {
        return std::uint64_t{1} << (sizeof(T) * 8 - 1);
      }
    }();
    std::vector<T> all;
    if constexpr (sizeof(T) == 8) {
      add_neighbours_of_ties(all);
    }
    for (const std::uint64_t bits :
         {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}, top, top - 1, top + 1, std::uint64_t{2},
          std::uint64_t{3}, std::uint64_t{7}, std::uint64_t{31}, std::uint64_t{32}, std::uint64_t{63},
          std::uint64_t{100}, ~std::uint64_t{0} - 1, top >> 1}) {
      all.push_back(from_bits<T>(bits));
    }
    return all;
  }
}

// Up to `arrays` such arrays may be multiplied with each other.
template <class T>
void fill_with_factors(Literal &literal, int arrays, std::uint64_t seed) {
  const auto elements = literal.mutable_elements<T>();
  if constexpr (is_complex<T>) {
    using Part = typename T::value_type;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const Part unit(random_bits(seed, i) % 2 == 0 ? 1 : -1);
      elements[i] = random_bits(seed, i) % 4 < 2 ? T(unit, 0) : T(0, unit);
    }
  } else if constexpr (is_float<T>) {
    const bool has_sign = static_cast<double>(T(-1.0)) == -1;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      elements[i] = T(has_sign && random_bits(seed, i) % 2 == 0 ? -1.0 : 1.0);
    }
    const int max_factors = elements.empty() ? 0 : exact_powers<T>(16) / arrays;
    for (std::size_t i = 0; i < static_cast<std::size_t>(max_factors); ++i) {
      elements[random_bits(seed, elements.size() + 2 * i) % elements.size()] = T(2.0);
      elements[random_bits(seed, elements.size() + 2 * i + 1) % elements.size()] = T(0.5);
    }
  } else {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      elements[i] = random_element<T>(random_bits(seed, i));
    }
  }
}

// Floats are near 1/2, from which no other bit makes an infinity or a NaN.
template <class T>
void fill_with_alike(Literal &literal, std::uint64_t seed) {
  const auto elements = literal.mutable_elements<T>();
  if constexpr (std::is_same_v<T, bool> || is_complex<T>) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      elements[i] = random_element<T>(random_bits(seed, i));
    }
  } else {
    int last_bits = std::min(width_of<T>() / 2, 8);
    std::uint64_t base = random_bits(seed, 0);
    if constexpr (is_float<T>) {
      last_bits = std::min(last_bits, mantissa_bits_of<T>());
      base = bits_of(T(0.5));
    }
    const std::uint64_t last = (std::uint64_t{1} << last_bits) - 1;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      elements[i] = from_bits<T>((base & ~last) | (random_bits(seed, i + 1) & last));
    }
    if (!elements.empty()) {
      const int other = last_bits + static_cast<int>(seed / 2 % static_cast<std::uint64_t>(width_of<T>() - last_bits));
      T &one = elements[seed % elements.size()];
      one = from_bits<T>(bits_of(one) ^ std::uint64_t{1} << other);
    }
  }
}

// Without NaN, which has no place in the order.
template <class T>
void fill_in_order(Literal &literal, std::uint64_t seed) {
  const auto elements = literal.mutable_elements<T>();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i] = random_element<T>(random_bits(seed, i));
    if constexpr (is_float<T>) {
      elements[i] = std::isnan(static_cast<double>(elements[i])) ? T(1.0) : elements[i];
    }
  }
  if constexpr (!is_complex<T>) {
    using Wide = interpreter::WideType<T>;
    std::ranges::sort(elements, [&](const T &a, const T &b) {
      const auto first = interpreter::widen<Wide>(seed % 2 == 0 ? a : b),
                 second = interpreter::widen<Wide>(seed % 2 == 0 ? b : a);
      return first < second;
    });
  }
}

// Few numbers, so that most are equal to others: zeros of both signs are, too, but do not have the same bits.
template <class T>
void fill_with_ties(Literal &literal, std::uint64_t seed) {
  const auto elements = literal.mutable_elements<T>();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::uint64_t bits = random_bits(seed, i);
    if constexpr (is_float<T>) {
      const T zero = bits / 4 % 2 == 0 ? T(0.0) : T(-0.0);
      const bool has_zero = static_cast<double>(zero) == 0;
      elements[i] = bits % 4 < 2 && has_zero ? zero : small_integer<T>(bits >> 8, true);
    } else if constexpr (is_complex<T>) {
      elements[i] = small_integer<T>(bits, true);
    } else {
      elements[i] = from_bits<T>(bits % 5);
    }
  }
}

template <class T, class Function>
void fill(Literal &literal, Function &&function) {
  auto elements = literal.mutable_elements<T>();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i] = function(i);
  }
}

// All pairs of special values appear in arrays that are long enough: with each pass through the values, the operands
// are shifted against each other.
template <class T>
void fill_with_special_values(Literal &literal, SpecialValueSet set, const ir::OpInfo &op, std::size_t operand,
                              std::uint64_t seed) {
  const std::vector<T> values = special_values<T>(set, op);
  const std::size_t count = values.size(), start = seed % count;
  fill<T>(literal, [&](std::size_t i) { return values[(start + i + operand * (i / count)) % count]; });
}

template <class T>
T scaled(T value, double by) {
  if constexpr (is_complex<T>) {
    return T(scaled(value.real(), by), scaled(value.imag(), by));
  } else {
    return T(static_cast<double>(value) * by);
  }
}

// Multiplies all elements by a power of two that the type has, and its sums and products by others too.
void scale(Literal &literal, std::uint64_t seed) {
  constexpr double scales[] = {1, 1, 0x1p40, 0x1p-40};
  const ElementType type = literal.shape().element_type();
  const ElementType part = ir::is_complex(type) ? ir::real_part_type(type) : type;
  if (part != ElementType::F32 && part != ElementType::BF16 && part != ElementType::F64) {
    return;
  }
  ir::visit_element_type(type, [&]<class T>() {
    if constexpr (is_float<T> || is_complex<T>) {
      for (T &element : literal.mutable_elements<T>()) {
        element = scaled(element, scales[seed % 4]);
      }
    }
  });
}

void fill_with_wide_integers(Literal &literal, const WideIntegers &wide, std::uint64_t seed) {
  ir::visit_element_type(literal.shape().element_type(), [&]<class T>() {
    fill<T>(literal, [&](std::size_t i) { return wide_integer<T>(random_bits(seed, i), wide); });
  });
}

// Whether the results of an op depend on the order of magnitude of its operands in more ways than by rounding.
bool is_of_magnitudes(const ir::OpInfo &op, ElementType type) {
  using enum ir::Opcode;
  constexpr ir::Opcode of_complex[] = {Abs, Sign, Sqrt, Rsqrt, Log, Multiply, Divide, Power};
  return ir::is_complex(type) ? std::ranges::find(of_complex, op.opcode) != std::end(of_complex)
                              : op.has(ir::Trait::Function);
}

// Numbers at which functions of usual types overflow, vanish, reach their limit or are computed in another way.
constexpr double thresholds[] = {88.7228,  88.3763, 87.3365, 103.972,  709.783, 708.396, 745.133, 11.0898, 9.70406,
                                 17.3287,  9.01091, 19.0615, 3.9192,   5.9216,  0.5,     1,       2,       0.693147,
                                 0.346574, 1.5708,  3.14159, 0.785398, 16.6355, 128,     126,     149,     1024};

// Gives every fourth element any order of magnitude, and every fourth one the neighbourhood of a threshold. The
// exponents of powers become small there, so that the power is finite.
void spread(Literal &literal, ir::Opcode opcode, std::size_t operand, std::uint64_t seed) {
  ir::visit_element_type(literal.shape().element_type(), [&]<class T>() {
    if constexpr (is_float<T> || is_complex<T>) {
      const auto elements = literal.mutable_elements<T>();
      const bool is_exponent = opcode == ir::Opcode::Power && operand == 1;
      for (std::size_t i = seed % 4; i < elements.size(); i += 4) {
        elements[i] = is_exponent ? scaled(random_element<T>(random_bits(seed, i)), 0x1p-7)
                                  : number_of_any_size<T>(random_bits(seed, i), opcode);
      }
      if constexpr (is_float<T>) {
        for (std::size_t i = (seed + 2) % 4; !is_exponent && i < elements.size(); i += 4) {
          const std::uint64_t bits = random_bits(seed, i);
          const double away =
              1 + (static_cast<double>(bits >> 40) * 0x1p-24 - 0.5) * ((bits & 1) != 0 ? 0x1p-5 : 0x1p-12);
          elements[i] = T(thresholds[bits / 4 % std::size(thresholds)] * away * ((bits & 2) != 0 ? -1 : 1));
        }
      }
    }
  });
}

// Makes some elements equal to those of another array: comparisons that always have the same result show little.
void make_some_equal(Literal &literal, const Literal &other, std::uint64_t seed) {
  ir::visit_element_type(literal.shape().element_type(), [&]<class T>() {
    const auto elements = literal.mutable_elements<T>();
    const auto others = other.elements<T>();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      elements[i] = random_bits(seed, i) % 8 == 0 ? others[i] : elements[i];
    }
  });
}

// Replaces one element by a NaN, sometimes by an infinity: mostly the last one.
void put_in_special(Literal &literal, std::uint64_t seed) {
  ir::visit_element_type(literal.shape().element_type(), [&]<class T>() {
    if constexpr (is_float<T>) {
      const auto elements = literal.mutable_elements<T>();
      const double special = seed / 4 % 4 != 0
                                 ? std::numeric_limits<double>::quiet_NaN()
                                 : std::numeric_limits<double>::infinity() * (seed / 16 % 2 == 0 ? 1 : -1);
      if (!elements.empty()) {
        elements[seed % 4 != 0 ? elements.size() - 1 : seed / 32 % elements.size()] = T(special);
      }
    }
  });
}

void fill_array(Literal &literal, Values values, SpecialValueSet set, const ir::OpInfo &op, std::size_t operand,
                std::uint64_t seed, std::uint64_t first) {
  ir::visit_element_type(literal.shape().element_type(), [&]<class T>() {
    switch (values) {
      case Values::Random:
        return fill<T>(literal, [&](std::size_t i) { return random_element<T>(random_bits(seed, i)); });
      case Values::Edge: return fill_with_special_values<T>(literal, set, op, operand, seed);
      case Values::Every: return fill<T>(literal, [&](std::size_t i) { return from_bits<T>(first + i); });
      case Values::Least:
        return fill<T>(literal, [&](std::size_t i) { return extreme_integer<T>(random_bits(seed, i), true); });
      case Values::Most:
        return fill<T>(literal, [&](std::size_t i) { return extreme_integer<T>(random_bits(seed, i), false); });
      case Values::Negative:
        return fill<T>(literal, [&](std::size_t i) { return negative(random_element<T>(random_bits(seed, i))); });
      case Values::Uniform: return fill<T>(literal, [&](std::size_t) { return uniform_element<T>(seed); });
      case Values::Factors: return fill_with_factors<T>(literal, 4, seed);
      case Values::Alike: return fill_with_alike<T>(literal, seed);
      case Values::Ordered: return fill_in_order<T>(literal, seed);
      case Values::Ties: return fill_with_ties<T>(literal, seed);
      case Values::Rare:     // before special elements are put in
      case Values::Neutral:  // before neutral ones are
      case Values::Wide:     // of the operands without many digits
      case Values::Small:
        return fill<T>(literal, [&](std::size_t i) { return small_integer<T>(random_bits(seed, i), seed % 2 == 0); });
    }
  });
}

template <class T>
T absolute_value(T x) {
  if constexpr (is_complex<T>) {
    return T(std::abs(x), 0);
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::fabs(x);
  } else if constexpr (is_narrow_float<T>) {
    return T(std::fabs(static_cast<double>(x)));
  } else {
    return x;
  }
}

// Returns the smallest or the largest value of a type: an infinity if it has one.
template <class T>
T extreme_value(bool is_smallest) {
  if constexpr (is_narrow_float<T>) {
    std::optional<T> extreme;
    for (std::uint32_t code = 0; code < 1u << ir::FloatFormat(T::float_format).width(); ++code) {
      const T value = T::from_bits(static_cast<typename T::Bits>(code));
      const auto x = static_cast<double>(value);
      const bool is_better =
          !extreme || (is_smallest ? x < static_cast<double>(*extreme) : x > static_cast<double>(*extreme));
      extreme = !std::isnan(x) && is_better ? value : extreme;
    }
    return *extreme;
  } else if constexpr (std::is_floating_point_v<T>) {
    return (is_smallest ? -1 : 1) * std::numeric_limits<T>::infinity();
  } else if constexpr (std::is_same_v<T, bool>) {
    return !is_smallest;
  } else if constexpr (is_complex<T>) {
    return T();  // has no order
  } else {
    int width = 8 * static_cast<int>(sizeof(T));
    bool is_signed = std::is_signed_v<T>;
    if constexpr (is_narrow_int<T>) {
      width = T::bits;
      is_signed = T::is_signed;
    }
    const std::uint64_t top = std::uint64_t{1} << (width - 1);
    return is_signed ? from_bits<T>(is_smallest ? top : top - 1) : from_bits<T>(is_smallest ? 0 : ~std::uint64_t{0});
  }
}

// Returns the value that has no effect when the op combines it with another one; nothing if that is not known.
template <class T>
std::optional<T> neutral_value(ir::Opcode combiner) {
  using ir::Opcode;
  switch (combiner) {
    case Opcode::Add:
    case Opcode::Or:
    case Opcode::Xor: return interpreter::narrow<T>(interpreter::WideType<T>(0));
    case Opcode::Multiply: return interpreter::narrow<T>(interpreter::WideType<T>(1));
    case Opcode::Maximum: return extreme_value<T>(true);
    case Opcode::Minimum: return extreme_value<T>(false);
    case Opcode::And:
      if constexpr (std::is_integral_v<interpreter::WideType<T>>) {
        return interpreter::narrow<T>(static_cast<interpreter::WideType<T>>(-1));
      }
      return std::nullopt;
    default: return std::nullopt;
  }
}

// Fills operands of a reduction with values that have no effect, where these are known: `first` is the operand that the
// first function combines.
void neutralize(const ir::Module &module, std::size_t first, std::vector<Literal> &arguments) {
  using ir::Opcode;
  const ir::Instruction root = module.entry().root();
  const ir::Instruction combined = root.called(root.calls().size() - 1).root();
  const std::size_t count = root.opcode() == Opcode::SelectAndScatter ? 1 : root.operand_count() / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const ir::Instruction operand = root.operand(first + i);
    const Opcode combiner = combined.opcode() == Opcode::Tuple ? combined.operand(i).opcode() : combined.opcode();
    if (operand.opcode() != Opcode::Parameter) {
      continue;
    }
    Literal &argument = arguments[static_cast<std::size_t>(operand.number(ir::AttributeKey::ParameterNumber))];
    ir::visit_element_type(argument.shape().element_type(), [&]<class T>() {
      if (const std::optional<T> neutral = neutral_value<T>(combiner)) {
        fill<T>(argument, [&](std::size_t) { return *neutral; });
      }
    });
  }
}

// A device may combine an initial value with the elements as often as it likes, at any place, or not at all: the
// specification of `reduce` says so. So arguments that are initial values become those without effect, and others if
// the values are to be neutral.
void neutralize(const ir::Module &module, Values values, std::vector<Literal> &arguments) {
  using ir::Opcode;
  const ir::Instruction root = module.entry().root();
  const bool reduces = root.opcode() == Opcode::Reduce || root.opcode() == Opcode::ReduceWindow;
  if (reduces || root.opcode() == Opcode::SelectAndScatter) {
    const std::size_t initial_values = reduces ? root.operand_count() / 2 : 1;
    neutralize(module, root.operand_count() - initial_values, arguments);
  }
  if (reduces && values == Values::Neutral) {
    neutralize(module, 0, arguments);
  }
}

}  // namespace

Result<std::vector<Literal>> make_arguments(const ir::Module &module, Values values, SpecialValueSet set,
                                            bool is_elementwise, std::uint64_t seed, std::uint64_t first) {
  BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module, seed));
  if (values == Values::Random && !is_elementwise) {
    neutralize(module, values, arguments);
    return arguments;
  }
  const std::int64_t terms = max_elements(arguments);
  const ir::OpInfo &op = ir::info(module.entry().root().opcode());
  const bool multiplies = op.has(ir::Trait::Contraction);
  // Some devices multiply weights with the zeros of padding and of gaps, others skip those: so no weight is special.
  const bool is_convolution = module.entry().root().opcode() == ir::Opcode::Convolution;
  const std::size_t special = is_convolution ? 0 : seed / 8 % std::max<std::size_t>(arguments.size(), 1);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ir::Shape &shape = arguments[i].shape();
    constexpr Values of_any_type[] = {Values::Random, Values::Edge,  Values::Every,   Values::Least,
                                      Values::Most,   Values::Alike, Values::Ordered, Values::Ties};
    const bool is_exact = std::ranges::find(of_any_type, values) == std::end(of_any_type);
    const bool is_kept =  // integers may be indices
        shape.is_array() && is_exact && !ir::is_floating(shape.element_type()) && !ir::is_complex(shape.element_type());
    if (!shape.is_array() || is_kept) {
      continue;
    }
    const bool is_wide = values == Values::Wide && i == seed % arguments.size();
    if (is_wide) {
      fill_with_wide_integers(arguments[i], choose_wide(shape.element_type(), terms, seed / 8), random_bits(seed, i));
    } else {
      fill_array(arguments[i], values, set, op, i, random_bits(seed, i), first);
    }
    if (values == Values::Random && i > 0 && arguments[i].shape() == arguments[0].shape()) {
      make_some_equal(arguments[i], arguments[0], seed);
    }
    if (values == Values::Random && is_elementwise && is_of_magnitudes(op, shape.element_type())) {
      spread(arguments[i], op.opcode, i, seed);
    }
    if (values == Values::Rare && i == special) {
      put_in_special(arguments[i], random_bits(seed, i));
    }
    if (is_wide || (values == Values::Wide && !multiplies)) {
      scale(arguments[i], seed / 16);
    }
  }
  neutralize(module, values, arguments);
  return arguments;
}

std::vector<Literal> absolute(std::vector<Literal> arguments) {
  for (Literal &argument : arguments) {
    if (!argument.shape().is_array()) {
      continue;
    }
    ir::visit_element_type(argument.shape().element_type(), [&]<class T>() {
      for (T &x : argument.mutable_elements<T>()) {
        x = absolute_value(x);
      }
    });
  }
  return arguments;
}

std::int64_t max_elements(std::span<const Literal> arguments) {
  std::int64_t most = 1;
  for (const Literal &argument : arguments) {
    most = std::max(most, argument.shape().is_array() ? argument.shape().element_count() : 1);
  }
  return most;
}

}  // namespace bp::conformance
