#include "conformance/suite/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>

#include "conformance/check/number.h"
#include "core/interpreter/compare.h"
#include "core/ir/float_spacing.h"

namespace bp::conformance {
namespace {

using ir::ElementType;

double spacing_at(double x, ir::Spacing spacing) {
  if (!std::isfinite(x)) {
    return std::numeric_limits<double>::infinity();
  }
  const int exponent = x == 0 ? spacing.least : std::ilogb(x) - spacing.mantissa_bits;
  return std::ldexp(1.0, std::max(exponent, spacing.least));
}

// The distance between two numbers, and whether the accuracy allows it.
struct Distance {
  double ulp = 0;
  bool is_close = true;
};

// The accuracy that is demanded of an array, with the values that all of its elements have in common.
struct ArrayTolerance {
  Closeness closeness;
  bool zeros_have_signs;
  double limit;         // in units
  ir::Spacing spacing;  // for the type, or for the parts of a complex type
  double epsilon;       // for sums
  double max_finite;    // the largest finite number
  std::int64_t terms;
  double largest = 0;  // the largest element
};

template <class T>
double largest_finite() {
  if constexpr (is_complex<T>) {
    return largest_finite<typename T::value_type>();
  } else if constexpr (is_narrow_float<T>) {
    constexpr ir::FloatFormat format = T::float_format;
    std::uint32_t code = (1u << (format.exponent_bits + format.mantissa_bits)) - 1;
    while (!std::isfinite(ir::decode(format, code))) {
      --code;
    }
    return ir::decode(format, code);
  } else {
    return static_cast<double>(std::numeric_limits<T>::max());
  }
}

// Compares special values: NaNs, zeros, and values that are equal. Returns nothing if the distance decides.
std::optional<bool> are_same_special(double x, double y, bool zeros_have_signs) {
  if (std::isnan(x) || std::isnan(y)) {
    return std::isnan(x) && std::isnan(y);
  }
  if (x == 0 && y == 0) {
    return !zeros_have_signs || std::signbit(x) == std::signbit(y);
  }
  return x == y ? std::optional(true) : std::nullopt;
}

// Returns the largest allowed difference between a result and the expected one.
double max_difference(const ArrayTolerance &tolerance, double size, double sum) {
  const double unit = spacing_at(size, tolerance.spacing);
  switch (tolerance.closeness) {
    case Closeness::Ulp: return tolerance.limit * unit;
    case Closeness::Sum: return unit + static_cast<double>(tolerance.terms) * tolerance.epsilon * sum;
    case Closeness::Norm: return unit + tolerance.limit * tolerance.epsilon * tolerance.largest;
    default: return 0;
  }
}

Distance distance(double x, double y, double size, double sum, const ArrayTolerance &tolerance) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (const auto same = are_same_special(x, y, tolerance.zeros_have_signs)) {
    return {*same ? 0 : infinity, *same};
  }
  const double allowed = max_difference(tolerance, size, sum);
  if (std::isinf(x) || std::isinf(y)) {
    // A result that rounds to infinity may also be a slightly smaller finite number.
    const double finite = std::isinf(x) ? y : x;
    const bool is_edge =
        std::signbit(x) == std::signbit(y) && std::fabs(finite) + allowed >= tolerance.max_finite && allowed > 0;
    return {is_edge ? 1 : infinity, is_edge};
  }
  const double apart = std::fabs(x - y);
  return {apart / spacing_at(size, tolerance.spacing), apart <= allowed};
}

template <class T>
double size_of(T x) {
  if constexpr (is_complex<T>) {
    return std::max(std::fabs(static_cast<double>(x.real())), std::fabs(static_cast<double>(x.imag())));
  } else {
    return std::fabs(static_cast<double>(x));
  }
}

// Returns the size of the finite parts of a complex number; 0: there are none.
template <class T>
double finite_size_of(std::complex<T> x) {
  double size = 0;
  for (const T part : {x.real(), x.imag()}) {
    size = std::isfinite(part) ? std::max(size, std::fabs(static_cast<double>(part))) : size;
  }
  return size;
}

template <class T>
Distance distance_of(T found, T expected, double sum, const ArrayTolerance &tolerance) {
  if constexpr (is_complex<T>) {
    const double size = tolerance.closeness == Closeness::Exact ? 0 : finite_size_of(expected);
    const auto of_part = [&](auto x, auto y) {
      return distance(static_cast<double>(x), static_cast<double>(y), size, sum, tolerance);
    };
    const Distance real = of_part(found.real(), expected.real()), imag = of_part(found.imag(), expected.imag());
    return {std::max(real.ulp, imag.ulp), real.is_close && imag.is_close};
  } else {
    const auto x = static_cast<double>(found), y = static_cast<double>(expected);
    return distance(x, y, std::isfinite(y) ? std::fabs(y) : 0, sum, tolerance);
  }
}

// Returns the tolerance for an array of floats or complex numbers.
template <class T>
ArrayTolerance array_tolerance(std::span<const T> expected, ElementType type, const Accuracy &accuracy, double limit,
                               const SumBound &bound) {
  const bool is_wide = type == ElementType::F64 || type == ElementType::C128;
  const ElementType part = is_complex<T> ? ir::real_part_type(type) : type;
  const Closeness closeness =
      accuracy.closeness == Closeness::Ulp && limit == 0 ? Closeness::Exact : accuracy.closeness;
  ArrayTolerance tolerance{
      closeness,
      // A sum of no more than zeros may begin with 0 or with its first term, which may be -0.
      (closeness == Closeness::Exact && !bound.sums) || (closeness == Closeness::Ulp && !is_complex<T>), limit,
      ir::spacing_of(part), is_wide ? 0x1p-53 : 0x1p-24, largest_finite<T>(), bound.terms};
  if (bound.are_in_result) {
    tolerance.epsilon = std::max(tolerance.epsilon, spacing_at(1, tolerance.spacing) / 2);
  }
  for (const T &value : expected) {
    const double size = size_of(value);
    tolerance.largest = std::isfinite(size) ? std::max(tolerance.largest, size) : tolerance.largest;
  }
  return tolerance;
}

// Error statistics over the elements of an array of sums. The bound of one element holds for the worst order of
// additions; errors of rounding are independent, so that over many elements they are of the order of the square root of
// the number of terms, and cancel.
class SumErrors {
 public:
  // `error`: found minus expected; `size`: of the expected element; `sum`: of the absolute values of its terms.
  void add(double error, double size, double sum, const ArrayTolerance &tolerance) {
    const double usual =
        spacing_at(size, tolerance.spacing) + std::sqrt(static_cast<double>(tolerance.terms)) * tolerance.epsilon * sum;
    if (std::isfinite(error) && std::isfinite(usual)) {
      const double relative = error / usual;
      ++count_;
      squares_ += relative * relative;
      total_ += relative;
    }
  }
  // Describes what is wrong; empty: nothing.
  std::string find_mismatch() const {
    constexpr double few = 16;            // whose errors may be alike by chance
    constexpr double max_square = 1.6;    // mean; two roundings of a term have two thirds
    constexpr double max_deviations = 3;  // of the sum of independent errors from 0
    const double of_chance = max_deviations * std::sqrt(max_square * count_);
    if (count_ >= few && squares_ > max_square * count_) {
      return fmt::format(
          "the errors of {} elements are too large together: their root mean square is {:.3g} times that "
          "of roundings, allowed are {:.3g}",
          count_, std::sqrt(squares_ / count_), std::sqrt(max_square));
    }
    if (count_ >= few && std::fabs(total_) > of_chance) {
      return fmt::format(
          "the errors of {} elements lean to one side: their sum is {:.3g} times that of a rounding, "
          "allowed are {:.3g}",
          count_, total_, of_chance);
    }
    return "";
  }

