// Index maps (plugin_api/cpp/index_map.h) of instructions of a module: which elements of the operands each element of
// the result is taken from.
#pragma once

#include <vector>

#include "core/ir/module.h"
#include "plugin_api/cpp/index_map.h"

namespace bp::analysis {

using plugin::aligned_dimensions;
using plugin::AlignedDimensions;
using plugin::IndexExpression;
using plugin::IndexMap;

inline plugin::IndexedOperand indexed_operand(const ir::Instruction &instruction, std::size_t number) {
  const auto op = static_cast<std::uint16_t>(instruction.opcode());
  const ir::Shape &shape = instruction.shape();
  const ir::Shape &result = shape.is_tuple() && !shape.elements().empty() ? shape.elements()[0] : shape;
  return {.op = op,
          .number = number,
          .count = instruction.operand_count(),
          .sizes = instruction.operand(number).shape().sizes(),
          .result = result.sizes(),
          .attribute = instruction.numbers(static_cast<ir::AttributeKey>(plugin::indexing_attribute(op)))};
}
// Return the maps of all operands, or of one. For an instruction with several results: those of the first, because all
// ops that have several results compute them together. Linear in the number of operands and their ranks.
inline std::vector<IndexMap> index_maps(const ir::Instruction &instruction) {
  return plugin::index_maps(instruction.operand_count(),
                            [&](std::size_t number) { return indexed_operand(instruction, number); });
}
inline IndexMap index_map(const ir::Instruction &instruction, std::size_t operand) {
  return plugin::index_map(operand, [&](std::size_t number) { return indexed_operand(instruction, number); });
}

}  // namespace bp::analysis
