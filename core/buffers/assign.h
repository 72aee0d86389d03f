// Assign: gives every array of a program its slice. See plan.h for the result.
#pragma once

#include <functional>

#include "core/base/result.h"
#include "core/buffers/plan.h"

namespace bp::buffers {

// The limits that a device states for one of its memory spaces.
struct SpaceLimits {
  std::int64_t memory_space = 0;
  std::int64_t capacity = 0;  // maximum bytes of all allocations there; 0: unlimited
  // Maximum bytes of one temporary allocation; if that is too few, there are several. 0: unlimited.
  std::int64_t heap_limit = 0;
};

// A required offset of a value, in the first temporary allocation of its memory space.
struct Preset {
  ir::InstructionId instruction = ir::no_instruction;
  std::uint32_t position = 0;
  std::int64_t offset = 0;  // a multiple of the alignment
};

struct Options {
  std::int64_t alignment = 64;  // of allocations and of slices in them, bytes; a power of two
  // Effort of the search for a tighter packing; 0: best fit only. See packing::Options::steps.
  std::int64_t packing_steps = 200'000'000;
  std::vector<SpaceLimits> spaces = {};  // of the memory spaces that have limits
  std::vector<Preset> presets = {};
  // A memory space for temporaries that the module puts into space 0: as many bytes of them as fit into its capacity
  // are moved there, larger ones first; values with a preset are not moved. 0: none.
  std::int64_t fast_space = 0;
  // If set, operands and results of instructions for which it returns true are not moved to the fast space.
  std::function<bool(const ir::Instruction &instruction)> stays_in_place = {};
  // For devices that run instructions concurrently unless they depend on each other, and that therefore wait where one
  // instruction reuses the memory of another: independent values of nearby instructions get different memory, if that
  // takes at most an eighth more memory, or little.
  bool keep_apart = false;
};

// Plans a module in its present order. Requires the result of insert_copies() (copy_insertion.h): an entry whose
// outputs are distinct arrays, none of them a constant or a parameter that is not donated; while states and conditional
// results that each fit into one slice; a flat call graph; no asynchronous ops. Otherwise InvalidInput or Unsupported
// states what is missing; InvalidInput also for presets that cannot be kept: of inputs, outputs or constants, of values
// that share memory with others that have a different preset, or presets that overlap. OutOfMemory if the sizes do not
// fit into 62 bits or into a capacity, in the latter case with the largest arrays (fit.h). Has no side effects; near
// linear in the program.
Result<Plan> assign(const ir::Module &module, const Options &options = {});

}  // namespace bp::buffers
