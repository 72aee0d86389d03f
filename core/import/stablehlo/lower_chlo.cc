// chlo: functions that HLO has no instruction for, and operations that broadcast their operands to a common shape.
#include <algorithm>

#include "core/import/stablehlo/elementwise.h"
#include "core/import/stablehlo/formula.h"

namespace bp::import::stablehlo {
// --- Functions of the bits and parts of numbers ---

namespace {

ir::ElementType unsigned_type(int bits) {
  return bits == 16 ? ir::ElementType::U16 : bits == 32 ? ir::ElementType::U32 : ir::ElementType::U64;
}

// Checks for a float type with sign, exponent, mantissa and infinities whose bits fit an integer type of HLO.
Status expect_ieee(const Lowering &lowering, const Operation &operation, InstructionId operand) {
  using enum ir::ElementType;
  ir::ElementType type = lowering.shape(operand).element_type();
  if (type != F16 && type != BF16 && type != F32 && type != F64) {
    return lowering.error(operation, fmt::format("{} of {}, expected f16, bf16, f32 or f64", operation.name,
                                                 to_string(Type{lowering.shape(operand)})));
  }
  return {};
}

std::uint64_t infinity_bits(ir::ElementType type) {
  switch (type) {
    case ir::ElementType::F16: return 0x7c00;
    case ir::ElementType::BF16: return 0x7f80;
    case ir::ElementType::F32: return 0x7f800000;
    default: return 0x7ff0000000000000;
  }
}

Result<Values> compare_to_infinity(Lowering &lowering, const Operation &operation, bool of_magnitude, bool negative) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  InstructionId x = lowering.operand(operation, 0);
  BP_TRY(expect_ieee(lowering, operation, x));
  ir::ElementType type = lowering.shape(x).element_type();
  Elementwise make(lowering, operation, x);
  std::uint64_t sign = std::uint64_t{negative} << (ir::bit_width(type) - 1);
  BP_ASSIGN(InstructionId infinity, make.bits(type, infinity_bits(type) | sign));
  if (of_magnitude) {
    BP_ASSIGN(x, make.add(Opcode::Abs, type, {x}));
  }
  BP_ASSIGN(InstructionId result, make.compare(ir::ComparisonDirection::Eq, x, infinity));
  return Values{result};
}

// The bits of a float, taken as an unsigned integer, are incremented or decremented. From zero, the result is the
// smallest number with the sign of the direction.
Result<InstructionId> next_after(Lowering &lowering, const Operation &operation, InstructionId from, InstructionId to) {
  BP_TRY(expect_ieee(lowering, operation, from));
  using enum ir::ElementType;
  using enum ir::ComparisonDirection;
  ir::ElementType type = lowering.shape(from).element_type(), integer = unsigned_type(ir::bit_width(type));
  Elementwise make(lowering, operation, from);
  std::uint64_t sign_bit = std::uint64_t{1} << (ir::bit_width(type) - 1);
  BP_ASSIGN(InstructionId one, make.bits(integer, 1));
  BP_ASSIGN(InstructionId minus_one, make.bits(integer, ~std::uint64_t{0}));
  BP_ASSIGN(InstructionId sign_mask, make.bits(integer, sign_bit));
  BP_ASSIGN(InstructionId zero, make.bits(type, 0));
  BP_ASSIGN(InstructionId from_bits, make.add(Opcode::BitcastConvert, integer, {from}));
  BP_ASSIGN(InstructionId to_bits, make.add(Opcode::BitcastConvert, integer, {to}));
  BP_ASSIGN(InstructionId goes_up, make.compare(Lt, from, to));
  BP_ASSIGN(InstructionId is_positive, make.compare(Gt, from, zero));
  BP_ASSIGN(InstructionId grows, make.compare(Eq, goes_up, is_positive));
  BP_ASSIGN(InstructionId step, make.add(Opcode::Select, integer, {grows, one, minus_one}));
  BP_ASSIGN(InstructionId stepped, make.add(Opcode::Add, integer, {from_bits, step}));
  BP_ASSIGN(InstructionId to_sign, make.add(Opcode::And, integer, {to_bits, sign_mask}));
  BP_ASSIGN(InstructionId least, make.add(Opcode::Or, integer, {to_sign, one}));
  BP_ASSIGN(InstructionId is_zero, make.compare(Eq, from, zero));
  BP_ASSIGN(InstructionId bits, make.add(Opcode::Select, integer, {is_zero, least, stepped}));
  BP_ASSIGN(InstructionId moved, make.add(Opcode::BitcastConvert, type, {bits}));
  BP_ASSIGN(InstructionId are_equal, make.compare(Eq, from, to));
  BP_ASSIGN(InstructionId next, make.add(Opcode::Select, type, {are_equal, to, moved}));
  // NaN if an operand is NaN.
  BP_ASSIGN(InstructionId sum, make.add(Opcode::Add, type, {from, to}));
  BP_ASSIGN(InstructionId from_is_nan, make.compare(Ne, from, from));
  BP_ASSIGN(InstructionId to_is_nan, make.compare(Ne, to, to));
  BP_ASSIGN(InstructionId is_nan, make.add(Opcode::Or, Pred, {from_is_nan, to_is_nan}));
  return make.add(Opcode::Select, type, {is_nan, sum, next});
}

// --- Operands broadcast to a common shape ---

// The dimensions of operands of lower rank are mapped by broadcast_dimensions, or to the last dimensions if it is
// absent.
Result<Values> common_operands(Lowering &lowering, const Operation &operation) {
  Values operands = lowering.operands(operation);
  std::size_t rank = 0;
  for (InstructionId id : operands) {
    if (!lowering.shape(id).is_array()) {
      return lowering.error(
          operation, fmt::format("{} of {}, expected tensors", operation.name, to_string(Type{lowering.shape(id)})));
    }
    rank = std::max(rank, lowering.shape(id).rank());
  }
  const Attribute *written = operation.find("broadcast_dimensions");
  std::vector<Integers> places;
  Integers sizes(rank, 1);
  for (InstructionId id : operands) {
    const Shape &shape = lowering.shape(id);
    Integers dimensions;
    for (std::size_t i = 0; i < shape.rank(); ++i) {
      dimensions.push_back(static_cast<std::int64_t>(rank - shape.rank() + i));
    }
    if (written != nullptr && shape.rank() < rank) {
      BP_ASSIGN(dimensions, lowering.integers(*written));
    }
    for (std::size_t i = 0; i < shape.rank() && i < dimensions.size(); ++i) {
      if (dimensions[i] >= 0 && dimensions[i] < static_cast<std::int64_t>(rank) && shape.size(i) != 1) {
        sizes[static_cast<std::size_t>(dimensions[i])] = shape.size(i);
      }
    }
    places.push_back(std::move(dimensions));
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Shape shape = lowering.shape(operands[i]);
    if (!std::ranges::equal(shape.sizes(), sizes)) {
      BP_ASSIGN(operands[i], broadcast_in_dim(lowering, operation, operands[i],
                                              Shape::array(shape.element_type(), sizes), places[i]));
    }
  }
  return operands;
}

}  // namespace

