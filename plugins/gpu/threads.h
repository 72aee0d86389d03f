// Threads: the frame of a kernel, and what its code can ask of the machine that runs it. The same kernels become code
// for a GPU, or code for the host, where an emulator calls them thread by thread.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plugins/gpu/target.h"
#include "plugins/llvm/generator/team.h"
#include "plugins/llvm/kernel/call.h"

namespace bp::gpu {

// LLVM's address spaces of a GPU's memory and of the memory that a block shares, the same for NVPTX and AMDGPU.
inline constexpr unsigned global_space = 1, shared_space = 3;
inline constexpr std::uint64_t shared_alignment = 1024;

// The name of the kernel's function.
inline std::string kernel_name(std::uint32_t number) {
  return "kernel_" + std::to_string(number);
}

// Whether threads of a block wait for each other and share memory, or run as if they were alone.
enum class Cooperation : std::uint8_t { None, Block };

struct KernelFrame {
  llvm::Function *function = nullptr;
  std::vector<llvm::Value *> pointers;  // by argument
  std::vector<llvm::Value *> maps;      // pointers to tensor maps, which come after the arguments
  llvm::Value *thread = nullptr;        // i64: index of the thread in its block
  llvm::Value *block = nullptr;         // i64: index of the block in the grid
  llvm::Value *threads = nullptr;       // i64: number of threads of a block
  // For emulated threads that cooperate: the basic blocks through which a thread leaves the function when it waits, and
  // at its end.
  llvm::BasicBlock *suspended = nullptr, *ended = nullptr;
};

// Emits code for one kind of machine. Functions that wait or exchange values are for kernels whose threads cooperate,
// and must be reached by all threads of the warp, or of the block, together; a block is a whole number of warps.
//
// The functions for the matrix units, the copy engine and asynchronous copies are called only where the target has
// them; a backend without them leaves them as they are here.
class Threads {
 public:
  explicit Threads(Target target) : target_(std::move(target)) {}
  virtual ~Threads() = default;
  const Target &target() const { return target_; }
  std::optional<MatrixPart> matrix_part(emit::MatrixElement element) const {
    return target_.matrix_parts[static_cast<std::size_t>(element)];
  }
  bool has_warpgroup_unit(emit::MatrixElement element) const {
    return target_.threads.gpu.warpgroup_products[static_cast<std::size_t>(element)] != 0;
  }

  // Begins a kernel with `arguments` pointers as arguments and `maps` tensor maps; the builder then stands in its first
  // block. `call` describes the arguments, if it is not null.
  virtual KernelFrame begin_kernel(llvm::Module &module, llvm::IRBuilderBase &builder, std::uint32_t number,
                                   std::size_t arguments, std::size_t maps, const emit::KernelCall *call,
                                   Cooperation cooperation) const = 0;
  // Ends the thread.
  virtual void end_thread(llvm::IRBuilderBase &builder, const KernelFrame &frame) const = 0;
  // Ends the thread and the kernel, once. The kernel is started in blocks of at most `threads` threads. The registers
  // of a thread are limited so that `blocks` blocks fit on a multiprocessor at a time, even if values are then spilled.
  virtual void end_kernel(llvm::IRBuilderBase &builder, const KernelFrame &frame, std::uint32_t threads,
                          std::uint32_t blocks) const = 0;
  // Finishes the module, after all kernels.
  virtual void finish(llvm::Module &module, std::uint32_t kernels) const = 0;

  // Waits for the other threads of the warp (bar.warp.sync). What they wrote to shared memory before is visible then.
  virtual void wait_for_warp(llvm::IRBuilderBase &builder, const KernelFrame &frame) const = 0;
  // Waits for the other threads of the block (bar.sync). What they wrote to shared memory before is visible then.
  virtual void wait_for_block(llvm::IRBuilderBase &builder, const KernelFrame &frame) const = 0;
  // Returns the i32 of the thread whose index in the warp is this thread's index xor `mask` (shfl.sync.bfly).
  virtual llvm::Value *shuffle_xor(llvm::IRBuilderBase &builder, const KernelFrame &frame, llvm::Value *word,
                                   std::uint32_t mask) const = 0;
  // Returns the memory of the block, aligned to shared_alignment; its size is part of the launch.
  virtual llvm::Value *shared_memory(llvm::IRBuilderBase &builder, const KernelFrame &frame) const = 0;

