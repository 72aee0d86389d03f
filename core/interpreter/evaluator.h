// Evaluator: the state of one call of the interpreter, and the evaluate_* functions that ops.def names.
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <unordered_map>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/wide.h"

namespace bp::interpreter {

using ir::ElementType;
using ir::Instruction;
using ir::Literal;
using ir::Opcode;
using ir::Shape;

// The operand values of one instruction. An evaluator may move out of them and write into what it moved: the storage
// is copied only if somebody else still needs it.
using Operands = std::span<Literal>;

class ScalarFunction;

class Evaluator {
 public:
  explicit Evaluator(const Options &options);
  ~Evaluator();
  Evaluator(const Evaluator &) = delete;
  Evaluator &operator=(const Evaluator &) = delete;

  // The root of a computation. Values are released after their last use.
  Result<Literal> run(ir::Computation computation, std::vector<Literal> arguments);
  // One instruction; errors are blamed on it.
  Result<Literal> run(const Instruction &instruction, Operands operands);
  // A called computation that takes scalars, made ready for many calls. Lives as long as the evaluator.
  Result<ScalarFunction *> scalar_function(ir::Computation computation);

  const Options &options() const { return options_; }
  // Runs body(begin, end) on parts of [0, count), each of at least `grain`, at the same time. Which elements share a
  // part must not change any result. An exception of a part is thrown again here, after all have ended.
  template <class Body>
  void parallel(std::int64_t count, std::int64_t grain, Body &&body) const;
  // The zero-filled result of an instruction; refuses what exceeds the limit.
  Result<Literal> allocate(const Shape &shape) const;
  // The same instruction on operands of these shapes and with the result that follows, in a module of the evaluator's
  // own; valid until the next call for it.
  Result<Instruction> with_operand_shapes(const Instruction &instruction, std::span<const Literal> operands);
  // Random bits of rng.
  std::uint64_t random_bits() { return random_(); }
  // The state of a rng-get-and-update-state; each instruction has its own, and XLA:CPU's number to begin with.
  UInt128 &random_state(const Instruction &instruction) {
    constexpr UInt128 first = 0x7012395;
    return random_states_.try_emplace(index(instruction.id()), first).first->second;
  }

 private:
  struct Plan;

  const Plan &plan(ir::Computation computation);
  Status check_limits();
  Error blame(Error error, const Instruction &instruction);

  const Options &options_;
  mutable ThreadPool pool_;  // its state is not the evaluator's
  std::int64_t max_value_bytes_;
  std::int64_t steps_left_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int depth_ = 0;
  bool blamed_ = false;
  std::unordered_map<std::uint32_t, std::unique_ptr<Plan>> plans_;
  std::unordered_map<std::uint32_t, std::unique_ptr<ScalarFunction>> scalar_functions_;
  std::unique_ptr<ir::Module> other_shapes_;  // a copy, with the instructions of with_operand_shapes() at its end
  std::unordered_map<std::uint32_t, ir::InstructionId> with_other_shapes_;  // by instruction id
  std::mt19937_64 random_;
  std::unordered_map<std::uint32_t, UInt128> random_states_;
};

template <class Body>
void Evaluator::parallel(std::int64_t count, std::int64_t grain, Body &&body) const {
  constexpr std::int64_t parts_per_thread = 4;
  std::int64_t parts = std::min(parts_per_thread * pool_.size(), count / std::max<std::int64_t>(grain, 1));
  if (parts <= 1 || pool_.size() == 1) {
    body(std::int64_t{0}, count);
    return;
  }
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(parts));
  pool_.parallel(static_cast<std::uint32_t>(parts), [&](std::uint32_t part, std::uint32_t) {
    try {
      body(count / parts * part, part + 1 == parts ? count : count / parts * (part + 1));
    } catch (...) {
      failures[part] = std::current_exception();
    }
  });
  for (const std::exception_ptr &failure : failures) {
    if (failure) {
      std::rethrow_exception(failure);
    }
  }
}

// One instruction, by the evaluate_* function of its op. To that, arrays have the sizes of their bounds.
Result<Literal> dispatch(Evaluator &evaluator, const Instruction &instruction, Operands operands);
// The same where operands or the result have dynamic dimensions: see core/ir/run_time_sizes.h.
Result<Literal> evaluate_dynamic(Evaluator &evaluator, const Instruction &instruction, Operands operands);

#define BP_OP(number, name, text, min_operands, max_operands, shape_rule, evaluator_name, ...) \
  Result<Literal> evaluate_##evaluator_name(Evaluator &evaluator, const Instruction &instruction, Operands operands);
#include "core/ir/ops.def"

}  // namespace bp::interpreter