Result<Values> lower_is_inf(Lowering &lowering, const Operation &operation) {
  return compare_to_infinity(lowering, operation, true, false);
}
Result<Values> lower_is_pos_inf(Lowering &lowering, const Operation &operation) {
  return compare_to_infinity(lowering, operation, false, false);
}
Result<Values> lower_is_neg_inf(Lowering &lowering, const Operation &operation) {
  return compare_to_infinity(lowering, operation, false, true);
}

Result<Values> lower_next_after(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 2, 2));
  BP_ASSIGN(Values operands, common_operands(lowering, operation));
  BP_ASSIGN(InstructionId id, next_after(lowering, operation, operands[0], operands[1]));
  return Values{id};
}

Result<Values> lower_square(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  InstructionId operands[] = {lowering.operand(operation, 0), lowering.operand(operation, 0)};
  BP_ASSIGN(InstructionId id, lowering.add(operation, Opcode::Multiply, lowering.result_shapes(operation), operands));
  return Values{id};
}

// Lowers a constant of one value with the shape of the operand.
Result<Values> lower_constant_like(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  BP_ASSIGN(const Attribute *value, lowering.attribute(operation, "value"));
  const auto *real = value->get<double>();
  const auto *number = value->get<std::int64_t>();
  const Shape shape = lowering.shape(lowering.operand(operation, 0));
  if ((real == nullptr && number == nullptr) || !shape.is_array()) {
    return lowering.error(*value, "expected a number");
  }
  BP_ASSIGN(InstructionId wide,
            lowering.constant(operation, real != nullptr ? ir::Literal::scalar(ir::ElementType::F64, *real)
                                                         : ir::Literal::scalar(ir::ElementType::S64, *number)));
  InstructionId operands[] = {wide};
  BP_ASSIGN(InstructionId scalar,
            lowering.add(operation, Opcode::Convert, Shape::scalar(shape.element_type()), operands));
  InstructionId scalars[] = {scalar};
  BP_ASSIGN(InstructionId id, lowering.add(operation, Opcode::Broadcast, shape, scalars));
  return Values{id};
}

