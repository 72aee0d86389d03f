// Rewrites topk as a stable sort of the values together with their indices, and slices. Floats are compared in total
// order; equal values are ordered by index, because the sort is stable.
#include <array>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"

namespace bp::passes {

using ir::AttributeKey;
using ir::InstructionId;

Result<bool> topk_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction topk) -> Result<InstructionId> {
    if (topk.opcode() != ir::Opcode::TopK || ir::is_complex(topk.operand(0).shape().element_type())) {
      return topk.id();
    }
    ArrayBuilder b(module, topk);
    const InstructionId operand = topk.operands()[0];
    const std::size_t last = b.shape(operand).rank() - 1;
    const InstructionId values = b.with_layout(operand, ir::Layout::descending(last + 1));  // the layout of the indices
    const std::int64_t k = topk.shape().elements()[0].size(last);
    const bool largest = topk.number(AttributeKey::Largest, 1) != 0;
    const InstructionId sorted =
        b.sort_with_positions(values, last, largest ? ir::ComparisonDirection::Gt : ir::ComparisonDirection::Lt);
    const std::array parts{b.slice(b.get_tuple_element(sorted, 0), last, 0, k),
                           b.slice(b.get_tuple_element(sorted, 1), last, 0, k)};
    return b.tuple(parts);
  });
}

}  // namespace bp::passes
