#include "plugins/gpu/emulator/emulator.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "plugin_api/cpp/call.h"
#include "plugins/gpu/dependences.h"
#include "plugins/gpu/emulator/host_target.h"
#include "plugins/gpu/emulator/race_detector.h"
#include "plugins/gpu/emulator/thread.h"
#include "plugins/gpu/emulator/units.h"
#include "plugins/llvm/linker.h"

namespace bp::gpu {
namespace {

using plugin::after_writing;
using plugin::Error;
using plugin::Result;
using plugin::Status;

// A block whose threads take turns on a thread of the host: each runs until it waits for the others. The turns go up
// and down the numbers, so that a thread that should have waited for another one misses its results. Blocks run one
// after the other.
class EmulatedBlock {
 public:
  // ranges: the arguments, where races are looked for.
  EmulatedBlock(std::uint32_t warp_size, EmulatedKernel kernel, std::span<void *const> pointers, const Grid &grid,
                std::vector<RaceDetector::Range> ranges)
      : warp_size_(warp_size),
        kernel_(kernel),
        pointers_(pointers),
        grid_(grid),
        threads_(grid.threads),
        frames_(grid.threads),
        shared_(grid.shared_bytes == 0 ? nullptr : allocate(grid.shared_bytes, shared_alignment)),
        visible_(grid.shared_bytes == 0 ? nullptr : allocate(grid.shared_bytes)),
        races_(with_shared(std::move(ranges)), warp_size) {}

  Status run(std::uint32_t number) {
    barriers_.clear();
    fence_count_ = 0;
    if (grid_.shared_bytes > 0) {
      if (shared_ == nullptr || visible_ == nullptr) {
        return no_memory();
      }
      poison(shared_.get(), grid_.shared_bytes);
      poison(visible_.get(), grid_.shared_bytes);
      races_.forget(reinterpret_cast<std::uint64_t>(shared_.get()), grid_.shared_bytes);
    }
    block_waits_ = 0;
    for (std::uint32_t i = 0; i < grid_.threads; ++i) {
      start(i, number);
    }
    if (lacks_memory_) {
      return no_memory();
    }
    for (;;) {
      if (!run_warps()) {
        return differ("warp");
      }
      BP_TRY(check());
      if (threads_[0].waits_for == EmulatedWait::None) {
        return {};
      }
      fence_count_ = 0;
      for (Frame &frame : frames_) {
        frame.has_fence = false;
      }
      ++block_waits_;
      resume(threads_);
    }
  }

 private:
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<void, Free>;
  static constexpr std::size_t copy_bytes = 16;
  struct Copy {
    void *to;
    const void *from;  // null: zeros
  };
  struct Box {
    const EmulatedMap *map;
    std::array<std::int32_t, TensorMap::max_dimensions> first;
    void *to;
  };
  struct Barrier {
    std::uint64_t ended = 0, expected = 0;  // number of ended phases; expected bytes of the next one
    std::vector<Box> boxes;                 // of the next phase
  };
  struct Frame {
    void *handle = nullptr;
    Memory memory;
    std::uint64_t bytes = 0;
    std::vector<std::vector<Copy>> copies;  // not yet done, by group; the last group is not committed
    bool has_fence = false;                 // has executed a proxy fence since the block waited
    std::uint32_t warp_waits = 0;
  };

  // Runs a thread of a block until it waits.
  void start(std::uint32_t i, std::uint32_t block) {
    threads_[i] = {.thread = i,
                   .threads = grid_.threads,
                   .block = block,
                   .blocks = grid_.blocks,
                   .warp_size = warp_size_,
                   .waits_for = EmulatedWait::None,
                   .turn = 0,
                   .words = {},
                   .shared = shared_.get(),
                   .visible = visible_.get(),
                   .allocate = allocate_frame,
                   .mma = mma,
                   .ldmatrix = ldmatrix,
                   .wgmma = wgmma,
                   .wgmma_wait = wgmma_wait,
                   .unfinished = {},
                   .unfinished_count = 0,
                   .proxy_fence = proxy_fence,
                   .init_mbarrier = init_mbarrier,
                   .mbarrier_expect_bytes = mbarrier_expect_bytes,
                   .tma_load = tma_load,
                   .mbarrier_wait = mbarrier_wait,
                   .cp_async = cp_async,
                   .cp_async_commit = cp_async_commit,
                   .cp_async_wait = cp_async_wait,
                   .access = access,
                   .has_work = 1,
                   .emulator = this};
    frames_[i].copies.assign(1, {});
    frames_[i].has_fence = false;
    frames_[i].warp_waits = 0;
    running = &threads_[i];
    frames_[i].handle = kernel_(pointers_.data(), &threads_[i]);
  }

