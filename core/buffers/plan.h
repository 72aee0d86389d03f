// Plan: the slices of all values of a module. Made by assign() (assign.h), checked by validate() (validate.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/ir/module.h"

namespace bp::buffers {

enum class AllocationKind {
  Input,   // given by the caller: one per array leaf of the entry's parameters
  Output,  // given by the caller: one per array leaf of the entry's root
  // One or, if sizes are limited, several per memory space; shared by values that are not needed after the run.
  Temporary,
  Constant,  // filled once, before the first run; equal literals share one
};
std::string_view to_string(AllocationKind kind);

// One contiguous block of memory.
struct Allocation {
  AllocationKind kind = AllocationKind::Temporary;
  std::int64_t size = 0;  // bytes
  std::int64_t alignment = 64;
  std::int64_t memory_space = 0;
  // Input: number of the leaf, counting the array leaves of all parameters in order (tuples flattened in pre-order).
  // Output: number of the leaf of the root, counted the same way. Otherwise -1.
  std::int64_t index = -1;
  // Output: the Input allocation that is donated to it, so that both are one block; -1: none. Values in such a block
  // have slices of the Input, so that equal memory always means equal slices.
  std::int64_t alias = -1;
  // Constant: the instruction that holds the literal, and the position of the array in it.
  ir::InstructionId constant = ir::no_instruction;
  std::uint32_t constant_position = 0;
};

struct Slice {
  std::uint32_t allocation = 0;
  std::int64_t offset = 0;  // bytes
  std::int64_t size = 0;
  bool operator==(const Slice &) const = default;
};

class Plan {
 public:
  std::vector<Allocation> allocations;

  // Returns the slice of the array at a position (Shape::subshape) of an instruction of a control computation; nullopt
  // for tuples, tokens and instructions of embedded computations.
  std::optional<Slice> slice(ir::InstructionId instruction, std::size_t position = 0) const;
  void set_slice(ir::InstructionId instruction, std::size_t position, Slice slice);

  // Returns the bytes that all allocations take while the program runs, without the backend's own scratch memory; an
  // Output that aliases an Input is counted once.
  std::int64_t total_bytes() const;
  std::int64_t bytes(AllocationKind kind) const;

 private:
  // By instruction id: the slices of its positions; empty if it has none.
  std::vector<std::vector<std::optional<Slice>>> slices_;
};

}  // namespace bp::buffers
