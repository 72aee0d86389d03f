// A kernel as the merging of fusions sees it: which elements it walks over, and at which of them it wants its operands.
#pragma once

#include <optional>
#include <vector>

#include "core/ir/module.h"

namespace bp::passes {

// Where a kernel wants an operand while it is at an element of what it walks.
struct Access {
  enum class Kind : std::uint8_t {
    Nowhere,    // not at all
    AtPlace,    // at the same element
    PerRow,     // one element for all that agree in the dimensions `rows`
    Elsewhere,  // at others
  };
  Kind kind = Kind::Nowhere;
  std::vector<std::int64_t> rows;  // dimensions of what is walked, ascending, without those of size 1
  bool operator==(const Access &) const = default;
};

// An elementwise op, a reduce, or a fusion of such with a walk of its own: all results have the elements that are
// walked, or one for each row of them.
struct Kernel {
  std::vector<std::int64_t> sizes;    // of what is walked
  std::vector<std::int64_t> reduced;  // dimensions of a row, ascending; empty if nothing is reduced
  std::vector<Access> operands;       // by operand
  std::vector<bool> is_per_row;       // by result: one element for each row
  std::size_t size = 0;               // see fused_size()
  std::size_t reductions = 0;         // each goes through the row once
};

// What an instruction, or the body of a fusion, counts against a device's limit: scalar constants and what repeats them
// are operands of what uses them, and count nothing.
std::size_t fused_size(const ir::Instruction &instruction);

// How far apart in the program kernels that become one may lie: what is far away would only live longer.
constexpr std::size_t farthest_fused = 128;

// Each element of the result is made of the same elements of the operands. A copy is not among these: it may be wanted
// for the place it makes, or the layout.
inline bool is_elementwise(const ir::Instruction &instruction) {
  return instruction.is(ir::Trait::Elementwise) && instruction.opcode() != ir::Opcode::Copy;
}

// Elementwise ops of an instruction or a few: to do them again costs less than to read what they gave.
bool is_cheap(ir::Opcode opcode);

// What an instruction does as a kernel; nothing if it is none of this kind. Linear in its fused computation.
std::optional<Kernel> describe_kernel(const ir::Instruction &instruction);

}  // namespace bp::passes
