// Registers: a block has 65,536 of them, which its threads share.
#pragma once

#include <cstdint>

#include "plugins/llvm/module_view.h"

namespace bp::nvptx {

// What the threads of a kernel need for what they compute of an instruction. A guess on the safe side: a thread that lacks
// registers keeps values in memory, which is slower by far.
struct RegisterNeed {
  std::int64_t max_threads;  // of a block, a power of two: each has registers enough
  bool is_large;             // one block at a time may have them all
  bool computes = false;     // functions: more than a GPU full of threads has registers for
};
RegisterNeed register_need(emit::InstructionView instruction);
// The need of a dot, whose sums a thread keeps.
RegisterNeed register_need(std::int64_t sum_bits);
// The need of columns, whose sums it keeps beside what else it needs.
RegisterNeed register_need(const RegisterNeed &need, std::int64_t sum_bits);

}  // namespace bp::nvptx
