// What the rules of run-time sizes are made of.
#pragma once

#include "core/ir/run_time_sizes.h"

namespace bp::ir::size_formulas {

SizeFormula fixed(std::int64_t number);
SizeFormula value_operand(std::size_t operand);
// The op on any number of terms, at least one, as a tree of little depth.
SizeFormula of_all(Opcode opcode, SizeFormulas terms);
SizeFormula plus(SizeFormula a, SizeFormula b);
SizeFormula times(SizeFormula a, SizeFormula b);
SizeFormula quotient(SizeFormula a, SizeFormula b);
SizeFormula at_least_zero(SizeFormula a);
// See window_output_size(): the windows in an array of this size.
SizeFormula windowed(SizeFormula size, const WindowDimension &window);

// Neighbouring dimensions of two shapes that hold the same elements.
struct ReshapeGroup {
  std::size_t from_begin, from_end, to_begin, to_end;
};
// The smallest groups of as many elements each, of at least one dimension on either side; what is left at the end, of
// size 1, joins the last.
std::vector<ReshapeGroup> common_groups(const Shape &from, const Shape &to);

}  // namespace bp::ir::size_formulas
