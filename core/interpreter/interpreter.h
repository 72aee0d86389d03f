// The interpreter, which is the oracle. Evaluates any op that runs on one device, one instruction after the other,
// directly by the definition of the op. Where HLO leaves the result to the implementation, it does the same as XLA's
// evaluator.
//
// Floats: an elementwise op rounds once. Sums (dot, convolution, reduce, batch norm) of f32 and narrower types are
// accumulated in double and rounded once at the end, so that other results can be compared with them.
#pragma once

#include <span>

#include "core/base/result.h"
#include "core/interpreter/options.h"
#include "core/ir/literal.h"
#include "core/ir/module.h"

namespace bp::interpreter {

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
