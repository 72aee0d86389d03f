// Operations whose sizes are operands: become static ones if the sizes are constant, or if the result's type says them.
#include "core/import/stablehlo/lowering.h"

namespace bp::import::stablehlo {
namespace {

// The sizes of the result: as the type says, or as the operand.
Result<Shape> result_sizes(Lowering &lowering, const Operation &operation, std::size_t sizes_operand) {
  Shape result = lowering.result_shape(operation);
  if (result.is_static()) {
    return result;
  }
  auto sizes = lowering.known_integers(lowering.operand(operation, sizes_operand));
  if (!sizes || sizes->size() != result.rank()) {
    return lowering.not_known(operation, "the sizes of the result are not known");
  }
  return Shape::array(result.element_type(), *sizes);
}

Result<Integers> known(Lowering &lowering, const Operation &operation, std::size_t operand, std::string_view what) {
  auto numbers = lowering.known_integers(lowering.operand(operation, operand));
  if (!numbers) {
    return lowering.not_known(operation, fmt::format("the {} are not known", what));
  }
  return std::move(*numbers);
}

}  // namespace

Result<Values> lower_dynamic_broadcast_in_dim(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 2, 2));
  BP_ASSIGN(Integers dimensions, lowering.integers(operation, "broadcast_dimensions", "dims"));
  for (std::string_view hint : {"known_expanding_dimensions", "known_nonexpanding_dimensions"}) {
    operation.find(hint);
  }
  BP_ASSIGN(Shape result, result_sizes(lowering, operation, 1));
  BP_ASSIGN(InstructionId id,
            broadcast_in_dim(lowering, operation, lowering.operand(operation, 0), result, std::move(dimensions)));
  return Values{id};
}

Result<Values> lower_dynamic_reshape(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 2, 2));
  BP_ASSIGN(Shape result, result_sizes(lowering, operation, 1));
  InstructionId operands[] = {lowering.operand(operation, 0)};
  BP_ASSIGN(InstructionId id, lowering.add(operation, Opcode::Reshape, result, operands));
  return Values{id};
}

Result<Values> lower_dynamic_iota(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  BP_ASSIGN(std::int64_t dimension, lowering.integer(operation, "iota_dimension", "dim"));
  BP_ASSIGN(Shape result, result_sizes(lowering, operation, 0));
  BP_ASSIGN(InstructionId id,
            lowering.add(operation, Opcode::Iota, result, {}, [&](ir::Module &m, InstructionId added) {
              m.set_number(added, AttributeKey::IotaDimension, dimension);
            }));
  return Values{id};
}

Result<Values> lower_dynamic_pad(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 5, 5));
  BP_ASSIGN(Integers low, known(lowering, operation, 2, "low paddings"));
  BP_ASSIGN(Integers high, known(lowering, operation, 3, "high paddings"));
  BP_ASSIGN(Integers interior, known(lowering, operation, 4, "interior paddings"));
  if (high.size() != low.size() || interior.size() != low.size()) {
    return lowering.error(
        operation, fmt::format("{} low, {} high and {} interior paddings", low.size(), high.size(), interior.size()));
  }
  std::vector<ir::PaddingDimension> padding;
  for (std::size_t i = 0; i < low.size(); ++i) {
    padding.push_back({low[i], high[i], interior[i]});
  }
  Values operands = lowering.operands(operation);
  operands.resize(2);
  BP_ASSIGN(InstructionId id, lowering.add(operation, Opcode::Pad, lowering.result_shape(operation), operands,
                                           [&](ir::Module &m, InstructionId added) { m.set_padding(added, padding); }));
  return Values{id};
}

Result<Values> lower_real_dynamic_slice(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 4, 4));
  BP_ASSIGN(Integers starts, known(lowering, operation, 1, "starts"));
  BP_ASSIGN(Integers limits, known(lowering, operation, 2, "limits"));
  BP_ASSIGN(Integers strides, known(lowering, operation, 3, "strides"));
  if (limits.size() != starts.size() || strides.size() != starts.size()) {
    return lowering.error(operation, fmt::format("{} starts, {} limits and {} strides of a slice", starts.size(),
                                                 limits.size(), strides.size()));
  }
  std::vector<ir::SliceRange> ranges;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    ranges.push_back({starts[i], limits[i], strides[i]});
  }
  InstructionId operands[] = {lowering.operand(operation, 0)};
  BP_ASSIGN(InstructionId id,
            lowering.add(operation, Opcode::Slice, lowering.result_shape(operation), operands,
                         [&](ir::Module &m, InstructionId added) { m.set_slice_ranges(added, ranges); }));
  return Values{id};
}

// The size of a static dimension is a constant.
Result<Values> lower_get_dimension_size(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  BP_ASSIGN(std::int64_t dimension, lowering.integer(operation, "dimension", "dim"));
  const Shape operand = lowering.shape(lowering.operand(operation, 0));
  if (!operand.is_array() || dimension < 0 || dimension >= static_cast<std::int64_t>(operand.rank())) {
    return lowering.error(operation, fmt::format("dimension {} is not one of {}", dimension, to_string(Type{operand})));
  }
  auto index = static_cast<std::size_t>(dimension);
  if (!operand.is_dynamic(index)) {
    auto size = static_cast<std::int32_t>(std::min<std::int64_t>(operand.size(index), INT32_MAX));
    BP_ASSIGN(InstructionId id, lowering.constant(operation, ir::Literal::scalar(ir::ElementType::S32, size)));
    return Values{id};
  }
  BP_ASSIGN(InstructionId id, lowering.add(operation, Opcode::GetDimensionSize, lowering.result_shapes(operation),
                                           lowering.operands(operation), [&](ir::Module &m, InstructionId added) {
                                             m.set_number(added, AttributeKey::Dimensions, dimension);
                                           }));
  return Values{id};
}

}  // namespace bp::import::stablehlo
