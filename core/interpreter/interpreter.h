// The interpreter, which is the oracle. Evaluates any op that runs on one device, one instruction after the other,
// directly by the definition of the op. Where HLO leaves the result to the implementation, it does the same as XLA's
// evaluator.
//
// Floats: an elementwise op rounds once. Sums (dot, convolution, reduce, batch norm) of f32 and narrower types are
// accumulated in double and rounded once at the end, so that other results can be compared with them.
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
  // Maximum number of instructions to evaluate, after which evaluation fails with Unsupported; the body of a loop
  // counts in each iteration.
  std::int64_t max_steps = std::numeric_limits<std::int64_t>::max();
  // Maximum wall-clock seconds, after which evaluation fails with Unsupported; checked between instructions.
  double max_seconds = std::numeric_limits<double>::infinity();
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
  Exchange *exchange = nullptr;  // connects the devices of a simulation; set by simulate()
  // Called on the calling thread before each instruction of the entry computation, with the number of instructions done
  // and their total number.
  std::function<void(std::int64_t done, std::int64_t total, const ir::Instruction &next)> progress;
};

// Verifies the module first, in time linear in its size. Arguments are given by parameter number, a tuple parameter as
// one tuple literal; their types and sizes must be those of the parameters. Returns the value of the entry
// computation's root. Errors name the instruction. Fails with Unsupported for a program that needs several devices; see
// simulation.h for these. May be called on any number of threads at the same time.
Result<ir::Literal> interpret(const ir::Module &module, std::span<const ir::Literal> arguments,
                              const Options &options = {});
// Does the same for any computation. The module must be verified, which is not checked here; evaluating a module that
// the verifier would reject is undefined behaviour.
Result<ir::Literal> evaluate(ir::Computation computation, std::span<const ir::Literal> arguments,
                             const Options &options = {});
// Evaluates one instruction of a verified module on given values, which have its operands' shapes: for constant
// folding. The cost does not depend on the size of the module.
Result<ir::Literal> evaluate_instruction(ir::Instruction instruction, std::span<const ir::Literal> operands,
                                         const Options &options = {});

}  // namespace bp::interpreter
