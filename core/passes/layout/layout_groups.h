// Which arrays had best lie in memory alike: those that an op walks through side by side, those that are one value
// under several names, and, with dimensions exchanged, a transpose and what it transposes.
#pragma once

#include <vector>

#include "core/analysis/call_graph.h"
#include "core/ir/module.h"

namespace bp::passes {

// An array among those that an instruction gives: its place among all arrays of the program.
using ArrayId = std::uint32_t;

// A forest over arrays, whose roots name groups. Array dimensions need not be the group's: each array has a permutation.
// Of arrays in computations that own buffers; those of embedded computations lie where their callers say.
class LayoutGroups {
 public:
  LayoutGroups(const ir::Module &module, const analysis::CallGraph &graph);

  std::size_t array_count() const { return parents_.size(); }
  // Array `i` of the instruction's result, a tuple's counted from left to right.
  ArrayId array(ir::InstructionId id, std::size_t i = 0) const { return first_[index(id)] + static_cast<ArrayId>(i); }
  // The number of arrays of the instruction's result.
  std::size_t array_count(ir::InstructionId id) const { return first_[index(id) + 1] - first_[index(id)]; }

  ArrayId group_of(ArrayId array);
  // A layout of the array as one of the group, and back. Tiles follow the order in memory, so they stay.
  ir::Layout to_group(ArrayId array, ir::Layout layout);
  ir::Layout from_group(ArrayId array, ir::Layout layout);

 private:
  using Permutation = std::vector<std::int64_t>;  // by dimension of the array: dimension of its parent; empty: the same

  void join_arrays_of(ir::Instruction instruction);
  void join_values(ir::InstructionId a, std::size_t first_a, ir::InstructionId b, std::size_t first_b,
                   std::size_t count);
  void join_whole(ir::InstructionId a, ir::InstructionId b) { join_values(a, 0, b, 0, array_count(a)); }
  void join(ArrayId a, ArrayId b, const Permutation &a_to_b = {});

  const ir::Module &module_;
  std::vector<ArrayId> first_;    // by instruction id, with one more at the end
  std::vector<ArrayId> parents_;  // by array
  std::vector<Permutation> to_parent_;
};

// The arrays of a shape, from left to right.
std::vector<const ir::Shape *> arrays_of(const ir::Shape &shape);

}  // namespace bp::passes
