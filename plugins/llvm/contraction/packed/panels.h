// Panels: how the packed strategy wants an operand to lie. A panel has as many neighbouring rows or columns as a tile
// of sums, its width; in it, the elements of all of them at one contracted index are neighbours:
//
//   [panel][k][width]
//
// The last panel is as large as the others. The strategy copies operands to such panels, unless they already lie so:
// then their contracted axes are one after the other as the problem has them, the last one innermost.
#pragma once

#include <array>

#include "plugins/llvm/contraction/problem.h"

namespace bp::emit {

// Returns the widths of the panels in which lhs and rhs may lie; 0 if an operand may not: it has a batch, or is
// converted when it is copied.
std::array<int64_t, 2> panel_widths(const ContractionProblem &problem, const VectorTarget &target);

// A matrix [neighbour][k] in memory, from which panels are copied. Sizes and strides are in elements.
struct PanelSource {
  llvm::Type *type;
  int64_t neighbours, contracted;
  int64_t neighbour_stride, contracted_stride;
};
// Emits the copy of a panel. from: the matrix; first: an i64, the panel's first neighbour; to: the panel. Lanes divide
// the width. What the last panel has beyond the last neighbour is any number of the matrix, or zero.
void emit_panel_copy(llvm::IRBuilder<> &b, const PanelSource &source, int64_t width, int64_t lanes, llvm::Value *from,
                     llvm::Value *first, llvm::Value *to);

// Whether columns are read along k, as vectors of so many lanes, and transposed in registers. A block of contracted
// elements then stays within the innermost axis.
bool reads_columns_transposed(const ContractionProblem &problem, int64_t lanes);

}  // namespace bp::emit
