// Programs that run in this process.
#pragma once

#include <cstdint>
#include <memory>

#include "backplane/ext/compiler.h"
#include "plugin_api/cpp/device.h"
#include "plugins/llvm/linker.h"
#include "plugins/native/artifact.h"

namespace bp::native {

// Threads: runs may be concurrent.
struct LoadedProgram {
  bp_program_t abi{};
  std::unique_ptr<emit::LinkedObjects> code;
  std::uint32_t allocation_count = 0;
  plugin::HostServices services;
  std::int64_t worker_scratch_bytes = 0;
  std::uint64_t common_bytes = 0;

  // Links the artifact, which must be for this machine. Fails with BP_INVALID if it is not of so many allocations.
  // `names_functions`: as in LinkedObjects::link().
  static plugin::Result<std::unique_ptr<LoadedProgram>> link(const Artifact &artifact, std::uint32_t allocation_count,
                                                             const plugin::HostServices &services,
                                                             bool names_functions);
  plugin::Status run(const bp_run_t &run) const;
};

}  // namespace bp::native
