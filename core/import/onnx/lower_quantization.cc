// Operators that convert between real numbers and numbers of few bits with a scale and a zero point.
#include <algorithm>

#include "core/import/onnx/lower.h"
#include "core/import/onnx/quantization.h"

namespace bp::import::onnx {
namespace {

// Repeats each element of a dimension `block` times, up to the size that x has there.
Array repeated_blocks(const Node &node, const Array &parameter, const Array &x, std::int64_t axis, std::int64_t block) {
  Integers expected = x.sizes();
  const std::int64_t size = x.size(axis);
  expected[static_cast<std::size_t>(axis)] = size / block + (size % block == 0 ? 0 : 1);
  if (parameter.sizes() != expected) {
    node.fail("the scale or zero point is {} with blocks of {}, expected the sizes [{}]",
              ir::to_string(parameter.shape()), block, fmt::join(expected, ","));
    return parameter;
  }
  if (size == 0) {
    return parameter;
  }
  // A block that is longer than the dimension is cut, so that nothing larger than x is made.
  const std::int64_t repetitions = std::min(block, size);
  Integers sizes = expected, dimensions;
  sizes.insert(sizes.begin() + axis + 1, repetitions);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(expected.size()); ++i) {
    dimensions.push_back(i <= axis ? i : i + 1);
  }
  const Array repeated = flatten(broadcast_in(parameter, sizes, dimensions), axis, axis + 2);
  return slice(repeated, axis, 0, size);
}

// Repeats a scale or zero point to what broadcasts to x: it is one number, or one per index of the dimension `axis`, or
// one per block of `block_size` indices there.
Array quantization_parameter(const Node &node, const Array &parameter, const Array &x) {
  if (!parameter.is_valid() || !x.is_valid() || (parameter.rank() < 2 && parameter.count() == 1)) {
    return reshape(parameter, {});
  }
  const std::int64_t axis = node.dimension(node.integer("axis", 1), x.rank());
  const std::int64_t block = node.integer("block_size", 0);
  if (node.builder().has_failed()) {
    return parameter;
  }
  if (block < 0) {
    node.fail("block_size is {}, expected at least 1", block);
    return parameter;
  }
  if (block > 0) {
    return repeated_blocks(node, parameter, x, axis, block);
  }
  if (parameter.rank() != 1 || parameter.count() != x.size(axis)) {
    node.fail("the scale or zero point is {}, expected a scalar or a vector of {} elements",
              ir::to_string(parameter.shape()), x.size(axis));
    return parameter;
  }
  return broadcast_in(parameter, x.shape().sizes(), Integers{axis});
}

// Returns the type in which x is divided by the scale.
ElementType division_type(const Node &node, const Array &x, const Array &scale) {
  if (node.integer("precision", 0) != 0) {
    return node.element_type("precision", ElementType::F32);
  }
  if (ir::is_floating(scale.type()) && ir::bit_width(scale.type()) >= 16) {
    return scale.type();
  }
  // A scale that is an integer or a power of two in 8 bits says nothing about the precision.
  return ir::is_floating(x.type()) ? compute_type(x.type()) : ElementType::F64;
}

ElementType quantized_type(const Node &node, const Array &zero_point) {
  const bool is_named = node.integer("output_dtype", 0) != 0;
  const ElementType named = is_named ? node.element_type("output_dtype", ElementType::U8) : ElementType::U8;
  if (!zero_point.is_present()) {
    return named;
  }
  if (is_named && named != zero_point.type()) {
    node.fail("output_dtype is {}, but the zero point is {}", ir::to_string(named), ir::to_string(zero_point.type()));
  }
  return zero_point.type();
}

// Returns the largest finite value of a float of 4 or 8 bits that quantized numbers can have; 0 for other types.
double largest_quantized(ElementType type) {
  switch (type) {
    case ElementType::F4E2M1FN: return 6;
    case ElementType::F8E4M3FN: return 448;
    case ElementType::F8E4M3FNUZ: return 240;
    case ElementType::F8E5M2:
    case ElementType::F8E5M2FNUZ: return 57344;
    default: return 0;
  }
}

// Converts numbers that have been rounded to an integer type of up to 16 bits: the nearest number that it has.
Array saturated(const Array &x, ElementType type) {
  const int bits = ir::bit_width(type);
  const auto high = static_cast<double>((std::int64_t{1} << (ir::is_unsigned(type) ? bits : bits - 1)) - 1);
  const double low = ir::is_unsigned(type) ? 0 : -high - 1;
  return convert(clamp(number(low, x), x, number(high, x)), type);
}

}  // namespace

