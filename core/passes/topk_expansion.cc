// Rewrites topk as a stable sort of the values along with their positions, and slices. Floats are in total order; of
// equals the lower position comes first, since the sort is stable.
#include <array>

#include "core/passes/expansion.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::InstructionId;

// Whether the first value goes before the second; the two parameters after them are their positions.
ir::ComputationId comparator(ir::Module &module, ir::ElementType type, bool largest) {
  ir::ComputationId id = module.add_computation(fmt::format("{}.{}", largest ? "greater" : "less", to_string(type)));
  ir::Builder builder(module, id);
  InstructionId first = builder.parameter(ir::Shape::scalar(type)), second = builder.parameter(ir::Shape::scalar(type));
  builder.parameter(ir::Shape::scalar(ir::ElementType::S32));
  builder.parameter(ir::Shape::scalar(ir::ElementType::S32));
  InstructionId before =
      builder.compare(largest ? ir::ComparisonDirection::Gt : ir::ComparisonDirection::Lt, first, second);
  if (ir::is_floating(type)) {
    module.set_number(before, AttributeKey::ComparisonType, static_cast<std::int64_t>(ir::ComparisonType::TotalOrder));
  }
  module.set_root(id, before);
  return id;
}

}  // namespace

Result<bool> topk_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction topk) -> Result<InstructionId> {
    if (topk.opcode() != ir::Opcode::TopK || ir::is_complex(topk.operand(0).shape().element_type())) {
      return topk.id();
    }
    Expansion b(module, topk);
    const InstructionId operand = topk.operands()[0];
    const std::size_t last = b.shape(operand).rank() - 1;
    const InstructionId values = b.laid_out(operand, ir::Layout::descending(last + 1));  // as the positions are
    const std::int64_t k = topk.shape().elements()[0].size(last);
    const bool largest = topk.number(AttributeKey::Largest, 1) != 0;
    ir::ComputationId before = comparator(module, b.type(values), largest);
    InstructionId positions =
        b.iota(ir::Shape::array(ir::ElementType::S32, b.shape(values).sizes()), static_cast<std::int64_t>(last));
    InstructionId sorted = b.add(
        ir::Opcode::Sort, {values, positions},
        [&](ir::Module &m, InstructionId id) {
          m.set_numbers(id, AttributeKey::Dimensions, {static_cast<std::int64_t>(last)});
          m.set_number(id, AttributeKey::IsStable, 1);
        },
        std::span(&before, 1));
    const std::array parts{b.slice(b.get_tuple_element(sorted, 0), last, 0, k),
                           b.slice(b.get_tuple_element(sorted, 1), last, 0, k)};
    return b.tuple(parts);
  });
}

}  // namespace bp::passes
