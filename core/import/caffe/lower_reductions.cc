// Layers that reduce dimensions.
#include "core/import/array/normalization.h"
#include "core/import/array/order.h"
#include "core/import/array/support.h"
#include "core/import/caffe/lower.h"

namespace bp::import::caffe {

// The places of the largest elements, as floats, or with out_max_val their values: along an axis, or without one over
// all dimensions but the first, and then places and values. Of equal elements, the last one comes first, as Caffe's
// sorting of pairs has it. http://caffe.berkeleyvision.org/tutorial/layers/argmax.html
Arrays lower_arg_max(const Layer &layer) {
  const Array &x = layer.bottom();
  const bool has_axis = layer.parameters().has("axis"), has_values = layer.parameters().flag("out_max_val", false);
  if (x.rank() < 1 || x.count() < 1) {
    return layer.fail(fmt::format("the bottom is {}, expected elements and dimensions", sizes_text(x.sizes())));
  }
  const std::int64_t axis = has_axis ? layer.axis("axis", 1, x.rank()) : 1;
  const Array lines = has_axis ? x : flatten(x, 1, static_cast<std::int64_t>(x.rank()));
  const std::int64_t size = lines.size(axis);
  const std::int64_t count = layer.integer("top_k", 1, 1, size);
  if (layer.has_failed()) {
    return {};
  }
  const Integers reversed = {axis};
  const auto [values, reversed_places] = top_k(reverse(lines, reversed), axis, count, true);
  const Array places = static_cast<double>(size - 1) - convert(reversed_places, x.type());
  if (has_axis) {
    return {has_values ? values : places};
  }
  // [batch, 1, top_k], with trailing sizes of 1 up to the bottom's dimensions; [batch, 2, top_k] with values.
  Integers sizes(std::max<std::size_t>(x.rank(), 3), 1);
  sizes[0] = x.size(0);
  sizes[2] = count;
  const Array shaped = reshape(places, sizes);
  return {has_values ? concatenate({shaped, reshape(values, sizes)}, 1) : shaped};
}

// http://caffe.berkeleyvision.org/tutorial/layers/reduction.html
Arrays lower_reduction(const Layer &layer) {
  enum Operation { Sum = 1, AbsoluteSum = 2, SquareSum = 3, Mean = 4 };
  const Array &x = layer.bottom();
  // A scalar has an axis 0 for this layer: it is reduced to itself.
  const std::int64_t axis = x.rank() == 0 ? 0 : layer.axis("axis", 0, x.rank());
  if (layer.has_failed()) {
    return {};
  }
  const Integers dimensions = dimensions_from(axis, x.rank() - static_cast<std::size_t>(axis));
  const std::int64_t operation = layer.parameters().integer("operation", Sum);
  const Array terms = operation == AbsoluteSum ? abs(x) : operation == SquareSum ? squared(x) : x;
  const Array result =
      operation == Mean ? reduce_mean(terms, dimensions, KeepSizes::No) : reduce_sum(terms, dimensions, KeepSizes::No);
  const double coefficient = layer.parameters().real("coeff", 1);
  return {coefficient == 1 ? result : result * coefficient};
}

}  // namespace bp::import::caffe
