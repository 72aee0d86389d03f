// What a backend that has only been begun would run: the ops of which the core can make all others.
#pragma once

#include <string>

#include "plugin_api/cpp/module_view.h"

namespace bp::cpu {

enum class Types {
  Wide,    // pred, integers of 8 to 64 bits, f32, f64
  Narrow,  // pred, s32, u32, f32; u8 and u16 are moved and converted to and from u32
};

// Why it is not run; empty: it is. Functions of the op, such as a reducer, are of primitives, too.
std::string primitive_problem(plugin::Instruction instruction, Types types);

}  // namespace bp::cpu