// Adds the instruction of the row on operands that have been broadcast to a common shape.
Result<Values> lower_broadcasting(Lowering &lowering, const Operation &operation) {
  const OperationRow &row = *find_row(operation.name);
  const ir::OpInfo &op = ir::info(row.opcode);
  BP_TRY(lowering.expect_operands(operation, static_cast<std::size_t>(op.min_operands),
                                  static_cast<std::size_t>(op.max_operands)));
  BP_ASSIGN(Values operands, common_operands(lowering, operation));
  bool is_compare = row.opcode == Opcode::Compare;
  const Attribute *direction = nullptr;
  if (is_compare) {
    BP_ASSIGN(direction, lowering.attribute(operation, "comparison_direction"));
  }
  Status status;
  auto id = lowering.add(operation, row.opcode, lowering.result_shapes(operation), operands,
                         [&](ir::Module &, InstructionId added) {
                           const Attribute *type = operation.find("compare_type");
                           if (is_compare) {
                             status = lowering.set_attribute(added, AttributeKey::Direction, *direction);
                           }
                           if (is_compare && type != nullptr && status.ok()) {
                             status = lowering.set_attribute(added, AttributeKey::ComparisonType, *type);
                           }
                         });
  BP_TRY(std::move(status));
  BP_ASSIGN(InstructionId result, std::move(id));
  return Values{result};
}

// --- Functions ---

namespace {

Result<Values> apply(Lowering &lowering, const Operation &operation, std::span<const InstructionId> operands,
                     Number (*function)(Number)) {
  BP_ASSIGN(Formula formula, Formula::make(lowering, operation, operands[0]));
  return Values{formula.output(function(formula.input(operands[0])))};
}

Result<Values> apply(Lowering &lowering, const Operation &operation, std::span<const InstructionId> operands,
                     Number (*function)(Number, Number)) {
  BP_ASSIGN(Formula formula, Formula::make(lowering, operation, operands[0]));
  if (!ir::same(lowering.shape(operands[0]), lowering.shape(operands[1]), ir::CompareLayout::No)) {
    return lowering.error(operation, fmt::format("operands of types {} and {}, expected the same",
                                                 to_string(Type{lowering.shape(operands[0])}),
                                                 to_string(Type{lowering.shape(operands[1])})));
  }
  return Values{formula.output(function(formula.input(operands[0]), formula.input(operands[1])))};
}

template <Number (*function)(Number)>
Result<Values> lower_unary(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  return apply(lowering, operation, lowering.operands(operation), function);
}

template <Number (*function)(Number, Number)>
Result<Values> lower_binary(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 2, 2));
  BP_ASSIGN(Values operands, common_operands(lowering, operation));
  return apply(lowering, operation, operands, function);
}

}  // namespace

Result<Values> lower_bessel_i1e(Lowering &lowering, const Operation &operation) {
  return lower_unary<bessel_i1e>(lowering, operation);
}
Result<Values> lower_digamma(Lowering &lowering, const Operation &operation) {
  return lower_unary<digamma>(lowering, operation);
}
Result<Values> lower_erf_inv(Lowering &lowering, const Operation &operation) {
  return lower_unary<erf_inverse>(lowering, operation);
}
Result<Values> lower_erfc(Lowering &lowering, const Operation &operation) {
  return lower_unary<erf_complement>(lowering, operation);
}
Result<Values> lower_lgamma(Lowering &lowering, const Operation &operation) {
  return lower_unary<log_gamma>(lowering, operation);
}
Result<Values> lower_polygamma(Lowering &lowering, const Operation &operation) {
  return lower_binary<polygamma>(lowering, operation);
}
Result<Values> lower_zeta(Lowering &lowering, const Operation &operation) {
  return lower_binary<zeta>(lowering, operation);
}

}  // namespace bp::import::stablehlo