 private:
  double count_ = 0, squares_ = 0, total_ = 0;
};

template <class T>
void add_errors(T found, T expected, T sum, const ArrayTolerance &tolerance, SumErrors &errors) {
  if constexpr (is_complex<T>) {
    errors.add(static_cast<double>(found.real() - expected.real()), size_of(expected), size_of(sum), tolerance);
    errors.add(static_cast<double>(found.imag() - expected.imag()), size_of(expected), size_of(sum), tolerance);
  } else {
    errors.add(static_cast<double>(found) - static_cast<double>(expected), size_of(expected), size_of(sum), tolerance);
  }
}

template <class T>
void judge_elements(const ir::Literal &found, const ir::Literal &expected, const Accuracy &accuracy, double limit,
                    const ir::Literal *sums, const SumBound &bound, Judgement &judgement) {
  const ElementType type = expected.shape().element_type();
  const auto x = found.elements<T>(), y = expected.elements<T>();
  const std::span<const T> s = sums == nullptr ? std::span<const T>() : sums->elements<T>();
  judgement.elements += y.size();
  std::int64_t wrong = 0, worst = -1;
  Distance worst_distance{-1, true};
  const auto count = [&](std::size_t i, Distance apart) {
    if (!apart.is_close) {
      ++wrong;
      if (apart.ulp > worst_distance.ulp) {
        worst_distance = apart;
        worst = static_cast<std::int64_t>(i);
      }
    }
  };
  if constexpr (is_float<T> || is_complex<T>) {
    const ArrayTolerance tolerance = array_tolerance(y, type, accuracy, limit, bound);
    double max_ulp = judgement.max_ulp.value_or(0);
    SumErrors errors;
    for (std::size_t i = 0; i < y.size(); ++i) {
      // Where partial sums are in the result, those of the interpreter are rounded too: it soon no longer notices small
      // terms. Then the errors of a device that adds more exactly look large, and lean to one side.
      if (!s.empty() && tolerance.closeness == Closeness::Sum && !bound.are_in_result) {
        add_errors(x[i], y[i], s[i], tolerance, errors);
      }
      const bool is_open = tolerance.closeness == Closeness::Sum && bound.has_finite_terms && !s.empty() &&
                           !std::isfinite(size_of(s[i]));
      judgement.open += is_open ? 1 : 0;
      if (is_open || std::memcmp(&x[i], &y[i], sizeof(T)) == 0) {
        continue;
      }
      Distance apart = distance_of(x[i], y[i], s.empty() ? size_of(y[i]) : size_of(s[i]), tolerance);
      apart.is_close = apart.is_close && accuracy.closeness != Closeness::Bits;
      max_ulp = std::max(max_ulp, apart.ulp);
      count(i, apart);
    }
    judgement.max_ulp = max_ulp;
    judgement.mismatch = wrong == 0 && judgement.mismatch.empty() ? errors.find_mismatch() : judgement.mismatch;
  } else {
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (std::memcmp(&x[i], &y[i], sizeof(T)) != 0) {
        count(i, {std::numeric_limits<double>::infinity(), false});
      }
    }
  }
  if (wrong == 0 || !judgement.mismatch.empty()) {
    return;
  }
  const auto at = static_cast<std::size_t>(worst);
  judgement.worst = worst;
  const bool are_bits_shown =
      print(x[at]) == print(y[at]) || (accuracy.closeness == Closeness::Bits && has_nan(T(x[at])) && has_nan(T(y[at])));
  const auto shown = [&](T value) {
    return are_bits_shown ? fmt::format("{} ({})", print(value), print_bits(value)) : print(value);
  };
  judgement.mismatch =
      fmt::format("{} of {} elements are wrong; [{}] is {}, expected {}", wrong, y.size(),
                  fmt::join(interpreter::index_of(expected.shape(), worst), ","), shown(x[at]), shown(y[at]));
  if (are_bits_shown) {
    judgement.mismatch += ": every bit counts";
  } else if (is_float<T> || is_complex<T>) {
    judgement.mismatch +=
        fmt::format(" ({:.4g} ulp apart{})", worst_distance.ulp,
                    accuracy.closeness == Closeness::Ulp && limit > 0 ? fmt::format(", allowed are {:g}", limit) : "");
  }
}

