// Reductions whose elements are combined in parts first: what parts start with, and the types they have.
#pragma once

#include <optional>

#include "core/passes/array_builder.h"

namespace bp::passes {

// Sums and products of half floats are f32 until all parts are combined.
struct PartialReduction {
  std::vector<ir::InstructionId> operands;  // of the types that parts have
  // Start of a part: the neutral element of the op. Of any other function, and of several values at once, the start of
  // the whole, where f(start, start) is start, as of the largest and its place: then it counts once however often it
  // comes.
  std::vector<ir::InstructionId> starts;
  std::vector<ir::InstructionId> initial;  // what the whole starts with
  ir::ComputationId function;
};

// The parts of a reduce or reduce-window of plain arrays whose elements have the types of what they are combined to;
// empty, and nothing added, if there is no such start.
std::optional<PartialReduction> partial_reduction(ArrayBuilder &b, ir::Instruction reduction);

// A reduce or reduce-window of these operands and starts, with the function.
template <ir::AttributeSetter F>
ir::InstructionId add_partial(ArrayBuilder &b, ir::Opcode opcode, const PartialReduction &of,
                              std::vector<ir::InstructionId> operands, std::span<const ir::InstructionId> starts,
                              F &&set_attributes) {
  operands.insert(operands.end(), starts.begin(), starts.end());
  return b.try_add(opcode, operands, set_attributes, std::span(&of.function, 1)).value();
}
// An array, or the elements of a tuple.
std::vector<ir::InstructionId> arrays_of(ArrayBuilder &b, ir::InstructionId value);

}  // namespace bp::passes
