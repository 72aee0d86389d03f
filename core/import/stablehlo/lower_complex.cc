// Operations on complex numbers that StableHLO defines and HLO does not.
#include "core/import/stablehlo/elementwise.h"

namespace bp::import::stablehlo {

Result<Values> lower_plain(Lowering &lowering, const Operation &operation);

// HLO does not convert complex numbers to real ones: the result is the converted real part.
Result<Values> lower_convert(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  InstructionId operand = lowering.operand(operation, 0);
  Shape result = lowering.result_shapes(operation);
  const Shape from = lowering.shape(operand);
  if (ir::is_complex(from.element_type()) && result.is_array() && !ir::is_complex(result.element_type())) {
    InstructionId operands[] = {operand};
    BP_ASSIGN(operand, lowering.add(operation, Opcode::Real,
                                    Shape::array(ir::real_part_type(from.element_type()), from.sizes()), operands));
  }
  InstructionId operands[] = {operand};
  BP_ASSIGN(InstructionId id, lowering.add(operation, Opcode::Convert, result, operands));
  return Values{id};
}

// HLO has no complex cube root, which is z^(1/3).
Result<Values> lower_cbrt(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  InstructionId operand = lowering.operand(operation, 0);
  const Shape shape = lowering.shape(operand);
  if (!ir::is_complex(shape.element_type())) {
    return lower_plain(lowering, operation);
  }
  BP_ASSIGN(
      InstructionId third,
      lowering.constant(operation, shape.element_type() == ir::ElementType::C64
                                       ? ir::Literal::scalar(ir::ElementType::C64, std::complex<float>(1.0F / 3))
                                       : ir::Literal::scalar(ir::ElementType::C128, std::complex<double>(1.0 / 3))));
  InstructionId thirds[] = {third};
  BP_ASSIGN(third, lowering.add(operation, Opcode::Broadcast, shape, thirds));
  InstructionId operands[] = {operand, third};
  BP_ASSIGN(InstructionId id, lowering.add(operation, Opcode::Power, lowering.result_shapes(operation), operands));
  return Values{id};
}

Result<Values> lower_conj(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  InstructionId x = lowering.operand(operation, 0);
  ir::ElementType type = lowering.shape(x).element_type();
  if (!ir::is_complex(type)) {
    return Values{x};
  }
  ir::ElementType part = ir::real_part_type(type);
  Elementwise make(lowering, operation, x);
  BP_ASSIGN(InstructionId real, make.add(Opcode::Real, part, {x}));
  BP_ASSIGN(InstructionId imaginary, make.add(Opcode::Imag, part, {x}));
  BP_ASSIGN(imaginary, make.add(Opcode::Negate, part, {imaginary}));
  BP_ASSIGN(InstructionId id, make.add(Opcode::Complex, type, {real, imaginary}));
  return Values{id};
}

// Complex numbers are compared by their real parts, then by their imaginary parts.
Result<Values> lower_extremum(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 2, 2));
  InstructionId a = lowering.operand(operation, 0), b = lowering.operand(operation, 1);
  ir::ElementType type = lowering.shape(a).element_type();
  if (!ir::is_complex(type) || !ir::same(lowering.shape(a), lowering.shape(b), ir::CompareLayout::No)) {
    return lower_plain(lowering, operation);
  }
  using enum ir::ElementType;
  using enum ir::ComparisonDirection;
  ir::ElementType part = ir::real_part_type(type);
  ir::ComparisonDirection before = find_row(operation.name)->opcode == Opcode::Maximum ? Gt : Lt;
  Elementwise make(lowering, operation, a);
  BP_ASSIGN(InstructionId a_real, make.add(Opcode::Real, part, {a}));
  BP_ASSIGN(InstructionId b_real, make.add(Opcode::Real, part, {b}));
  BP_ASSIGN(InstructionId a_imaginary, make.add(Opcode::Imag, part, {a}));
  BP_ASSIGN(InstructionId b_imaginary, make.add(Opcode::Imag, part, {b}));
  BP_ASSIGN(InstructionId by_real, make.compare(before, a_real, b_real));
  BP_ASSIGN(InstructionId are_equal, make.compare(Eq, a_real, b_real));
  BP_ASSIGN(InstructionId by_imaginary, make.compare(before, a_imaginary, b_imaginary));
  BP_ASSIGN(InstructionId is_first, make.add(Opcode::Select, Pred, {are_equal, by_imaginary, by_real}));
  BP_ASSIGN(InstructionId id, make.add(Opcode::Select, type, {is_first, a, b}));
  return Values{id};
}

}  // namespace bp::import::stablehlo
