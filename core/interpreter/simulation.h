// Many devices at the same time: each has a thread, and they communicate by collectives and channels. In a simulation,
// each is an interpreter.
#pragma once

#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "core/interpreter/exchange.h"
#include "core/interpreter/interpreter.h"

namespace bp::interpreter {

// Computation that one device runs, with its arguments.
struct DeviceProgram {
  ir::Computation computation;  // of a verified module
  std::vector<ir::Literal> arguments;
};

// Runs a device's part of a program, with options that connect it with the other devices.
using DeviceRun = std::function<Result<ir::Literal>(std::size_t device, const Options &own)>;

// Runs all devices of the exchange's grid at the same time, each on a thread of its own, and returns their results by
// number. Fails with the error of the device that failed first, and names it; it is also an error if all devices wait
// for each other. Unsupported for more than 256 devices.
Result<std::vector<ir::Literal>> run_together(Exchange &exchange, const Options &options, const DeviceRun &run);

// Runs a grid of replicas x partitions, with `devices` ordered by replica, then partition; their programs may differ.
// Returns the results in the same order, or fails like run_together(). `inputs` are the values of infeed, in the order
// in which devices ask for them.
Result<std::vector<ir::Literal>> simulate(std::span<const DeviceProgram> devices, std::int64_t replicas,
                                          std::int64_t partitions, const Options &options = {},
                                          std::deque<ir::Literal> inputs = {},
                                          MemberOrder member_order = MemberOrder::ByReplica);

// Runs the entry of a module on all devices of its grid, replica_count x num_partitions, with the same arguments.
// Verifies the module first.
Result<std::vector<ir::Literal>> simulate(const ir::Module &module, std::span<const ir::Literal> arguments,
                                          const Options &options = {});

}  // namespace bp::interpreter
