// Teams in the blocks of a GPU: as many teams of one size as a block has threads for. Neighbouring threads belong to
// one team, or to teams that lie side by side, so that they read neighbours in memory either way.
#pragma once

#include "plugins/gpu/launch_plan.h"
#include "plugins/gpu/threads.h"
#include "plugins/llvm/generator/team.h"
#include "plugins/llvm/kernel/kernel.h"

namespace bp::gpu {

struct TeamSize {
  std::int64_t threads = 1, per_block = 1;  // both powers of two; a block is a whole number of warps
  // The distance between threads of a team, a power of two, which is the number of teams that lie side by side.
  std::int64_t stride = 1;

  // The number of threads of a team that can exchange values.
  std::int64_t exchange_width(std::int64_t warp_size) const {
    return std::min(threads, std::max<std::int64_t>(warp_size / stride, 1));
  }
};
// Returns teams for `rows` rows of `length` elements each, such that the whole GPU is busy and threads have about equal
// shares. max_threads: the limit for a team, a power of two.
TeamSize team_size(std::int64_t rows, std::int64_t length, std::int64_t max_threads, const Target &target);
// Returns teams for columns, which lie side by side: teams of one thread if more threads would not be faster.
// max_threads: the limit for a block.
TeamSize team_size(const emit::ColumnWork &work, std::int64_t max_threads, const Target &target);
// Returns how `teams` teams of `threads` threads each, a power of two, share blocks, if a team needs `bytes_of_team`
// bytes of memory. The teams of a single warp may still need more memory than a block has.
TeamSize block_of_teams(std::int64_t threads, std::int64_t teams, std::int64_t bytes_of_team, const Target &target);
// Returns the bytes of shared memory of a block whose teams need `bytes_of_team` bytes each.
std::uint32_t shared_bytes_of(const TeamSize &size, std::int64_t bytes_of_team);

class BlockTeam final : public emit::Team {
 public:
  // The builder stands at the start of the kernel; there are `items` items of work, one for each team of the grid.
  BlockTeam(llvm::IRBuilderBase &builder, const Threads &threads, const KernelFrame &frame, const TeamSize &size,
            std::int64_t items);

  llvm::Value *item() const { return item_; }  // i64; a valid item even if the team has no work
  // The views for which the kernel has tensor maps, the first ones of the frame's.
  const std::vector<emit::TensorView> &views() const { return views_; }

  std::int64_t size() const override { return size_.threads; }
  std::int64_t exchange_width() const override { return size_.exchange_width(threads_.target().warp_size); }
  llvm::Value *member() const override { return member_; }
  llvm::Value *has_work() const override { return has_work_; }
  void wait(llvm::IRBuilderBase &builder) override;
  llvm::Value *shuffle_xor(llvm::IRBuilderBase &builder, llvm::Value *value, std::uint32_t mask) override;
  bool has_matrix_unit(emit::MatrixElement element) const override {
    return threads_.target().warp_size == matrix_lanes && size_.threads >= 2 * matrix_lanes &&
           threads_.matrix_part(element).has_value();
  }
  std::vector<llvm::Value *> mma(llvm::IRBuilderBase &builder, emit::MatrixElement element,
                                 std::span<llvm::Value *const> a, std::span<llvm::Value *const> b,
                                 std::span<llvm::Value *const> sums) override;
  std::vector<llvm::Value *> ldmatrix(llvm::IRBuilderBase &builder, llvm::Value *line, bool transposed) override {
    return threads_.ldmatrix(builder, frame_, line, transposed);
  }
  bool has_warpgroup_unit(emit::MatrixElement element) const override {
    return size_.per_block == 1 && size_.threads % emit::WarpgroupUnit::members == 0 &&
           threads_.has_warpgroup_unit(element);
  }
  std::vector<llvm::Value *> wgmma(llvm::IRBuilderBase &builder, emit::MatrixElement element,
                                   const emit::WarpgroupSlice &rows, const emit::WarpgroupSlice &columns,
                                   std::span<llvm::Value *const> sums) override {
    return threads_.wgmma(builder, frame_, element, rows, columns, sums);
  }
  std::vector<llvm::Value *> wgmma_wait(llvm::IRBuilderBase &builder, std::span<llvm::Value *const> sums) override {
    return threads_.wgmma_wait(builder, frame_, sums);
  }
  void proxy_fence(llvm::IRBuilderBase &builder) override { threads_.proxy_fence(builder, frame_); }
  bool has_copy_engine() const override {
    return threads_.target().has_copy_engine && views_.size() < frame_.maps.size();
  }
  std::size_t add_view(const emit::TensorView &view) override {
    views_.push_back(view);
    return views_.size() - 1;
  }
  void init_mbarrier(llvm::IRBuilderBase &builder, llvm::Value *barrier) override {
    threads_.init_mbarrier(builder, frame_, barrier);
  }
  void mbarrier_expect_bytes(llvm::IRBuilderBase &builder, llvm::Value *barrier, std::uint32_t bytes) override {
    threads_.mbarrier_expect_bytes(builder, frame_, barrier, bytes);
  }
  void tma_load(llvm::IRBuilderBase &builder, std::size_t view, std::span<llvm::Value *const> coordinates,
                llvm::Value *to, llvm::Value *barrier) override {
    threads_.tma_load(builder, frame_, frame_.maps[view], coordinates, to, barrier);
  }
  void mbarrier_wait(llvm::IRBuilderBase &builder, llvm::Value *barrier, llvm::Value *is_odd) override {
    threads_.mbarrier_wait(builder, frame_, barrier, is_odd);
  }
  bool has_async_copy() const override { return threads_.target().threads.gpu.has_async_copy; }
  void cp_async(llvm::IRBuilderBase &builder, llvm::Value *to, llvm::Value *from, llvm::Value *is_there) override {
    threads_.cp_async(builder, frame_, to, from, is_there);
  }
  void cp_async_commit(llvm::IRBuilderBase &builder) override { threads_.cp_async_commit(builder, frame_); }
  void cp_async_wait(llvm::IRBuilderBase &builder, std::uint32_t last) override {
    threads_.cp_async_wait(builder, frame_, last);
  }
  std::int64_t max_memory_bytes() const override;
  std::int64_t whole_memory_bytes() const override {
    return threads_.target().max_shared_bytes / size_.per_block / 64 * 64;
  }
  llvm::Value *memory(llvm::IRBuilderBase &builder, std::int64_t bytes) override;

 private:
  const Threads &threads_;
  const KernelFrame &frame_;
  TeamSize size_;
  llvm::Value *member_, *number_, *item_, *has_work_ = nullptr;  // number_: index of the team in its block
  std::vector<emit::TensorView> views_;
};

}  // namespace bp::gpu
