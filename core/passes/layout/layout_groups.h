// Groups of arrays that should have the same layout in memory: arrays that an op walks through together, arrays that
// are the same value under several names, and, with permuted dimensions, a transpose and its operand.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/call_graph.h"
#include "core/ir/module.h"

namespace bp::passes {

// An array of an instruction's result: its index among all arrays of the program.
using ArrayId = std::uint32_t;

// Disjoint sets of arrays, as a forest whose roots identify the groups. The dimensions of an array may be those of its
// group in another order: each array has a permutation. Covers arrays in computations that own buffers; layouts in
// embedded computations are given by their callers.
class LayoutGroups {
 public:
  LayoutGroups(const ir::Module &module, const analysis::CallGraph &graph);

  std::size_t array_count() const { return parents_.size(); }
  // Returns array `i` of the instruction's result; the arrays of a tuple are counted from left to right.
  ArrayId array(ir::InstructionId id, std::size_t i = 0) const { return first_[index(id)] + static_cast<ArrayId>(i); }
  // Returns the number of arrays in the instruction's result.
  std::size_t array_count(ir::InstructionId id) const { return first_[index(id) + 1] - first_[index(id)]; }

  ArrayId group_of(ArrayId array);
  // Convert a layout of the array to one of the group, and back. Tiles refer to the order in memory, so they do not
  // change.
  ir::Layout to_group(ArrayId array, ir::Layout layout);
  ir::Layout from_group(ArrayId array, ir::Layout layout);

 private:
  using Permutation = std::vector<std::int64_t>;  // array's dimension -> its parent's dimension; empty: identity

  void join_arrays_of(ir::Instruction instruction);
  void join_values(ir::InstructionId a, std::size_t first_a, ir::InstructionId b, std::size_t first_b,
                   std::size_t count);
  void join_whole(ir::InstructionId a, ir::InstructionId b) { join_values(a, 0, b, 0, array_count(a)); }
  void join(ArrayId a, ArrayId b, const Permutation &a_to_b = {});

  const ir::Module &module_;
  std::vector<ArrayId> first_;    // by instruction id: its first array; has an additional element at the end
  std::vector<ArrayId> parents_;  // by array
  std::vector<Permutation> to_parent_;
};

// Returns the order of dimensions in which a reshape of `from` to the sizes of `to` moves no element; nothing if there
// is none, or if a layout has tiles. Linear in the ranks.
std::optional<ir::Layout> layout_through_reshape(const ir::Shape &from, const ir::Shape &to);
// Whether a reshape between these shapes, in their layouts, moves no element.
bool moves_nothing(const ir::Shape &from, const ir::Shape &to);

// Returns the arrays of a shape, from left to right.
std::vector<const ir::Shape *> arrays_of(const ir::Shape &shape);

}  // namespace bp::passes
