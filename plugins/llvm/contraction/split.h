// The split of a contraction with few rows or few columns and long sums ("the few" and, on the other side, "the many"):
// which of them a team computes, and how its members share the contracted axes.
#pragma once

#include <cstdint>
#include <vector>

#include "plugins/llvm/contraction/gpu/shape.h"
#include "plugins/llvm/contraction/problem.h"

namespace bp::emit {

constexpr int64_t usual_warp = 32;  // minimum number of members of a team, if there is enough work

// The numbers by which the work is shared.
struct Split {
  explicit Split(const ContractionProblem &problem);

  int64_t of_item() const { return across * each; }  // number of the many per item
  int64_t items_along() const { return divide_up(many, of_item()); }

  bool are_rows_few;
  int64_t few, many, contracted, batch;
  Operand few_operand, many_operand;
  bool is_along_contracted;  // whether vectors of many_operand run along the contracted axes
  int64_t lanes;             // lanes of these vectors
  int64_t deep = 1;          // neighbours along the contracted axes that a member reads at once
  int64_t across = 1;  // members side by side along the many; those with the same position share the contracted axes
  int64_t each = 1;    // number of the many per member

  const std::vector<Axis> &few_axes(const ContractionProblem &of) const { return are_rows_few ? of.rows : of.columns; }
  const std::vector<Axis> &many_axes(const ContractionProblem &of) const { return are_rows_few ? of.columns : of.rows; }
};

// Whether one of the sides is short enough, no element is padding, and sums need not carry their rounding errors.
bool may_be_split(const ContractionProblem &problem);
ContractionShape split_shape(const ContractionProblem &problem);
TeamWork split_work(const ContractionProblem &problem);

}  // namespace bp::emit
