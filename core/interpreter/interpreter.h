// The interpreter: the oracle. Evaluates any op that runs on one device, one instruction after the other, straight from
// the meaning of the op. Where HLO leaves the result to the implementation, it does what XLA's evaluator does.
//
// Floats: an elementwise op rounds once. Sums (dot, convolution, reduce, batch norm) of f32 and narrower accumulate in
// double and round once at the end, so that the result can judge others.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include "core/base/result.h"
#include "core/ir/literal.h"
#include "core/ir/module.h"

namespace bp::interpreter {

class Exchange;

struct Options {
  // Instructions evaluated before giving up with Unsupported; a loop counts its body each time.
  std::int64_t max_steps = std::numeric_limits<std::int64_t>::max();
  // Wall-clock seconds before giving up with Unsupported; looked at between instructions.
  double max_seconds = std::numeric_limits<double>::infinity();
  // Bytes that one value may take; larger ones are OutOfMemory. 0: the machine's memory.
  std::int64_t max_value_bytes = 0;
  // Threads for large loops. 0: one per core.
  int threads = 0;
  std::uint64_t rng_seed = 0;                      // of rng
  std::uint32_t replica_id = 0, partition_id = 0;  // set by simulate()
  // Sees the values that custom calls of "interpreter.probe" pass on; on the thread that evaluates them.
  std::function<void(const ir::Instruction &probe, const ir::Literal &value)> on_probe;
  // If set, what it gives takes the place of each result, of every instruction but parameters and those of functions on
  // scalars: to see what becomes of an error on the way. On the thread that evaluates.
  std::function<Result<ir::Literal>(const ir::Instruction &instruction, std::span<const ir::Literal> operands,
                                    ir::Literal result)>
      on_result;
  Exchange *exchange = nullptr;  // where devices of a simulation meet: set by simulate()
  // Called on the calling thread before each instruction of the entry computation: how many are done, of how many.
  std::function<void(std::int64_t done, std::int64_t total, const ir::Instruction &next)> progress;
};

// Verifies the module first, in time linear in its size. Arguments by parameter number, a tuple parameter as one tuple
// literal; types and sizes must be those of the parameters. Returns the value of the entry computation's root. Errors
// name the instruction; Unsupported for a program that needs several devices, which simulation.h has. Threads: any
// number of calls may run at the same time.
Result<ir::Literal> interpret(const ir::Module &module, std::span<const ir::Literal> arguments,
                              const Options &options = {});
// The same for any computation. The module must be verified: that is not checked here, and evaluating what the verifier
// would refuse is undefined behaviour.
Result<ir::Literal> evaluate(ir::Computation computation, std::span<const ir::Literal> arguments,
                             const Options &options = {});
// One instruction, of a verified module, on given operand values of its operands' shapes: constant folding. Its cost
// does not depend on the size of the module.
Result<ir::Literal> evaluate_instruction(ir::Instruction instruction, std::span<const ir::Literal> operands,
                                         const Options &options = {});

}  // namespace bp::interpreter
