// Formulas of run-time sizes, and the building blocks of the rules that state them; see run_time_sizes.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/ir/module.h"

namespace bp::ir {

// A size as a formula of the sizes of an instruction's operands.
struct SizeFormula {
  // Meaning of the fields by opcode. Constant: the size is `number`. GetDimensionSize: the size of `dimension` of
  // operand `number`. Parameter: the value of operand `number`, a scalar. Add, Multiply, Divide (of positive numbers),
  // Maximum, Minimum: applied to the two terms. Broadcast: the larger of the two terms if the smaller is 1, otherwise
  // the smaller.
  Opcode opcode = Opcode::Constant;
  std::int64_t number = 0;
  std::size_t dimension = 0;
  std::vector<SizeFormula> terms;
};
using SizeFormulas = std::vector<SizeFormula>;  // one per dimension of an array

// Evaluates a formula: leaf(formula) returns the size of a formula without terms, combine(opcode, a, b) combines two
// sizes.
template <class Leaf, class Combine>
auto evaluate(const SizeFormula &formula, const Leaf &leaf, const Combine &combine) -> decltype(leaf(formula)) {
  if (formula.terms.empty()) {
    return leaf(formula);
  }
  auto first = evaluate(formula.terms[0], leaf, combine);
  auto second = evaluate(formula.terms[1], leaf, combine);
  return combine(formula.opcode, first, second);
}

namespace size_formulas {

SizeFormula fixed(std::int64_t number);
SizeFormula value_operand(std::size_t operand);
// Applies the op to any number of terms, at least one, as a balanced tree.
SizeFormula of_all(Opcode opcode, SizeFormulas terms);
SizeFormula plus(SizeFormula a, SizeFormula b);
SizeFormula times(SizeFormula a, SizeFormula b);
SizeFormula quotient(SizeFormula a, SizeFormula b);
SizeFormula at_least_zero(SizeFormula a);
// Returns the number of windows in a dimension of this size, see window_output_size().
SizeFormula windowed(SizeFormula size, const WindowDimension &window);

// Ranges of adjacent dimensions of two shapes that hold the same elements.
struct ReshapeGroup {
  std::size_t from_begin, from_end, to_begin, to_end;
};
// Returns the smallest groups with equal element counts and at least one dimension on either side. Remaining dimensions
// at the end, of size 1, belong to the last group.
std::vector<ReshapeGroup> common_groups(const Shape &from, const Shape &to);

}  // namespace size_formulas
}  // namespace bp::ir
