// Assign: gives every array of a program its place. See plan.h for what comes out.
#pragma once

#include "core/base/result.h"
#include "core/buffers/plan.h"

namespace bp::buffers {

struct Options {
  std::int64_t alignment = 64;  // of allocations and of slices in them, bytes; a power of two
  // What the search for a tighter packing may cost; 0: best fit alone. See packing::Options::steps.
  std::int64_t packing_steps = 200'000'000;
};

// Plans a module as it is ordered now. Needs what insert_copies() (copy_insertion.h) establishes: an entry whose
// outputs are distinct arrays, none of them a constant or a parameter that is not donated, and while states and
// conditional results that fit into one place each; a flat call graph; no asynchronous ops. Otherwise InvalidInput or
// Unsupported says what is missing. OutOfMemory if the sizes do not fit into 62 bits. Pure; near linear in the program.
Result<Plan> assign(const ir::Module &module, const Options &options = {});

}  // namespace bp::buffers
