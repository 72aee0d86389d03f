// Small programs, one for each op and element type: an instruction of the op on parameters, minimal but valid.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ir/element_type.h"
#include "core/ir/op.h"

namespace bp::coverage {

// What the sizes in a program are made of: `n` elements in one dimension; in arrays of just those, with rank 0 or 2, one
// number or 3 times n.
struct Size {
  std::int64_t n = 6;
  int rank = 1;
};

struct Program {
  std::string variant;    // tells the programs of an op apart: "" for the first, "2", or what it converts to
  std::string text;       // HLO, perhaps not valid for this type and size: then the verifier says so
  bool has_size = false;  // `n` matters
};

// None: no program was written for the op, or none has a place for this size.
std::vector<Program> programs(ir::Opcode opcode, ir::ElementType type, const Size &size = {});

// Whether the programs of the op are the same whatever the type.
bool is_typeless(ir::Opcode opcode);

// Whether two runs of the op's programs need not give the same.
bool is_random(ir::Opcode opcode);

}  // namespace bp::coverage
