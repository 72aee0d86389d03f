// Operators that compute each element from the elements of the operands at the same place, with NumPy's broadcast.
#include <algorithm>
#include <cmath>

#include "core/import/onnx/lower.h"

namespace bp::import::onnx {
namespace {

// Repeats the second operand of an operator of versions 1 to 6 as its attributes say: `broadcast`, and the `axis` of
// the first operand at which its dimensions begin.
Array legacy_operand(const Node &node, const Array &x, const Array &y) {
  if (!node.flag("broadcast") || !node.has("axis")) {
    return y;
  }
  Integers sizes = y.sizes();
  const std::int64_t axis = node.dimension(node.integer("axis"), x.rank());
  const auto end = static_cast<std::size_t>(axis) + sizes.size();
  if (end > x.rank()) {
    node.fail("{} cannot be repeated at dimension {} of {}", ir::to_string(y.shape()), axis, ir::to_string(x.shape()));
    return y;
  }
  sizes.resize(sizes.size() + x.rank() - end, 1);
  return reshape(y, sizes);
}

Values legacy(const Node &node, Array (*function)(const Array &, const Array &)) {
  const Array x = node.input(0);
  return {function(x, legacy_operand(node, x, node.input(1)))};
}

Array equal(const Array &x, const Array &y) {
  return x == y;
}
Array less(const Array &x, const Array &y) {
  return x < y;
}
Array greater(const Array &x, const Array &y) {
  return x > y;
}

// Combines any number of operands.
Array chain(const Node &node, Array (*function)(const Array &, const Array &)) {
  const Arrays operands = node.inputs();
  Array result = node.input(0);
  for (std::size_t i = 1; i < operands.size(); ++i) {
    result = function(result, operands[i]);
  }
  return result;
}

Array softplus(const Array &x) {
  return maximum(x, 0) + apply(Opcode::LogPlusOne, exp(-abs(x)));
}

// Returns x to the power y in the type of x.
Array mixed_power(const Array &x, const Array &y) {
  if (x.type() == y.type()) {
    return power(x, y);
  }
  if (ir::is_integer(x.type()) && ir::is_floating(y.type())) {
    return convert(power(convert(x, y.type()), y), x.type());
  }
  return power(x, convert(y, x.type()));
}

// Returns the remainder with the sign of y.
Array floor_remainder(const Array &x, const Array &y) {
  const Array rest = remainder(x, y);
  if (ir::is_unsigned(x.type())) {
    return rest;
  }
  const Array differs = apply(Opcode::Xor, rest < 0, y < 0);
  return select((rest != 0) && differs, rest + y, rest);
}

// Returns the largest finite value of the types of 8 bits whose conversion saturates by an attribute; 0 for others.
double saturation_limit(ElementType type) {
  switch (type) {
    case ElementType::F8E4M3FN: return 448;
    case ElementType::F8E4M3FNUZ: return 240;
    case ElementType::F8E5M2:
    case ElementType::F8E5M2FNUZ: return 57344;
    default: return 0;
  }
}

// Converts to powers of two, f8e8m0fnu, with the rounding that an attribute names. Works on the bits of f32, whose
// exponent is the result.
Array to_scale(const Node &node, const Array &x) {
  const std::string_view mode = node.text("round_mode", "up");
  if (mode != "up" && mode != "down" && mode != "nearest") {
    node.fail("round_mode is \"{}\", expected up, down or nearest", mode);
  }
  GraphBuilder &builder = node.builder();
  const auto bits_as = [&](const Array &array, ElementType type) {
    Shape shape = array.shape();
    shape.set_element_type(type);
    return builder.add(Opcode::BitcastConvert, {array}, {}, {}, shape);
  };
  const Array wide = convert(x, ElementType::F32);
  const Array bits = bits_as(abs(wide), ElementType::U32);
  const Array exponent = apply(Opcode::ShiftRightLogical, bits, number(23, bits));
  const Array mantissa = apply(Opcode::And, bits, number(0x7fffff, bits));
  const Array is_up = mode == "down" ? mantissa < 0 : mode == "up" ? mantissa > 0 : mantissa >= 0x400000;
  Array code = exponent + convert(is_up, ElementType::U32);
  if (node.flag("saturate", true)) {
    code = minimum(code, 254);
  }
  code = select(is_nan(wide), 255, code);
  return bits_as(convert(code, ElementType::U8), ElementType::F8E8M0FNU);
}

Array cast(const Node &node, const Array &x, ElementType type) {
  if (type == ElementType::F8E8M0FNU && x.type() != type) {
    return to_scale(node, x);
  }
  if (ir::is_integer(type) && ir::bit_width(type) < 8 && ir::is_floating(x.type())) {
    // Integers of less than 8 bits keep the low bits of the truncated number, as ONNX's reference does.
    return convert(convert(x, ElementType::S32), type);
  }
  const double limit = saturation_limit(type);
  if (limit == 0 || !node.flag("saturate", true) || ir::bit_width(x.type()) < 16) {
    return convert(x, type);
  }
  const Array wide = ir::is_floating(x.type()) ? x : convert(x, ElementType::F32);
  return convert(clamp(number(-limit, wide), wide, number(limit, wide)), type);
}

}  // namespace

// --- Two and more operands ---

Values lower_legacy_add(const Node &node) {
  return legacy(node, [](const Array &x, const Array &y) { return x + y; });
}
Values lower_legacy_sub(const Node &node) {
  return legacy(node, [](const Array &x, const Array &y) { return x - y; });
}
Values lower_legacy_mul(const Node &node) {
  return legacy(node, [](const Array &x, const Array &y) { return x * y; });
}
Values lower_legacy_div(const Node &node) {
  return legacy(node, [](const Array &x, const Array &y) { return x / y; });
}
Values lower_legacy_pow(const Node &node) {
  return legacy(node, mixed_power);
}
Values lower_legacy_and(const Node &node) {
  return legacy(node, [](const Array &x, const Array &y) { return x && y; });
}
Values lower_legacy_or(const Node &node) {
  return legacy(node, [](const Array &x, const Array &y) { return x || y; });
}
Values lower_legacy_xor(const Node &node) {
  return legacy(node, [](const Array &x, const Array &y) { return apply(Opcode::Xor, x, y); });
}
Values lower_legacy_equal(const Node &node) {
  return legacy(node, equal);
}
Values lower_legacy_less(const Node &node) {
  return legacy(node, less);
}
Values lower_legacy_greater(const Node &node) {
  return legacy(node, greater);
}

Values lower_equal(const Node &node) {
  if (node.value(0).has_texts() || node.value(1).has_texts()) {
    return node.unsupported("texts are not compared");
  }
  return {node.input(0) == node.input(1)};
}
Values lower_less(const Node &node) {
  return {node.input(0) < node.input(1)};
}
Values lower_greater(const Node &node) {
  return {node.input(0) > node.input(1)};
}
Values lower_less_or_equal(const Node &node) {
  return {node.input(0) <= node.input(1)};
}
Values lower_greater_or_equal(const Node &node) {
  return {node.input(0) >= node.input(1)};
}

Values lower_pow(const Node &node) {
  return {mixed_power(node.input(0), node.input(1))};
}

Values lower_mod(const Node &node) {
  return {(node.flag("fmod") ? remainder : floor_remainder)(node.input(0), node.input(1))};
}

Values lower_bit_shift(const Node &node) {
  const std::string_view direction = node.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") {
    return node.fail("direction is \"{}\", expected LEFT or RIGHT", direction);
  }
  const Array x = node.input(0);
  const Opcode right = ir::is_signed(x.type()) ? Opcode::ShiftRightArithmetic : Opcode::ShiftRightLogical;
  return {apply(direction == "LEFT" ? Opcode::ShiftLeft : right, x, node.input(1))};
}

