// Operators that combine the elements of dimensions.
#include <numeric>

#include "core/import/onnx/lower.h"

namespace bp::import::onnx {
namespace {

// Returns the dimensions that are reduced. Without axes these are all, or none if noop_with_empty_axes says so.
// `first_with_input`: the version since which the axes are an input.
Integers reduced_dimensions(const Node &node, const Array &x, std::int64_t first_with_input) {
  const Integers axes = node.version() < first_with_input ? node.integers("axes")
                        : node.has_input(1)               ? node.known_integers(1)
                                                          : Integers();
  if (!axes.empty() || node.flag("noop_with_empty_axes")) {
    return node.dimensions(axes, x.rank());
  }
  Integers all(x.rank());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Lowers a reduction: combine(operand, dimensions, whether they stay).
template <class Combine>
Values lower_reduction(const Node &node, Combine &&combine, std::int64_t first_with_input = 18) {
  const Array x = node.input(0);
  const Integers dimensions = reduced_dimensions(node, x, first_with_input);
  if (node.builder().has_failed()) {
    return {};
  }
  return {combine(x, dimensions, node.flag("keepdims", true) ? KeepSizes::Yes : KeepSizes::No)};
}

// Returns the type in which functions of sums are computed: integers have no roots or logarithms.
ElementType reduction_function_type(ElementType type) {
  return ir::is_integer(type) ? ElementType::F64 : compute_type(type);
}

// Returns the logarithm of the sum of powers of e, without overflow: the largest element is taken out of the sum.
Array stable_log_sum_exp(const Array &x, Span dimensions, KeepSizes keep) {
  const Array largest = reduce_max(x, dimensions, KeepSizes::Yes);
  const Array shift = select(apply(Opcode::IsFinite, largest), largest, 0);
  const Array sum = log(reduce_sum(exp(x - shift), dimensions, KeepSizes::Yes)) + shift;
  return keep == KeepSizes::Yes ? sum : squeeze(sum, dimensions);
}

}  // namespace

Values lower_reduce_sum(const Node &node) {
  return lower_reduction(node, reduce_sum, 13);
}
Values lower_reduce_mean(const Node &node) {
  return lower_reduction(node, reduce_mean);
}
Values lower_reduce_product(const Node &node) {
  return lower_reduction(node, reduce_product);
}
Values lower_reduce_max(const Node &node) {
  return lower_reduction(node, reduce_max);
}
Values lower_reduce_min(const Node &node) {
  return lower_reduction(node, reduce_min);
}

Values lower_reduce_l1(const Node &node) {
  return lower_reduction(
      node, [](const Array &x, Span dimensions, KeepSizes keep) { return reduce_sum(abs(x), dimensions, keep); });
}
Values lower_reduce_l2(const Node &node) {
  return lower_reduction(node, [](const Array &x, Span dimensions, KeepSizes keep) {
    const Array wide = convert(x, reduction_function_type(x.type()));
    return convert(sqrt(reduce_sum(wide * wide, dimensions, keep)), x.type());
  });
}
Values lower_reduce_log_sum(const Node &node) {
  return lower_reduction(node, [](const Array &x, Span dimensions, KeepSizes keep) {
    const Array wide = convert(x, reduction_function_type(x.type()));
    return convert(log(reduce_sum(wide, dimensions, keep)), x.type());
  });
}
Values lower_reduce_log_sum_exp(const Node &node) {
  return lower_reduction(node, [](const Array &x, Span dimensions, KeepSizes keep) {
    return convert(stable_log_sum_exp(convert(x, reduction_function_type(x.type())), dimensions, keep), x.type());
  });
}
Values lower_reduce_sum_square(const Node &node) {
  return lower_reduction(node, [](const Array &x, Span dimensions, KeepSizes keep) {
    const Array wide = convert(x, compute_type(x.type()));
    return convert(reduce_sum(wide * wide, dimensions, keep), x.type());
  });
}

}  // namespace bp::import::onnx
