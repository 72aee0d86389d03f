// Crossings: operands whose innermost dimension in memory differs from that of the results, such as the operand of a
// transpose. A loop that writes neighbours reads elements of these operands that are far apart; a team first copies a
// tile of them to its memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plugins/llvm/module_view.h"

namespace bp::emit {

struct Crossing {
  struct Operand {
    std::uint32_t value;                // an operand of the instruction
    std::vector<std::int64_t> results;  // by the operand's dimension: the dimension of the results, or -1 for index 0
  };
  std::int64_t dimension = -1;  // dimension of the results along which neighbours are neighbours in the operands
  std::vector<Operand> operands;
};

// Returns the crossing operands of an elementwise instruction, a movement, or a loop fusion, whose results have the
// same dimensions. Returns nullopt if there are none, or if a side of the tiles would be too small to be worth it.
// Requires kernel_problem() to be empty.
std::optional<Crossing> find_crossing(InstructionView instruction);

}  // namespace bp::emit
