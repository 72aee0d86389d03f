// Quantized tensors are held as their stored integers: real value = (stored - zero point) * scale. What moves data
// moves the integers; what computes is done on the real values, and the result is quantized again, as StableHLO defines it.
#include <algorithm>

#include "core/import/stablehlo/elementwise.h"

namespace bp::import::stablehlo {
namespace {

// What no real value is needed for: data movement, control flow, and what reads the stored integers itself.
bool computes(Opcode opcode) {
  switch (opcode) {
    case Opcode::Dot:
    case Opcode::Convolution:
    case Opcode::BatchNormInference:
    case Opcode::Cholesky:
    case Opcode::TriangularSolve: return true;
    case Opcode::Select:
    case Opcode::Invalid: return false;
    default: return ir::info(opcode).has(ir::Trait::Elementwise);
  }
}

// One value for each index of the quantized dimension, or one for all, of the shape of the tensor.
Result<InstructionId> parameters(Lowering &lowering, const Operation &operation, const Quantization &quantization,
                                 const Shape &shape, std::span<const double> values) {
  ir::ElementType type = quantization.expressed;
  bool is_one = quantization.dimension < 0;
  Shape own = Shape::scalar(type);
  if (!is_one) {
    own = Shape::array(type, {static_cast<std::int64_t>(values.size())});
  }
  BP_ASSIGN(ir::Literal literal, ir::Literal::zeros(own));
  ir::visit_element_type(type, [&]<class T>() {
    if constexpr (requires(double value) { T(value); } && !requires { typename T::value_type; }) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        literal.mutable_elements<T>()[i] = T(values[i]);
      }
    }
  });
  BP_ASSIGN(InstructionId id, lowering.constant(operation, std::move(literal)));
  Shape whole = shape;
  whole.set_element_type(type);
  return broadcast_in_dim(lowering, operation, id, whole, is_one ? Integers{} : Integers{quantization.dimension});
}

std::vector<double> zero_points(const Quantization &quantization) {
  return {quantization.zero_points.begin(), quantization.zero_points.end()};
}

}  // namespace

Result<InstructionId> dequantize(Lowering &lowering, const Operation &operation, InstructionId stored,
                                 const Quantization &quantization) {
  const Shape shape = lowering.shape(stored);
  Elementwise make(lowering, operation, stored);
  BP_ASSIGN(InstructionId scales, parameters(lowering, operation, quantization, shape, quantization.scales));
  BP_ASSIGN(InstructionId zeros, parameters(lowering, operation, quantization, shape, zero_points(quantization)));
  BP_ASSIGN(InstructionId value, make.add(Opcode::Convert, quantization.expressed, {stored}));
  BP_ASSIGN(value, make.add(Opcode::Subtract, quantization.expressed, {value, zeros}));
  return make.add(Opcode::Multiply, quantization.expressed, {value, scales});
}

Result<InstructionId> quantize(Lowering &lowering, const Operation &operation, InstructionId value,
                               const Quantization &quantization, ir::ElementType storage) {
  const Shape shape = lowering.shape(value);
  ir::ElementType type = quantization.expressed;
  if (shape.element_type() != type) {
    return lowering.error(operation,
                          fmt::format("{} is quantized as {}", to_string(Type{shape}), element_type_name(type)));
  }
  Elementwise make(lowering, operation, value);
  Quantization limits = quantization;
  limits.dimension = -1;
  const double least[] = {static_cast<double>(quantization.storage_min)};
  const double greatest[] = {static_cast<double>(quantization.storage_max)};
  BP_ASSIGN(InstructionId scales, parameters(lowering, operation, quantization, shape, quantization.scales));
  BP_ASSIGN(InstructionId zeros, parameters(lowering, operation, quantization, shape, zero_points(quantization)));
  BP_ASSIGN(InstructionId low, parameters(lowering, operation, limits, shape, least));
  BP_ASSIGN(InstructionId high, parameters(lowering, operation, limits, shape, greatest));
  BP_ASSIGN(value, make.add(Opcode::Divide, type, {value, scales}));
  BP_ASSIGN(value, make.add(Opcode::Add, type, {value, zeros}));
  BP_ASSIGN(value, make.add(Opcode::Clamp, type, {low, value, high}));
  BP_ASSIGN(value, make.add(Opcode::RoundNearestEven, type, {value}));
  return make.add(Opcode::Convert, storage, {value});
}

bool Lowering::is_computed_in_floats(const Operation &operation) const {
  auto is_quantized = [&](ValueId value) { return program_.type(value).quantization != nullptr; };
  bool has_quantized = std::ranges::any_of(operation.operands, is_quantized);
  for (std::uint32_t i = 0; i < operation.result_count; ++i) {
    has_quantized = has_quantized || is_quantized(operation.result(i));
  }
  return has_quantized && computes(find_row(operation.name)->opcode);
}

// The operands as real values while the operation is lowered.
Result<Values> Lowering::lower_in_floats(const Operation &operation) {
  std::vector<InstructionId> stored;
  for (ValueId value : operation.operands) {
    stored.push_back(values_[index(value)]);
  }
  std::vector<InstructionId> real(stored);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (const auto &quantization = program_.type(operation.operands[i]).quantization) {
      BP_ASSIGN(real[i], dequantize(*this, operation, stored[i], *quantization));
    }
  }
  auto bind = [&](const std::vector<InstructionId> &ids) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      values_[index(operation.operands[i])] = ids[i];
    }
  };
  bind(real);
  results_are_expressed_ = true;
  Result<Values> results = find_row(operation.name)->lower(*this, operation);
  results_are_expressed_ = false;
  bind(stored);
  for (std::uint32_t i = 0; results.ok() && i < results->size() && i < operation.result_count; ++i) {
    const Type &type = program_.type(operation.result(i));
    if (type.quantization != nullptr) {
      BP_ASSIGN((*results)[i],
                quantize(*this, operation, (*results)[i], *type.quantization, type.shape.element_type()));
    }
  }
  return results;
}

// Of real values, or of what is quantized in another way.
Result<Values> lower_uniform_quantize(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  if (operation.result_count != 1 || lowering.program().type(operation.result(0)).quantization == nullptr) {
    return lowering.error(operation, "the result is not quantized");
  }
  InstructionId value = lowering.operand(operation, 0);
  if (const auto &from = lowering.program().type(operation.operands[0]).quantization) {
    BP_ASSIGN(value, dequantize(lowering, operation, value, *from));
  }
  const Type &type = lowering.program().type(operation.result(0));
  BP_ASSIGN(InstructionId id, quantize(lowering, operation, value, *type.quantization, type.shape.element_type()));
  return Values{id};
}

Result<Values> lower_uniform_dequantize(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  const auto &quantization = lowering.program().type(operation.operands[0]).quantization;
  if (quantization == nullptr) {
    return lowering.error(operation, "the operand is not quantized");
  }
  BP_ASSIGN(InstructionId id, dequantize(lowering, operation, lowering.operand(operation, 0), *quantization));
  return Values{id};
}

}  // namespace bp::import::stablehlo
