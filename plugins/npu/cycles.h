// The cost of an instruction, by the table of instruction_set.h.
#pragma once

#include <cstdint>

#include "plugins/npu/instruction_set.h"

namespace bp::npu {

// Returns the number of cycles that an instruction takes, which is always the same.
std::uint64_t cycles(const Program &program, const Instruction &instruction);

// Returns the bytes that an instruction moves between the memories.
std::uint64_t bytes_moved(const Program &program, const Instruction &instruction);

}  // namespace bp::npu
