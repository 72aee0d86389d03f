#include "core/debugging/difference.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/interpreter/compare.h"
#include "core/interpreter/wide.h"
#include "core/ir/float_spacing.h"
#include "core/text/printer.h"

namespace bp::debugging {
namespace {

using ir::Literal;
using ir::Shape;

template <class T>
bool same_value(const T &x, const T &y) {
  if constexpr (interpreter::is_complex_number<T>) {
    return same_value(x.real(), y.real()) && same_value(x.imag(), y.imag());
  } else {
    if (std::memcmp(&x, &y, sizeof(T)) == 0) {
      return true;
    }
    if constexpr (!std::is_integral_v<interpreter::WideType<T>>) {
      return std::isnan(static_cast<double>(x)) && std::isnan(static_cast<double>(y));
    }
    return false;
  }
}

std::vector<std::int64_t> sizes_of(const Literal &literal) {
  std::vector<std::int64_t> sizes;
  for (std::size_t d = 0; d < literal.shape().rank(); ++d) {
    sizes.push_back(literal.dynamic_size(d));
  }
  return sizes;
}

std::string element_text(const Literal &array, std::span<const std::int64_t> index) {
  std::size_t offset = 0;
  for (std::size_t d = 0; d < index.size(); ++d) {
    offset = offset * static_cast<std::size_t>(array.shape().size(d)) + static_cast<std::size_t>(index[d]);
  }
  const ir::ElementType type = array.shape().element_type();
  return ir::visit_element_type(
      type, [&]<class T>() { return text::print(Literal::scalar<T>(type, array.elements<T>()[offset])); });
}

bool same_type_and_sizes(const Shape &x, const Shape &y) {
  return x.is_array() && y.is_array() && x.element_type() == y.element_type() &&
         std::ranges::equal(x.sizes(), y.sizes());
}

class Comparer {
 public:
  explicit Comparer(const Ignored &ignored) : ignored_(ignored) {}

  std::optional<Difference> compare(const Literal &before, const Literal &after) {
    const Shape &x = before.shape(), &y = after.shape();
    if (x.is_tuple() && y.is_tuple() && x.elements().size() == y.elements().size()) {
      for (std::size_t i = 0; i < x.elements().size(); ++i) {
        if (output_.empty() && i < ignored_.size() && ignored_[i]) {
          continue;
        }
        output_.push_back(static_cast<std::int64_t>(i));
        auto difference = compare(before.tuple_elements()[i], after.tuple_elements()[i]);
        output_.pop_back();
        if (difference) {
          return difference;
        }
      }
      return std::nullopt;
    }
    if (same_type_and_sizes(x, y)) {
      return compare_arrays(before, after);
    }
    return x.is_array() || y.is_array() || x.is_tuple() != y.is_tuple()
               ? std::optional(Difference{output_, {}, ir::to_string(x), ir::to_string(y), {}})
               : std::nullopt;
  }

 private:
  std::optional<Difference> compare_arrays(const Literal &before, const Literal &after) {
    const std::vector<std::int64_t> sizes = sizes_of(before);
    if (sizes != sizes_of(after)) {
      return Difference{output_,
                        {},
                        fmt::format("sizes [{}]", fmt::join(sizes, ",")),
                        fmt::format("sizes [{}]", fmt::join(sizes_of(after), ",")),
                        {}};
    }
    if (output_.empty() && !ignored_.empty() && ignored_[0]) {
      return std::nullopt;
    }
    const Shape &shape = before.shape();
    const std::int64_t first = ir::visit_element_type(shape.element_type(), [&]<class T>() -> std::int64_t {
      auto x = before.elements<T>(), y = after.elements<T>();
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (!same_value(x[i], y[i]) && is_within(shape, sizes, static_cast<std::int64_t>(i))) {
          return static_cast<std::int64_t>(i);
        }
      }
      return -1;
    });
    if (first < 0) {
      return std::nullopt;
    }
    const std::vector<std::int64_t> index = interpreter::index_of(shape, first);
    return Difference{output_, index, element_text(before, index), element_text(after, index), {}};
  }

  static bool is_within(const Shape &shape, std::span<const std::int64_t> sizes, std::int64_t offset) {
    return std::ranges::equal(interpreter::index_of(shape, offset), sizes,
                              [](std::int64_t index, std::int64_t size) { return index < size; });
  }

  const Ignored &ignored_;
  std::vector<std::int64_t> output_;
};

const Literal &part(const Literal &literal, std::span<const std::int64_t> index) {
  return index.empty() ? literal : part(literal.tuple_elements()[static_cast<std::size_t>(index[0])], index.subspan(1));
}

// Returns one unit in the last place relative to the value.
double relative_unit(ir::ElementType type) {
  if (ir::is_complex(type)) {
    return relative_unit(ir::real_part_type(type));
  }
  return ir::is_floating(type) ? std::ldexp(1.0, -ir::spacing_of(type).mantissa_bits) : 0;
}

}  // namespace

std::string to_string(const Difference &difference) {
  std::string where = difference.output.empty() ? "" : fmt::format(" {{{}}}", fmt::join(difference.output, ","));
  if (!difference.element.empty()) {
    where += fmt::format(" at [{}]", fmt::join(difference.element, ","));
  }
  return fmt::format("output{}: {} becomes {}{}{}", where, difference.before, difference.after,
                     difference.bound.empty() ? "" : "; ", difference.bound);
}

std::optional<Difference> find_difference(const Literal &before, const Literal &after, const Ignored &ignored) {
  return Comparer(ignored).compare(before, after);
}

Result<std::optional<Difference>> find_difference_beyond(double units, const Literal &before, const Literal &after,
                                                         const std::vector<Literal> &moved, const Ignored &ignored) {
  BP_ASSIGN(auto comparisons, interpreter::compare(after, before));
  std::vector<double> responses(comparisons.size());
  for (const Literal &one : moved) {
    BP_ASSIGN(auto answers, interpreter::compare(one, before));
    for (std::size_t i = 0; i < answers.size(); ++i) {
      responses[i] = std::max(responses[i], answers[i].typical_error);
    }
  }
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    const interpreter::Comparison &comparison = comparisons[i];
    const std::size_t output = comparison.output.empty() ? 0 : static_cast<std::size_t>(comparison.output[0]);
    const double allowed = units * (responses[i] + relative_unit(comparison.shape.element_type()));
    // Where one unit of the inputs changes a result by more than its size, as in sums of zero, no digit of it is
    // determined.
    const bool is_undetermined = responses[i] >= 1 && std::isfinite(comparison.typical_error);
    if ((output < ignored.size() && ignored[output]) || is_undetermined || comparison.typical_error <= allowed) {
      continue;
    }
    return std::optional(Difference{
        comparison.output, comparison.worst, element_text(part(before, comparison.output), comparison.worst),
        element_text(part(after, comparison.output), comparison.worst),
        fmt::format("{:.2g} of the value or the typical one, {:.2g} is allowed", comparison.typical_error, allowed)});
  }
  return std::optional<Difference>();
}

}  // namespace bp::debugging
