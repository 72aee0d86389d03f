// Threads: the frame of a kernel, and what its code may ask of the machine that runs it. The same kernels are code for
// a GPU, or for the host, where an emulator calls them thread by thread.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plugins/llvm/kernel_call.h"

namespace bp::nvptx {

// Which thread an emulated kernel is.
struct EmulatedThread {
  std::uint32_t thread, threads;  // in its block
  std::uint32_t block, blocks;    // in the grid
};
// pointers: the kernel's arguments.
using EmulatedKernel = void (*)(void *const *pointers, const EmulatedThread *thread);
// The table of all kernels of a program, by number.
inline constexpr const char *kernel_table_name = "bp_kernels";

std::string kernel_name(std::uint32_t number);

struct KernelFrame {
  llvm::Function *function = nullptr;
  std::vector<llvm::Value *> pointers;  // by argument
  llvm::Value *thread = nullptr;        // i64: in the grid
};

// Code for one kind of machine.
class Threads {
 public:
  virtual ~Threads() = default;
  // A kernel with these arguments; the builder then stands in its first block.
  virtual KernelFrame begin_kernel(llvm::Module &module, llvm::IRBuilderBase &builder, std::uint32_t number,
                                   std::size_t arguments, const emit::KernelCall *call) const = 0;
  // After all kernels.
  virtual void finish(llvm::Module &module, std::uint32_t kernels) const = 0;
};

std::unique_ptr<Threads> make_gpu_threads();
std::unique_ptr<Threads> make_emulated_threads();

}  // namespace bp::nvptx
