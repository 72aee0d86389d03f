// Threads: the frame of a kernel, and what its code may ask of the machine that runs it. The same kernels are code for
// a GPU, or for the host, where an emulator calls them thread by thread.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plugins/llvm/generator/team.h"
#include "plugins/llvm/kernel/call.h"
#include "plugins/nvptx/target.h"

namespace bp::nvptx {

inline constexpr std::int64_t warp_size = 32;
// NVPTX's address spaces: of the GPU's memory, and of what a block shares.
inline constexpr unsigned global_space = 1, shared_space = 3;
inline constexpr std::uint64_t shared_alignment = 1024;

std::string kernel_name(std::uint32_t number);

// Threads of a block either do not know of each other, or wait for each other and share memory.
enum class Cooperation : std::uint8_t { None, Block };

struct KernelFrame {
  llvm::Function *function = nullptr;
  std::vector<llvm::Value *> pointers;  // by argument
  std::vector<llvm::Value *> maps;      // pointers to tensor maps, which come after the arguments
  llvm::Value *thread = nullptr;        // i64: in its block
  llvm::Value *block = nullptr;         // i64: in the grid
  llvm::Value *threads = nullptr;       // i64: of a block
  // Emulated threads that cooperate: where the code of a waiting one leaves, and its end.
  llvm::BasicBlock *suspended = nullptr, *ended = nullptr;
};

// What of emit::MatrixUnit's matrices one instruction multiplies: so many rows, by 8 columns, of so many bytes each. A thread
// has a word, or two sums, of every 8 of these rows, and likewise a word of every 16 of these bytes, in the unit's order.
struct MatrixPart {
  std::uint32_t rows, contracted_bytes;
};

// Code for one kind of machine. What waits or exchanges is for kernels whose threads cooperate, and must be reached by
// all threads of the warp, or of the block, together; a block is a whole number of warps.
class Threads {
 public:
  // may_round: as thread_target() has it.
  Threads(const Target &target, bool may_round) : target_(target), may_round_(may_round) {}
  virtual ~Threads() = default;
  emit::VectorTarget vector_target() const { return thread_target(target_, may_round_); }
  // The shared memory that a block may have at most.
  std::int64_t whole_shared_bytes() const { return target_.shared_bytes(); }
  // What one instruction of a warp multiplies; none where there is no such instruction.
  std::optional<MatrixPart> matrix_part(emit::MatrixElement element) const {
    using enum emit::MatrixElement;
    const bool is_whole = target_.version >= 80;
    switch (element) {
      case F16: return is_whole ? MatrixPart{16, 32} : MatrixPart{16, 16};
      case BF16: return is_whole ? std::optional(MatrixPart{16, 32}) : std::nullopt;
      case TF32: return is_whole && may_round_ ? std::optional(MatrixPart{16, 32}) : std::nullopt;
      default: return is_whole ? MatrixPart{16, 32} : MatrixPart{8, 16};
    }
  }
  bool has_warpgroup_unit(emit::MatrixElement element) const {
    return target_.has_warpgroup_unit() && element != emit::MatrixElement::TF32;
  }
  bool has_copy_engine() const { return target_.has_warpgroup_unit(); }
  bool copies_by_itself() const { return target_.version >= 80; }

  // A kernel with these arguments, and so many tensor maps; the builder then stands in its first block.
  virtual KernelFrame begin_kernel(llvm::Module &module, llvm::IRBuilderBase &builder, std::uint32_t number,
                                   std::size_t arguments, std::size_t maps, const emit::KernelCall *call,
                                   Cooperation cooperation) const = 0;
  // A thread is done.
  virtual void end_thread(llvm::IRBuilderBase &builder, const KernelFrame &frame) const = 0;
  // The same, once. It is started in blocks of at most so many threads; so many blocks at a time are to find registers
  // on a multiprocessor, however little memory is left for what a thread has no register for.
  virtual void end_kernel(llvm::IRBuilderBase &builder, const KernelFrame &frame, std::uint32_t threads,
                          std::uint32_t blocks) const = 0;
  // After all kernels.
  virtual void finish(llvm::Module &module, std::uint32_t kernels) const = 0;