  // Runs all warps until no thread waits for its warp. Returns false if threads of a warp wait for different things.
  bool run_warps() {
    for (std::uint32_t first = 0; first < grid_.threads; first += warp_size_) {
      const auto warp = std::span(threads_).subspan(first, std::min<std::size_t>(warp_size_, grid_.threads - first));
      while (warp[0].waits_for == EmulatedWait::Warp) {
        if (!all_wait_like(warp)) {
          return false;
        }
        for (const EmulatedThread &thread : warp) {
          ++frames_[thread.thread].warp_waits;
        }
        resume(warp);
      }
    }
    return true;
  }

  // Whether all went well until all threads wait for the block or have ended.
  Status check() const {
    if (lacks_memory_) {
      return no_memory();
    }
    if (!races_.first_race().empty()) {
      return Error(BP_INTERNAL, races_.first_race() + ", and neither waits for the other: the kernel is wrong");
    }
    if (waits_in_vain_) {
      return Error(BP_INTERNAL,
                   "a thread waits for a box that no thread copies, which would hang a GPU: the kernel is wrong");
    }
    return all_wait_like(threads_) ? Status() : differ("block");
  }

  static Memory allocate(std::uint64_t bytes, std::uint64_t alignment = 64) {
    return Memory(std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment));
  }
  static void *allocate_frame(EmulatedThread *thread, std::uint64_t bytes) {
    auto &block = *static_cast<EmulatedBlock *>(thread->emulator);
    Frame &frame = frame_of(thread);
    if (frame.bytes < bytes) {
      frame.memory = allocate(bytes);
      frame.bytes = frame.memory == nullptr ? 0 : bytes;
    }
    block.lacks_memory_ |= frame.memory == nullptr;
    return frame.memory.get();
  }
  static Frame &frame_of(EmulatedThread *thread) {
    return static_cast<EmulatedBlock *>(thread->emulator)->frames_[thread->thread];
  }
  static EmulatedBlock &block_of(EmulatedThread *thread) { return *static_cast<EmulatedBlock *>(thread->emulator); }
  static void init_mbarrier(EmulatedThread *thread, void *barrier) { block_of(thread).barriers_[barrier] = {}; }
  static void mbarrier_expect_bytes(EmulatedThread *thread, void *barrier, std::uint32_t bytes) {
    block_of(thread).barriers_[barrier].expected += bytes;
  }
  static void tma_load(EmulatedThread *thread, const void *map, const std::int32_t *coordinates, void *to,
                       void *barrier) {
    Box box = {static_cast<const EmulatedMap *>(map), {}, to};
    std::copy_n(coordinates, box.map->map->dimension_count, box.first.begin());
    block_of(thread).barriers_[barrier].boxes.push_back(box);
    poison(to, box_bytes(*box.map->map));
    block_of(thread).make_visible(to, box_bytes(*box.map->map));
  }
  static void mbarrier_wait(EmulatedThread *thread, void *at, std::uint32_t is_odd) {
    EmulatedBlock &block = block_of(thread);
    Barrier &barrier = block.barriers_[at];
    if (barrier.ended % 2 != is_odd) {
      return;
    }
    std::uint64_t bytes = 0;
    for (const Box &box : barrier.boxes) {
      copy_box(*box.map, box.first, thread->shared, box.to);
      block.make_visible(box.to, box_bytes(*box.map->map));
      bytes += box_bytes(*box.map->map);
    }
    block.waits_in_vain_ |= bytes == 0 || bytes != barrier.expected;
    barrier = {barrier.ended + 1, 0, {}};
  }
  // Makes memory no number: shared memory that nobody wrote, or that a copy may already have reached, although the copy
  // is only done when it is waited for.
  static void poison(void *memory, std::uint64_t bytes) { std::memset(memory, 0xff, bytes); }
  static void cp_async(EmulatedThread *thread, void *to, const void *from, std::uint32_t is_there) {
    poison(to, copy_bytes);
    frame_of(thread).copies.back().push_back({to, is_there != 0 ? from : nullptr});
  }
  static void cp_async_commit(EmulatedThread *thread) { frame_of(thread).copies.emplace_back(); }
  static void cp_async_wait(EmulatedThread *thread, std::uint32_t last) {
    std::vector<std::vector<Copy>> &groups = frame_of(thread).copies;
    while (groups.size() > last + 1) {
      for (const Copy &copy : groups.front()) {
        if (copy.from == nullptr) {
          std::memset(copy.to, 0, copy_bytes);
        } else {
          std::memcpy(copy.to, copy.from, copy_bytes);
        }
      }
      groups.erase(groups.begin());
    }
  }
  // The units see the memory as it is when the last thread of the block has its fence: no changes as long as one thread
  // has none, and no later writes.
  static void proxy_fence(EmulatedThread *thread) {
    EmulatedBlock &block = block_of(thread);
    bool &has_fence = frame_of(thread).has_fence;
    block.fence_count_ += !has_fence;
    has_fence = true;
    if (block.fence_count_ == block.grid_.threads) {
      block.make_visible(block.shared_.get(), block.grid_.shared_bytes);
    }
  }
  void make_visible(const void *memory, std::uint64_t bytes) {
    const auto offset = static_cast<const char *>(memory) - static_cast<const char *>(shared_.get());
    std::memcpy(static_cast<char *>(visible_.get()) + offset, memory, bytes);
  }
  // It is called from generated code, through which no exception may pass.
  static void access(const void *address, std::uint64_t bytes, std::uint64_t is_write) {
    if (running->has_work == 0 && is_write == 0) {
      return;
    }
    EmulatedBlock &block = block_of(running);
    try {
      block.races_.access({running->block, running->thread, block.block_waits_, frame_of(running).warp_waits},
                          reinterpret_cast<std::uint64_t>(address), bytes, is_write != 0);
    } catch (const std::bad_alloc &) {
      block.lacks_memory_ = true;
    }
  }
  std::vector<RaceDetector::Range> with_shared(std::vector<RaceDetector::Range> ranges) const {
    ranges.push_back({"shared memory", reinterpret_cast<std::uint64_t>(shared_.get()), grid_.shared_bytes});
    return ranges;
  }
  static Error no_memory() {
    return Error(BP_NO_MEMORY, "the host has no memory for the threads of an emulated block");
  }
  static bool all_wait_like(std::span<const EmulatedThread> threads) {
    return std::ranges::all_of(threads,
                               [&](const EmulatedThread &other) { return other.waits_for == threads[0].waits_for; });
  }
  static Error differ(const std::string &what) {
    return Error(BP_INTERNAL,
                 "threads of one " + what + " wait for different things, which would hang a GPU: the kernel is wrong");
  }
  void resume(std::span<const EmulatedThread> threads) {
    is_upwards_ = !is_upwards_;
    for (std::size_t i = 0; i < threads.size(); ++i) {
      running = &threads_[threads[is_upwards_ ? i : threads.size() - 1 - i].thread];
      void *handle = frame_of(running).handle;
      (*static_cast<void (**)(void *)>(handle))(handle);
    }
  }

