// Scans: reduce-window with a window as long as a dimension, of which there is one for each element, from or to that
// element: cumsum, cumprod, cummax. What all elements before one combine to is computed once. So its computation is
// taken to be associative, as that of a reduction is.
#pragma once

#include <optional>

#include "plugins/llvm/kernel/kernel.h"

namespace bp::emit {

struct Scan {
  std::size_t dimension = 0;
  bool is_backward = false;
  bool is_along_memory = false;  // neighbours in a line are neighbours in memory
  std::int64_t lines = 1, length = 1;
};

// Nothing if the instruction is none, or so short that its windows are as good. Expects kernel_problem() to be empty.
std::optional<Scan> find_scan(InstructionView instruction);
// team: that does one line, which is an item; null if a call does a range of items, each a line or neighbouring ones.
KernelWork emit_scan(Generator &generator, KernelBuilder &builder, const KernelSite &site, const Scan &scan,
                     Team *team = nullptr);

}  // namespace bp::emit
