// Operators of ai.onnx.ml that exchange numbers for others: labels for labels, categories for vectors, missing values.
#include <algorithm>
#include <cmath>

#include "core/import/onnx/lower.h"

namespace bp::import::onnx {
namespace {

// Returns numbers that an attribute lists, whose name ends in floats, int64s or, in newer versions, tensor.
Array listed(const Node &node, const std::string &name) {
  GraphBuilder &builder = node.builder();
  if (node.has(name + "_floats")) {
    return builder.reals(node.reals(name + "_floats"), ElementType::F32);
  }
  if (node.has(name + "_int64s")) {
    return builder.integers(node.integers(name + "_int64s"));
  }
  if (const Tensor *tensor = node.tensor(name + "_tensor"); tensor != nullptr && !tensor->has_texts()) {
    const Array array = builder.constant(tensor->literal);
    return reshape(array, {array.count()});
  }
  node.unsupported(fmt::format("{} are texts or absent, expected numbers", name));
  return {&builder, ir::no_instruction};
}

// Whether elements are equal; NaN is equal to itself.
Array is_same(const Array &x, const Array &y) {
  const Array same = x == y;
  return ir::is_floating(x.type()) ? same || (is_nan(x) && is_nan(y)) : same;
}

// Returns the value of labels that are no key.
Array default_label(const Node &node, ElementType type) {
  if (const Tensor *tensor = node.tensor("default_tensor"); tensor != nullptr && !tensor->has_texts()) {
    return convert(reshape(node.builder().constant(tensor->literal), {}), type);
  }
  const double number =
      ir::is_floating(type) ? node.real("default_float", -0.0) : static_cast<double>(node.integer("default_int64", -1));
  return node.builder().scalar(type, number);
}

}  // namespace

// The first one of equal keys holds.
Values lower_label_encoder(const Node &node) {
  const Array x = node.input(0), keys = listed(node, "keys"), values = listed(node, "values");
  if (node.builder().has_failed()) {
    return {};
  }
  const std::int64_t count = keys.count(), rank = static_cast<std::int64_t>(x.rank());
  if (count == 0 || values.count() != count) {
    return node.fail("there are {} keys and {} values, expected as many, at least one", count, values.count());
  }
  const Integers last = {rank};
  const Array is_key = is_same(expand_dimension(x, rank), convert(keys, x.type()));
  const Array numbers = node.builder().iota(ElementType::S32, Integers{count}, 0);
  const Array none = node.builder().scalar(ElementType::S32, static_cast<double>(count));
  const Array place = reduce_min(select(is_key, numbers, none), last, KeepSizes::No);
  const Array value = take(values, minimum(place, static_cast<double>(count - 1)), 0);
  return {select(place < static_cast<double>(count), value, default_label(node, values.type()))};
}

// Elements of no category become zeros, also if the node asks for an error.
Values lower_one_hot_encoder(const Node &node) {
  const Array x = node.input(0);
  if (!node.has("cats_int64s")) {
    return node.unsupported("the categories are texts, expected integers");
  }
  const Array categories = node.builder().integers(node.integers("cats_int64s"));
  const auto rank = static_cast<std::int64_t>(x.rank());
  return {convert(expand_dimension(convert(x, ElementType::S64), rank) == categories, ElementType::F32)};
}

Values lower_imputer(const Node &node) {
  const Array x = node.input(0);
  const bool is_real = ir::is_floating(x.type());
  const Array values = listed(node, "imputed_value");
  if (node.builder().has_failed()) {
    return {};
  }
  if (x.rank() == 0 || (values.count() != 1 && values.count() != x.size(-1))) {
    return node.fail("there are {} imputed values for {}, expected one, or one per feature", values.count(),
                     ir::to_string(x.shape()));
  }
  const double replaced =
      is_real ? node.real("replaced_value_float", 0) : static_cast<double>(node.integer("replaced_value_int64", 0));
  const Array is_missing = std::isnan(replaced) ? is_nan(x) : x == replaced;
  return {select(is_missing, broadcast_to(convert(values, x.type()), x.sizes()), x)};
}

}  // namespace bp::import::onnx
