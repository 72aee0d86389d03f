// The ops that a backend runs whose development has just begun: those into which the core can expand all others.
#pragma once

#include <string>

#include "plugin_api/cpp/module_view.h"

namespace bp::cpu {

enum class Types {
  Wide,    // pred, integers of 8 to 64 bits, f32, f64
  Narrow,  // pred, s32, u32, f32; u8 and u16 are moved and converted to and from u32
};

// Returns why the instruction is not run, or an empty string if it is. The functions of an op, such as a reducer, must
// consist of primitives, too.
std::string primitive_problem(plugin::Instruction instruction, Types types);

}  // namespace bp::cpu
