// Row fusions: reductions along rows, and computations with their results in the same rows, as in softmax and layer
// norm. One kernel processes one row after the other: a row fits into a near cache, however often it is read. Columns,
// whose neighbours are far apart in memory, are rows too, but only for teams: there neighbouring threads have
// neighbouring columns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plugins/llvm/module_view.h"

namespace bp::emit {

// Relation of the instructions of a fused computation, or of a single reduction, to the rows of its reductions.
struct RowFusion {
  // Relation of a value to a row.
  enum class Part : std::uint8_t {
    Outside,  // does not depend on a reduction: its elements can be computed at any position
    PerRow,   // one element per row: a reduction's result and values computed from it
    InRow,    // one element per position of the row, computed from PerRow values
  };
  struct Member {
    Part part = Part::Outside;
    // PerRow: for each dimension of the value the dimension of the row shape; -1 for additional dimensions of size 1.
    std::vector<std::int64_t> dimensions;
  };
  std::uint32_t rows_of = 0;  // a value with rows: the operand of the first reduction
  // Dimensions of that value, from major to minor: those that select a row, and those within it.
  std::vector<std::int64_t> outer, inner;
  bool are_columns = false;  // the innermost dimension is an outer one
  std::uint32_t first_instruction = 0;
  std::vector<Member> members;       // by instruction, from first_instruction on
  std::vector<std::uint32_t> roots;  // values

  // Return the number of rows, and the number of elements per row.
  std::int64_t count(const ModuleView &module) const { return size_of(module, outer); }
  std::int64_t length(const ModuleView &module) const { return size_of(module, inner); }
  // Returns the member for the instruction that computes the value; if that is not one of these instructions, returns a
  // member that is Outside.
  const Member &member(const ModuleView &module, std::uint32_t value) const {
    static const Member outside;
    const std::uint32_t n = module.definition(value).id() - first_instruction;
    return n < members.size() ? members[n] : outside;
  }

 private:
  std::int64_t size_of(const ModuleView &module, const std::vector<std::int64_t> &dimensions) const {
    std::int64_t size = 1;
    for (const std::int64_t d : dimensions) {
      size *= module.shape_of(rows_of).dims[static_cast<std::size_t>(d)];
    }
    return size;
  }
};

// Whether a fusion uses the result of a reduction at more positions than there are results: without rows, the reduction
// would be computed again for each position.
bool repeats_reductions(InstructionView fusion);

// Returns the rows of a fusion or a reduction. Returns nullopt and sets `problem` if it reduces nothing, if its
// reductions have different rows or do not reduce the innermost dimension, or if an instruction uses the result of a
// reduction in another row. Requires the other checks of kernel_problem() to have passed.
std::optional<RowFusion> find_rows(InstructionView instruction, std::string &problem);
// Returns the rows of what lies between two instructions of a fusion: `value` is computed in rows of the result of
// `source`, for `user`. Otherwise the same as find_rows().
std::optional<RowFusion> find_rows_between(InstructionView fusion, InstructionView source, InstructionView user,
                                           std::uint32_t value, std::string &problem);
// Returns the columns of a fusion or a reduction, if none of its reductions reduces the innermost dimension.
std::optional<RowFusion> find_columns(InstructionView instruction);

}  // namespace bp::emit
