#include "core/interpreter/elementwise_function.h"

#include <cstring>

namespace bp::interpreter {
namespace {

using ir::ElementType;
using ir::Opcode;

int value_bits(ElementType type) {
  return type == ElementType::Pred ? 1 : ir::bit_width(type);
}

// Returns the wide type from which the result of a conversion is narrowed: the operand's own if the class of the type
// does not change, so that it is rounded once and not twice.
Wide conversion_result(ElementType from, ElementType to) {
  Wide wide = wide_of(from), target = wide_of(to);
  if (ir::is_floating(to)) {
    if (ir::is_floating(from)) {
      return wide;
    }
    return to == ElementType::F32 ? Wide::Float : Wide::Double;
  }
  if (ir::is_integer(from) && ir::is_integer(to)) {
    return wide;
  }
  return target;
}

// Formula of an instruction and wide type of its result. to_bool: it writes bool instead.
struct Formula {
  Loop loop = nullptr;
  Wide result = Wide::Unsigned;
  bool to_bool = false;
};

Loop unary_loop(Opcode opcode, Wide wide) {
  switch (wide) {
    case Wide::Signed:
    case Wide::Unsigned: return unary_integer_loop(opcode, wide);
    case Wide::Float:
    case Wide::Double: return unary_float_loop(opcode, wide);
    default: return unary_complex_loop(opcode, wide);
  }
}

// Whether floats are compared by the integers that represent their total order.
bool compares_in_total_order(const ir::Instruction &instruction, ElementType type) {
  return instruction.opcode() == Opcode::Compare && ir::is_floating(type) &&
         instruction.enumerator(ir::AttributeKey::ComparisonType, ir::ComparisonType::Float) ==
             ir::ComparisonType::TotalOrder;
}

Formula find_formula(const ir::Instruction &instruction, ElementType type, Wide wide) {
  Opcode opcode = instruction.opcode();
  ElementType result_type = instruction.shape().element_type();
  switch (opcode) {
    case Opcode::Compare: {
      auto direction = instruction.enumerator(ir::AttributeKey::Direction, ir::ComparisonDirection::Eq);
      return {compare_loop(direction, wide), Wide::Unsigned, true};
    }
    case Opcode::IsFinite: return {is_finite_loop(wide), Wide::Unsigned, true};
    case Opcode::Clamp: return {clamp_loop(wide), wide};
    case Opcode::ReducePrecision: return {reduce_precision_loop(type), wide};
    case Opcode::Complex: return {complex_loop(wide), wide == Wide::Double ? Wide::ComplexDouble : Wide::ComplexFloat};
    case Opcode::Abs:
    case Opcode::Real:
    case Opcode::Imag: return {unary_loop(opcode, wide), wide_of(result_type)};
    default: break;
  }
  return {instruction.op().min_operands == 1 ? unary_loop(opcode, wide) : binary_loop(opcode, wide), wide};
}

}  // namespace

bool ElementwiseFunction::exists_for(Opcode opcode) {
  return ir::info(opcode).has(ir::Trait::Elementwise) && opcode != Opcode::Copy && opcode != Opcode::BitcastConvert &&
         opcode != Opcode::StochasticConvert;
}

Result<ElementwiseFunction> ElementwiseFunction::make(const ir::Instruction &instruction) {
  BP_CHECK(exists_for(instruction.opcode()));
  ElementwiseFunction function;
  ElementType result_type = instruction.shape().element_type();
  function.result_width_ = static_cast<std::size_t>(ir::byte_width(result_type));
  if (instruction.opcode() == Opcode::Select) {
    function.loop_ = select_loop(function.result_width_);
    return function;
  }
  ElementType type = instruction.operand(0).shape().element_type();
  if (instruction.opcode() == Opcode::Convert) {
    return conversion(type, result_type);
  }
  const bool in_total_order = compares_in_total_order(instruction, type);
  const Wide wide = in_total_order ? Wide::Signed : wide_of(type);
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    if (instruction.operand(i).shape().element_type() != type) {
      return unsupported("{} of operands of different types", instruction.op().text);
    }
    function.widen_[i] = in_total_order ? total_order_loop(type) : widening_loop(type, wide);
  }
  Formula formula = find_formula(instruction, type, wide);
  if (formula.loop == nullptr) {
    return unsupported("{} is not defined for {}", instruction.op().text, ir::to_string(type));
  }
  function.loop_ = formula.loop;
  function.narrow_ = formula.to_bool ? nullptr : narrowing_loop(formula.result, result_type);
  function.parameters_.bits = value_bits(type);
  function.parameters_.exponent_bits = instruction.number(ir::AttributeKey::ExponentBits);
  function.parameters_.mantissa_bits = instruction.number(ir::AttributeKey::MantissaBits);
  return function;
}

ElementwiseFunction ElementwiseFunction::conversion(ElementType from, ElementType to) {
  ElementwiseFunction function;
  bool to_pred = to == ElementType::Pred;
  Wide wide = wide_of(from), result = conversion_result(from, to);
  function.widen_[0] = widening_loop(from, wide);
  const bool rounds_twice =
      ir::is_integer(from) && ir::is_floating(to) && to != ElementType::F32 && to != ElementType::F64;
  function.loop_ = rounds_twice                 ? convert_to_odd_loop(wide)
                   : wide == result && !to_pred ? nullptr
                                                : convert_loop(wide, result, to_pred);
  function.narrow_ = to_pred ? nullptr : narrowing_loop(result, to);
  function.parameters_.bits = value_bits(to);
  function.result_width_ = static_cast<std::size_t>(ir::byte_width(to));
  return function;
}

void ElementwiseFunction::operator()(std::span<const std::byte *const> operands, std::byte *result,
                                     std::size_t count) const {
  constexpr std::size_t widest = sizeof(std::complex<double>);
  alignas(64) std::byte widened[3][max_count * widest];
  alignas(64) std::byte computed[max_count * widest];
  const void *inputs[3] = {};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    inputs[i] = operands[i];
    if (widen_[i] != nullptr) {
      widen_[i](operands[i], widened[i], count);
      inputs[i] = widened[i];
    }
  }
  const void *output = inputs[0];
  if (loop_ != nullptr) {
    void *target = narrow_ == nullptr ? static_cast<void *>(result) : computed;
    loop_(inputs, target, count, parameters_);
    output = target;
  }
  if (narrow_ != nullptr) {
    narrow_(output, result, count);
  } else if (output != result) {
    std::memmove(result, output, count * result_width_);
  }
}

}  // namespace bp::interpreter