void judge_parts(const ir::Literal &found, const ir::Literal &expected, const Accuracy &accuracy, double limit,
                 const ir::Literal *sums, const SumBound &bound, Judgement &judgement) {
  if (expected.shape().is_tuple()) {
    for (std::size_t i = 0; i < expected.tuple_elements().size(); ++i) {
      judge_parts(found.tuple_elements()[i], expected.tuple_elements()[i], accuracy, limit,
                  sums == nullptr ? nullptr : &sums->tuple_elements()[i], bound, judgement);
    }
  } else if (expected.shape().is_array()) {
    ir::visit_element_type(expected.shape().element_type(), [&]<class T>() {
      judge_elements<T>(found, expected, accuracy, limit, sums, bound, judgement);
    });
  }
}

// Whether the seed moves this element up.
bool moves_up(std::uint64_t seed, std::size_t i) {
  return (((seed * 0x9e3779b97f4a7c15 + i + 1) * 0xd1342543de82ef95) >> 63) != 0;
}

template <class T>
void move_elements(ir::Literal &value, const Accuracy &accuracy, double limit, const ir::Literal *sums,
                   const SumBound &bound, std::uint64_t seed) {
  if constexpr (is_float<T> || is_complex<T>) {
    const auto s = sums == nullptr ? std::span<const T>() : sums->elements<T>();
    const auto elements = value.mutable_elements<T>();
    const ArrayTolerance tolerance =
        array_tolerance(std::span<const T>(elements), value.shape().element_type(), accuracy, limit, bound);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const double size = size_of(elements[i]);
      const double far = std::isfinite(size) ? max_difference(tolerance, size, s.empty() ? size : size_of(s[i])) : 0;
      const auto moved = [&](auto part, bool up) {
        using Part = decltype(part);
        const double there = static_cast<double>(part) + (up ? far : -far);
        return !std::isfinite(there) ? part : Part(std::clamp(there, -tolerance.max_finite, tolerance.max_finite));
      };
      if constexpr (is_complex<T>) {
        elements[i] = T(moved(elements[i].real(), moves_up(seed, i)), moved(elements[i].imag(), moves_up(~seed, i)));
      } else {
        elements[i] = moved(elements[i], moves_up(seed, i));
      }
    }
  }
}

