// The interface between the code of an emulated kernel and the emulator.
#pragma once

#include <cstdint>

#include "plugins/gpu/tensor_map.h"

namespace bp::gpu {

enum class EmulatedWait : std::uint32_t { None, Warp, Block };

// One step of a slice of an emit::WarpgroupUnit, of rows or of columns (slice_layout.h).
struct EmulatedSlice {
  std::uint64_t start;  // bytes from the start of the block's memory
  std::uint64_t leading, stride;
  std::uint64_t has_contracted_lines;
};
// A multiplication of a step of two slices, 32 bytes along the contracted axis. Each thread has `sums` sums.
struct EmulatedProduct {
  EmulatedSlice rows, columns;
  std::uint32_t element, sums;  // element: an emit::MatrixElement
};

// A tensor map as a kernel gets it, with the address of the array.
struct EmulatedMap {
  const TensorMap *map;
  std::uint64_t address;
};

// One thread. The threads of a block are neighbours in memory, by number. The functions are the emulator's; those that
// are named like functions of Threads do what these say.
struct EmulatedThread {
  std::uint32_t thread, threads;  // index in the block, and number of threads in the block
  std::uint32_t block, blocks;    // index in the grid, and number of blocks in the grid
  std::uint32_t warp_size;
  EmulatedWait waits_for;  // None: the thread has ended
  // Words that the thread shows the others of its warp. The next words go to words[turn], so that a slow thread still
  // finds the last ones. They are a single word, or the thread's words of both matrices (emit::MatrixUnit), or of a
  // part of them.
  std::uint32_t turn;
  std::uint32_t words[2][6];
  void *shared;         // memory of the block, aligned to shared_alignment
  const void *visible;  // a copy of that memory as the units see it
  // Memory for the coroutine's frame, aligned to 64 bytes, until the block has ended; or null: then the kernel returns.
  void *(*allocate)(EmulatedThread *thread, std::uint64_t bytes);
  // Adds to the thread's sums, from what the threads of the warp showed in that turn. element: an emit::MatrixElement.
  // rows, contracted_bytes: those of a MatrixPart.
  void (*mma)(const EmulatedThread *thread, std::uint32_t turn, std::uint32_t element, std::uint32_t rows,
              std::uint32_t contracted_bytes, void *sums);
  // Loads four words from the lines whose addresses the threads of the warp showed.
  void (*ldmatrix)(const EmulatedThread *thread, std::uint32_t turn, std::uint32_t transposed, void *words);
  // Adds to the thread's sums, from the memory of the block. Some threads read it at once, the others when they finish.
  void (*wgmma)(EmulatedThread *thread, const EmulatedProduct *product, void *sums);
  void (*wgmma_wait)(EmulatedThread *thread, void *sums);
  EmulatedProduct unfinished[4];  // in their order
  std::uint32_t unfinished_count;
  void (*proxy_fence)(EmulatedThread *thread);
  void (*init_mbarrier)(EmulatedThread *thread, void *barrier);
  void (*mbarrier_expect_bytes)(EmulatedThread *thread, void *barrier, std::uint32_t bytes);
  // A box is copied no sooner than a thread waits for it. map: an EmulatedMap. coordinates: i32.
  void (*tma_load)(EmulatedThread *thread, const void *map, const std::int32_t *coordinates, void *to, void *barrier);
  void (*mbarrier_wait)(EmulatedThread *thread, void *barrier, std::uint32_t is_odd);
  // 16 bytes are copied, or zeros written, no sooner than the thread waits for them.
  void (*cp_async)(EmulatedThread *thread, void *to, const void *from, std::uint32_t is_there);
  void (*cp_async_commit)(EmulatedThread *thread);
  void (*cp_async_wait)(EmulatedThread *thread, std::uint32_t last);
  // Notes that the running thread is about to read or write memory. Called by kernels that were made to find races.
  void (*access)(const void *address, std::uint64_t bytes, std::uint64_t is_write);
  std::uint32_t has_work;  // 0: nothing depends on what the thread reads
  void *emulator;          // the emulator's own data
};

// pointers: the kernel's arguments. A kernel whose threads cooperate is a coroutine: it returns its frame where it
// waits for the first time; calling the function pointer at the start of the frame continues from there.
using EmulatedKernel = void *(*)(void *const *pointers, EmulatedThread *thread);

// The name of the table of all kernels of a program, by number.
inline constexpr const char *kernel_table_name = "bp_kernels";

}  // namespace bp::gpu
