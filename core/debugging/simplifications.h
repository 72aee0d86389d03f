// The rules by which reduce() simplifies an instruction.
#pragma once

#include <span>
#include <string_view>

#include "core/ir/module.h"

namespace bp::debugging {

struct Simplification {
  std::string_view name;
  // Returns the instruction that replaces this one, added to its computation; its own id if the rule does not apply.
  ir::InstructionId (*apply)(ir::Module &module, ir::Instruction instruction);
};

// Returns the rules in the order in which they are tried.
std::span<const Simplification> simplifications();

}  // namespace bp::debugging
