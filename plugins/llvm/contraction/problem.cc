#include "plugins/llvm/contraction/problem.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace bp::emit {

namespace {

constexpr Operand operands[] = {lhs_operand, rhs_operand, out_operand};

using Group = std::vector<Axis> ContractionProblem::*;
constexpr Group groups[] = {&ContractionProblem::batch, &ContractionProblem::rows, &ContractionProblem::columns,
                            &ContractionProblem::contracted};

void drop_windows_without_padding(ContractionProblem &problem) {
  for (size_t w = 0; w < problem.windows.size(); ++w) {
    int64_t low = problem.windows[w].origin;
    int64_t high = low;
    for (Group group : groups) {
      for (const Axis &axis : problem.*group) {
        if (axis.window == static_cast<int>(w)) {
          int64_t reach = axis.step * (axis.size - 1);
          (reach < 0 ? low : high) += reach;
        }
      }
    }
    if (low < 0 || high >= problem.windows[w].size) {
      continue;
    }
    problem.windows[w] = {0, Window::unbounded};
    for (Group group : groups) {
      for (Axis &axis : problem.*group) {
        axis.window = axis.window == static_cast<int>(w) ? -1 : axis.window;
      }
    }
  }
}

bool is_one_axis(const Axis &outer, const Axis &inner) {
  bool is_same_window = outer.window == inner.window && (outer.window < 0 || outer.step == inner.step * inner.size);
  return is_same_window && outer.lhs == inner.lhs * inner.size && outer.rhs == inner.rhs * inner.size &&
         outer.out == inner.out * inner.size;
}

// Sorts axes by their stride in the operand, largest first, and merges them.
void sort_and_merge(std::vector<Axis> &axes, Operand operand) {
  std::vector<Axis> sorted;
  for (const Axis &axis : axes) {
    if (axis.size != 1) {
      sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), axis,
                                     [&](const Axis &x, const Axis &y) {
                                       return std::abs(stride_of(x, operand)) > std::abs(stride_of(y, operand));
                                     }),
                    axis);
    }
  }
  std::vector<Axis> merged;
  for (const Axis &axis : sorted) {
    if (!merged.empty() && is_one_axis(merged.back(), axis)) {
      int64_t size = merged.back().size * axis.size;
      merged.back() = axis;
      merged.back().size = size;
    } else {
      merged.push_back(axis);
    }
  }
  axes = merged;
}

int64_t smallest_stride(const std::vector<Axis> &axes, Operand operand) {
  return axes.empty() ? std::numeric_limits<int64_t>::max() : std::abs(stride_of(axes.back(), operand));
}

// Vectors run along the free side that is contiguous in out, unless it is too short to fill a vector.
bool prefers_lhs_columns(const Contraction &contraction, int64_t lanes) {
  auto lhs_free = contraction.lhs_free;
  auto rhs_free = contraction.rhs_free;
  sort_and_merge(lhs_free, out_operand);
  sort_and_merge(rhs_free, out_operand);
  bool is_lhs_closer = smallest_stride(lhs_free, out_operand) < smallest_stride(rhs_free, out_operand);
  int64_t closer = total_size(is_lhs_closer ? lhs_free : rhs_free);
  int64_t other = total_size(is_lhs_closer ? rhs_free : lhs_free);
  bool is_too_short = closer < lanes / 2 && other > closer;
  return is_lhs_closer != is_too_short;
}

}  // namespace

int64_t total_size(const std::vector<Axis> &axes) {
  int64_t size = 1;
  for (const Axis &axis : axes) {
    size *= axis.size;
  }
  return size;
}

bool has_single_stride(const std::vector<Axis> &axes, Operand operand, int64_t *stride) {
  *stride = axes.empty() ? 0 : stride_of(axes.back(), operand);
  int64_t expected = *stride;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    if (stride_of(*axis, operand) != expected) {
      return false;
    }
    expected *= axis->size;
  }
  return true;
}

bool has_vectors(const std::vector<Axis> &axes, Operand operand, int64_t lanes) {
  return !axes.empty() && stride_of(axes.back(), operand) == 1 && axes.back().size % lanes == 0;
}

int64_t read_bits(const ContractionProblem &problem, Operand operand) {
  const Prologue &prologue = problem.prologues[operand];
  const llvm::Type *type = operand == lhs_operand ? problem.types.lhs : problem.types.rhs;
  return prologue ? prologue.read_bits : type->getScalarSizeInBits();
}

ContractionProblem normalize(const Contraction &contraction, int64_t lanes) {
  ContractionProblem problem;
  bool is_transposed = prefers_lhs_columns(contraction, lanes);
  problem.batch = contraction.batch;
  problem.rows = is_transposed ? contraction.rhs_free : contraction.lhs_free;
  problem.columns = is_transposed ? contraction.lhs_free : contraction.rhs_free;
  problem.contracted = contraction.contracted;
  problem.row_operand = is_transposed ? rhs_operand : lhs_operand;
  problem.column_operand = is_transposed ? lhs_operand : rhs_operand;
  problem.windows = contraction.windows;
  problem.offsets = {contraction.lhs_offset, contraction.rhs_offset, contraction.out_offset};
  problem.types = contraction.types;
  problem.epilogue = contraction.epilogue;
  problem.prologues = contraction.prologues;
  problem.panels = contraction.panels;
  drop_windows_without_padding(problem);
  sort_and_merge(problem.batch, out_operand);
  sort_and_merge(problem.rows, out_operand);
  sort_and_merge(problem.columns, out_operand);
  sort_and_merge(problem.contracted, problem.row_operand);
  for (Operand operand : operands) {
    int64_t reach = 0;
    for (Group group : groups) {
      for (const Axis &axis : problem.*group) {
        reach += std::abs(stride_of(axis, operand)) * (axis.size - 1);
      }
    }
    problem.needs_wide_index |= reach >= std::numeric_limits<int32_t>::max();
  }
  for (Group group : groups) {
    problem.needs_wide_index |= total_size(problem.*group) >= std::numeric_limits<int32_t>::max() / 2;
  }
  return problem;
}

std::vector<ContractionProblem> normalize(const std::vector<Contraction> &contractions, const VectorTarget &target) {
  std::vector<ContractionProblem> problems;
  for (const Contraction &contraction : contractions) {
    problems.push_back(
        normalize(contraction, target.vector_bits / contraction.types.accumulate->getScalarSizeInBits()));
  }
  return problems;
}

bool is_worth_compensating(const ContractionProblem &problem) {
  constexpr int64_t max_products = 1024;
  const int64_t results = total_size(problem.batch) * total_size(problem.rows) * total_size(problem.columns);
  return problem.types.accumulate->isDoubleTy() && results * total_size(problem.contracted) <= max_products;
}

}  // namespace bp::emit
