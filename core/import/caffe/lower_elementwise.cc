// Layers that compute each element on its own.
#include <cmath>

#include "core/import/caffe/lower.h"

namespace bp::import::caffe {
namespace {

// Returns scale * x + shift.
Array scaled(const Array &x, double scale, double shift) {
  const Array product = scale == 1 ? x : x * scale;
  return shift == 0 ? product : product + shift;
}

// Returns the parameter base, which is -1 for e, as its natural logarithm; nothing and an error if it has none.
std::optional<double> logarithm_of_base(const Layer &layer) {
  const double base = layer.parameters().real("base", -1);
  if (base == -1) {
    return 1;
  }
  if (!(base > 0) || std::isinf(base)) {
    layer.fail_in("base", fmt::format("base is {}, expected more than 0, or -1 for e", base));
    return {};
  }
  return std::log(base);
}

// Repeats an array that has the dimensions from `axis` on, as many as it has, to the sizes of another.
std::optional<Array> along(const Layer &layer, const Array &part, const Array &x, std::int64_t axis) {
  Integers dimensions;
  for (std::size_t i = 0; i < part.rank(); ++i) {
    dimensions.push_back(axis + static_cast<std::int64_t>(i));
    if (dimensions.back() >= static_cast<std::int64_t>(x.rank()) || x.size(dimensions.back()) != part.sizes()[i]) {
      layer.fail(fmt::format("the factors or addends have the sizes {}, expected those of {} from dimension {} on",
                             sizes_text(part.sizes()), sizes_text(x.sizes()), axis));
      return {};
    }
  }
  return broadcast_in(part, x.sizes(), dimensions);
}

// Returns the sizes of the weights of Scale and Bias: `num_axes` dimensions of x from `axis` on, all for -1.
Integers covered_sizes(const Layer &layer, const Array &x, std::int64_t axis) {
  const auto rest = static_cast<std::int64_t>(x.rank()) - axis;
  const std::int64_t count = layer.integer("num_axes", 1, -1, rest);
  const Integers sizes = x.sizes();
  const auto begin = sizes.begin() + axis;
  return {begin, begin + (count == -1 ? rest : count)};
}

// Returns the axis of Scale and Bias; a learned scalar is at 0.
std::int64_t covered_axis(const Layer &layer) {
  const bool is_scalar = layer.bottoms().size() == 1 && layer.parameters().integer("num_axes", 1) == 0;
  return is_scalar ? 0 : layer.axis("axis", 1, layer.bottom().rank());
}

}  // namespace

Arrays lower_abs_val(const Layer &layer) {
  return {abs(layer.bottom())};
}

// log(1 + exp(x)), without an exponential that is infinite.
Arrays lower_bnll(const Layer &layer) {
  const Array &x = layer.bottom();
  return {maximum(x, 0) + log(exp(-abs(x)) + 1)};
}

Arrays lower_clip(const Layer &layer) {
  const Array &x = layer.bottom();
  if (!layer.parameters().has("min") || !layer.parameters().has("max")) {
    return layer.fail("clip_param has no min and max");
  }
  return {minimum(maximum(x, layer.parameters().real("min", 0)), layer.parameters().real("max", 0))};
}

// For TEST, a layer that changes nothing: what it leaves out in training is compensated for there.
Arrays lower_dropout(const Layer &layer) {
  return {layer.bottom()};
}

Arrays lower_elu(const Layer &layer) {
  const Array &x = layer.bottom();
  return {select(x > 0, x, (exp(minimum(x, 0)) - 1) * layer.parameters().real("alpha", 1))};
}

Arrays lower_eltwise(const Layer &layer) {
  enum Operation { Product = 0, Sum = 1, Maximum = 2 };
  const std::int64_t operation = layer.parameters().integer("operation", Sum);
  const std::vector<double> &coefficients = layer.parameters().reals("coeff");
  if (!coefficients.empty() && (operation != Sum || coefficients.size() != layer.bottoms().size())) {
    return layer.fail_in("coeff", fmt::format("{} coefficients of {} bottoms, expected as many, and only of SUM",
                                              coefficients.size(), layer.bottoms().size()));
  }
  Array result;
  for (std::size_t i = 0; i < layer.bottoms().size(); ++i) {
    const Array &x = layer.bottom(i);
    if (x.sizes() != layer.bottom().sizes()) {
      return layer.fail(fmt::format("bottom {} is {}, expected the sizes of bottom 0, {}", i, sizes_text(x.sizes()),
                                    sizes_text(layer.bottom().sizes())));
    }
    const Array term = coefficients.empty() ? x : scaled(x, static_cast<float>(coefficients[i]), 0);
    if (!result.is_present()) {
      result = term;
    } else {
      result = operation == Sum ? result + term : operation == Product ? result * term : maximum(result, term);
    }
  }
  return {result};
}

// base ^ (shift + scale * x)
Arrays lower_exp(const Layer &layer) {
  const auto logarithm = logarithm_of_base(layer);
  if (!logarithm) {
    return {};
  }
  const double scale = layer.parameters().real("scale", 1), shift = layer.parameters().real("shift", 0);
  const Array power = exp(scaled(layer.bottom(), *logarithm * scale, 0));
  return {shift == 0 ? power : power * std::exp(*logarithm * shift)};
}

// The logarithm to the base, of shift + scale * x.
Arrays lower_log(const Layer &layer) {
  const auto logarithm = logarithm_of_base(layer);
  if (!logarithm) {
    return {};
  }
  const Array natural =
      log(scaled(layer.bottom(), layer.parameters().real("scale", 1), layer.parameters().real("shift", 0)));
  return {scaled(natural, 1 / *logarithm, 0)};
}

Arrays lower_prelu(const Layer &layer) {
  const Array &x = layer.bottom();
  if (x.rank() < 2) {
    return layer.fail(fmt::format("the bottom is {}, expected at least 2 dimensions", sizes_text(x.sizes())));
  }
  const bool is_shared = layer.parameters().flag("channel_shared", false);
  if (!layer.has_blobs(1)) {
    return {};
  }
  const Array slopes = layer.blob(0, is_shared ? Integers{} : Integers{x.size(1)});
  const auto repeated = along(layer, slopes, x, 1);
  return repeated ? Arrays{maximum(x, 0) + *repeated * minimum(x, 0)} : Arrays{};
}

// (shift + scale * x) ^ power
Arrays lower_power(const Layer &layer) {
  const Array x = scaled(layer.bottom(), layer.parameters().real("scale", 1), layer.parameters().real("shift", 0));
  const double exponent = layer.parameters().real("power", 1);
  if (exponent == 0 || exponent == 1) {
    return {exponent == 1 ? x : x.builder().filled(x.type(), x.sizes(), 1)};
  }
  return {exponent == 2 ? x * x : power(x, number(exponent, x))};
}

Arrays lower_relu(const Layer &layer) {
  const Array &x = layer.bottom();
  const double slope = layer.parameters().real("negative_slope", 0);
  const Array positive = maximum(x, 0);
  return {slope == 0 ? positive : positive + minimum(x, 0) * slope};
}

Arrays lower_sigmoid(const Layer &layer) {
  return {logistic(layer.bottom())};
}

Arrays lower_swish(const Layer &layer) {
  const Array &x = layer.bottom();
  return {x * logistic(scaled(x, layer.parameters().real("beta", 1), 0))};
}

Arrays lower_tanh(const Layer &layer) {
  return {tanh(layer.bottom())};
}

Arrays lower_threshold(const Layer &layer) {
  const Array &x = layer.bottom();
  return {convert(x > layer.parameters().real("threshold", 0), x.type())};
}

Arrays lower_bias(const Layer &layer) {
  const Array &x = layer.bottom();
  const std::int64_t axis = covered_axis(layer);
  const bool is_learned = layer.bottoms().size() == 1;
  if (layer.has_failed() || !layer.has_blobs(is_learned ? 1 : 0)) {
    return {};
  }
  const Array addends = is_learned ? layer.blob(0, covered_sizes(layer, x, axis)) : layer.bottom(1);
  const auto repeated = along(layer, addends, x, axis);
  return repeated ? Arrays{x + *repeated} : Arrays{};
}

// A bias of its own has the sizes of the factors.
Arrays lower_scale(const Layer &layer) {
  const Array &x = layer.bottom();
  const std::int64_t axis = covered_axis(layer);
  const std::size_t learned = layer.bottoms().size() == 1 ? 1 : 0;
  const bool has_bias = layer.parameters().flag("bias_term", false);
  if (layer.has_failed() || !layer.has_blobs(learned + (has_bias ? 1 : 0))) {
    return {};
  }
  const Array factors = learned == 1 ? layer.blob(0, covered_sizes(layer, x, axis)) : layer.bottom(1);
  const auto repeated = along(layer, factors, x, axis);
  if (!repeated) {
    return {};
  }
  const Array product = x * *repeated;
  if (!has_bias) {
    return {product};
  }
  const auto bias = along(layer, layer.blob(learned, factors.sizes()), x, axis);
  return bias ? Arrays{product + *bias} : Arrays{};
}

}  // namespace bp::import::caffe
