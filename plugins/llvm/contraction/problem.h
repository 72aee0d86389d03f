// A contraction prepared for code generation: windows that never leave their input are dropped, axes are sorted by
// stride and merged if they are contiguous, and each free side gets a role: the columns are the side along which a
// vector runs in out, the rows are the other side.
#pragma once

#include <array>

#include "plugins/llvm/contraction/contraction.h"
#include "plugins/llvm/vector_target.h"

namespace bp::emit {

enum Operand { lhs_operand = 0, rhs_operand = 1, out_operand = 2 };

inline int64_t stride_of(const Axis &axis, Operand operand) {
  return operand == lhs_operand ? axis.lhs : operand == rhs_operand ? axis.rhs : axis.out;
}

// Returns the number of elements that axes span; 1 for no axes.
int64_t total_size(const std::vector<Axis> &axes);
constexpr int64_t divide_up(int64_t size, int64_t part) {
  return (size + part - 1) / part;
}

// Whether the axes, as one flat index, address the operand with one constant stride, which is returned in `stride`.
bool has_single_stride(const std::vector<Axis> &axes, Operand operand, int64_t *stride);

// Whether elements i to i + lanes of the operand are next to each other in memory for every flat index i of the axes
// that is a multiple of lanes.
bool has_vectors(const std::vector<Axis> &axes, Operand operand, int64_t lanes);

struct ContractionProblem {
  std::vector<Axis> batch;
  std::vector<Axis> rows;
  std::vector<Axis> columns;
  std::vector<Axis> contracted;
  std::vector<Window> windows;
  Operand row_operand = lhs_operand;
  Operand column_operand = rhs_operand;
  std::array<int64_t, 3> offsets = {};
  ContractionTypes types;
  Epilogue epilogue;
  std::array<Prologue, 2> prologues;
  std::array<int64_t, 2> panels = {};
  bool needs_wide_index = false;  // offsets do not fit 32 bits
};

// Returns the bits that are read for an element of lhs or rhs.
int64_t read_bits(const ContractionProblem &problem, Operand operand);

// lanes: the number of lanes in a vector of the accumulator's type.
ContractionProblem normalize(const Contraction &contraction, int64_t lanes);
std::vector<ContractionProblem> normalize(const std::vector<Contraction> &contractions, const VectorTarget &target);

// Whether sums carry their rounding errors: those of doubles in a contraction so small that it takes no longer than the
// call.
bool is_worth_compensating(const ContractionProblem &problem);

}  // namespace bp::emit
