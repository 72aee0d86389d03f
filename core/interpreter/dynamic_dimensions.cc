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

}  // namespace bp::interpreter
