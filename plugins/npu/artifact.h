// Encodes programs as bytes, and checks bytes so that it is safe to run them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "plugins/npu/instruction_set.h"

namespace bp::npu {

std::string write_artifact(const Program &program);

// Reads the program of an artifact. Returns an empty string, or the reason why the bytes are refused: they are
// truncated or changed in any byte, of another machine or version, or have an instruction that the machine cannot run.
std::string read_artifact(std::span<const char> bytes, Program &program);

}  // namespace bp::npu
