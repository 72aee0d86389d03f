#include "conformance/check/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "conformance/check/number.h"
#include "core/interpreter/compare.h"

namespace bp::conformance {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Converts any float to double, without rounding.
template <class T>
double as_double(T x) {
  return static_cast<double>(x);
}

// Bit patterns of floats of one sign are in the order of the values; those of negative floats are mirrored, so that -0
// and 0 coincide.
template <class T>
std::int64_t float_ordinal(T x) {
  if constexpr (is_narrow_float<T>) {
    const bool is_signed = T::float_format.specials != ir::Specials::Scale;
    const std::int64_t sign = is_signed ? std::int64_t{1} << (T::float_format.width() - 1) : 0;
    const std::int64_t code = x.bits;
    return (code & sign) != 0 ? -(code - sign) : code;
  } else {
    using Signed = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    const auto code = std::bit_cast<Signed>(x);
    return code < 0 ? -static_cast<std::int64_t>(code & std::numeric_limits<Signed>::max()) : code;
  }
}

// Returns 0 if the values are equal under the rule, otherwise their distance.
template <class T>
double distance(T found, T expected, RuleKind kind) {
  if constexpr (is_complex<T>) {
    return std::max(distance(found.real(), expected.real(), kind), distance(found.imag(), expected.imag(), kind));
  } else if constexpr (is_float<T>) {
    const double x = as_double(found), y = as_double(expected);
    if (x == y || (std::isnan(x) && std::isnan(y))) {
      return 0;
    }
    if (!std::isfinite(x) || !std::isfinite(y)) {
      return infinity;
    }
    return kind == RuleKind::Close ? distance_in_ulp(found, expected) : std::fabs(x - y);
  } else {
    using Wide = std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>;
    const auto x = static_cast<Wide>(found), y = static_cast<Wide>(expected);
    // The difference of unsigned integers cannot overflow.
    const auto larger = static_cast<std::uint64_t>(std::max(x, y)),
               smaller = static_cast<std::uint64_t>(std::min(x, y));
    return static_cast<double>(larger - smaller);
  }
}

template <class T>
double magnitude(T expected) {
  if constexpr (is_complex<T>) {
    return static_cast<double>(std::abs(expected));
  } else if constexpr (is_float<T>) {
    return std::fabs(as_double(expected));
  } else {
    return 0;
  }
}

template <class T>
bool holds(double distance, T expected, const Rule &rule) {
  const bool is_inexact =
      rule.kind == RuleKind::AlmostEqual || (rule.kind != RuleKind::Equal && (is_float<T> || is_complex<T>));
  if (distance == 0 || !is_inexact) {
    return distance == 0;
  }
  const double relative = rule.kind == RuleKind::Near ? rule.relative * magnitude(expected) : 0;
  return std::isfinite(relative) && distance <= rule.limit + relative;
}

}  // namespace

template <class T>
double distance_in_ulp(T a, T b) {
  const std::int64_t x = float_ordinal(a), y = float_ordinal(b);
  return static_cast<double>(static_cast<std::uint64_t>(std::max(x, y)) - static_cast<std::uint64_t>(std::min(x, y)));
}
template double distance_in_ulp(float, float);
template double distance_in_ulp(double, double);
template double distance_in_ulp(ir::F16, ir::F16);
template double distance_in_ulp(ir::BF16, ir::BF16);

Rule under_policy(const Rule &rule, Policy policy, ir::ElementType type) {
  if (policy == Policy::Strict || rule.kind != RuleKind::Close) {
    return rule;
  }
  const double widest = ir::visit_element_type(type, []<class T>() { return is_narrow_float<T> ? 4.0 : 16.0; });
  return {rule.kind, std::max(rule.limit, widest)};
}

std::string to_string(const Rule &rule) {
  switch (rule.kind) {
    case RuleKind::Equal: return "equal";
    case RuleKind::Close: return fmt::format("at most {} ulp apart", rule.limit);
    case RuleKind::AlmostEqual: return fmt::format("at most {} apart", rule.limit);
    case RuleKind::Near: return fmt::format("at most {} + {} x |expected| apart", rule.limit, rule.relative);
  }
  return {};
}

std::string to_string(const Mismatch &mismatch, const Rule &rule) {
  return fmt::format("{} of {} elements {} not {}; [{}] is {}, expected {} ({:.6g}{} apart)", mismatch.count,
                     mismatch.total, mismatch.count == 1 ? "is" : "are", to_string(rule),
                     fmt::join(mismatch.index, ","), mismatch.found, mismatch.expected, mismatch.distance,
                     rule.kind == RuleKind::Close ? " ulp" : "");
}

std::optional<Mismatch> find_mismatch(const ir::Literal &found, const ir::Literal &expected, const Rule &rule,
                                      const ir::Literal *otherwise) {
  return ir::visit_element_type(found.shape().element_type(), [&]<class T>() -> std::optional<Mismatch> {
    const auto x = found.elements<T>(), y = expected.elements<T>();
    Mismatch mismatch;
    std::size_t worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double apart = distance(x[i], y[i], rule.kind);
      if (holds(apart, y[i], rule) ||
          (otherwise != nullptr &&
           holds(distance(x[i], otherwise->elements<T>()[i], rule.kind), otherwise->elements<T>()[i], rule))) {
        continue;
      }
      ++mismatch.count;
      if (apart > mismatch.distance) {
        mismatch.distance = apart;
        worst = i;
      }
    }
    if (mismatch.count == 0) {
      return std::nullopt;
    }
    mismatch.total = static_cast<std::int64_t>(x.size());
    mismatch.index = interpreter::index_of(found.shape(), static_cast<std::int64_t>(worst));
    mismatch.found = print(x[worst]);
    mismatch.expected = print(y[worst]);
    return mismatch;
  });
}

}  // namespace bp::conformance
