// Packing problems as comma-separated text, one item per line, the format of published benchmarks.
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

// Reads a problem. The first line names the columns, in any order: id (any text), lower and upper (the item is needed
// from lower to before upper), size in bytes; optionally alignment, and preset, the required offset (empty: any). An
// InvalidInput error states the file, the line and what was expected. The sum of all sizes is at most 2^62, and no two
// presets overlap.
Result<NamedProblem> read_problem(std::string_view text, std::string_view file);

// Prints the problem with an additional column `offset`, in the order of the items.
std::string print_packing(const NamedProblem &problem, const Packing &packing);
// Prints the problem with additional columns `heap` and `offset`; the offset is relative to the heap.
std::string print_packing(const NamedProblem &problem, const Heaps &heaps);

}  // namespace bp::packing
