// Layers that multiply by a matrix.
#include "core/import/caffe/lower.h"

namespace bp::import::caffe {

// http://caffe.berkeleyvision.org/tutorial/layers/innerproduct.html
Arrays lower_inner_product(const Layer &layer) {
  const Array &x = layer.bottom();
  const std::int64_t axis = layer.axis("axis", 1, x.rank());
  const std::int64_t outputs = layer.positive("num_output");
  const bool has_bias = layer.parameters().flag("bias_term", true);
  if (layer.has_failed() || !layer.has_blobs(has_bias ? 2 : 1)) {
    return {};
  }
  const bool is_transposed = layer.parameters().flag("transpose", false);
  const Array rows = flatten(flatten(x, axis, static_cast<std::int64_t>(x.rank())), 0, axis);
  const std::int64_t terms = rows.size(1);
  const Array weights = layer.blob(0, is_transposed ? Integers{terms, outputs} : Integers{outputs, terms});
  Array result = dot(rows, weights, {.lhs_contracting = {1}, .rhs_contracting = {is_transposed ? 0 : 1}});
  if (has_bias) {
    result = result + layer.blob(1, Integers{outputs});
  }
  Integers sizes = x.sizes();
  sizes.resize(static_cast<std::size_t>(axis));
  sizes.push_back(outputs);
  return {reshape(result, sizes)};
}

// Rows of a table, by numbers that are stored as floats. http://caffe.berkeleyvision.org/tutorial/layers/embed.html
Arrays lower_embed(const Layer &layer) {
  const Array &x = layer.bottom();
  const std::int64_t outputs = layer.positive("num_output"), inputs = layer.positive("input_dim");
  const bool has_bias = layer.parameters().flag("bias_term", true);
  if (layer.has_failed() || !layer.has_blobs(has_bias ? 2 : 1)) {
    return {};
  }
  const Array rows = take(layer.blob(0, Integers{inputs, outputs}), convert(x, ElementType::S32), 0);
  return {has_bias ? rows + layer.blob(1, Integers{outputs}) : rows};
}

}  // namespace bp::import::caffe
