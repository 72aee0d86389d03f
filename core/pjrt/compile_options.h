// Reads CompileOptionsProto, the options that frameworks pass to the compiler.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace bp::pjrt {

struct CompileRequest {
  std::int64_t num_replicas = 1, num_partitions = 1;
  std::vector<std::int64_t> device_ids;                      // of the device assignment; empty: none is given
  std::vector<std::pair<std::string, std::string>> options;  // jit(compiler_options={...})
};

// Unknown fields are skipped. Source: compile_options.proto of XLA.
Result<CompileRequest> read_compile_options(std::string_view bytes);

// Returns a serialized DeviceAssignmentProto: one replica of one partition, on the device.
std::string device_assignment(std::int64_t device_id);

}  // namespace bp::pjrt
