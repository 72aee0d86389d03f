// Kernels as the merging of fusions sees them: the elements that a kernel walks over, and the elements of its operands
// that it reads at each of them.
#pragma once

#include <optional>
#include <vector>

#include "core/ir/module.h"

namespace bp::passes {

// Elements of an operand that a kernel reads for one element that it walks over.
struct Access {
  enum class Kind : std::uint8_t {
    None,        // none
    SameIndex,   // the element at the same index
    PerRow,      // one element for all elements that agree in the dimensions `rows`
    OtherIndex,  // other elements
  };
  Kind kind = Kind::None;
  std::vector<std::int64_t> rows;  // dimensions of the array walked over, ascending, without those of size 1
  bool operator==(const Access &) const = default;
};

// A kernel: an elementwise op, a reduce, or a fusion of these that walks over one array shape. Each result has one
// element per element walked over, or one per row.
struct Kernel {
  std::vector<std::int64_t> sizes;    // of the array walked over
  std::vector<std::int64_t> reduced;  // dimensions of a row, ascending; empty if nothing is reduced
  std::vector<Access> operands;       // by operand
  std::vector<bool> is_per_row;       // by result: whether it has one element per row
  std::size_t size = 0;               // see fused_size()
  std::size_t reductions = 0;         // number of reductions; each reads the row once
};

// Returns what an instruction, or the body of a fusion, counts against a device's limit of instructions. Scalar
// constants and broadcasts of them are immediate operands of their users, and count nothing.
std::size_t fused_size(const ir::Instruction &instruction);

// Maximum distance in the program of kernels that are merged. Merging kernels that are further apart would only extend
// lifetimes.
constexpr std::size_t farthest_fused = 128;

// Whether each element of the result is computed from the elements of the operands at the same index. False for copies,
// which may be there for their memory or their layout.
inline bool is_elementwise(const ir::Instruction &instruction) {
  return instruction.is(ir::Trait::Elementwise) && instruction.opcode() != ir::Opcode::Copy;
}

// Whether one or a few elementwise ops like this take less time to repeat than it takes to read their result.
bool is_cheap(ir::Opcode opcode);

// Describes an instruction as a kernel; returns nothing if it is no kernel of this kind. Linear in its fused
// computation.
std::optional<Kernel> describe_kernel(const ir::Instruction &instruction);

}  // namespace bp::passes
