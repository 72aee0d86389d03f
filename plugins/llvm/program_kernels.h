// The kernels of a program, and the code of the driver that calls them: each kernel is emitted once, into one of
// several modules that are compiled in parallel, and threads share the work of those that take long.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "plugins/llvm/code_units.h"
#include "plugins/llvm/generator/kernel_site.h"
#include "plugins/llvm/kernel/call.h"

namespace bp::emit {

llvm::Module *add_unit(Program &program, const ProgramOptions &options, const std::string &name);

// Emits the load of a member of the bp_aot_caller that the current function of the driver has.
llvm::Value *load_from_caller(llvm::IRBuilder<> &builder, std::size_t offset);

class ProgramKernels {
 public:
  // The driver is the unit of the functions that call kernels. All of this must outlive the object.
  ProgramKernels(const ProgramOptions &options, Program &program, llvm::Module &driver)
      : options_(options), program_(program), driver_(driver) {}

  // Tells that the next calls are in another function of the driver.
  void begin_function() { inlined_instructions_ = 0; }

  // Emits the call of an instruction's kernel with the pointers of its arguments. A small kernel becomes part of a
  // function with a small loop, unless that has many instructions already.
  void emit_call(llvm::IRBuilder<> &builder, InstructionView instruction, const KernelCall &call,
                 std::vector<llvm::Value *> pointers, bool is_in_small_loop);

 private:
  struct EmittedKernel {
    std::string name;
    std::size_t arguments = 0;  // pointers
    KernelWork work = {};
    std::int64_t common_bytes = 0;
    bool is_shared = false;     // has a task function
    unsigned instructions = 0;  // of LLVM, if it is to be inlined
  };

  const EmittedKernel &kernel_of(InstructionView instruction, const KernelCall &call, bool is_in_small_loop);
  EmittedKernel emit_kernel(InstructionView instruction, const KernelCall &call, llvm::Module &unit);
  void run_steps(llvm::IRBuilder<> &builder, const EmittedKernel &kernel, std::span<llvm::Value *const> pointers,
                 llvm::Value *scratch);
  void run_items(llvm::IRBuilder<> &builder, const EmittedKernel &kernel, std::span<llvm::Value *const> pointers,
                 llvm::Value *scratch, llvm::Value *begin, std::int64_t items);
  void share(llvm::IRBuilder<> &builder, const EmittedKernel &kernel, std::span<llvm::Value *const> pointers,
             llvm::Value *scratch, llvm::Value *begin, llvm::Value *end);
  llvm::Module *unit_for_kernel();

  const ProgramOptions &options_;
  Program &program_;
  llvm::Module &driver_;
  llvm::Module *kernel_unit_ = nullptr;
  std::size_t kernels_in_unit_ = 0, kernel_count_ = 0;
  std::unordered_map<std::string, EmittedKernel> kernels_, inlined_kernels_;  // by signature
  unsigned inlined_instructions_ = 0;                                         // in the current function
};

}  // namespace bp::emit
