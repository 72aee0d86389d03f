#include "core/interpreter/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "core/interpreter/strided_copy.h"
#include "core/interpreter/wide.h"

namespace bp::interpreter {
namespace {

using ir::Literal;
using ir::Shape;

// Whether both are NaN, or equal, as infinities are too.
template <class W>
bool are_alike(W x, W y) {
  if constexpr (is_complex_number<W>) {
    return are_alike(x.real(), y.real()) && are_alike(x.imag(), y.imag());
  } else {
    return x == y || (std::isnan(x) && std::isnan(y));
  }
}

// Returns |x - y|. Integers are subtracted exactly, because they may exceed 2^53, and rounded only once.
template <class W>
double distance(W x, W y) {
  if constexpr (std::is_integral_v<W>) {
    return x > y ? static_cast<double>(static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y))
                 : static_cast<double>(static_cast<std::uint64_t>(y) - static_cast<std::uint64_t>(x));
  } else {
    if (are_alike(x, y)) {
      return 0;
    }
    double result = static_cast<double>(std::abs(x - y));
    return std::isnan(result) ? std::numeric_limits<double>::infinity() : result;
  }
}

template <class W>
double magnitude(W x) {
  if constexpr (std::is_unsigned_v<W>) {
    return static_cast<double>(x);
  } else if constexpr (std::is_integral_v<W>) {
    return std::fabs(static_cast<double>(x));
  } else {
    return static_cast<double>(std::abs(x));
  }
}

// Returns both parts of a complex number, because its modulus does not show which of them is NaN or infinite.
template <class W>
std::string number_text(W x) {
  if constexpr (is_complex_number<W>) {
    return fmt::format("({:.9g}, {:.9g})", x.real(), x.imag());
  } else {
    return fmt::format("{:.9g}", static_cast<double>(x));
  }
}

// Returns the distance between neighbours of a float type around y.
template <class T>
double unit_in_last_place(double y) {
  int digits, lowest;
  if constexpr (is_narrow_float<T>) {
    digits = T::float_format.mantissa_bits;
    lowest = 1 - T::float_format.bias;
  } else if constexpr (is_complex_number<T>) {
    return unit_in_last_place<typename T::value_type>(y);
  } else {
    digits = std::numeric_limits<T>::digits - 1;
    lowest = std::numeric_limits<T>::min_exponent - 1;
  }
  int exponent = y == 0 ? lowest : std::max(std::ilogb(y), lowest);
  return std::ldexp(1.0, exponent - digits);
}

// Returns the root mean square of the values that are finite and not zero; 0 if there are none.
template <class T>
double typical_size(std::span<const T> values) {
  double largest = 0, sum = 0, count = 0;
  for (const T &value : values) {
    const double size = magnitude(widen<SumType<T>>(value));
    largest = std::isfinite(size) ? std::max(largest, size) : largest;
  }
  for (const T &value : values) {
    const double size = magnitude(widen<SumType<T>>(value));
    if (size != 0 && std::isfinite(size)) {
      sum += size / largest * (size / largest);  // the squares themselves may exceed the range of double
      ++count;
    }
  }
  return count == 0 ? 0 : largest * std::sqrt(sum / count);
}

// Returns the elements within an array's run-time sizes, as an array of these sizes.
Result<Literal> in_use(const Literal &array) {
  const Dimensions sizes = run_time_sizes(array);
  const Shape &shape = array.shape();
  if (std::ranges::equal(sizes, shape.sizes())) {
    return array;
  }
  BP_ASSIGN(Literal part, Literal::zeros(Shape::array(shape.element_type(), sizes)));
  const std::size_t width = element_width(shape);
  std::byte *to = part.mutable_bytes().data();
  const Dimensions strides = dense_strides(shape.sizes());
  for_each_index(sizes, [&](std::span<const std::int64_t> index) {
    const std::int64_t offset = std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0});
    std::memcpy(to, array.bytes().data() + static_cast<std::size_t>(offset) * width, width);
    to += width;
  });
  return part;
}

