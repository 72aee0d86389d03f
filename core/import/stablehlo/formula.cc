#include "core/import/stablehlo/formula.h"

#include <algorithm>

namespace bp::import::stablehlo {

Result<Formula> Formula::make(Lowering &lowering, const Operation &operation, InstructionId example) {
  Shape shape = lowering.shape(example);
  if (!shape.is_array() || !ir::is_floating(shape.element_type())) {
    return lowering.error(operation, fmt::format("{} of {}, expected floats", operation.name, to_string(Type{shape})));
  }
  if (std::ranges::find(shape.sizes(), ir::unbounded) != shape.sizes().end()) {
    return lowering.not_known(operation, fmt::format("a size is not known: {}", to_string(Type{shape})));
  }
  return Formula(lowering, operation, shape);
}

// Cannot fail: all shapes are equal and known, so that nothing is inferred.
InstructionId Formula::add(Opcode opcode, ir::ElementType type, std::span<const InstructionId> operands) {
  Shape shape = shape_;
  shape.set_element_type(type);
  return lowering_->add(*operation_, opcode, shape, operands).value();
}

Number Formula::input(InstructionId id) {
  if (lowering_->shape(id).element_type() == ir::ElementType::F64) {
    return {this, id};
  }
  InstructionId operands[] = {id};
  return {this, add(Opcode::Convert, ir::ElementType::F64, operands)};
}

InstructionId Formula::output(Number number) {
  if (lowering_->shape(number.id).element_type() == shape_.element_type()) {
    return number.id;
  }
  InstructionId operands[] = {number.id};
  return add(Opcode::Convert, shape_.element_type(), operands);
}

Number Formula::constant(double value) {
  auto [entry, is_new] = constants_.try_emplace(std::bit_cast<std::uint64_t>(value), ir::no_instruction);
  if (is_new) {
    auto scalar = lowering_->constant(*operation_, ir::Literal::scalar(ir::ElementType::F64, value)).value();
    InstructionId operands[] = {scalar};
    entry->second = shape_.is_scalar() ? scalar : add(Opcode::Broadcast, ir::ElementType::F64, operands);
  }
  return {this, entry->second};
}

Number Formula::apply(Opcode opcode, std::initializer_list<Number> operands) {
  boost::container::small_vector<InstructionId, 3> ids;
  for (const Number &operand : operands) {
    ids.push_back(operand.id);
  }
  ir::ElementType type = lowering_->shape(ids.back()).element_type();  // the first operand of a select is its condition
  return {this, add(opcode, type, ids)};
}

Number Formula::compare(ir::ComparisonDirection direction, Number a, Number b) {
  InstructionId operands[] = {a.id, b.id};
  InstructionId id = add(Opcode::Compare, ir::ElementType::Pred, operands);
  lowering_->module().set_number(id, AttributeKey::Direction, static_cast<std::int64_t>(direction));
  return {this, id};
}

Number Formula::convert(Number x, ir::ElementType type) {
  InstructionId operands[] = {x.id};
  return {this, add(Opcode::Convert, type, operands)};
}

Number to_single(Number x) {
  return x.formula->convert(x.formula->convert(x, ir::ElementType::F32), ir::ElementType::F64);
}

Number polynomial(Number x, std::span<const double> coefficients) {
  Number sum = x.formula->constant(coefficients.back());
  for (std::size_t i = coefficients.size() - 1; i-- > 0;) {
    sum = sum * x + coefficients[i];
  }
  return sum;
}

Number rational(Number x, const Rational &approximation) {
  return polynomial(x, approximation.numerator) / polynomial(x, approximation.denominator);
}

}  // namespace bp::import::stablehlo
