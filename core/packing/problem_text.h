// Packing problems as comma-separated text, one item per line, as published benchmarks have them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/packing/heaps.h"

namespace bp::packing {

struct NamedProblem {
  std::vector<std::string> names;  // by item
  std::vector<Item> items;
};

// The first line names the columns, in any order: id (any text), lower and upper (when the item is needed: from lower to
// before upper), size in bytes; if need be alignment, and preset, the offset it must have (empty: any). InvalidInput
// says file, line and what was expected. All sizes together are at most 2^62, and
// no two presets overlap.
Result<NamedProblem> read_problem(std::string_view text, std::string_view file);

// The same with a column `offset`, in the order of the items.
std::string print_packing(const NamedProblem &problem, const Packing &packing);
// And with a column `heap`, in which the offset is.
std::string print_packing(const NamedProblem &problem, const Heaps &heaps);

}  // namespace bp::packing
