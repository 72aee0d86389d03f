// Runs programs that are compiled for another architecture: its cross compiler links them, and qemu's user emulation
// runs them. Each run is a process that shares a file of memory with this one. It tests results, not speed.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backplane/ext/compiler.h"
#include "plugin_api/cpp/result.h"
#include "plugins/native/artifact.h"
#include "plugins/native/target.h"

namespace bp::native {

struct EmulatorTools;
class TemporaryFolder;

// Threads: runs may be concurrent.
class EmulatedProgram {
 public:
  bp_program_t abi{};

  // Runs the program on allocations in host memory. Fails with BP_INTERNAL if the process does.
  plugin::Status run(const bp_run_t &run) const;

 private:
  friend class Emulator;
  std::shared_ptr<const EmulatorTools> tools_;
  std::shared_ptr<const TemporaryFolder> folder_;
  std::vector<std::uint64_t> allocation_sizes_;
  std::uint64_t common_bytes_ = 0, scratch_bytes_ = 0;
};

// Threads: any.
class Emulator {
 public:
  // `baseline`: the target without the features that not all machines of its architecture have.
  explicit Emulator(Target baseline) : baseline_(std::move(baseline)) {}

  // Links the program of an artifact. Fails with BP_INVALID if the artifact does not have so many allocations, and with
  // BP_INTERNAL if a tool fails or is missing; then it names the package of Debian that has it.
  plugin::Result<std::unique_ptr<EmulatedProgram>> load(const Artifact &artifact, std::uint32_t allocation_count);

 private:
  plugin::Result<std::shared_ptr<const EmulatorTools>> tools();

  const Target baseline_;
  std::mutex mutex_;
  std::shared_ptr<const EmulatorTools> tools_;  // found by the first load()
};

}  // namespace bp::native
