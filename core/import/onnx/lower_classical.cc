// Operators of ai.onnx.ml that are arithmetic: scaling, linear models, choice of features.
#include <algorithm>

#include "core/import/array/normalization.h"
#include "core/import/onnx/lower.h"
#include "core/import/onnx/post_transform.h"

namespace bp::import::onnx {

Array post_transformed(const Node &node, const Array &scores) {
  const std::string_view name = node.text("post_transform", "NONE");
  const Integers last = {static_cast<std::int64_t>(scores.rank()) - 1};
  if (name == "NONE") {
    return scores;
  }
  if (name == "LOGISTIC") {
    return logistic(scores);
  }
  if (name == "SOFTMAX") {
    return softmax_over(scores, last);
  }
  if (name == "SOFTMAX_ZERO") {
    // Scores that are 0 stay 0, and the others sum up to 1.
    const Array is_zero = scores == 0;
    const Array e = select(is_zero, 0, exp(scores - reduce_max(scores, last, KeepSizes::Yes)));
    const Array sum = reduce_sum(e, last, KeepSizes::Yes);
    return e / select(sum == 0, 1, sum);
  }
  node.unsupported(fmt::format("post_transform is \"{}\", expected NONE, SOFTMAX, LOGISTIC or SOFTMAX_ZERO", name));
  return scores;
}

namespace {

// Returns features as a matrix of f32, or f64; an error if there are none.
Array features_of(const Node &node) {
  const Array x = node.input(0);
  if (x.rank() < 1 || x.rank() > 2) {
    node.fail("the operand is {}, expected one or two dimensions", ir::to_string(x.shape()));
  }
  const Array wide = x.type() == ElementType::F64 ? x : convert(x, ElementType::F32);
  return x.rank() == 1 ? expand_dimension(wide, 0) : wide;
}

// Returns the products of features with the coefficients of each of `count` results, plus its intercept.
Array linear_scores(const Node &node, const Array &x, std::int64_t count) {
  const std::vector<double> coefficients = node.reals("coefficients"), intercepts = node.reals("intercepts");
  const bool has_intercepts = !intercepts.empty();
  if (count < 1 || std::ssize(coefficients) / count != x.size(-1) || std::ssize(coefficients) % count != 0 ||
      (has_intercepts && std::ssize(intercepts) != count)) {
    node.fail("there are {} coefficients and {} intercepts for {} results of {} features", coefficients.size(),
              intercepts.size(), count, x.size(-1));
    return {&node.builder(), ir::no_instruction};
  }
  const Array matrix = reshape(node.builder().reals(coefficients, x.type()), {count, x.size(-1)});
  const Array products = dot(x, matrix, {{}, {}, {1}, {1}});
  return has_intercepts ? products + expand_dimension(node.builder().reals(intercepts, x.type()), 0) : products;
}

// Returns numbers for each feature: an attribute with one number, or one for each.
Array per_feature(const Node &node, std::string_view name, const Array &x, double if_absent) {
  const std::vector<double> numbers = node.reals(name, {if_absent});
  if (numbers.size() != 1 && std::ssize(numbers) != x.size(-1)) {
    node.fail("{} has {} numbers, expected one, or {}", name, numbers.size(), x.size(-1));
  }
  const Array array = node.builder().reals(numbers, x.type());
  return numbers.size() == 1 ? reshape(array, {}) : array;
}

}  // namespace

Values lower_array_feature_extractor(const Node &node) {
  const Array x = node.input(0), indices = node.input(1);
  if (x.rank() < 1 || !ir::is_integer(indices.type())) {
    return node.fail("the operands are {} and {}, expected an array and integers", ir::to_string(x.shape()),
                     ir::to_string(indices.shape()));
  }
  const auto known = indices.integers();
  for (std::size_t i = 0; known && i < known->size(); ++i) {
    if ((*known)[i] < 0 || (*known)[i] >= x.size(-1)) {
      return node.fail("the index {} is outside of a dimension of size {}", (*known)[i], x.size(-1));
    }
  }
  const Array taken = take(x, reshape(indices, {indices.count()}), static_cast<std::int64_t>(x.rank()) - 1);
  return {x.rank() == 1 ? expand_dimension(taken, 0) : taken};
}

Values lower_binarizer(const Node &node) {
  const Array x = node.input(0);
  return {convert(x > node.real("threshold", 0), x.type())};
}

Values lower_scaler(const Node &node) {
  const Array x = convert(node.input(0), ElementType::F32);
  if (x.rank() == 0) {
    return node.fail("the operand is a scalar, expected features");
  }
  return {(x - per_feature(node, "offset", x, 0)) * per_feature(node, "scale", x, 1)};
}

// As in ONNX Runtime, the largest number, not that of the largest magnitude, is the norm MAX.
Values lower_normalizer(const Node &node) {
  const Array x = convert(node.input(0), ElementType::F32);
  const std::string_view norm = node.text("norm", "MAX");
  if (norm != "MAX" && norm != "L1" && norm != "L2") {
    return node.fail("norm is \"{}\", expected MAX, L1 or L2", norm);
  }
  if (x.rank() < 1 || x.rank() > 2) {
    return node.fail("the operand is {}, expected one or two dimensions", ir::to_string(x.shape()));
  }
  const Integers last = {static_cast<std::int64_t>(x.rank()) - 1};
  const Array size = norm == "MAX"  ? reduce_max(x, last, KeepSizes::Yes)
                     : norm == "L1" ? reduce_sum(abs(x), last, KeepSizes::Yes)
                                    : sqrt(reduce_sum(x * x, last, KeepSizes::Yes));
  return {x / select(size == 0, 1, size)};
}

Values lower_linear_regressor(const Node &node) {
  const Array x = features_of(node);
  return {post_transformed(node, linear_scores(node, x, node.integer("targets", 1)))};
}

Values lower_linear_classifier(const Node &node) {
  const Array x = features_of(node);
  if (node.has("classlabels_strings")) {
    return node.unsupported("the classes have texts as labels, expected integers");
  }
  const Integers labels = node.integers("classlabels_ints");
  if (labels.size() < 2 || node.builder().has_failed()) {
    return node.unsupported(fmt::format("there are {} classes, expected at least 2", labels.size()));
  }
  const auto rows =
      static_cast<std::int64_t>(node.reals("coefficients").size()) / std::max<std::int64_t>(x.size(-1), 1);
  if (rows != std::ssize(labels)) {
    return node.unsupported(fmt::format("there are coefficients for {} classes of {}", rows, labels.size()));
  }
  const Array scores = linear_scores(node, x, rows);
  const Integers last = {1};
  const Array best = reduce_max(scores, last, KeepSizes::Yes);
  const Array place =
      reduce_min(select(scores == best, indices_along(scores, 1), static_cast<double>(rows - 1)), last, KeepSizes::No);
  return {take(node.builder().integers(labels), place, 0), convert(post_transformed(node, scores), ElementType::F32)};
}

}  // namespace bp::import::onnx
