// Updates: which instructions that change a part of an array had to write all of it, and why.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/buffers/plan.h"

namespace bp::buffers {

struct OutOfPlaceUpdate {
  ir::InstructionId instruction = ir::no_instruction, operand = ir::no_instruction;
  std::uint32_t position = 0;  // of the result
  std::int64_t bytes = 0;      // written, though most of them are as in the operand
  std::string reason;          // "x is a parameter that is not donated"
};

// Of dynamic-update-slice, scatter, sort and set-dimension-size, of fusions that end in an update, and of custom calls
// that declare one: those whose result does not lie where the operand does, in order of the program. The plan must be
// one for this module. Errors as assign().
Result<std::vector<OutOfPlaceUpdate>> out_of_place_updates(const ir::Module &module, const Plan &plan);

}  // namespace bp::buffers