// shape: with run-time sizes.
template <class T>
void compare_elements(std::span<const T> result, std::span<const T> reference, const Shape &shape,
                      Comparison &comparison) {
  using W = SumType<T>;
  const double typical = typical_size(reference);
  double largest = 0, furthest = 0;
  bool finite = true, constant = true;
  std::int64_t worst_at = -1, counted = 0, noticeable = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    W x = widen<W>(result[i]), y = widen<W>(reference[i]);
    const double size = magnitude(y), apart = distance(x, y);
    finite = finite && std::isfinite(size);
    constant = constant && std::memcmp(&reference[i], &reference[0], sizeof(T)) == 0;
    largest = std::isfinite(size) ? std::max(largest, size) : largest;
    furthest = std::max(furthest, apart);
    const double scale = std::isfinite(size) ? std::max(size, typical) : typical;
    const double error = apart == 0 ? 0 : scale == 0 ? std::numeric_limits<double>::infinity() : apart / scale;
    counted += apart != 0 || size != 0;
    noticeable += error > Comparison::noticeable;
    if (error > comparison.typical_error) {
      comparison.typical_error = error;
      worst_at = static_cast<std::int64_t>(i);
    }
    if constexpr (!std::is_integral_v<W>) {
      if (apart > 0) {
        const double units = std::isfinite(apart) ? apart / unit_in_last_place<T>(size) : apart;
        comparison.max_ulp = std::max(comparison.max_ulp, units);
      }
    }
  }
  comparison.relative_error = furthest == 0  ? 0
                              : largest == 0 ? std::numeric_limits<double>::infinity()
                                             : furthest / largest;
  comparison.share_noticeable = counted == 0 ? 0 : static_cast<double>(noticeable) / static_cast<double>(counted);
  if (worst_at >= 0) {
    comparison.worst = index_of(shape, worst_at);
    comparison.worst_value = number_text(widen<W>(result[static_cast<std::size_t>(worst_at)]));
    comparison.worst_reference = number_text(widen<W>(reference[static_cast<std::size_t>(worst_at)]));
  }
  if (!finite) {
    comparison.weak_evidence = "the reference is not finite";
  } else if (constant && reference.size() > 1) {
    comparison.weak_evidence = "the reference is constant";
  }
}

std::string sizes_text(const Literal &array) {
  return fmt::format("sizes [{}]", fmt::join(run_time_sizes(array), ","));
}

Status compare_arrays(const Literal &result, const Literal &reference, Comparison &comparison) {
  if (run_time_sizes(result) != run_time_sizes(reference)) {
    comparison.relative_error = comparison.typical_error = std::numeric_limits<double>::infinity();
    comparison.share_noticeable = 1;
    comparison.worst_value = sizes_text(result);
    comparison.worst_reference = sizes_text(reference);
    return {};
  }
  BP_ASSIGN(const Literal x, in_use(result));
  BP_ASSIGN(const Literal y, in_use(reference));
  comparison.identical = x.identical(y);
  ir::visit_element_type(y.shape().element_type(), [&]<class T>() {
    compare_elements<T>(x.elements<T>(), y.elements<T>(), y.shape(), comparison);
  });
  return {};
}

Status compare_parts(const Literal &result, const Literal &reference, std::vector<std::int64_t> &output,
                     std::vector<Comparison> &comparisons) {
  if (reference.shape().is_tuple()) {
    for (std::size_t i = 0; i < reference.tuple_elements().size(); ++i) {
      output.push_back(static_cast<std::int64_t>(i));
      BP_TRY(compare_parts(result.tuple_elements()[i], reference.tuple_elements()[i], output, comparisons));
      output.pop_back();
    }
    return {};
  }
  if (!reference.shape().is_array()) {
    return {};
  }
  Comparison &comparison = comparisons.emplace_back();
  comparison.output = output;
  comparison.shape = reference.shape();
  return compare_arrays(result, reference, comparison);
}

}  // namespace

std::vector<std::int64_t> index_of(const Shape &shape, std::int64_t offset) {
  std::vector<std::int64_t> index(shape.rank());
  for (std::size_t d = shape.rank(); d-- > 0;) {
    index[d] = offset % shape.size(d);
    offset /= shape.size(d);
  }
  return index;
}

Result<std::vector<Comparison>> compare(const Literal &result, const Literal &reference) {
  if (!ir::same(result.shape(), reference.shape(), ir::CompareLayout::No)) {
    return invalid_input("the result has shape {}, the reference {}",
                         ir::to_string(result.shape(), ir::PrintLayout::Never),
                         ir::to_string(reference.shape(), ir::PrintLayout::Never));
  }
  std::vector<Comparison> comparisons;
  std::vector<std::int64_t> output;
  BP_TRY(compare_parts(result, reference, output, comparisons));
  return comparisons;
}

std::string to_string(const Comparison &comparison) {
  std::string text = comparison.output.empty() ? "" : fmt::format("{{{}}}: ", fmt::join(comparison.output, ","));
  text += ir::to_string(comparison.shape, ir::PrintLayout::Never) + ": ";
  if (comparison.identical) {
    text += "identical";
  } else {
    text += fmt::format("relative error {:.2g} ({:.1f} ulp)", comparison.typical_error, comparison.max_ulp);
    if (comparison.typical_error > 0) {
      text += fmt::format(" at [{}]: {} instead of {}", fmt::join(comparison.worst, ","), comparison.worst_value,
                          comparison.worst_reference);
    }
  }
  if (!comparison.weak_evidence.empty()) {
    text += "; weak evidence: " + comparison.weak_evidence;
  }
  return text;
}

}  // namespace bp::interpreter
