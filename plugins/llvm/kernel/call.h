// Kernel call: which memory an instruction reads and writes, and which instructions may share one kernel. What a
// program's driver, native code or a list of launches, passes to kernels.
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plugins/llvm/kernel/kernel.h"
#include "plugins/llvm/module_view.h"

namespace bp::emit {

// Where a value lies, such that equal locations are equal memory.
struct Location {
  std::uint32_t allocation = BP_NONE;  // as the program addresses it
  std::uint32_t memory = BP_NONE;      // an output donated an input is that input
  std::uint64_t offset = 0, size = 0;  // bytes

  bool exists() const { return allocation != BP_NONE; }
  bool same(const Location &other) const { return memory == other.memory && offset == other.offset; }
  bool overlaps(const Location &other) const {
    return memory == other.memory && offset < other.offset + other.size && other.offset < offset + size;
  }
};
// One that does not exist for tokens, and values of embedded computations.
Location location_of(const ModuleView &module, std::uint32_t value);
// The alignment of its first byte, at most 64.
std::uint64_t alignment_of(const ModuleView &module, const Location &location);

struct KernelArgument {
  Location location;
  std::uint64_t alignment = 1;
  bool is_written = false;
  bool is_shared = false;  // overlaps another one, and one of the two is written
};

struct KernelCall {
  std::vector<KernelArgument> arguments;  // each value once
  std::vector<int> operands;              // by operand: its argument, or -1 if the kernel knows its value
  std::vector<int> results;               // by result: its argument
  std::vector<int> in_place;              // by result: the operand that lies in the same memory, or -1
  std::string signature;                  // equal if one kernel does for both
};
// The instruction has a kernel (kernel_problem), and its operands and results have memory.
KernelCall kernel_call(InstructionView instruction);

// Says of a kernel's first parameters what is known of these arguments.
void describe_arguments(llvm::Function &kernel, const KernelCall &call);
// With a pointer for each argument; scratch and range are left to the caller.
KernelSite kernel_site(InstructionView instruction, const KernelCall &call, std::span<llvm::Value *const> pointers);

// The same array has the same bytes.
bool same_storage(const Shape &a, const Shape &b);
// Nothing, or how an operand or result lacks memory, as the end of a sentence that begins with the instruction's name.
std::string memory_problem(InstructionView instruction);
bool has_no_elements(InstructionView instruction);

}  // namespace bp::emit