ir::Literal moved_parts(ir::Literal value, const Accuracy &accuracy, ElementType type, const ir::Literal *sums,
                        const SumBound &bound, std::uint64_t seed) {
  if (value.shape().is_tuple()) {
    std::vector<ir::Literal> elements;
    for (std::size_t i = 0; i < value.tuple_elements().size(); ++i) {
      elements.push_back(moved_parts(value.tuple_elements()[i], accuracy, type,
                                     sums == nullptr ? nullptr : &sums->tuple_elements()[i], bound, seed + i));
    }
    return ir::Literal::tuple(std::move(elements));
  }
  if (value.shape().is_array() && accuracy.closeness != Closeness::Unknown) {
    ir::visit_element_type(value.shape().element_type(), [&]<class T>() {
      move_elements<T>(value, accuracy, limit_of(accuracy, type), sums, bound, seed);
    });
  }
  return value;
}

}  // namespace

bool adds_in_result(ir::Opcode opcode) {
  return opcode == ir::Opcode::Scatter || opcode == ir::Opcode::SelectAndScatter || opcode == ir::Opcode::Scan;
}

double limit_of(const Accuracy &accuracy, ElementType type) {
  return ir::is_complex(type) ? accuracy.complex : ir::bit_width(type) <= 16 ? accuracy.narrow : accuracy.wide;
}

std::string to_string(const Accuracy &accuracy, ElementType type) {
  const bool rounds = ir::is_floating(type) || ir::is_complex(type);
  switch (accuracy.closeness) {
    case Closeness::Bits: return "bits";
    case Closeness::Exact: return "exact";
    case Closeness::Ulp:
      return rounds && limit_of(accuracy, type) > 0 ? fmt::format("{:g} ulp", limit_of(accuracy, type)) : "exact";
    case Closeness::Sum: return rounds ? "sum" : "exact";
    case Closeness::Norm: return rounds ? fmt::format("{:g} norm", limit_of(accuracy, type)) : "exact";
    case Closeness::Unknown: return "";
  }
  return "";
}

Judgement judge(const ir::Literal &found, const ir::Literal &expected, const Accuracy &accuracy, ElementType type,
                const SumBound &bound) {
  Judgement judgement;
  if (!ir::same(found.shape(), expected.shape(), ir::CompareLayout::No)) {
    judgement.mismatch =
        fmt::format("the result has shape {}, expected {}", ir::to_string(found.shape(), ir::PrintLayout::Never),
                    ir::to_string(expected.shape(), ir::PrintLayout::Never));
  } else if (accuracy.closeness != Closeness::Unknown) {
    judge_parts(found, expected, accuracy, limit_of(accuracy, type), bound.sums ? &*bound.sums : nullptr, bound,
                judgement);
  }
  return judgement;
}

ir::Literal move_as_allowed(ir::Literal value, const Accuracy &accuracy, ElementType type, const SumBound &bound,
                            std::uint64_t seed) {
  return moved_parts(std::move(value), accuracy, type, bound.sums ? &*bound.sums : nullptr, bound, seed);
}

}  // namespace bp::conformance
