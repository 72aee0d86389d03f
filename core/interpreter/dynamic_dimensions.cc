// Ops on the run-time sizes of dimensions. A value keeps its run-time sizes in Literal::dynamic_size(); elements beyond
// them are padding.
#include "core/interpreter/strided_copy.h"

namespace bp::interpreter {

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
  Literal result = operands[0].with_shape(instruction.shape());
  for (std::size_t i = 0; i < result.shape().rank(); ++i) {
    std::int64_t own = i == d ? size : operands[0].dynamic_size(i);
    if (own != result.shape().size(i)) {
      result.set_dynamic_size(i, own);
    }
  }
  return result;
}

// The elements that are there at run time, in order, fill the sizes given at run time.
Result<Literal> evaluate_dynamic_reshape(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Literal &operand = operands[0];
  const Shape &shape = instruction.shape();
  Dimensions from_sizes, to_sizes;
  std::int64_t from_count = 1, to_count = 1;
  for (std::size_t d = 0; d < operand.shape().rank(); ++d) {
    from_sizes.push_back(operand.dynamic_size(d));
    from_count *= from_sizes.back();
  }
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    std::int64_t size = operands[1 + d].elements<std::int32_t>()[0];
    if (size < 0 || size > shape.size(d)) {
      return invalid_input("size {} for dimension {}, expected 0 to {}", size, d, shape.size(d));
    }
    to_sizes.push_back(size);
    to_count *= size;
  }
  if (from_count != to_count) {
    return invalid_input("{} elements do not fill the {} of the new sizes", from_count, to_count);
  }
  // Through a dense run of the elements that are there.
  ElementType type = shape.element_type();
  BP_ASSIGN(Literal dense,
            gathered(evaluator, Shape::array(type, from_sizes), operand, dense_walk(operand.shape().sizes())));
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  strided_copy(evaluator, to_sizes, result.mutable_bytes().data(), dense_walk(shape.sizes()), dense.bytes().data(),
               dense_walk(to_sizes), static_cast<std::size_t>(ir::byte_width(type)));
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    if (to_sizes[d] != shape.size(d)) {
      result.set_dynamic_size(d, to_sizes[d]);
    }
  }
  return result;
}

}  // namespace bp::interpreter
