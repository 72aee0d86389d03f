// Options of the interpreter: limits, threads, seeds, and the functions that it calls while it evaluates.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/base/cancellation.h"
#include "core/base/result.h"
#include "core/ir/literal.h"
#include "core/ir/module.h"

namespace bp::interpreter {

class Exchange;
struct DeviceProgram;

struct Options {
  // Maximum number of instructions to evaluate, after which evaluation fails with Unsupported; the body of a loop
  // counts in each iteration.
  std::int64_t max_steps = std::numeric_limits<std::int64_t>::max();
  // Maximum wall-clock seconds, after which evaluation fails with Unsupported; checked between instructions.
  double max_seconds = std::numeric_limits<double>::infinity();
  RunTerms terms;  // a cancellation is noticed between instructions
  // Maximum bytes of one value; larger ones fail with OutOfMemory. 0: the machine's memory.
  std::int64_t max_value_bytes = 0;
  // Threads for large loops. 0: one per core.
  int threads = 0;
  std::uint64_t rng_seed = 0;                      // for rng
  std::uint32_t replica_id = 0, partition_id = 0;  // set by simulate()
  // Called with the values that custom calls of "interpreter.probe" pass on, on the thread that evaluates them.
  std::function<void(const ir::Instruction &probe, const ir::Literal &value)> on_probe;
  // If set, replaces the result of each instruction, except parameters and those in functions on scalars, by the value
  // that it returns: for measuring how errors propagate. Called on the thread that evaluates.
  std::function<Result<ir::Literal>(const ir::Instruction &instruction, std::span<const ir::Literal> operands,
                                    ir::Literal result)>
      on_result;
  // If set, evaluates the custom calls that the interpreter does not know, and infeed and outfeed outside a simulation:
  // see host_calls.h. Called on the thread that evaluates. An exception becomes an error of the call.
  std::function<Result<ir::Literal>(const ir::Instruction &call, std::span<const ir::Literal> operands)> on_host_call;
  // If set, asked for each computation that a loop, branch or call runs: evaluates it, or returns nothing to have the
  // interpreter evaluate it. May move out of the arguments if it returns a result. Called on the thread that evaluates.
  std::function<std::optional<Result<ir::Literal>>(ir::Computation computation, std::span<ir::Literal> arguments)>
      on_computation;
  // If set, runs the devices of custom calls of "interpreter.run_parallel" in place of a simulation. The exchange is
  // for as many devices, by replica, then partition.
  std::function<Result<std::vector<ir::Literal>>(Exchange &exchange, std::span<const DeviceProgram> devices)>
      on_devices;
  Exchange *exchange = nullptr;  // connects the devices of a simulation; set by simulate()
  // Called on the calling thread before each instruction of the entry computation, with the number of instructions done
  // and their total number.
  std::function<void(std::int64_t done, std::int64_t total, const ir::Instruction &next)> progress;
};

}  // namespace bp::interpreter
