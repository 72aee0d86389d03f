// Crossings: operands that lie in memory along another dimension than the results, such as that of a transpose. A loop
// that writes neighbours reads these far from each other; a team brings a tile of them to its memory first.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plugins/llvm/module_view.h"

namespace bp::emit {

struct Crossing {
  struct Operand {
    std::uint32_t value;                // an operand of the instruction
    std::vector<std::int64_t> results;  // by its dimension: the dimension of the results, or -1 for index 0
  };
  std::int64_t dimension = -1;  // of the results: neighbours along it are neighbours in the operands
  std::vector<Operand> operands;
};

// The crossing operands of an elementwise instruction, a movement, or a loop fusion, whose results have the same
// dimensions. Nothing if there are none, or if the tiles of a side would be too small to gain by. Expects
// kernel_problem() to be empty.
std::optional<Crossing> find_crossing(InstructionView instruction);

}  // namespace bp::emit
