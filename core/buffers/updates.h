// Updates: finds the instructions that change a part of an array but had to write all of it, and why.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/buffers/plan.h"

namespace bp::buffers {

struct OutOfPlaceUpdate {
  ir::InstructionId instruction = ir::no_instruction, operand = ir::no_instruction;
  std::uint32_t position = 0;  // position in the result
  std::int64_t bytes = 0;      // bytes written, although most of them equal the operand's
  std::string reason;          // "x is a parameter that is not donated"
};

// Returns, in program order, the dynamic-update-slice, scatter, sort and set-dimension-size instructions, the fusions
// that end in an update, and the custom calls that declare one, whose result does not share the operand's slice. The
// plan must belong to this module. Fails with the errors of assign().
Result<std::vector<OutOfPlaceUpdate>> out_of_place_updates(const ir::Module &module, const Plan &plan);

}  // namespace bp::buffers
