// Building blocks of the rules of run-time sizes.
#pragma once

#include "core/ir/run_time_sizes.h"

namespace bp::ir::size_formulas {

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

}  // namespace bp::ir::size_formulas
