// Run-time sizes of dynamic dimensions: which ops they travel through, and how. A dimension written <=8 holds up to 8
// elements; what lies beyond its run-time size is anything. The semantics are XLA's (DynamicDimensionInference and
// DynamicPadder).
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::ir {

// See run_time_sizes.def.
enum class SizeRule { Whole, Bounded, Cut, Refused };
SizeRule size_rule(Opcode opcode);
// The op's row in words.
std::string_view size_summary(Opcode opcode);

// A size as a formula of the sizes of an instruction's operands.
struct SizeFormula {
  // Constant: `number`. GetDimensionSize: of `dimension` of operand `number`. Parameter: the value of operand `number`,
  // a scalar. Else of the two terms: Add, Multiply, Divide (of positive numbers), Maximum, Minimum, or Broadcast, which
  // is the larger where the smaller is 1, else the smaller.
  Opcode opcode = Opcode::Constant;
  std::int64_t number = 0;
  std::size_t dimension = 0;
  std::vector<SizeFormula> terms;
};
using SizeFormulas = std::vector<SizeFormula>;  // one per dimension of an array

// leaf(formula) gives a size, combine(opcode, a, b) the size of two.
template <class Leaf, class Combine>
auto evaluate(const SizeFormula &formula, const Leaf &leaf, const Combine &combine) -> decltype(leaf(formula)) {
  if (formula.terms.empty()) {
    return leaf(formula);
  }
  auto first = evaluate(formula.terms[0], leaf, combine);
  auto second = evaluate(formula.terms[1], leaf, combine);
  return combine(formula.opcode, first, second);
}

// Whether the instruction has a result or an operand, other than a tuple, with dynamic dimensions.
bool has_dynamic_arrays(const Instruction &instruction);
// Unsupported, with the reason, if the op has no meaning on the dynamic dimensions of its operands. The instruction
// must pass the verifier, here and below.
Status check_dynamic_dimensions(const Instruction &instruction);
// For each operand the sizes that it has to the op: a static dimension that must agree with a dynamic one has its size.
std::vector<SizeFormulas> operand_sizes(const Instruction &instruction);
// The sizes of each array of the result: one, or those of a tuple. Not of ops whose rule is Whole or Refused.
std::vector<SizeFormulas> result_sizes(const Instruction &instruction);

// XLA's custom calls between a dynamic array and the static one of its bounds with its sizes, one s32[] per dimension:
// PadToStatic(x) gives (array, sizes ...), SliceToDynamic(array, sizes ...) gives x.
enum class SizeCall { None, PadToStatic, SliceToDynamic };
SizeCall size_call(const Instruction &instruction);
// Invalid if the shapes are others than that.
Status check_size_call(const Instruction &instruction);

}  // namespace bp::ir
