// Programs for which vendors' libraries have one routine, and programs that differ from these in one thing: another
// constant, another dimension, operands the other way round. A backend that looks for the pattern must see each of
// them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::coverage {

struct Pattern {
  std::string_view name;  // "dense-layer"
  std::string_view text;  // the entry computation as HLO; `$` is the element type
};

// Names are unique.
std::span<const Pattern> patterns();
// Returns nullptr if there is none.
const Pattern *find_pattern(std::string_view name);
// Returns the program, verified.
Result<ir::Module> program_of(const Pattern &pattern, ir::ElementType type);

// Returns the programs that differ from a pattern's in one thing, by what differs, always the same in the same order,
// verified. No list is empty. Most sizes of a pattern are the same, so that most dimensions can stand for each other.
std::vector<std::vector<ir::Module>> variants_of(const ir::Module &pattern);

// Returns the program as one fusion: not one that the core would make, but a valid one.
ir::Module as_fusion(ir::Module program);

}  // namespace bp::coverage