  static thread_local EmulatedThread *running;

  const std::uint32_t warp_size_;
  EmulatedKernel kernel_;
  std::span<void *const> pointers_;
  Grid grid_;
  std::vector<EmulatedThread> threads_;
  std::vector<Frame> frames_;      // by thread
  Memory shared_, visible_;        // visible: as the units see it
  std::uint32_t fence_count_ = 0;  // number of threads with a fence since the block waited
  std::map<void *, Barrier> barriers_;
  RaceDetector races_;
  std::uint32_t block_waits_ = 0;
  bool is_upwards_ = true, lacks_memory_ = false, waits_in_vain_ = false;
};

thread_local EmulatedThread *EmulatedBlock::running = nullptr;

void *pointer(std::uint64_t address) {
  return reinterpret_cast<void *>(address);
}

// Commands of a segment are done last first, as far as their dependences let them, so that a missing dependence shows.
class EmulatedKernels final : public LoadedKernels {
 public:
  EmulatedKernels(Machine &machine, std::uint32_t warp_size, const LaunchPlan &plan,
                  std::unique_ptr<emit::LinkedObjects> code)
      : machine_(machine), warp_size_(warp_size), plan_(plan), code_(std::move(code)) {
    for (const Segment &segment : segments(plan)) {
      orders_.push_back(last_first(plan, segment));
    }
  }

  Status start(std::uint32_t segment, std::span<const std::uint64_t> bases) const override {
    for (const std::uint32_t command : orders_[segment]) {
      if (Status status = start(plan_.commands[command], bases); !status.ok()) {
        return command == orders_[segment].front() ? std::move(status) : after_writing(std::move(status).error());
      }
    }
    return {};
  }
  std::uint64_t resident_bytes() const override { return code_ == nullptr ? 0 : code_->mapped_bytes(); }