bool is_zero(const Array &x) {
  if (!x.is_present()) {
    return true;
  }
  const auto elements = x.reals();
  return elements && std::ranges::all_of(*elements, [](double element) { return element == 0; });
}

bool is_quantized(ElementType type) {
  return largest_quantized(type) != 0 || (ir::is_integer(type) && ir::bit_width(type) <= 16);
}

Array quantized(const Array &quotient, const Array &zero_point, ElementType type, bool is_saturating) {
  const double limit = largest_quantized(type);
  Array result = limit == 0 ? round_even(quotient) : quotient;
  if (!is_zero(zero_point)) {
    result = result + convert(zero_point, quotient.type());
  }
  if (limit == 0) {
    return saturated(result, type);
  }
  if (type == ElementType::F4E2M1FN || is_saturating) {
    result = clamp(number(-limit, result), result, number(limit, result));
  }
  return convert(result, type);
}

Values lower_quantize_linear(const Node &node) {
  const Array x = node.input(0), given_scale = node.input(1), zero_point = node.optional_input(2);
  const ElementType type = quantized_type(node, zero_point), precision = division_type(node, x, given_scale);
  const bool is_real = (ir::is_floating(x.type()) || ir::is_integer(x.type())) &&
                       (ir::is_floating(given_scale.type()) || ir::is_integer(given_scale.type()));
  if (!is_real || !ir::is_floating(precision) || !is_quantized(type)) {
    return node.fail("{} is quantized to {} with a scale of {}", ir::to_string(x.type()), ir::to_string(type),
                     ir::to_string(given_scale.type()));
  }
  const Array scale = quantization_parameter(node, given_scale, x);
  const Array quotient = convert(x, precision) / convert(scale, precision);
  return {quantized(convert(quotient, precision == ElementType::F64 ? precision : ElementType::F32),
                    is_zero(zero_point) ? Array() : quantization_parameter(node, zero_point, x), type,
                    node.flag("saturate", true))};
}

Values lower_dequantize_linear(const Node &node) {
  const Array x = node.input(0), scale = node.input(1), zero_point = node.optional_input(2);
  const bool is_named = node.integer("output_dtype", 0) != 0;
  const ElementType type = is_named ? node.element_type("output_dtype", ElementType::F32) : scale.type();
  if (!ir::is_floating(type) || ir::bit_width(type) < 16) {
    return node.fail("the result is {}, expected a float of at least 16 bits", ir::to_string(type));
  }
  if (!ir::is_floating(scale.type()) || (!ir::is_floating(x.type()) && !ir::is_integer(x.type()))) {
    return node.fail("{} has a scale of {}, expected numbers and a float", ir::to_string(x.type()),
                     ir::to_string(scale.type()));
  }
  if (zero_point.is_present() && zero_point.type() != x.type()) {
    return node.fail("the zero point is {}, expected {}", ir::to_string(zero_point.type()), ir::to_string(x.type()));
  }
  // Differences of integers of 32 bits are exact only as integers, others also in f32.
  const bool is_wide = ir::bit_width(x.type()) >= 32;
  const ElementType wide = type == ElementType::F64 ? type : ElementType::F32;
  Array difference = is_wide ? x : convert(x, wide);
  if (!is_zero(zero_point)) {
    difference = difference - convert(quantization_parameter(node, zero_point, x), difference.type());
  }
  return {convert(convert(difference, wide) * convert(quantization_parameter(node, scale, x), wide), type)};
}

// The scale and the zero point come from the least and the greatest element, and 0.
Values lower_dynamic_quantize_linear(const Node &node) {
  const Array x = node.input(0);
  if (x.type() != ElementType::F32) {
    return node.fail("{} is quantized, expected f32", ir::to_string(x.type()));
  }
  const Array elements = reshape(x, {x.count()});
  const Array high = maximum(reduce_max(elements, Integers{0}, KeepSizes::No), 0);
  const Array low = minimum(reduce_min(elements, Integers{0}, KeepSizes::No), 0);
  // If all elements are 0, any scale will do.
  const Array scale = select(high == low, 1, high - low) / 255;
  const Array zero_point = round_even(clamp(number(0, scale), -low / scale, number(255, scale)));
  return {quantized(x / scale, zero_point, ElementType::U8, true), scale, convert(zero_point, ElementType::U8)};
}

}  // namespace bp::import::onnx
