// Simulation: many devices at once, each a thread with an interpreter of its own, meeting in collectives and channels.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "core/interpreter/exchange.h"
#include "core/interpreter/interpreter.h"

namespace bp::interpreter {

// What one device runs.
struct DeviceProgram {
  ir::Computation computation;  // of a verified module
  std::vector<ir::Literal> arguments;
};

// Runs a grid of replicas x partitions, `devices` by replica, then partition; their programs may differ. Results in the
// same order. `inputs`: what infeed gives, in the order in which devices ask. Fails with the first device's error,
// naming it; if all wait for each other, that is an error too. Unsupported for more than 256 devices.
Result<std::vector<ir::Literal>> simulate(std::span<const DeviceProgram> devices, std::int64_t replicas,
                                          std::int64_t partitions, const Options &options = {},
                                          std::deque<ir::Literal> inputs = {},
                                          MemberOrder member_order = MemberOrder::ByReplica);

// All devices of a module's grid, replica_count x num_partitions, run its entry with the same arguments. Verifies the
// module first.
Result<std::vector<ir::Literal>> simulate(const ir::Module &module, std::span<const ir::Literal> arguments,
                                          const Options &options = {});

}  // namespace bp::interpreter