Values lower_max(const Node &node) {
  return {chain(node, maximum)};
}
Values lower_min(const Node &node) {
  return {chain(node, minimum)};
}
Values lower_sum(const Node &node) {
  return {chain(node, operator+)};
}
Values lower_mean(const Node &node) {
  return {chain(node, operator+) / static_cast<double>(node.input_count())};
}

Values lower_where(const Node &node) {
  return {select(node.input(0), node.input(1), node.input(2))};
}

Values lower_prelu(const Node &node) {
  const Array x = node.input(0), slope = node.input(1);
  // In the first versions, a slope per channel has no dimensions after that of the channels.
  const bool is_per_channel = node.version() < 7 && slope.rank() == 1 && x.rank() > 2;
  Integers sizes = slope.sizes();
  sizes.resize(is_per_channel ? x.rank() - 1 : sizes.size(), 1);
  return {select(x < 0, x * broadcast_to(reshape(slope, sizes), x.shape().sizes()), x)};
}

// --- One operand ---

Values lower_identity(const Node &node) {
  return {node.value(0)};
}

Values lower_relu(const Node &node) {
  return {maximum(node.input(0), 0)};
}
Values lower_leaky_relu(const Node &node) {
  const Array x = node.input(0);
  return {select(x < 0, x * node.real("alpha", 0.01F), x)};
}
Values lower_elu(const Node &node) {
  const Array x = node.input(0);
  return {select(x < 0, apply(Opcode::ExponentialMinusOne, x) * node.real("alpha", 1), x)};
}
Values lower_selu(const Node &node) {
  const Array x = node.input(0);
  // The defaults of the first version have fewer digits.
  const bool is_first = node.version() < 6;
  const double alpha = node.real("alpha", is_first ? 1.6732F : 1.67326319217681884765625);
  const double gamma = node.real("gamma", is_first ? 1.0507F : 1.05070102214813232421875);
  return {select(x > 0, x, apply(Opcode::ExponentialMinusOne, x) * alpha) * gamma};
}
Values lower_celu(const Node &node) {
  const Array x = node.input(0);
  const double alpha = node.real("alpha", 1);
  return {maximum(x, 0) + minimum(apply(Opcode::ExponentialMinusOne, x / alpha) * alpha, 0)};
}
Values lower_thresholded_relu(const Node &node) {
  const Array x = node.input(0);
  return {select(x > node.real("alpha", 1), x, 0)};
}
Values lower_hard_sigmoid(const Node &node) {
  const Array x = node.input(0);
  return {maximum(minimum(x * node.real("alpha", 0.2F) + node.real("beta", 0.5), 1), 0)};
}
Values lower_hard_swish(const Node &node) {
  const Array x = node.input(0);
  return {x * maximum(minimum(x * (1.0 / 6) + 0.5, 1), 0)};
}
Values lower_swish(const Node &node) {
  const Array x = node.input(0);
  return {x * logistic(x * node.real("alpha", 1))};
}
Values lower_swiglu(const Node &node) {
  const Array gate = node.input(0), x = node.input(1);
  if (gate.is_valid() && x.is_valid() && gate.sizes() != x.sizes()) {
    return node.fail("the gate is {} and the value {}, expected the same sizes", ir::to_string(gate.shape()),
                     ir::to_string(x.shape()));
  }
  return {gate * logistic(gate * node.real("alpha", 1)) * x};
}
Values lower_softplus(const Node &node) {
  return {softplus(node.input(0))};
}
Values lower_softsign(const Node &node) {
  const Array x = node.input(0);
  return {x / (abs(x) + 1)};
}
Values lower_mish(const Node &node) {
  const Array x = node.input(0);
  return {x * tanh(softplus(x))};
}
Values lower_gelu(const Node &node) {
  const Array x = node.input(0);
  const std::string_view approximate = node.text("approximate", "none");
  if (approximate == "tanh") {
    return {x * (tanh((x + x * x * x * 0.044715) * 0.7978845608028654) + 1) * 0.5};
  }
  if (approximate != "none") {
    return node.fail("approximate is \"{}\", expected none or tanh", approximate);
  }
  return {x * (erf(x * 0.7071067811865476) + 1) * 0.5};
}
Values lower_shrink(const Node &node) {
  const Array x = node.input(0);
  const double limit = node.real("lambd", 0.5), bias = node.real("bias", 0);
  // The limit may be no number of an integer type.
  const Array wide = ir::is_floating(x.type()) ? x : convert(x, ElementType::F32);
  const Array shrunk = select(wide < -limit, wide + bias, select(wide > limit, wide - bias, number(0, wide)));
  return {convert(shrunk, x.type())};
}
Values lower_reciprocal(const Node &node) {
  return {1 / node.input(0)};
}
Values lower_is_nan(const Node &node) {
  return {is_nan(node.input(0))};
}
Values lower_is_inf(const Node &node) {
  const Array x = node.input(0);
  const Array magnitude = node.flag("detect_negative", true) ? abs(x) : x;
  if (!node.flag("detect_positive", true)) {
    return {node.flag("detect_negative", true) ? x == -HUGE_VAL : x != x && x == x};
  }
  return {magnitude == HUGE_VAL};
}

