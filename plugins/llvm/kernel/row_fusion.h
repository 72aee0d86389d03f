// Row fusions: reductions along rows, and what is done with their results in the same rows, as in softmax and layer
// norm. One kernel takes one row after the other: a row fits a near cache, however often it is read. Columns, whose
// neighbours lie across memory, are rows too, but only for teams: there neighbouring threads have neighbouring columns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plugins/llvm/module_view.h"

namespace bp::emit {

// How the instructions of a fused computation, or a reduction alone, relate to the rows of its reductions.
struct RowFusion {
  // What a value is to a row.
  enum class Part : std::uint8_t {
    Outside,  // does not depend on a reduction: its elements can be had at any place
    PerRow,   // one element for each row: a reduction's result and what is computed from it
    InRow,    // an element for each place of the row, computed from PerRow values
  };
  struct Member {
    Part part = Part::Outside;
    // PerRow: which of the row shape's dimensions each dimension is; -1 for those of size 1 that are none.
    std::vector<std::int64_t> dimensions;
  };
  std::uint32_t rows_of = 0;               // a value with rows: what is reduced first
  std::vector<std::int64_t> outer, inner;  // dimensions of that value, from major to minor: which row, where in it
  bool are_columns = false;                // the innermost dimension is outer
  std::uint32_t first_instruction = 0;
  std::vector<Member> members;       // by instruction, from the first on
  std::vector<std::uint32_t> roots;  // values

  // The number of rows, and of elements in each.
  std::int64_t count(const ModuleView &module) const { return size_of(module, outer); }
  std::int64_t length(const ModuleView &module) const { return size_of(module, inner); }
  // What is known of the instruction that makes the value, which need not be one of these.
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

// Whether a fusion computes with the result of a reduction at more places than there are results: without rows, the
// reduction would run anew for each.
bool repeats_reductions(InstructionView fusion);

// The rows of a fusion or a reduction. Nothing, and why in `problem`, if it reduces nothing, if its reductions differ in
// their rows or leave the innermost dimension alone, or if something wants the result of one at another row. Expects what
// else kernel_problem() looks at to be right.
std::optional<RowFusion> find_rows(InstructionView instruction, std::string &problem);
// Likewise if its reductions all leave the innermost dimension alone.
std::optional<RowFusion> find_columns(InstructionView instruction);

}  // namespace bp::emit
