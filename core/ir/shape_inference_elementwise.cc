// Shape rules of elementwise ops. HLO does not broadcast implicitly: operands have equal shapes, except for the scalar
// bounds of clamp and the scalar predicate of select.
#include "core/ir/shape_inference_rules.h"

namespace bp::ir {

using namespace shape_rules;

namespace {

// Checks that the sizes of operand i agree with those of operand `like`.
Status check_same_sizes(const Instruction &instruction, std::size_t i, std::size_t like) {
  const Shape &expected = operand_shape(instruction, like);
  const Shape &found = operand_shape(instruction, i);
  if (!found.is_array() || !expected.is_array() || !sizes_agree(found, expected)) {
    return unexpected_operand(instruction, i, fmt::format("the sizes of {}", describe(expected)));
  }
  return {};
}

Status check_same_shape(const Instruction &instruction, std::size_t i, std::size_t like) {
  const Shape &expected = operand_shape(instruction, like);
  const Shape &found = operand_shape(instruction, i);
  if (found.element_type() != expected.element_type() || !sizes_agree(found, expected)) {
    return unexpected_operand(instruction, i, describe(expected));
  }
  return {};
}

Shape with_element_type(const Shape &shape, ElementType type) {
  Shape result = shape;
  result.set_element_type(type);
  if (shape.layout().element_bits != 0) {
    Layout layout = shape.layout();
    layout.element_bits = 0;  // it belonged to the other type
    result.set_layout(std::move(layout));
  }
  return result;
}

}  // namespace

// (C1) all operands have the same element type and sizes.
Result<Shape> infer_elementwise(const Instruction &instruction) {
  Shape result = operand_shape(instruction, 0);
  // (C2) maximum and minimum require an ordered element type.
  const bool is_ordered = instruction.opcode() == Opcode::Maximum || instruction.opcode() == Opcode::Minimum;
  if (is_ordered && is_complex(result.element_type())) {
    return unexpected_operand(instruction, 0, "elements of an ordered type, not complex");
  }
  for (std::size_t i = 1; i < instruction.operand_count(); ++i) {
    BP_TRY(check_same_shape(instruction, i, 0));
    result = merge(result, operand_shape(instruction, i));
  }
  return result;
}

// (C1) the exponent has at least one bit. (C2) the mantissa may have none.
Result<Shape> infer_reduce_precision(const Instruction &instruction) {
  using enum AttributeKey;
  constexpr std::pair<AttributeKey, int> min_bits[] = {{ExponentBits, 1}, {MantissaBits, 0}};
  for (const auto &[key, least] : min_bits) {
    const std::int64_t bits = instruction.number(key);
    if (bits < least || bits > INT32_MAX) {
      return invalid_input("{} is {}, expected {} to {}", to_string(key), bits, least, INT32_MAX);
    }
  }
  return operand_shape(instruction, 0);
}

Result<Shape> infer_abs(const Instruction &instruction) {
  const Shape &operand = operand_shape(instruction, 0);
  ElementType type = operand.element_type();
  return is_complex(type) ? with_element_type(operand, real_part_type(type)) : operand;
}

Result<Shape> infer_real_imag(const Instruction &instruction) {
  return infer_abs(instruction);
}

Result<Shape> infer_is_finite(const Instruction &instruction) {
  return with_element_type(operand_shape(instruction, 0), ElementType::Pred);
}

Result<Shape> infer_convert(const Instruction &instruction) {
  BP_TRY(check_written_array(instruction));
  return with_element_type(operand_shape(instruction, 0), instruction.shape().element_type());
}

// Equal widths keep the dimensions. A wider result removes the minor-most dimension, a narrower one adds it.
Result<Shape> infer_bitcast_convert(const Instruction &instruction) {
  BP_TRY(check_written_array(instruction));
  const Shape &operand = operand_shape(instruction, 0);
  ElementType from = operand.element_type(), to = instruction.shape().element_type();
  // (C1) complex numbers can only be bitcast to complex numbers.
  if (is_complex(from) != is_complex(to)) {
    return unexpected_operand(instruction, 0, fmt::format("an array that can be bitcast to {}", to_string(to)));
  }
  std::int64_t from_bits = bit_width(from), to_bits = bit_width(to);
  std::vector<Dimension> sizes = dimensions(operand);
  if (from_bits == to_bits) {
    return with_element_type(operand, to);
  }
  // (C2) the wider type is a multiple of the narrower one.
  if (std::max(from_bits, to_bits) % std::min(from_bits, to_bits) != 0) {
    return unexpected_operand(instruction, 0, fmt::format("an array that can be bitcast to {}", to_string(to)));
  }
  if (from_bits > to_bits) {
    sizes.push_back({from_bits / to_bits, false});
  } else {
    // (C3) the minor-most dimension holds exactly the parts of one element.
    if (sizes.empty() || sizes.back().size != to_bits / from_bits) {
      return unexpected_operand(
          instruction, 0,
          fmt::format("a last dimension of size {}, the parts of one element of the result", to_bits / from_bits));
    }
    sizes.pop_back();
  }
  return make_array(to, sizes);
}

Result<Shape> infer_copy(const Instruction &instruction) {
  const Shape &operand = operand_shape(instruction, 0);
  return instruction.shape().is_valid() ? written_shape(instruction, operand) : operand;
}

Result<Shape> infer_compare(const Instruction &instruction) {
  BP_TRY(check_same_shape(instruction, 1, 0));
  const Shape &lhs = operand_shape(instruction, 0);
  ElementType type = lhs.element_type();
  auto direction = instruction.enumerator(AttributeKey::Direction, ComparisonDirection::Eq);
  // (C1) complex numbers have no order.
  if (is_complex(type) && direction != ComparisonDirection::Eq && direction != ComparisonDirection::Ne) {
    return unexpected_operand(instruction, 0, "real numbers: complex ones compare only by EQ and NE");
  }
  // (C2) the kind of comparison fits the type.
  if (instruction.has(AttributeKey::ComparisonType)) {
    bool fits = false;
    switch (instruction.enumerator(AttributeKey::ComparisonType, ComparisonType::Float)) {
      case ComparisonType::Float: fits = is_floating(type) || is_complex(type); break;
      case ComparisonType::TotalOrder: fits = is_floating(type) || is_integer(type); break;
      case ComparisonType::Signed: fits = is_signed(type); break;
      case ComparisonType::Unsigned: fits = is_unsigned(type) || type == ElementType::Pred; break;
    }
    if (!fits) {
      return unexpected_operand(
          instruction, 0,
          fmt::format("elements of a type whose comparison is {}",
                      enumerator_text(Enumeration::ComparisonType, instruction.number(AttributeKey::ComparisonType))));
    }
  }
  return with_element_type(merge(lhs, operand_shape(instruction, 1)), ElementType::Pred);
}

Result<Shape> infer_complex(const Instruction &instruction) {
  BP_TRY(check_same_shape(instruction, 1, 0));
  const Shape &real = operand_shape(instruction, 0);
  if (real.element_type() != ElementType::F32 && real.element_type() != ElementType::F64) {
    return unexpected_operand(instruction, 0, "an array of f32 or f64");
  }
  ElementType type = real.element_type() == ElementType::F32 ? ElementType::C64 : ElementType::C128;
  return with_element_type(merge(real, operand_shape(instruction, 1)), type);
}

Result<Shape> infer_stochastic_convert(const Instruction &instruction) {
  BP_TRY(check_written_array(instruction));
  BP_TRY(check_same_sizes(instruction, 1, 0));
  const Shape &operand = operand_shape(instruction, 0);
  const Shape &random = operand_shape(instruction, 1);
  // (C1) the random bits have the width of the operand's type.
  if (!is_unsigned(random.element_type()) || bit_width(random.element_type()) != bit_width(operand.element_type())) {
    return unexpected_operand(instruction, 1,
                              fmt::format("unsigned integers of {} bits", bit_width(operand.element_type())));
  }
  ElementType to = instruction.shape().element_type();
  if (!is_floating(to) && !is_integer(to)) {
    return invalid_input("the result has element type {}, expected integers or floats", to_string(to));
  }
  return with_element_type(operand, to);
}

Result<Shape> infer_clamp(const Instruction &instruction) {
  const Shape &value = operand_shape(instruction, 1);
  if (is_complex(value.element_type())) {
    return unexpected_operand(instruction, 1, "real numbers");
  }
  for (std::size_t bound : {std::size_t{0}, std::size_t{2}}) {
    // (C1) a bound is a scalar or has the sizes of the value, and has its type.
    if (operand_shape(instruction, bound).is_scalar() &&
        operand_shape(instruction, bound).element_type() == value.element_type()) {
      continue;
    }
    BP_TRY(check_same_shape(instruction, bound, 1));
  }
  return value;
}

Result<Shape> infer_select(const Instruction &instruction) {
  const Shape &predicate = operand_shape(instruction, 0);
  const Shape &on_true = operand_shape(instruction, 1), &on_false = operand_shape(instruction, 2);
  if (predicate.element_type() != ElementType::Pred) {
    return unexpected_operand(instruction, 0, "an array of pred");
  }
  // (C1) both alternatives have the same shape.
  if (on_true.is_array()) {
    BP_TRY(check_same_shape(instruction, 2, 1));
  } else if (!same(on_true, on_false, CompareLayout::No)) {
    return unexpected_operand(instruction, 2, describe(on_true));
  }
  // (C2) the predicate selects for all elements at once or for each element.
  if (!predicate.is_scalar()) {
    BP_TRY(check_same_sizes(instruction, 0, 1));
    return merge(merge(on_true, on_false), predicate);
  }
  return on_true.is_array() ? merge(on_true, on_false) : on_true;
}

Result<Shape> infer_first_operand(const Instruction &instruction) {
  const Shape &first = operand_shape(instruction, 0);
  if (instruction.opcode() == Opcode::AddDependency && !operand_shape(instruction, 1).is_token()) {
    return unexpected_operand(instruction, 1, "token[]");
  }
  return first;
}

Result<Shape> infer_map(const Instruction &instruction) {
  const Shape &first = operand_shape(instruction, 0);
  BP_ASSIGN(Signature signature, signature_of(instruction.called(0)));
  Shape sizes = first;
  std::vector<Shape> scalars;
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    BP_TRY(check_same_sizes(instruction, i, 0));
    sizes = merge(sizes, operand_shape(instruction, i));
    scalars.push_back(Shape::scalar(operand_shape(instruction, i).element_type()));
  }
  // (C1) the computation takes a scalar of each operand and returns a scalar.
  std::vector<const Shape *> arguments;
  for (const Shape &scalar : scalars) {
    arguments.push_back(&scalar);
  }
  BP_TRY(check_parameters(instruction.called(0), signature, arguments));
  if (!signature.result->is_scalar()) {
    return invalid_input("{} returns {}, expected a scalar", instruction.called(0).name(), describe(*signature.result));
  }
  // (C2) all dimensions are mapped, in order.
  auto mapped = instruction.dimensions();
  if (instruction.has(AttributeKey::Dimensions) && mapped.size() != first.rank()) {
    return invalid_input("dimensions is {}, expected all {} dimensions in order", list(mapped), first.rank());
  }
  for (std::size_t i = 0; i < mapped.size(); ++i) {
    if (mapped[i] != static_cast<std::int64_t>(i)) {
      return invalid_input("dimensions is {}, expected all {} dimensions in order", list(mapped), first.rank());
    }
  }
  return with_element_type(sizes, signature.result->element_type());
}

}  // namespace bp::ir
