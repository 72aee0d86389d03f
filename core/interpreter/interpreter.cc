#include "core/interpreter/interpreter.h"

#include <new>
#include <stdexcept>

#include "core/interpreter/evaluator.h"
#include "core/ir/device_count.h"
#include "core/ir/verifier.h"

namespace bp::interpreter {
namespace {

// Runs `body` and converts exceptions of the standard library to errors.
template <class Body>
Result<Literal> guarded(Body &&body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return make_error(ErrorCode::OutOfMemory, "the interpreter ran out of memory");
  } catch (const std::length_error &) {
    return make_error(ErrorCode::OutOfMemory, "the interpreter needs more memory than there are addresses");
  }
}

}  // namespace

Result<Literal> interpret(const ir::Module &module, std::span<const Literal> arguments, const Options &options) {
  if (!module.has_entry()) {
    return invalid_input("module {} has no entry computation", module.name());
  }
  BP_TRY(ir::verify(module));
  BP_TRY(ir::check_one_device(module));
  return evaluate(module.entry(), arguments, options);
}

Result<Literal> evaluate(ir::Computation computation, std::span<const Literal> arguments, const Options &options) {
  return guarded([&] {
    Evaluator evaluator(options);
    return evaluator.run(computation, std::vector<Literal>(arguments.begin(), arguments.end()));
  });
}

Result<Literal> evaluate_instruction(Instruction instruction, std::span<const Literal> operands,
                                     const Options &options) {
  return guarded([&] {
    Evaluator evaluator(options);
    std::vector<Literal> own(operands.begin(), operands.end());
    return evaluator.run(instruction, own);
  });
}

}  // namespace bp::interpreter
