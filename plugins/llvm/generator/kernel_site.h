// KernelSite: where the code of a kernel finds its operands, results and scratch memory. KernelWork: how the work may
// be divided, and the scratch memory that a call needs.
#pragma once

#include <llvm/IR/Value.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "plugins/llvm/module_view.h"

namespace bp::emit {

struct KernelSite {
  InstructionView instruction;
  std::vector<llvm::Value *> operands;  // pointers; null if the operand is a constant known at compile time
  std::vector<llvm::Value *> results;   // pointers
  std::vector<int> in_place;            // by result: the operand in the same memory, or -1
  llvm::Value *scratch;                 // KernelWork::scratch_bytes, aligned to 64
  llvm::Value *begin, *end;             // i64: the part of the work of this call
  llvm::Value *common = nullptr;        // common_bytes() bytes shared by all calls, aligned to 64; null for 0
};

// Items that are done in order: all items of a step before those of the next step. Each round does the same steps again
// with items of its own, whose numbers continue those of the previous round.
struct KernelSteps {
  std::int64_t rounds = 1;
  std::vector<std::int64_t> items;  // number of items, by step
  std::int64_t items_of_round() const { return std::accumulate(items.begin(), items.end(), std::int64_t{0}); }
};

// Requirements of one call of a kernel, and how the work can be divided: parts [begin, end) of [0, items) write
// disjoint memory and may run at the same time, each with a scratch of its own. On a threaded target, where each thread
// has an item and all run at the same time, only kernels of one item need scratch.
struct KernelWork {
  std::int64_t scratch_bytes = 0;
  std::int64_t items = 1;
  // Orders the items, all of them; empty: they may run in any order.
  std::vector<KernelSteps> steps = {};
};

}  // namespace bp::emit
