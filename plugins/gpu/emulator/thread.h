// What the code of an emulated kernel and the emulator know of each other.
#pragma once

#include <cstdint>

#include "plugins/nvptx/tensor_map.h"

namespace bp::nvptx {

enum class EmulatedWait : std::uint32_t { None, Warp, Block };

// What a warpgroup multiplies with one instruction: 32 bytes along the contracted axis, by their descriptors
// (warpgroup_unit.h), into `sums` sums of each of its threads. element: a emit::MatrixElement.
struct EmulatedSlices {
  std::uint64_t rows, columns;
  std::uint32_t rows_have_contracted_lines, columns_have_contracted_lines;
  std::uint32_t element, sums;
};

// A tensor map as a kernel gets it: of the array at this address.
struct EmulatedMap {
  const TensorMap *map;
  std::uint64_t address;
};

// One thread. Those of a block lie next to each other, by number.
struct EmulatedThread {
  std::uint32_t thread, threads;  // in its block
  std::uint32_t block, blocks;    // in the grid
  EmulatedWait waits_for;         // None: it has ended
  // What it shows the others of its warp: words[turn] next, so that a slow one still finds the last ones. A single word,
  // or what it has of both matrices (emit::MatrixUnit), or of a part of them.
  std::uint32_t turn;
  std::uint32_t words[2][6];
  void *shared;       // memory of the block, aligned to shared_alignment
  const void *shown;  // what was there when it was shown to the units last, and what copies itself since
  // Memory for the frame, aligned to 64 bytes, until the block has ended. Null if there is none: then the kernel returns.
  void *(*allocate)(EmulatedThread *thread, std::uint64_t bytes);
  // Adds to its sums, by what the threads of the warp showed in that turn. element: a emit::MatrixElement; of a MatrixPart
  // of so many rows and bytes.
  void (*multiply_part)(const EmulatedThread *thread, std::uint32_t turn, std::uint32_t element, std::uint32_t rows,
                        std::uint32_t contracted_bytes, void *sums);
  // Loads the lines that they showed, by address: four words.
  void (*load_matrices)(const EmulatedThread *thread, std::uint32_t turn, std::uint32_t are_turned, void *words);
  // Adds to its sums, by what is in the memory of the block: some threads at once, the others when they finish.
  void (*multiply_slices)(EmulatedThread *thread, const EmulatedSlices *slices, void *sums);
  void (*finish_slices)(EmulatedThread *thread, void *sums);
  EmulatedSlices unfinished[4];  // in their order
  std::uint32_t unfinished_count;
  void (*show_to_unit)(EmulatedThread *thread);
  // As emit::Team says; boxes are copied no sooner than a thread waits for them. map: an EmulatedMap. coordinates: i32.
  void (*make_barrier)(EmulatedThread *thread, void *barrier);
  void (*expect_bytes)(EmulatedThread *thread, void *barrier, std::uint32_t bytes);
  void (*copy_box)(EmulatedThread *thread, const void *map, const std::int32_t *coordinates, void *to, void *barrier);
  void (*wait_for_phase)(EmulatedThread *thread, void *barrier, std::uint32_t is_odd);
  // 16 bytes, or zeros, which are copied no sooner than the thread waits for them; as emit::Team says.
  void (*start_copy)(EmulatedThread *thread, void *to, const void *from, std::uint32_t is_there);
  void (*end_copies)(EmulatedThread *thread);
  void (*wait_for_copies)(EmulatedThread *thread, std::uint32_t last);
  // It is about to touch memory; is_write: not to read it. Called by kernels that were made to find races.
  void (*touch)(const void *address, std::uint64_t bytes, std::uint64_t is_write);
  std::uint32_t is_wanted;  // 0: nothing depends on what it reads
  void *emulator;           // its own
};

// pointers: the kernel's arguments. A kernel whose threads cooperate is a coroutine: it returns its frame where it waits
// for the first time; calling the function that the frame begins with goes on from there.
using EmulatedKernel = void *(*)(void *const *pointers, EmulatedThread *thread);

// The table of all kernels of a program, by number.
inline constexpr const char *kernel_table_name = "bp_kernels";

}  // namespace bp::nvptx
