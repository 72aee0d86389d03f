// Assign: gives every array of a program its place. See plan.h for what comes out.
#pragma once

#include "core/base/result.h"
#include "core/buffers/plan.h"

namespace bp::buffers {

// What a device says of one of its memories.
struct SpaceLimits {
  std::int64_t memory_space = 0;
  std::int64_t capacity = 0;    // bytes that all allocations there may take; 0: any number
  std::int64_t heap_limit = 0;  // bytes of one temporary allocation; there are more of them if that is too few; 0: any
};

// Where a value must lie: in the first temporary allocation of its memory space.
struct Preset {
  ir::InstructionId instruction = ir::no_instruction;
  std::uint32_t position = 0;
  std::int64_t offset = 0;  // a multiple of the alignment
};

struct Options {
  std::int64_t alignment = 64;  // of allocations and of slices in them, bytes; a power of two
  // What the search for a tighter packing may cost; 0: best fit alone. See packing::Options::steps.
  std::int64_t packing_steps = 200'000'000;
  std::vector<SpaceLimits> spaces = {};  // those that have limits
  std::vector<Preset> presets = {};
  // A memory space for temporaries that the module puts into space 0, as many bytes of them as fit into its capacity,
  // the larger ones first; what has a preset stays. 0: none.
  std::int64_t fast_space = 0;
  // For a device that runs instructions at the same time unless they wait for each other, as they do where one gets
  // memory that another had: values of a few neighbours that have nothing to do with each other are kept apart, if that
  // takes an eighth more memory at most, or little.
  bool keep_apart = false;
};

// Plans a module as it is ordered now. Needs what insert_copies() (copy_insertion.h) establishes: an entry whose
// outputs are distinct arrays, none of them a constant or a parameter that is not donated, and while states and
// conditional results that fit into one place each; a flat call graph; no asynchronous ops. Otherwise InvalidInput or
// Unsupported says what is missing; InvalidInput also for presets that cannot be kept: of inputs, outputs, constants, of
// values that share memory with others preset elsewhere, or that overlap. OutOfMemory if the sizes do not fit into
// 62 bits, or, with what is largest (fit.h), into a capacity. Pure; near linear in the program.
Result<Plan> assign(const ir::Module &module, const Options &options = {});

}  // namespace bp::buffers
