// Programs as bytes, and the check that makes it safe to run them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "plugins/npu/instruction_set.h"

namespace bp::npu {

std::string write_artifact(const Program &program);

// The program of an artifact. Otherwise why it is none: cut off, changed in any byte, of another machine or version, or
// with an instruction that the machine cannot run.
std::string read_artifact(std::span<const char> bytes, Program &program);

}  // namespace bp::npu
