// Operators that compare elements along a dimension, or combine each with those before it.
#include <limits>

#include "core/import/array/order.h"
#include "core/import/onnx/lower.h"

namespace bp::import::onnx {
namespace {

// --- Largest elements ---

struct ExtremeChoice {
  bool is_largest = true;
  bool is_last = false;  // of equal elements
};

// Returns the computation that chooses one of two elements, each with its index. A NaN is larger and smaller than all
// numbers, as in NumPy. The choice does not depend on the order in which elements are combined.
ir::ComputationId extreme_computation(GraphBuilder &builder, ElementType type, ElementType index_type,
                                      const ExtremeChoice &choice) {
  const Shape shapes[] = {Shape::scalar(type), Shape::scalar(index_type), Shape::scalar(type),
                          Shape::scalar(index_type)};
  return builder.computation("extreme", shapes, [&](GraphBuilder &inner, const Arrays &p) {
    Array is_first = choice.is_largest ? p[0] > p[2] : p[0] < p[2];
    Array is_equal = p[0] == p[2];
    if (ir::is_floating(type)) {
      is_first = is_first || (is_nan(p[0]) && logical_not(is_nan(p[2])));
      is_equal = is_equal || (is_nan(p[0]) && is_nan(p[2]));
    }
    is_first = is_first || (is_equal && (choice.is_last ? p[1] > p[3] : p[1] < p[3]));
    const Array chosen[] = {select(is_first, p[0], p[2]), select(is_first, p[1], p[3])};
    return inner.tuple(chosen);
  });
}

// Returns the index of the largest or smallest element along a dimension, which is removed.
Array index_of_extreme(const Array &x, std::int64_t dimension, const ExtremeChoice &choice) {
  if (!x.is_valid()) {
    return x;
  }
  GraphBuilder &builder = x.builder();
  const bool is_long = x.size(dimension) > std::numeric_limits<std::int32_t>::max();
  const ElementType index_type = is_long ? ElementType::S64 : ElementType::S32;
  if (x.is_bounded()) {
    // As two reductions of one array, which backends compute within sizes that only a run tells.
    const Integers along = {dimension};
    const Array best = (choice.is_largest ? reduce_max : reduce_min)(x, along, KeepSizes::Yes);
    const Array is_best = ir::is_floating(x.type()) ? (x == best) || (is_nan(x) && is_nan(best)) : x == best;
    const double other = choice.is_last ? -1 : static_cast<double>(x.size(dimension));
    const Array candidates = select(is_best, indices_along(x, dimension, index_type), other);
    return (choice.is_last ? reduce_max : reduce_min)(candidates, along, KeepSizes::No);
  }
  const ir::ComputationId choose = extreme_computation(builder, x.type(), index_type, choice);
  // The initial element comes after all others.
  const Array first = choice.is_largest ? lowest(x) : highest(x);
  const Array index = builder.scalar(index_type, choice.is_last ? -1 : static_cast<double>(x.size(dimension)));
  const Array chosen = builder.add(
      Opcode::Reduce, {x, indices_along(x, dimension, index_type), first, index},
      [&](ir::Module &m, ir::InstructionId id) { m.set_numbers(id, ir::AttributeKey::Dimensions, {dimension}); },
      std::span(&choose, 1));
  return builder.element(chosen, 1);
}

Values lower_index_of_extreme(const Node &node, bool is_largest) {
  const Array x = node.input(0);
  const std::int64_t axis = node.dimension(node.integer("axis", 0), x.rank());
  if (node.builder().has_failed()) {
    return {};
  }
  if (x.size(axis) == 0) {
    return node.fail("dimension {} of {} is empty, expected elements", axis, ir::to_string(x.shape()));
  }
  // The choice among equals is an attribute since version 12.
  const Array index = index_of_extreme(x, axis, {is_largest, node.flag("select_last_index")});
  const Array wide = convert(index, ElementType::S64);
  return {node.flag("keepdims", true) ? expand_dimension(wide, axis) : wide};
}

// --- Running sums ---

Values lower_running(const Node &node, Opcode opcode, double initial) {
  Array x = node.input(0);
  const std::int64_t axis = node.dimension(node.known_integer(1), x.rank());
  if (node.builder().has_failed()) {
    return {};
  }
  const bool is_reverse = node.flag("reverse");
  if (node.flag("exclusive") && x.size(axis) > 0) {
    std::vector<ir::PaddingDimension> padding(x.rank());
    padding[static_cast<std::size_t>(axis)] =
        is_reverse ? ir::PaddingDimension{-1, 1, 0} : ir::PaddingDimension{1, -1, 0};
    x = pad(x, number(initial, x), padding);
  }
  return {running_combination(opcode, initial, x, axis, is_reverse)};
}

}  // namespace

Values lower_arg_max(const Node &node) {
  return lower_index_of_extreme(node, true);
}
Values lower_arg_min(const Node &node) {
  return lower_index_of_extreme(node, false);
}

// In versions 1 to 9 the number of elements is an attribute. The order of the results, which need not be sorted since
// version 11, is always that of sorted ones.
Values lower_top_k(const Node &node) {
  const Array x = node.input(0);
  const std::int64_t axis = node.dimension(node.integer("axis", -1), x.rank());
  const bool is_open = node.version() >= 10 && node.may_be_bounded() && !node.input(1).integers(Known::Given);
  std::int64_t k = is_open ? x.size(axis) : node.version() < 10 ? node.integer("k") : node.known_integer(1);
  if (const auto ranges = is_open ? node.input(1).ranges() : std::nullopt; ranges && ranges->high.size() == 1) {
    k = std::clamp<std::int64_t>(ranges->high[0], 0, k);
  }
  if (node.builder().has_failed()) {
    return {};
  }
  if (k < 0 || k > x.size(axis)) {
    return node.fail("k is {}, expected at least 0 and at most {}", k, x.size(axis));
  }
  const TopElements top = top_k(x, axis, k, node.flag("largest", true));
  const auto sized = [&](Array result) {
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(x.rank()); ++i) {
      if (i != axis && x.is_bounded(i)) {
        result = with_run_time_size(result, i, run_time_size(x, i));
      }
    }
    if (is_open || x.is_bounded(axis)) {
      Array count = is_open ? maximum(reshape(node.input(1), {}), 0)
                            : node.builder().scalar(ElementType::S64, static_cast<double>(k));
      count = minimum(convert(count, ElementType::S64), convert(run_time_size(x, axis), ElementType::S64));
      result = with_run_time_size(result, axis, minimum(count, static_cast<double>(k)));
    }
    return result;
  };
  return {sized(top.values), sized(convert(top.indices, ElementType::S64))};
}

Values lower_cum_sum(const Node &node) {
  return lower_running(node, Opcode::Add, 0);
}
Values lower_cum_prod(const Node &node) {
  return lower_running(node, Opcode::Multiply, 1);
}

// In versions 1 to 12, the dimensions from the axis on are one.
Values lower_hardmax(const Node &node) {
  const Array x = node.input(0);
  const bool is_joined = node.version() < 13;
  const auto rank = static_cast<std::int64_t>(x.rank());
  std::int64_t axis = node.integer("axis", is_joined ? 1 : -1);
  if (!is_joined || axis != rank) {
    axis = node.dimension(axis, x.rank());
  }
  if (node.builder().has_failed() || x.count() == 0) {
    return {x};
  }
  const Array lines = is_joined ? flatten(x, axis, rank) : x;
  const Array largest = index_of_extreme(lines, axis, {});
  const Array is_largest = indices_along(lines, axis, largest.type()) == expand_dimension(largest, axis);
  return {reshape(convert(is_largest, x.type()), x.shape().sizes())};
}

}  // namespace bp::import::onnx
