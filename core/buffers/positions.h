// Positions: numbers for the parts of shapes. A position is a part's index in pre-order (Shape::subshape); an array
// part is called a leaf. Computed once per interned shape, so that walks over a module never walk shapes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::buffers {

struct Leaf {
  std::uint32_t position = 0;
  std::int64_t size = 0;  // bytes
  std::int64_t memory_space = 0;
};

struct ShapePositions {
  std::uint32_t count = 0;              // number of positions: 1 for an array
  std::vector<std::uint32_t> elements;  // for a tuple: the positions of its elements
  std::vector<Leaf> leaves;             // the arrays, in order; tokens and opaque values take no memory
};

// The positions of all instructions of a module, in its state when the table is made.
class PositionTable {
 public:
  // OutOfMemory if the program's tuples have more than about 67 million parts, or an array's bytes exceed 2^62;
  // Unsupported for arrays of unbounded size.
  static Result<PositionTable> make(const ir::Module &module);

  const ShapePositions &of(ir::Instruction instruction) const { return shapes_[index(instruction.shape_id())]; }
  // Equal to Shape::index_of_subshape(), but fast even for wide tuples.
  std::vector<std::int64_t> index_of(ir::Instruction instruction, std::size_t position) const;
  // Returns the index of an instruction's position 0 in an array that has one entry per position of the module.
  std::size_t first(ir::InstructionId instruction) const { return first_[index(instruction)]; }
  std::size_t total() const { return first_.back(); }

 private:
  std::vector<ShapePositions> shapes_;  // by ShapeId; empty where no instruction has the shape
  std::vector<std::size_t> first_;      // by InstructionId, with one more entry at the end
};

}  // namespace bp::buffers