  // Waits for the others of the warp, or of the block. What they wrote to shared memory before is there.
  virtual void wait_for_warp(llvm::IRBuilderBase &builder, const KernelFrame &frame) const = 0;
  virtual void wait_for_block(llvm::IRBuilderBase &builder, const KernelFrame &frame) const = 0;
  // The i32 that the thread `mask` away has (its number in the warp, with these bits turned).
  virtual llvm::Value *exchange(llvm::IRBuilderBase &builder, const KernelFrame &frame, llvm::Value *word,
                                std::uint32_t mask) const = 0;
  // sums + a * b, of a matrix_part() by a warp.
  virtual std::vector<llvm::Value *> multiply_part(llvm::IRBuilderBase &builder, const KernelFrame &frame,
                                                   emit::MatrixElement element, std::span<llvm::Value *const> a,
                                                   std::span<llvm::Value *const> b,
                                                   std::span<llvm::Value *const> sums) const = 0;
  // By a warpgroup, as emit::WarpgroupUnit says.
  virtual std::vector<llvm::Value *> multiply_slices(llvm::IRBuilderBase &builder, const KernelFrame &frame,
                                                     emit::MatrixElement element, const emit::WarpgroupSlice &rows,
                                                     const emit::WarpgroupSlice &columns,
                                                     std::span<llvm::Value *const> sums) const = 0;
  virtual std::vector<llvm::Value *> finish_slices(llvm::IRBuilderBase &builder, const KernelFrame &frame,
                                                   std::span<llvm::Value *const> sums) const = 0;
  virtual void show_to_unit(llvm::IRBuilderBase &builder, const KernelFrame &frame) const = 0;
  // As emit::Team says: of shared memory.
  virtual std::vector<llvm::Value *> load_matrices(llvm::IRBuilderBase &builder, const KernelFrame &frame,
                                                   llvm::Value *line, bool are_turned) const = 0;
  // map: one of the frame's, of so many dimensions as there are coordinates.
  virtual void make_barrier(llvm::IRBuilderBase &builder, const KernelFrame &frame, llvm::Value *barrier) const = 0;
  virtual void expect_bytes(llvm::IRBuilderBase &builder, const KernelFrame &frame, llvm::Value *barrier,
                            std::uint32_t bytes) const = 0;
  virtual void copy_box(llvm::IRBuilderBase &builder, const KernelFrame &frame, llvm::Value *map,
                        std::span<llvm::Value *const> coordinates, llvm::Value *to, llvm::Value *barrier) const = 0;
  virtual void wait_for_phase(llvm::IRBuilderBase &builder, const KernelFrame &frame, llvm::Value *barrier,
                              llvm::Value *is_odd) const = 0;
  virtual void start_copy(llvm::IRBuilderBase &builder, const KernelFrame &frame, llvm::Value *to, llvm::Value *from,
                          llvm::Value *is_there) const = 0;
  virtual void end_copies(llvm::IRBuilderBase &builder, const KernelFrame &frame) const = 0;
  virtual void wait_for_copies(llvm::IRBuilderBase &builder, const KernelFrame &frame, std::uint32_t last) const = 0;
  // Nothing depends on what the thread reads from here on, unless it is wanted.
  virtual void note_wanted(llvm::IRBuilderBase &, const KernelFrame &, llvm::Value * /*is_wanted*/) const {}
  // The memory of the block, aligned to shared_alignment; its size is said by the launch.
  virtual llvm::Value *shared_memory(llvm::IRBuilderBase &builder, const KernelFrame &frame) const = 0;

 private:
  const Target target_;
  const bool may_round_;
};

std::unique_ptr<Threads> make_gpu_threads(const Target &target, bool may_round);
// finds_races: what the kernels touch is told to the emulator, which takes long.
std::unique_ptr<Threads> make_emulated_threads(const Target &target, bool may_round, bool finds_races);

}  // namespace bp::nvptx
