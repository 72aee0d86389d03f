// Loops, branches and calls.
#include "core/interpreter/strided_copy.h"

namespace bp::interpreter {
namespace {

std::vector<Literal> moved(Operands operands) {
  return {std::make_move_iterator(operands.begin()), std::make_move_iterator(operands.end())};
}

// Evaluates a computation that an instruction runs. An error of whoever evaluates it instead says where it is.
Result<Literal> run(Evaluator &evaluator, ir::Computation computation, std::vector<Literal> arguments) {
  if (evaluator.options().on_computation) {
    if (auto result = evaluator.options().on_computation(computation, arguments); result) {
      if (!result->ok() && result->error().location().line != 0) {
        evaluator.set_blamed();
      }
      return *std::move(result);
    }
  }
  return evaluator.run(computation, std::move(arguments));
}

}  // namespace

Result<Literal> evaluate_call(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  return run(evaluator, instruction.called(0), moved(operands));
}

Result<Literal> evaluate_fusion(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  return evaluator.run(instruction.called(0), moved(operands));
}

Result<Literal> evaluate_while(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  ir::Computation condition = instruction.called(0), body = instruction.called(1);
  Literal state = std::move(operands[0]);
  while (true) {
    BP_ASSIGN(Literal goes_on, run(evaluator, condition, {state}));
    if (!goes_on.elements<bool>()[0]) {
      return state;
    }
    std::vector<Literal> arguments;
    arguments.push_back(std::move(state));
    BP_ASSIGN(state, run(evaluator, body, std::move(arguments)));
  }
}

Result<Literal> evaluate_conditional(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  std::size_t branch = 0;
  if (operands[0].shape().element_type() == ElementType::Pred) {
    branch = operands[0].elements<bool>()[0] ? 0 : 1;
  } else {
    std::int64_t wanted = operands[0].elements<std::int32_t>()[0], count = std::ssize(instruction.calls());
    branch = static_cast<std::size_t>(wanted < 0 || wanted >= count ? count - 1 : wanted);
  }
  std::vector<Literal> arguments;
  arguments.push_back(std::move(operands[1 + branch]));
  return run(evaluator, instruction.called(branch), std::move(arguments));
}

}  // namespace bp::interpreter