 private:
  Status start(const Command &command, std::span<const std::uint64_t> bases) const {
    const std::vector<std::uint64_t> addresses = addresses_of(plan_, command, bases);
    if (command.kind == CommandKind::Move) {
      return machine_.move(addresses[0], addresses[1], command.size);
    }
    std::vector<void *> pointers(addresses.size());
    std::ranges::transform(addresses, pointers.begin(), pointer);
    std::vector<EmulatedMap> maps;
    for (const TensorMap &map : maps_of(plan_, command)) {
      maps.push_back({&map, addresses[map.argument] + map.offset});
    }
    std::ranges::transform(maps, std::back_inserter(pointers), [](EmulatedMap &map) { return &map; });
    std::vector<RaceDetector::Range> ranges;
    for (const MemoryRange &range : ranges_of(plan_, command)) {
      const std::size_t number = ranges.size();
      ranges.push_back({"argument " + std::to_string(number), addresses[number], range.size});
    }
    EmulatedBlock block(warp_size_, static_cast<const EmulatedKernel *>(code_->symbol())[command.kernel], pointers,
                        command.grid, std::move(ranges));
    for (std::uint32_t number = 0; number < command.grid.blocks; ++number) {
      if (Status status = block.run(number); !status.ok()) {
        return number == 0 ? std::move(status) : after_writing(std::move(status).error());
      }
    }
    return {};
  }

  Machine &machine_;
  const std::uint32_t warp_size_;
  const LaunchPlan &plan_;
  std::unique_ptr<emit::LinkedObjects> code_;       // null: the plan has no kernel
  std::vector<std::vector<std::uint32_t>> orders_;  // by segment
};

class Emulator final : public Machine {
 public:
  Emulator(const Target &target, std::uint64_t memory_bytes)
      : warp_size_(static_cast<std::uint32_t>(target.warp_size)), left_(memory_bytes) {}
  ~Emulator() override {
    for (const auto &[address, size] : pieces_) {
      std::free(pointer(address));
    }
  }

  Result<std::uint64_t> allocate(std::uint64_t size, std::uint32_t alignment) override {
    std::lock_guard lock(mutex_);
    if (size > left_) {
      return Error(BP_NO_MEMORY, "the emulated GPU has " + std::to_string(left_) + " bytes left, but " +
                                     std::to_string(size) + " are requested");
    }
    const std::uint64_t step = std::max<std::uint64_t>(alignment, 64);
    void *memory = std::aligned_alloc(step, (size + step - 1) / step * step);
    if (memory == nullptr) {
      return Error(BP_NO_MEMORY, "the host has no " + std::to_string(size) + " bytes");
    }
    const auto address = reinterpret_cast<std::uint64_t>(memory);
    pieces_.emplace(address, size);
    left_ -= size;
    return address;
  }
  void release(std::uint64_t address) override {
    std::lock_guard lock(mutex_);
    if (const auto found = pieces_.find(address); found != pieces_.end()) {
      left_ += found->second;
      std::free(pointer(address));
      pieces_.erase(found);
    }
  }
  Status copy_in(std::uint64_t to, const void *from, std::uint64_t size) override {
    BP_TRY(check_range(to, size));
    std::memcpy(pointer(to), from, size);
    return {};
  }
  Status copy_out(void *to, std::uint64_t from, std::uint64_t size) override {
    BP_TRY(check_range(from, size));
    std::memcpy(to, pointer(from), size);
    return {};
  }
  Status move(std::uint64_t to, std::uint64_t from, std::uint64_t size) override {
    BP_TRY(check_range(to, size));
    BP_TRY(check_range(from, size));
    std::memmove(pointer(to), pointer(from), size);
    return {};
  }
  Status finish() override { return {}; }
  Result<std::shared_ptr<const plugin::Mark>> mark() override { return nullptr; }
  Status check() const override { return {}; }

  Result<std::unique_ptr<LoadedKernels>> load(const LaunchPlan &plan, std::span<const CodePart> parts) override {
    std::unique_ptr<emit::LinkedObjects> linked;
    if (plan.kernel_count > 0) {
      register_host_target();
      BP_ASSIGN(linked, emit::LinkedObjects::link({&parts[0].code, 1}, kernel_table_name));
    }
    return std::make_unique<EmulatedKernels>(*this, warp_size_, plan, std::move(linked));
  }

 private:
  Status check_range(std::uint64_t address, std::uint64_t size) const {
    std::lock_guard lock(mutex_);
    const auto next = pieces_.upper_bound(address);
    if (next != pieces_.begin()) {
      const auto &[start, length] = *std::prev(next);
      if (address - start <= length && size <= length - (address - start)) {
        return {};
      }
    }
    return Error(BP_INVALID, std::to_string(size) + " bytes at " + std::to_string(address) +
                                 " of the emulated GPU are not inside of a piece of its memory");
  }

  const std::uint32_t warp_size_;
  mutable std::mutex mutex_;
  std::uint64_t left_;                             // bytes
  std::map<std::uint64_t, std::uint64_t> pieces_;  // size by address
};

}  // namespace

std::unique_ptr<Machine> make_emulator(const Target &target, std::uint64_t memory_bytes) {
  return std::make_unique<Emulator>(target, memory_bytes);
}

}  // namespace bp::gpu
