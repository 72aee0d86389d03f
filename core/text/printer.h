// Prints modules as HLO text, which XLA can read too. Parsing the text and printing it again gives the same text.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "core/ir/module.h"

namespace bp::text {

struct PrintOptions {
  bool metadata = true;                               // origins of instructions, and the tables of stack frames
  bool backend_config = true;                         // also frontend attributes
  ir::PrintLayout layouts = ir::PrintLayout::Always;  // those of the shapes of literals are always printed
  // Literals with more elements are written {...}; the parser fills these with values generated from a seed.
  std::int64_t max_literal_elements = std::numeric_limits<std::int64_t>::max();
  // If set, receives the literals that are written {...}, in the order of the text (ParseOptions::elided); not owned.
  std::vector<ir::Literal> *elided = nullptr;
};

std::string print(const ir::Module &module, const PrintOptions &options = {});
// Returns "%add.1 = f32[4]{0} add(%x, %y)", without ROOT and without a final newline.
std::string print(ir::Instruction instruction, const PrintOptions &options = {});
// Prints a literal. For an array with dynamic dimensions, prints the elements within the sizes, after "size 3: " or
// "sizes 3x4: ".
std::string print(const ir::Literal &literal, const PrintOptions &options = {});

}  // namespace bp::text
