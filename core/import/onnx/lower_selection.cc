// Operators that select elements by their values, on which the sizes of the results depend. If the values are known, so
// are the results; otherwise their sizes have a bound (lower_open_selection.cc).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/import/onnx/lower.h"
#include "core/import/onnx/open_selection.h"

namespace bp::import::onnx {
namespace {

using ir::Literal;

// Returns -1, 0 or 1: how two numbers are ordered. NaN is the last one, and equal to itself.
template <class T>
int order_of_numbers(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x) || std::isnan(y)) {
      return static_cast<int>(std::isnan(x)) - static_cast<int>(std::isnan(y));
    }
  }
  return x < y ? -1 : static_cast<int>(y < x);
}

template <class E>
int order_of_elements(const E &x, const E &y) {
  if constexpr (std::is_arithmetic_v<E>) {
    return order_of_numbers(x, y);
  } else if constexpr (requires { x.imag(); }) {
    const int by_real = order_of_numbers(x.real(), y.real());
    return by_real != 0 ? by_real : order_of_numbers(x.imag(), y.imag());
  } else if constexpr (requires { E::is_signed; }) {
    return order_of_numbers(x.value, y.value);
  } else {
    return order_of_numbers(static_cast<double>(x), static_cast<double>(y));
  }
}

// Calls visit(number of the element) for the elements of a literal that are not zero.
void for_each_non_zero(const Literal &literal, const std::function<void(std::size_t)> &visit) {
  ir::visit_element_type(literal.shape().element_type(), [&]<class E>() {
    const std::span<const E> elements = literal.elements<E>();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (order_of_elements(elements[i], E()) != 0) {
        visit(i);
      }
    }
  });
}

// The slices of an array along one dimension, or its elements.
struct SelectedSlices {
  std::size_t outer = 1, count = 1, inner = 1;  // products of sizes before the dimension, of it, after it
};

// Distinct slices of an array, by number.
struct DistinctSlices {
  Integers first;    // where each one appears first
  Integers inverse;  // which of them each slice is
  Integers counts;   // how often each one appears
};

// Returns the numbers of the slices in ascending order, and gives each slice the number of its group of equals.
template <class E>
Integers sorted_slices(std::span<const E> elements, const SelectedSlices &slices, Integers &group) {
  const auto order = [&](std::int64_t x, std::int64_t y) {
    for (std::size_t i = 0; i < slices.outer; ++i) {
      for (std::size_t k = 0; k < slices.inner; ++k) {
        const auto element = [&](std::int64_t slice) -> const E & {
          return elements[(i * slices.count + static_cast<std::size_t>(slice)) * slices.inner + k];
        };
        if (const int result = order_of_elements(element(x), element(y)); result != 0) {
          return result;
        }
      }
    }
    return 0;
  };
  Integers sorted(slices.count);
  std::iota(sorted.begin(), sorted.end(), 0);
  std::ranges::stable_sort(sorted, [&](std::int64_t x, std::int64_t y) { return order(x, y) < 0; });
  group.resize(slices.count);
  for (std::size_t i = 0, groups = 0; i < sorted.size(); ++i) {
    groups += i > 0 && order(sorted[i - 1], sorted[i]) != 0 ? 1 : 0;
    group[static_cast<std::size_t>(sorted[i])] = static_cast<std::int64_t>(groups);
  }
  return sorted;
}

DistinctSlices distinct_slices(const Literal &literal, const SelectedSlices &slices, bool is_sorted) {
  Integers group;
  Integers order = ir::visit_element_type(
      literal.shape().element_type(), [&]<class E>() { return sorted_slices(literal.elements<E>(), slices, group); });
  if (!is_sorted) {
    std::iota(order.begin(), order.end(), 0);
  }
  DistinctSlices result;
  Integers number_of_group(slices.count, -1);
  for (const std::int64_t slice : order) {  // equal ones come in their order
    std::int64_t &number = number_of_group[static_cast<std::size_t>(group[static_cast<std::size_t>(slice)])];
    if (number < 0) {
      number = static_cast<std::int64_t>(result.first.size());
      result.first.push_back(slice);
      result.counts.push_back(0);
    }
    ++result.counts[static_cast<std::size_t>(number)];
  }
  for (const std::int64_t number : group) {
    result.inverse.push_back(number_of_group[static_cast<std::size_t>(number)]);
  }
  return result;
}

}  // namespace

Values lower_compress(const Node &node) {
  Array x = node.input(0);
  std::int64_t axis = 0;
  if (node.has("axis")) {
    axis = node.dimension(node.integer("axis"), x.rank());
  } else {
    x = reshape(x, {x.count()});
  }
  const auto condition = node.selecting_literal(1);
  if (!node.builder().has_failed() && !condition) {
    return open_compress(node, x, axis);
  }
  if (node.builder().has_failed()) {
    return {};
  }
  Integers taken;
  for_each_non_zero(*condition, [&](std::size_t i) { taken.push_back(static_cast<std::int64_t>(i)); });
  if (condition->shape().rank() != 1 || (!taken.empty() && taken.back() >= x.size(axis))) {
    return node.fail("the condition {} does not fit {} elements", ir::to_string(condition->shape()), x.size(axis));
  }
  return {take(x, Span(taken), axis)};
}

Values lower_non_zero(const Node &node) {
  const auto x = node.selecting_literal(0);
  if (!x) {
    return node.builder().has_failed() ? Values() : open_non_zero(node);
  }
  // The result has a row per dimension. That of a scalar has no rows, unlike NumPy's.
  const std::size_t rank = x->shape().rank();
  std::vector<Integers> rows(rank);
  std::int64_t count = 0;
  for_each_non_zero(*x, [&](std::size_t number) {
    ++count;
    auto rest = static_cast<std::int64_t>(number);
    for (std::size_t i = rank; i-- > 0;) {
      rows[i].push_back(rest % x->shape().size(i));
      rest /= x->shape().size(i);
    }
  });
  Integers all;
  for (const Integers &row : rows) {
    all.insert(all.end(), row.begin(), row.end());
  }
  return {reshape(node.builder().integers(all), {static_cast<std::int64_t>(rank), count})};
}

Values lower_unique(const Node &node) {
  Array x = node.input(0);
  const auto literal = node.selecting_literal(0);
  std::int64_t axis = 0;
  if (node.has("axis")) {
    axis = node.dimension(node.integer("axis"), x.rank());
  } else {
    x = reshape(x, {x.count()});
  }
  if (node.builder().has_failed()) {
    return {};
  }
  if (x.count() == 0 && x.size(axis) != 0) {
    return node.unsupported("slices without elements are compared");
  }
  if (!literal) {
    return open_unique(node, x, axis);
  }
  const Span sizes = x.shape().sizes();
  const auto dimension = static_cast<std::size_t>(axis);
  const SelectedSlices slices{static_cast<std::size_t>(ir::product(sizes.first(dimension))),
                              static_cast<std::size_t>(sizes[dimension]),
                              static_cast<std::size_t>(ir::product(sizes.subspan(dimension + 1)))};
  const DistinctSlices distinct = distinct_slices(*literal, slices, node.flag("sorted", true));
  GraphBuilder &builder = node.builder();
  return {take(x, Span(distinct.first), axis), builder.integers(distinct.first), builder.integers(distinct.inverse),
          builder.integers(distinct.counts)};
}

}  // namespace bp::import::onnx
