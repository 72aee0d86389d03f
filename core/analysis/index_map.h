// Index maps (plugin_api/cpp/index_map.h) of instructions of a module: which elements of an operand those of the result
// are taken from.
#pragma once

#include "core/ir/module.h"
#include "plugin_api/cpp/index_map.h"

namespace bp::analysis {

using plugin::IndexExpression;
using plugin::IndexMap;

// Returns the map of an operand. If there are several results, it is the map for the first one, because all ops that
// have several results compute them together. Linear in the operand's rank, for a concatenation also in the number of
// operands.
inline IndexMap index_map(const ir::Instruction &instruction, std::size_t operand) {
  const auto op = static_cast<std::uint16_t>(instruction.opcode());
  const auto attribute = instruction.numbers(static_cast<ir::AttributeKey>(plugin::indexing_attribute(op)));
  const ir::Shape &shape = instruction.shape();
  const ir::Shape &result = shape.is_tuple() && !shape.elements().empty() ? shape.elements()[0] : shape;
  const std::size_t start = plugin::first_start(op);
  const bool has_vector =
      start != 0 && start < instruction.operand_count() && instruction.operand(start).shape().rank() != 0;
  return plugin::index_map(operand, [&](std::size_t number) -> plugin::IndexedOperand {
    return {.op = op,
            .number = number,
            .count = instruction.operand_count(),
            .sizes = instruction.operand(number).shape().sizes(),
            .result = result.sizes(),
            .attribute = attribute,
            .has_scalar_starts = !has_vector};
  });
}

}  // namespace bp::analysis
