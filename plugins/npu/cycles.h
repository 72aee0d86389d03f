// The cost of an instruction, by the table of instruction_set.h.
#pragma once

#include <cstdint>

#include "plugins/npu/instruction_set.h"

namespace bp::npu {

// Returns the number of cycles that an instruction takes, which is always the same.
std::uint64_t cycles(const Program &program, const Instruction &instruction);

}  // namespace bp::npu