  // Returns sums + a * b, for a matrix_part(), by a warp (mma.sync).
  virtual std::vector<llvm::Value *> mma(llvm::IRBuilderBase &, const KernelFrame &, emit::MatrixElement,
                                         std::span<llvm::Value *const> /*a*/, std::span<llvm::Value *const> /*b*/,
                                         std::span<llvm::Value *const> /*sums*/) const {
    return {};
  }
  // Loads four matrices of 8 lines of 16 bytes from shared memory, and distributes them over the warp as emit::Team
  // describes (ldmatrix).
  virtual std::vector<llvm::Value *> ldmatrix(llvm::IRBuilderBase &, const KernelFrame &, llvm::Value * /*line*/,
                                              bool /*transposed*/) const {
    return {};
  }

  // Starts a multiplication by the unit of a warpgroup, as emit::WarpgroupUnit describes it, and waits for the one
  // before (wgmma.fence, wgmma.mma_async, wgmma.commit_group, wgmma.wait_group 1).
  virtual std::vector<llvm::Value *> wgmma(llvm::IRBuilderBase &, const KernelFrame &, emit::MatrixElement,
                                           const emit::WarpgroupSlice & /*rows*/,
                                           const emit::WarpgroupSlice & /*columns*/,
                                           std::span<llvm::Value *const> /*sums*/) const {
    return {};
  }
  // Waits for the last multiplication (wgmma.wait_group 0).
  virtual std::vector<llvm::Value *> wgmma_wait(llvm::IRBuilderBase &, const KernelFrame &,
                                                std::span<llvm::Value *const> /*sums*/) const {
    return {};
  }
  // Makes what this thread wrote to shared memory visible to the warpgroup's unit and the copy engine
  // (fence.proxy.async).
  virtual void proxy_fence(llvm::IRBuilderBase &, const KernelFrame &) const {}

  // Makes a barrier in shared memory for one arrival (mbarrier.init), visible to the copy engine (fence.proxy.async).
  virtual void init_mbarrier(llvm::IRBuilderBase &, const KernelFrame &, llvm::Value * /*barrier*/) const {}
  // Arrives, and announces the number of bytes that will be copied (mbarrier.arrive.expect_tx).
  virtual void mbarrier_expect_bytes(llvm::IRBuilderBase &, const KernelFrame &, llvm::Value * /*barrier*/,
                                     std::uint32_t /*bytes*/) const {}
  // Starts to copy a box (cp.async.bulk.tensor). map: one of the frame's, with as many dimensions as there are
  // coordinates.
  virtual void tma_load(llvm::IRBuilderBase &, const KernelFrame &, llvm::Value * /*map*/,
                        std::span<llvm::Value *const> /*coordinates*/, llvm::Value * /*to*/,
                        llvm::Value * /*barrier*/) const {}
  // Waits for the end of an even or odd phase (mbarrier.try_wait.parity, again and again).
  virtual void mbarrier_wait(llvm::IRBuilderBase &, const KernelFrame &, llvm::Value * /*barrier*/,
                             llvm::Value * /*is_odd*/) const {}

  // Starts to copy 16 bytes to shared memory, or to write zeros there (cp.async).
  virtual void cp_async(llvm::IRBuilderBase &, const KernelFrame &, llvm::Value * /*to*/, llvm::Value * /*from*/,
                        llvm::Value * /*is_there*/) const {}
  // Makes a group of the copies started since the last call (cp.async.commit_group).
  virtual void cp_async_commit(llvm::IRBuilderBase &, const KernelFrame &) const {}
  // Waits for all groups of this thread but the `last` ones (cp.async.wait_group).
  virtual void cp_async_wait(llvm::IRBuilderBase &, const KernelFrame &, std::uint32_t /*last*/) const {}

  // Notes that, from here on, nothing depends on what the thread reads unless the i1 `has_work` is set. The emulator's
  // race detector then ignores these reads; other machines need no code for it.
  virtual void note_work(llvm::IRBuilderBase &, const KernelFrame &, llvm::Value * /*has_work*/) const {}

 private:
  const Target target_;
};

}  // namespace bp::gpu
