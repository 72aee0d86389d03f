// Dynamic dimensions. A value keeps its run-time sizes in Literal::dynamic_size(); elements outside these are padding.
// core/ir/run_time_sizes.h says how sizes pass through all ops.
#include "core/ir/run_time_sizes.h"

#include "core/interpreter/strided_copy.h"

namespace bp::interpreter {
namespace {

// Evaluates the formulas on the operands' sizes and values. Arithmetic wraps around, because programs may pad by any
// int64.
Dimensions evaluated(const ir::SizeFormulas &formulas, std::span<const Literal> operands) {
  auto leaf = [&](const ir::SizeFormula &formula) -> std::int64_t {
    const auto n = static_cast<std::size_t>(formula.number);
    switch (formula.opcode) {
      case Opcode::GetDimensionSize: return operands[n].dynamic_size(formula.dimension);
      case Opcode::Parameter: return integers(operands[n])[0];
      default: return formula.number;
    }
  };
  auto combine = [](Opcode opcode, std::int64_t a, std::int64_t b) -> std::int64_t {
    switch (opcode) {
      case Opcode::Add: return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
      case Opcode::Multiply:
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
      case Opcode::Divide: return a / b;
      case Opcode::Minimum: return std::min(a, b);
      case Opcode::Broadcast: return std::min(a, b) == 1 ? std::max(a, b) : std::min(a, b);
      default: return std::max(a, b);
    }
  };
  Dimensions sizes;
  for (const ir::SizeFormula &formula : formulas) {
    sizes.push_back(ir::evaluate(formula, leaf, combine));
  }
  return sizes;
}

// Returns the elements within these sizes, as a static array.
Result<Literal> cut(const Evaluator &evaluator, const Literal &whole, std::span<const std::int64_t> sizes) {
  const Shape shape = Shape::array(whole.shape().element_type(), sizes);
  if (std::ranges::equal(sizes, whole.shape().sizes())) {
    return whole.with_shape(shape);
  }
  return gathered(evaluator, shape, whole, dense_walk(whole.shape().sizes()));
}

// Returns the same elements in an array with these bounds.
Result<Literal> within_bounds(const Evaluator &evaluator, const Literal &exact, const Shape &shape) {
  if (std::ranges::equal(exact.shape().sizes(), shape.sizes())) {
    return exact.with_shape(shape);
  }
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  const std::span<const std::int64_t> sizes = exact.shape().sizes();
  strided_copy(evaluator, sizes, result.mutable_bytes().data(), dense_walk(shape.sizes()), exact.bytes().data(),
               dense_walk(sizes), element_width(shape));
  return result;
}

// Returns the value with the bounds of the shape and these run-time sizes, clamped to the bounds.
Result<Literal> sized(const Evaluator &evaluator, Literal value, const Shape &shape, const Dimensions &sizes) {
  BP_ASSIGN(Literal result, within_bounds(evaluator, value, shape));
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    if (const std::int64_t size = std::clamp<std::int64_t>(sizes[d], 0, shape.size(d)); size != shape.size(d)) {
      result.set_dynamic_size(d, size);
    }
  }
  return result;
}

// Repeats operands that have one element along a dynamic dimension where the other operand has more.
Status stretch(const Evaluator &evaluator, Operands operands, const Dimensions &sizes) {
  for (Literal &operand : operands) {
    Walk walk = dense_walk(operand.shape().sizes());
    bool is_repeated = false;
    for (std::size_t d = 0; d < operand.shape().rank(); ++d) {
      if (operand.shape().is_dynamic(d) && operand.dynamic_size(d) == 1 && sizes[d] > 1) {
        walk.strides[d] = 0;
        is_repeated = true;
      }
    }
    if (is_repeated) {
      BP_ASSIGN(operand, gathered(evaluator, operand.shape(), operand, walk));
    }
  }
  return {};
}

Result<Literal> on_cut_operands(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const std::vector<ir::SizeFormulas> formulas = ir::operand_sizes(instruction);
  std::vector<Dimensions> sizes;  // of all operands, before any is cut
  for (const ir::SizeFormulas &formula : formulas) {
    sizes.push_back(evaluated(formula, operands));
  }
  for (std::size_t n = 0; n < operands.size(); ++n) {
    BP_ASSIGN(operands[n], cut(evaluator, operands[n], sizes[n]));
  }
  BP_ASSIGN(Instruction exact, evaluator.with_operand_shapes(instruction, operands));
  return dispatch(evaluator, exact, operands);
}

// Returns the existing elements, in row-major order, in an array of these sizes within the bounds of `shape`.
Result<Literal> refilled(const Evaluator &evaluator, const Literal &operand, const Shape &shape,
                         const Dimensions &sizes) {
  BP_ASSIGN(Literal dense, cut(evaluator, operand, run_time_sizes(operand)));
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  if (ir::product(sizes) <= dense.shape().element_count()) {
    strided_copy(evaluator, sizes, result.mutable_bytes().data(), dense_walk(shape.sizes()), dense.bytes().data(),
                 dense_walk(sizes), element_width(shape));
  }
  return result;
}

}  // namespace

