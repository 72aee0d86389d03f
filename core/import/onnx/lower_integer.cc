// Operators that multiply quantized numbers: products and convolutions of integers, whose sums are s32.
#include <algorithm>

#include "core/import/onnx/lower.h"
#include "core/import/onnx/quantization.h"

namespace bp::import::onnx {
namespace {

using ir::AttributeKey;

// Returns x - zero_point in a wider type. `sizes`: with which the zero point broadcasts to x.
Array centered(const Array &x, const Array &zero_point, Span sizes, ElementType type = ElementType::S32) {
  const Array wide = convert(x, type);
  if (is_zero(zero_point)) {
    return wide;
  }
  return wide - broadcast_to(convert(reshape(zero_point, sizes), type), x.shape().sizes());
}

// Returns the sizes with which a scale or zero point of a matrix broadcasts to it: it is one number, or one per row of
// the first operand and per column of the second one.
Integers of_matrix(const Array &parameter, bool is_first) {
  if (parameter.rank() != 1 || parameter.count() == 1) {
    return parameter.rank() == 1 ? Integers{} : parameter.sizes();
  }
  return is_first ? Integers{parameter.count(), 1} : Integers{parameter.count()};
}

Array centered_matrix(const Array &x, const Array &zero_point, bool is_first, ElementType type = ElementType::S32) {
  return centered(x, zero_point, of_matrix(zero_point, is_first), type);
}

// Returns the sizes with which a scale, zero point or bias, of one number or one per output channel, broadcasts to an
// array of this rank whose channels are the dimension `channels`.
Integers of_channels(const Array &parameter, std::size_t rank, std::size_t channels) {
  if (parameter.rank() == 0 || parameter.count() == 1) {
    return {};
  }
  Integers sizes(rank, 1);
  if (channels < rank) {
    sizes[channels] = parameter.count();
  }
  return sizes;
}

// --- Windows ---

constexpr std::int64_t largest_window_number = std::int64_t{1} << 31;

// Returns an attribute that has a number per spatial dimension.
Integers window_numbers(const Node &node, std::string_view name, std::size_t count, std::int64_t if_absent,
                        std::int64_t least) {
  Integers numbers = node.integers(name, Integers(count, if_absent));
  if (numbers.size() != count) {
    node.fail("{} has {} numbers, expected {}", name, numbers.size(), count);
    return Integers(count, 1);
  }
  for (std::int64_t &number : numbers) {
    if (number < least || number > largest_window_number) {
      node.fail("{} has the number {}, expected {} to {}", name, number, least, largest_window_number);
      number = 1;
    }
  }
  return numbers;
}

// Sets the padding such that there is a window for each `stride` elements.
void pad_integer_window(ir::WindowDimension &window, std::int64_t size, bool is_upper) {
  const std::int64_t windows = (size + window.stride - 1) / window.stride;
  const std::int64_t covered = (window.size - 1) * window.rhs_dilate + 1;
  const std::int64_t missing = std::max<std::int64_t>((windows - 1) * window.stride + covered - size, 0);
  window.pad_low = is_upper ? missing / 2 : missing - missing / 2;
  window.pad_high = missing - window.pad_low;
}

std::vector<ir::WindowDimension> integer_window(const Node &node, const Array &x, const Array &w) {
  const std::size_t count = x.rank() - 2;
  const Integers strides = window_numbers(node, "strides", count, 1, 1);
  const Integers dilations = window_numbers(node, "dilations", count, 1, 1);
  const Integers pads = window_numbers(node, "pads", 2 * count, 0, 0);
  const std::string_view automatic = node.text("auto_pad", "NOTSET");
  const bool is_same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (!is_same && automatic != "NOTSET" && automatic != "VALID") {
    node.fail("auto_pad is \"{}\", expected NOTSET, SAME_UPPER, SAME_LOWER or VALID", automatic);
  }
  std::vector<ir::WindowDimension> window(count);
  for (std::size_t i = 0; i < count; ++i) {
    window[i] = {.size = w.shape().size(i + 2), .stride = strides[i], .rhs_dilate = dilations[i]};
    if (is_same) {
      pad_integer_window(window[i], x.shape().size(i + 2), automatic == "SAME_UPPER");
    } else if (automatic == "NOTSET") {
      window[i].pad_low = pads[i];
      window[i].pad_high = pads[count + i];
    }
  }
  return window;
}

// Convolves x, [batch, channels, ...], with w, [output channels, channels of a group, ...].
Array integer_convolution(const Node &node, const Array &x, const Array &w) {
  const std::int64_t groups = node.integer("group", 1);
  if (x.rank() < 3 || w.rank() != x.rank()) {
    node.fail("{} is convolved with {}, expected the same number of dimensions, at least 3", ir::to_string(x.shape()),
              ir::to_string(w.shape()));
    return x;
  }
  if (groups < 1 || x.size(1) % groups != 0 || w.size(0) % groups != 0 || w.size(1) != x.size(1) / groups) {
    node.fail("{} is convolved with {} in {} groups", ir::to_string(x.shape()), ir::to_string(w.shape()), groups);
    return x;
  }
  const Span own = w.shape().sizes().subspan(2);
  const Integers kernel = node.integers("kernel_shape", Integers(own.begin(), own.end()));
  if (!std::ranges::equal(kernel, own)) {
    node.fail("kernel_shape is [{}], but the weights are {}", fmt::join(kernel, ","), ir::to_string(w.shape()));
    return x;
  }
  const std::vector<ir::WindowDimension> window = integer_window(node, x, w);
  Integers labels = {0, 1, 1, 0, 0, 1};  // batch and features of x, features of w, batch and features of the result
  for (int i = 0; i < 3; ++i) {
    for (std::int64_t dimension = 2; dimension < static_cast<std::int64_t>(x.rank()); ++dimension) {
      labels.push_back(dimension);
    }
  }
  return node.builder().add(Opcode::Convolution, {x, w}, [&](ir::Module &m, ir::InstructionId id) {
    m.set_window(id, window);
    m.set_numbers(id, AttributeKey::DimLabels, labels);
    m.set_number(id, AttributeKey::FeatureGroupCount, groups);
  });
}

// Converts sums of products to the quantized result: they are multiplied by `scale`, and rounded.
Array requantized(const Array &sums, const Array &scale, const Array &zero_point) {
  const Array quotient = convert(sums, ElementType::F32) * broadcast_to(scale, sums.shape().sizes());
  return quantized(quotient, reshape(zero_point, {}), zero_point.type(), true);
}

// Returns a scale as f32.
Array scale_of(const Node &node, std::size_t input) {
  const Array scale = node.input(input);
  if (!ir::is_floating(scale.type())) {
    node.fail("input {} is {}, expected a float", input, ir::to_string(scale.type()));
  }
  return convert(scale, ElementType::F32);
}

bool are_quantized(const Node &node, std::initializer_list<Array> arrays, bool may_be_floats = false) {
  for (const Array &array : arrays) {
    if (array.is_present() && (!is_quantized(array.type()) || ir::bit_width(array.type()) > 8 ||
                               (!may_be_floats && !ir::is_integer(array.type())))) {
      node.fail("an operand or zero point is {}, expected s8 or u8{}", ir::to_string(array.type()),
                may_be_floats ? " or a float of 8 bits" : "");
      return false;
    }
  }
  return true;
}

}  // namespace

Values lower_matmul_integer(const Node &node) {
  const Array a = node.input(0), b = node.input(1), a_zero = node.optional_input(2), b_zero = node.optional_input(3);
  if (!are_quantized(node, {a, b, a_zero, b_zero})) {
    return {};
  }
  return {matmul(centered_matrix(a, a_zero, true), centered_matrix(b, b_zero, false))};
}

Values lower_conv_integer(const Node &node) {
  const Array x = node.input(0), w = node.input(1), x_zero = node.optional_input(2), w_zero = node.optional_input(3);
  if (!are_quantized(node, {x, w, x_zero, w_zero})) {
    return {};
  }
  return {integer_convolution(node, centered(x, x_zero, {}), centered(w, w_zero, of_channels(w_zero, w.rank(), 0)))};
}

// The operands are a, its scale and zero point, b, its scale and zero point, the scale and zero point of the result.
Values lower_qlinear_matmul(const Node &node) {
  const Array a = node.input(0), b = node.input(3), a_zero = node.input(2), b_zero = node.input(5);
  const Array y_zero = node.input(7);
  if (!are_quantized(node, {a, b, a_zero, b_zero, y_zero}, node.version() >= 21)) {
    return {};
  }
  const bool is_integer = ir::is_integer(a.type()) && ir::is_integer(b.type());
  const ElementType type = is_integer ? ElementType::S32 : ElementType::F32;
  const Array a_scale = reshape(scale_of(node, 1), of_matrix(node.input(1), true));
  const Array b_scale = reshape(scale_of(node, 4), of_matrix(node.input(4), false));
  const Array sums = matmul(centered_matrix(a, a_zero, true, type), centered_matrix(b, b_zero, false, type));
  return {requantized(sums, a_scale * b_scale / reshape(scale_of(node, 6), {}), y_zero)};
}

// As QLinearMatMul; the last operand is the bias, in steps of the product of the scales.
Values lower_qlinear_conv(const Node &node) {
  const Array x = node.input(0), w = node.input(3), x_zero = node.input(2), w_zero = node.input(5);
  const Array y_zero = node.input(7), bias = node.optional_input(8);
  if (!are_quantized(node, {x, w, x_zero, w_zero, y_zero})) {
    return {};
  }
  Array sums =
      integer_convolution(node, centered(x, x_zero, {}), centered(w, w_zero, of_channels(w_zero, w.rank(), 0)));
  if (bias.is_present()) {
    sums = sums + reshape(bias, of_channels(bias, x.rank(), 1));
  }
  const Array w_scale = reshape(scale_of(node, 4), of_channels(node.input(4), x.rank(), 1));
  return {requantized(sums, reshape(scale_of(node, 1), {}) * w_scale / reshape(scale_of(node, 6), {}), y_zero)};
}

}  // namespace bp::import::onnx
