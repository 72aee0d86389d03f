// Aliasing: which values must share one slice, and which operand's bytes an instruction may overwrite with its result.
#pragma once

#include <utility>
#include <vector>

#include "core/buffers/dataflow.h"

namespace bp::buffers {

struct MustAlias {
  ValueId a = no_value, b = no_value;
  ir::InstructionId because = ir::no_instruction;  // the while or conditional
  std::uint32_t position = 0;                      // of its result
};
// For each element of while state that the body changes: initial value, parameters of condition and body, body root and
// result. For each result of a conditional in which the branches differ: the branches' roots and the result. Calls need
// nothing: caller and callee show the same values. input_output_alias is not among them: see donations().
std::vector<MustAlias> must_aliases(const Dataflow &dataflow);

// One entry of input_output_alias, by numbers of leaves (Allocation::index).
struct Donation {
  std::int64_t input = 0, output = 0;
  bool must = false;
};
// Only pairs of arrays of equal size and memory space; InvalidInput if an index names no array.
Result<std::vector<Donation>> donations(const Dataflow &dataflow);

// One array among an instruction's operands.
struct OperandPart {
  std::size_t operand = 0;
  std::size_t position = 0;
  bool operator==(const OperandPart &) const = default;
};

// Which operands of an instruction may lie in the same place as its result at a position: exactly, and only if nothing
// else the instruction reads lies there.
//   * elementwise ops: operands with the result's dimensions, layout and stored element width;
//   * dynamic-update-slice and set-dimension-size: operand 0;
//   * scatter and sort: operand i for result i;
//   * custom-call: as its output_to_operand_aliasing says;
//   * fusion: a parameter that reaches this and other results only through elementwise ops of the same dimensions and
//     layout, for these results are computed together; or whose only use is as operand 0 of a dynamic-update-slice or
//     scatter that is the result; bitcasts may stand before and behind.
// A copy never overwrites its operand: it exists to be somewhere else. Linear in the fused computation.
std::vector<OperandPart> overwritable_operands(ir::Instruction instruction, std::size_t position);

// Whether an instruction is a copy of an array that keeps its layout, and that nothing must wait for: it could go.
bool is_identity_copy(ir::Instruction instruction);

}  // namespace bp::buffers