Result<Literal> evaluate_dynamic(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  BP_TRY(ir::check_dynamic_dimensions(instruction));
  const ir::SizeRule rule = ir::size_rule(instruction.opcode());
  const Shape &shape = instruction.shape();
  if (rule == ir::SizeRule::PassThrough || (rule == ir::SizeRule::Bounded && !shape.is_array())) {
    return dispatch(evaluator, instruction, operands);
  }
  std::vector<Dimensions> sizes;  // computed first, because evaluators move out of their operands
  for (const ir::SizeFormulas &formulas : ir::result_sizes(instruction)) {
    sizes.push_back(evaluated(formulas, operands));
  }
  if (instruction.is(ir::Trait::Elementwise) && operands.size() == 2) {
    BP_TRY(stretch(evaluator, operands, sizes[0]));
  }
  BP_ASSIGN(Literal result, rule == ir::SizeRule::CutToSizes ? on_cut_operands(evaluator, instruction, operands)
                                                             : dispatch(evaluator, instruction, operands));
  if (shape.is_array()) {
    return sized(evaluator, std::move(result), shape, sizes[0]);
  }
  std::vector<Literal> parts;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    BP_ASSIGN(Literal part, sized(evaluator, result.take_element(i), shape.elements()[i], sizes[i]));
    parts.push_back(std::move(part));
  }
  return Literal::tuple(std::move(parts));
}

Result<Literal> evaluate_get_dimension_size(Evaluator &, const Instruction &instruction, Operands operands) {
  auto d = static_cast<std::size_t>(instruction.dimensions()[0]);
  return Literal::scalar(ElementType::S32, static_cast<std::int32_t>(operands[0].dynamic_size(d)));
}

Result<Literal> evaluate_set_dimension_size(Evaluator &, const Instruction &instruction, Operands operands) {
  auto d = static_cast<std::size_t>(instruction.dimensions()[0]);
  std::int64_t size = operands[1].elements<std::int32_t>()[0], bound = operands[0].shape().size(d);
  if (size < 0 || size > bound) {
    return invalid_input("size {} for dimension {}, expected 0 to {}", size, d, bound);
  }
  return std::move(operands[0]);
}

Result<Literal> evaluate_reshape(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  if (!ir::has_dynamic_arrays(instruction)) {
    return operands[0].with_shape(instruction.shape());
  }
  const Dimensions sizes = evaluated(ir::result_sizes(instruction)[0], operands);
  return refilled(evaluator, operands[0], instruction.shape(), sizes);
}

Result<Literal> evaluate_dynamic_reshape(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Shape &shape = instruction.shape();
  Dimensions sizes;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    const std::int64_t size = integers(operands[1 + d])[0];
    if (size < 0 || size > shape.size(d)) {
      return invalid_input("size {} for dimension {}, expected 0 to {}", size, d, shape.size(d));
    }
    sizes.push_back(size);
  }
  if (const std::int64_t from = ir::product(run_time_sizes(operands[0])), to = ir::product(sizes); from != to) {
    return invalid_input("{} elements do not fill the {} of the new sizes", from, to);
  }
  return refilled(evaluator, operands[0], shape, sizes);
}

}  // namespace bp::interpreter
