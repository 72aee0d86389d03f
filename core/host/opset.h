// Opsets: what the images of a core say, so that a plugin with older headers gets none of what they do not have.
// Numbers of ops and attributes only grow, so that an opset is described by the largest of each.
#pragma once

#include <cstdint>

#include "core/ir/module.h"

namespace bp::host {

struct Opset {
  std::uint32_t number;
  std::uint16_t newest_op, newest_attribute;
  bool has_precision;  // sets bp_value.precision; without it, images have the attribute result_accuracy
};

// The newest opset, which has every op and attribute of the tables.
inline constexpr std::uint32_t newest_opset = 2;
// Returns the newest opset that both this core and a plugin with the opset `number` know.
const Opset &common_opset(std::uint32_t number);

// Whether the opset lacks the instruction's op or one of its attributes, hints aside. An image of this opset shows the
// instruction as a custom call of the target "bp.newer." and the op's name, and nobody is asked to run it.
bool is_newer(const ir::Instruction &instruction, const Opset &opset);
// Returns the first opset that has the instruction's op, attributes and required accuracy.
std::uint32_t first_opset(const ir::Instruction &instruction);

}  // namespace bp::host
