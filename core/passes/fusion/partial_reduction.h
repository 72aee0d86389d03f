// Reductions whose elements are combined in parts first: start values and types of the parts.
#pragma once

#include <optional>

#include "core/passes/array_builder.h"

namespace bp::passes {

// A reduction in parts. Sums and products of floats narrower than f32 are f32 until all parts are combined.
struct PartialReduction {
  std::vector<ir::InstructionId> operands;  // converted to the types of the parts
  // Start values of a part: the identity element of the op. For any other function, and for several values at once,
  // they are the start values of the whole reduction, if f(start, start) is start (as for the maximum with its index):
  // then it does not matter how often they are combined.
  std::vector<ir::InstructionId> starts;
  std::vector<ir::InstructionId> initial;  // start values of the whole reduction
  ir::ComputationId function;
};

// Returns the parts of a reduce or reduce-window of plain arrays, if the elements have the types of the combined values
// and parts have start values; otherwise returns nothing and adds nothing.
std::optional<PartialReduction> partial_reduction(ArrayBuilder &b, ir::Instruction reduction);

// Adds a reduce or reduce-window of these operands and start values, with the same function.
template <ir::AttributeSetter F>
ir::InstructionId add_partial(ArrayBuilder &b, ir::Opcode opcode, const PartialReduction &of,
                              std::vector<ir::InstructionId> operands, std::span<const ir::InstructionId> starts,
                              F &&set_attributes) {
  operands.insert(operands.end(), starts.begin(), starts.end());
  return b.try_add(opcode, operands, set_attributes, std::span(&of.function, 1)).value();
}
// Returns the array, or the elements of the tuple.
std::vector<ir::InstructionId> arrays_of(ArrayBuilder &b, ir::InstructionId value);

}  // namespace bp::passes
