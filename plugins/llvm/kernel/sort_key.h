// The key of a sort whose comparator compares one function of the elements of one operand, as those of frameworks do
// that sort numbers in total order, with all NaNs equal, say.
#pragma once

#include <cstdint>
#include <optional>

#include "plugins/llvm/module_view.h"

namespace bp::emit {

struct SortKey {
  std::size_t operand;  // of the sort
  std::uint32_t value;  // in the comparator: the function of the first one of two elements
  std::uint16_t dtype;  // its type
  bool is_descending;   // larger keys come first
  bool is_total;        // otherwise, zeros of both signs are equal, and NaNs may be anywhere
};

// Returns nothing if the comparator is another function. Linear in the comparator.
std::optional<SortKey> sort_key(InstructionView sort);

}  // namespace bp::emit
