// Small programs, one for each op and element type: an instruction of the op on parameters, minimal but valid.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ir/element_type.h"
#include "core/ir/op.h"

namespace bp::coverage {

// HLO text, perhaps not valid for this type: then the verifier says so. Empty: no program was written for the op.
std::vector<std::string> programs(ir::Opcode opcode, ir::ElementType type);

// Whether the programs of the op are the same whatever the type.
bool is_typeless(ir::Opcode opcode);

// Whether two runs of the op's programs need not give the same.
bool is_random(ir::Opcode opcode);

}  // namespace bp::coverage
