// Kernel call: the memory that an instruction reads and writes, and a signature that is equal for instructions that can
// share one kernel. Used by the drivers of programs (native code or a list of launches) to call kernels.
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plugins/llvm/generator/kernel_site.h"
#include "plugins/llvm/module_view.h"

namespace bp::emit {

// The memory of a value. Equal locations are the same memory.
struct Location {
  std::uint32_t allocation = BP_NONE;  // the allocation by which the program addresses it
  // Same as `allocation`, except that an output to which an input is donated has that input's allocation.
  std::uint32_t memory = BP_NONE;
  std::uint64_t offset = 0, size = 0;  // bytes

  bool exists() const { return allocation != BP_NONE; }
  bool same(const Location &other) const { return memory == other.memory && offset == other.offset; }
  bool overlaps(const Location &other) const {
    return memory == other.memory && offset < other.offset + other.size && other.offset < offset + size;
  }
};
// Returns the location of a value; it does not exist for tokens and values of embedded computations.
Location location_of(const ModuleView &module, std::uint32_t value);
// Returns the alignment of the location's first byte, at most 64.
std::uint64_t alignment_of(const ModuleView &module, const Location &location);

struct KernelArgument {
  Location location;
  std::uint64_t alignment = 1;
  bool is_written = false;
  bool is_shared = false;  // overlaps another argument, and at least one of the two is written
};

struct KernelCall {
  std::vector<KernelArgument> arguments;  // one for each different value
  std::vector<int> operands;              // by operand: its argument, or -1 if the kernel knows the value
  std::vector<int> results;               // by result: its argument
  std::vector<int> in_place;              // by result: the operand in the same memory, or -1
  std::string signature;                  // equal for calls that can use the same kernel
};
// Returns the call for an instruction that has a kernel (kernel_problem()) and whose operands and results have memory.
KernelCall kernel_call(InstructionView instruction);

// Adds attributes to a kernel's first parameters, according to what is known about these arguments.
void describe_arguments(llvm::Function &kernel, const KernelCall &call);
// Returns the site for one pointer per argument; the caller sets scratch and range.
KernelSite kernel_site(InstructionView instruction, const KernelCall &call, std::span<llvm::Value *const> pointers);

// Whether arrays of the same dimensions have the same bytes in both shapes.
bool same_storage(const Shape &a, const Shape &b);
// Returns why an operand or result has no memory, as the end of a sentence that begins with the instruction's name;
// empty if all have.
std::string memory_problem(InstructionView instruction);
bool has_no_elements(InstructionView instruction);

}  // namespace bp::emit