Values lower_clip(const Node &node) {
  Array x = node.input(0);
  const bool has_inputs = node.version() >= 11;
  const auto bound = [&](std::size_t input, std::string_view name) {
    return has_inputs ? node.optional_input(input) : node.has(name) ? number(node.real(name), x) : Array();
  };
  if (const Array low = bound(1, "min")) {
    x = maximum(x, reshape(low, {}));
  }
  if (const Array high = bound(2, "max")) {
    x = minimum(x, reshape(high, {}));
  }
  return {x};
}

Values lower_cast(const Node &node) {
  if (node.value(0).has_texts()) {
    return node.unsupported("texts are not converted");
  }
  if (const Attribute *to = node.find("to"); to != nullptr && to->type == Attribute::Type::String) {
    return node.unsupported("the type is written as a text, as in version 1, expected a number");
  }
  return {cast(node, node.input(0), node.element_type("to", ElementType::F32))};
}
Values lower_cast_like(const Node &node) {
  if (node.value(0).has_texts() || node.value(1).has_texts()) {
    return node.unsupported("texts are not converted");
  }
  return {cast(node, node.input(0), node.input(1).type())};
}
Values lower_bit_cast(const Node &node) {
  const Array x = node.input(0);
  Shape shape = x.shape();
  shape.set_element_type(node.element_type("to", x.type()));
  return {node.builder().add(Opcode::BitcastConvert, {x}, {}, {}, shape)};
}

