// Quantized tensors are represented by their stored integers: real value = (stored - zero point) * scale. Data movement
// operates on the integers. Computations are done on the real values, and the result is quantized again, as StableHLO
// defines it. Sums of products are computed on the integers, which is exact, and then scaled: the result is the same
// except for rounding.
#include <algorithm>

#include "core/import/stablehlo/elementwise.h"

namespace bp::import::stablehlo {
namespace {

// Whether the opcode needs real values. Data movement, control flow and operations that read the stored integers do
// not.
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

// Returns an array of the shape of the tensor with one value for each index of the quantized dimension, or one value
// for all.
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

Result<Values> Lowering::lower_with(const Operation &operation, std::span<const InstructionId> operands,
                                    ir::ElementType type) {
  Values own = this->operands(operation);
  auto bind = [&](std::span<const InstructionId> ids) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      values_[index(operation.operands[i])] = ids[i];
    }
  };
  bind(operands);
  computed_type_ = type;
  Result<Values> results = find_row(operation.name)->lower(*this, operation);
  computed_type_.reset();
  bind(own);
  return results;
}

// Converts the operands to real values while the operation is lowered.
Result<Values> Lowering::lower_in_floats(const Operation &operation) {
  Values real = operands(operation);
  for (std::size_t i = 0; i < real.size(); ++i) {
    if (const auto &quantization = program_.type(operation.operands[i]).quantization) {
      BP_ASSIGN(real[i], dequantize(*this, operation, real[i], *quantization));
    }
  }
  BP_ASSIGN(Values results, lower_with(operation, real, ir::ElementType::Invalid));
  for (std::uint32_t i = 0; i < results.size() && i < operation.result_count; ++i) {
    const Type &type = program_.type(operation.result(i));
    if (type.quantization != nullptr) {
      BP_ASSIGN(results[i], quantize(*this, operation, results[i], *type.quantization, type.shape.element_type()));
    }
  }
  return results;
}

ir::ElementType Lowering::accumulator(const Operation &operation) const {
  Opcode opcode = find_row(operation.name)->opcode;
  bool adds_up = (opcode == Opcode::Dot || opcode == Opcode::Convolution) && operation.name != "stablehlo.einsum";
  if (!adds_up || operation.operands.size() < 2 || operation.result_count != 1 ||
      program_.type(operation.result(0)).quantization == nullptr) {
    return ir::ElementType::Invalid;
  }
  // The number of products in a sum is at most the number of elements of the second operand.
  double largest = 1;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto &quantization = program_.type(operation.operands[i]).quantization;
    if (quantization == nullptr || (i == 0 && quantization->dimension >= 0)) {
      return ir::ElementType::Invalid;
    }
    double most = 0;
    for (double zero : zero_points(*quantization)) {
      most = std::max({most, zero - static_cast<double>(quantization->storage_min),
                       static_cast<double>(quantization->storage_max) - zero});
    }
    largest *= most;
  }
  for (std::int64_t size : shape(operand(operation, 1)).sizes()) {
    if (size == ir::unbounded) {
      return ir::ElementType::Invalid;
    }
    largest *= static_cast<double>(size);
  }
  return largest < 0x1p31 ? ir::ElementType::S32 : largest < 0x1p63 ? ir::ElementType::S64 : ir::ElementType::Invalid;
}

// Returns the dimension of the result that corresponds to a dimension of the second operand; -1 if there is none.
static std::int64_t result_dimension(ir::Instruction instruction, std::int64_t dimension) {
  if (instruction.opcode() == Opcode::Convolution) {
    auto labels = instruction.numbers(AttributeKey::DimLabels);  // see ir::ConvolutionDimensions
    return labels[3] == dimension ? labels[5] : -1;
  }
  auto batch = instruction.numbers(AttributeKey::RhsBatchDims);
  auto contracting = instruction.numbers(AttributeKey::RhsContractingDims);
  if (auto found = std::ranges::find(batch, dimension); found != batch.end()) {
    return found - batch.begin();
  }
  if (std::ranges::find(contracting, dimension) != contracting.end()) {
    return -1;
  }
  // Free and batch dimensions of the lhs.
  auto free = static_cast<std::int64_t>(instruction.operand(0).shape().rank() - contracting.size());
  for (std::int64_t d = 0; d < dimension; ++d) {
    bool is_free = std::ranges::find(batch, d) == batch.end() && std::ranges::find(contracting, d) == contracting.end();
    free += is_free ? 1 : 0;
  }
  return free;
}

// Computes the exact sum((a - za) (b - zb)) times sa sb.
Result<Values> Lowering::lower_in_integers(const Operation &operation, ir::ElementType accumulator) {
  Values integers = operands(operation);
  const Quantization &lhs = *program_.type(operation.operands[0]).quantization;
  const Quantization &rhs = *program_.type(operation.operands[1]).quantization;
  for (std::size_t i = 0; i < 2; ++i) {
    Quantization own = i == 0 ? lhs : rhs;
    own.expressed = accumulator;
    const Shape own_shape = shape(integers[i]);  // a copy, because instructions are added
    Elementwise make(*this, operation, integers[i]);
    BP_ASSIGN(InstructionId zeros, parameters(*this, operation, own, own_shape, zero_points(own)));
    BP_ASSIGN(integers[i], make.add(Opcode::Convert, accumulator, {integers[i]}));
    BP_ASSIGN(integers[i], make.add(Opcode::Subtract, accumulator, {integers[i], zeros}));
  }
  BP_ASSIGN(Values sums, lower_with(operation, integers, accumulator));
  Quantization both = rhs;
  for (double &scale : both.scales) {
    scale *= lhs.scales[0];
  }
  if (rhs.dimension >= 0) {
    both.dimension = result_dimension(module_.instruction(sums[0]), rhs.dimension);
    if (both.dimension < 0) {
      return error(operation, fmt::format("operand 1 is quantized along dimension {}, which the result does not have",
                                          rhs.dimension));
    }
  }
  const Type &type = program_.type(operation.result(0));
  const Shape sum_shape = shape(sums[0]);
  Elementwise make(*this, operation, sums[0]);
  BP_ASSIGN(InstructionId scales, parameters(*this, operation, both, sum_shape, both.scales));
  BP_ASSIGN(InstructionId real, make.add(Opcode::Convert, both.expressed, {sums[0]}));
  BP_ASSIGN(real, make.add(Opcode::Multiply, both.expressed, {real, scales}));
  BP_ASSIGN(real, quantize(*this, operation, real, *type.quantization, type.shape.element_type()));
  return Values{real};
}

// Quantizes real values, or requantizes quantized ones.
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
