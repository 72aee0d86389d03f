// Small programs, one for each op and element type: an instruction of the op on parameters, minimal but valid.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ir/element_type.h"
#include "core/ir/op.h"

namespace bp::coverage {

// Array sizes of a program: `n` elements in one dimension. In programs all of whose arrays have that shape, rank 0
// means one element and rank 2 means 3 x n.
struct Size {
  std::int64_t n = 6;
  int rank = 1;
};

struct Program {
  std::string variant;      // distinguishes the programs of an op: "" for the first, "2", or the type it converts to
  std::string text;         // HLO; the verifier may reject it for this type and size
  bool has_size = false;    // the program depends on `n`
  bool is_extreme = false;  // few devices run it themselves, so that it says little about where the op runs
};

// Returns nothing if no program was written for the op, or if none supports this size.
std::vector<Program> programs(ir::Opcode opcode, ir::ElementType type, const Size &size = {});

// Whether the programs of the op are the same for every element type.
bool is_typeless(ir::Opcode opcode);

// Whether two runs of the op's programs may differ.
bool is_random(ir::Opcode opcode);

}  // namespace bp::coverage