// Dropout does nothing but in training, where it is random.
Values lower_dropout(const Node &node) {
  const Array x = node.input(0);
  const bool is_training = node.version() < 7    ? !node.flag("is_test")
                           : node.version() < 12 ? false
                           : node.has_input(2)   ? node.known_integer(2) != 0
                                                 : false;
  if (is_training) {
    const std::vector<double> ratio =
        node.version() >= 12 && node.has_input(1) ? node.known_reals(1) : std::vector<double>{node.real("ratio", 0.5)};
    if (ratio.size() != 1 || ratio[0] != 0) {
      return node.unsupported("training, which is random, expected a model for inference");
    }
  }
  const ElementType mask_type = node.version() < 10 ? x.type() : ElementType::Pred;
  return {x, node.builder().filled(mask_type, x.shape().sizes(), 1)};
}

// --- Constants ---

Values lower_constant(const Node &node) {
  GraphBuilder &builder = node.builder();
  const auto scalar = [&](ElementType type, double value) { return builder.scalar(type, value); };
  if (const Attribute *value = node.find("value") ? node.find("value") : node.find("sparse_value")) {
    if (value->tensors.empty()) {
      return node.fail("the attribute value has no tensor");
    }
    const Tensor &tensor = value->tensors[0];
    return {tensor.has_texts() ? Value::texts(tensor.texts) : builder.constant(tensor.literal)};
  }
  if (node.has("value_float")) {
    return {scalar(ElementType::F32, node.real("value_float"))};
  }
  if (node.has("value_floats")) {
    return {builder.reals(node.reals("value_floats"), ElementType::F32)};
  }
  if (node.has("value_int")) {
    return {reshape(builder.integers({node.integer("value_int")}), {})};
  }
  if (node.has("value_ints")) {
    return {builder.integers(node.integers("value_ints"))};
  }
  if (node.has("value_string")) {
    return {Value::texts({node.text("value_string", "")})};
  }
  if (node.has("value_strings")) {
    return {Value::texts(node.texts("value_strings"))};
  }
  return node.fail("there is no value");
}

Values lower_constant_of_shape(const Node &node) {
  const SizeIntegers sizes = node.size_integers(0);
  for (const std::int64_t size : sizes.bounds) {
    if (size < 0) {
      return node.fail("the size {}, expected at least 0", size);
    }
  }
  const Tensor *value = node.tensor("value");
  if (value != nullptr && (value->has_texts() || value->literal.shape().element_count() != 1)) {
    return node.fail("the value is no array of one number");
  }
  const Array number = value == nullptr ? node.builder().scalar(ElementType::F32, 0)
                                        : reshape(node.builder().constant(value->literal), {});
  return {with_sizes(broadcast_in(number, sizes.bounds, {}), sizes)};
}

Values lower_shape(const Node &node) {
  const Integers sizes = node.input(0).sizes();
  const auto rank = static_cast<std::int64_t>(sizes.size());
  const auto limited = [&](std::int64_t number) {
    return std::clamp<std::int64_t>(number < 0 ? number + rank : number, 0, rank);
  };
  const std::int64_t begin = limited(node.integer("start", 0)), end = limited(node.integer("end", rank));
  if (!node.input(0).is_bounded()) {
    return {node.builder().integers(
        Span(sizes).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(std::max(begin, end) - begin)))};
  }
  Arrays parts = {node.builder().integers({})};
  for (std::int64_t i = begin; i < end; ++i) {
    parts.push_back(reshape(convert(run_time_size(node.input(0), i), ElementType::S64), {1}));
  }
  return {concatenate(parts, 0)};
}

Values lower_size(const Node &node) {
  const Array x = node.input(0);
  Integers known;
  Arrays open;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(x.rank()); ++i) {
    if (x.is_bounded(i)) {
      open.push_back(convert(run_time_size(x, i), ElementType::S64));
    } else {
      known.push_back(x.size(i));
    }
  }
  Array count = reshape(node.builder().integers({ir::product(known)}), {});
  for (const Array &size : open) {
    count = count * size;
  }
  return {count};
}

}  // namespace bp::import::onnx
