// Aliasing: which values must share one slice, and which operand's bytes an instruction may overwrite with its result.
#pragma once

#include <utility>
#include <vector>

#include "core/buffers/dataflow.h"

namespace bp::buffers {

struct MustAlias {
  ValueId a = no_value, b = no_value;
  ir::InstructionId because = ir::no_instruction;  // the while or conditional
  std::uint32_t position = 0;                      // position in its result
};
// Returns the pairs that must share a slice. For each element of while state that the body changes: initial value,
// parameters of condition and body, body root and result. For each result of a conditional whose value differs between
// the branches: the branches' roots and the result. Calls need no pairs, because caller and callee show the same
// values. input_output_alias is not included: see donations().
std::vector<MustAlias> must_aliases(const Dataflow &dataflow);

// One entry of input_output_alias, by leaf numbers (Allocation::index).
struct Donation {
  std::int64_t input = 0, output = 0;
  bool must = false;
};
// Returns the pairs of arrays of equal size and memory space. InvalidInput if an index refers to no array.
Result<std::vector<Donation>> donations(const Dataflow &dataflow);

// One array among an instruction's operands.
struct OperandPart {
  std::size_t operand = 0;
  std::size_t position = 0;
  bool operator==(const OperandPart &) const = default;
};

// Returns the operands of an instruction that may have exactly the same slice as its result at a position, provided
// that nothing else the instruction reads lies there.
//   * elementwise ops: operands with the result's dimensions, layout and stored element width;
//   * dynamic-update-slice and set-dimension-size: operand 0;
//   * scatter and sort: operand i for result i;
//   * custom-call: the operands given by its output_to_operand_aliasing;
//   * fusion: a parameter that reaches this and other results only through elementwise ops of the same dimensions and
//     layout, because these results are computed together; or one whose only use is as operand 0 of a
//     dynamic-update-slice or scatter that is the result; bitcasts may come before and after the update.
// A copy never overwrites its operand, because its purpose is to have another slice. Linear in the fused computation.
std::vector<OperandPart> overwritable_operands(ir::Instruction instruction, std::size_t position);

// Whether an instruction is a copy of an array that keeps its layout and has no control predecessors, so that it can be
// removed if source and result share a slice.
bool is_identity_copy(ir::Instruction instruction);

}  // namespace bp::buffers
