// Encodes programs as bytes, and checks bytes so that it is safe to run them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "plugin_api/cpp/result.h"
#include "plugins/npu/instruction_set.h"

namespace bp::npu {

std::string write_artifact(const Program &program);

// Reads the program of an artifact. Fails with BP_INVALID if the bytes are truncated or changed in any byte, of another
// machine or version, or have an instruction that the machine cannot run.
plugin::Result<Program> read_artifact(std::span<const char> bytes);

}  // namespace bp::npu
