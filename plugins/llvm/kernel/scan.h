// Scans: reduce-window with a window as long as a dimension, one for each element, that ends or begins at that element:
// cumsum, cumprod, cummax. The combination of all elements before an element is computed once. The computation is
// therefore assumed to be associative, like that of a reduction.
#pragma once

#include <optional>

#include "plugins/llvm/generator/generator.h"
#include "plugins/llvm/generator/kernel_site.h"
#include "plugins/llvm/generator/team.h"

namespace bp::emit {

struct Scan {
  std::size_t dimension = 0;
  bool is_backward = false;
  bool is_along_memory = false;  // neighbours in a line are neighbours in memory
  std::int64_t lines = 1, length = 1;
};

// Returns nullopt if the instruction is not a scan, or so short that computing each window is as fast. Requires
// kernel_problem() to be empty.
std::optional<Scan> find_scan(InstructionView instruction);
// team: does one line, which is an item; null if a call does a range of items, each of which is a line or several
// neighbouring lines.
KernelWork emit_scan(Generator &generator, KernelBuilder &builder, const KernelSite &site, const Scan &scan,
                     Team *team = nullptr);

}  // namespace bp::emit
