// Program: a launch plan that is loaded on a machine, ready to run.
#pragma once

#include <memory>
#include <vector>

#include "backplane/ext/compiler.h"
#include "plugin_api/cpp/result.h"
#include "plugins/gpu/artifact.h"
#include "plugins/gpu/dependences.h"
#include "plugins/gpu/machine.h"

namespace bp::gpu {

// Threads: runs may be started by any thread, at the same time.
class Program {
 public:
  bp_program_t abi{};

  // The machine must outlive the program.
  static plugin::Result<std::unique_ptr<Program>> load(Artifact artifact, Machine &machine);

  // Starts a run. The host's part is done on return; the rest are commands of the calling thread.
  plugin::Status start(const bp_run_t &run) const;
  // Runs the program, which is done on return.
  plugin::Status run(const bp_run_t &run) const;

  const LaunchPlan &plan() const { return plan_; }
  Machine &machine() const { return machine_; }
  // Starts the segment that begins at this command. Returns the command after it.
  plugin::Result<std::uint32_t> start_segment(std::uint32_t at, std::span<const std::uint64_t> bases) const;

 private:
  Program(LaunchPlan plan, Machine &machine) : plan_(std::move(plan)), segments_(segments(plan_)), machine_(machine) {}

  const LaunchPlan plan_;  // must not move, as `kernels_` refers to it
  const std::vector<Segment> segments_;
  Machine &machine_;
  std::unique_ptr<LoadedKernels> kernels_;
};

}  // namespace bp::gpu
