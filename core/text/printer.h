// Modules to HLO text that XLA reads, too. Reading it back and printing again gives the same text.
#pragma once

#include <string>

#include "core/ir/module.h"

namespace bp::text {

struct PrintOptions {
  bool metadata = true;        // where instructions come from, and the tables of stack frames
  bool backend_config = true;  // and frontend attributes
  ir::PrintLayout layouts = ir::PrintLayout::Always;
  // Literals of more elements are written {...}; reading them back fills them from a seed.
  std::int64_t max_literal_elements = std::numeric_limits<std::int64_t>::max();
};

std::string print(const ir::Module &module, const PrintOptions &options = {});
// "%add.1 = f32[4]{0} add(%x, %y)", without ROOT and final newline.
std::string print(ir::Instruction instruction, const PrintOptions &options = {});
// An array with dynamic dimensions is the elements that are there, after "size 3: " or "sizes 3x4: ".
std::string print(const ir::Literal &literal, const PrintOptions &options = {});

}  // namespace bp::text
