// Evaluator: the state of one call of the interpreter, and the evaluate_* functions that ops.def names.
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/base/thread_pool.h"
#include "core/interpreter/options.h"
#include "core/interpreter/wide.h"
#include "core/ir/literal.h"
#include "core/ir/module.h"

namespace bp::interpreter {

using ir::ElementType;
using ir::Instruction;
using ir::Literal;
using ir::Opcode;
using ir::Shape;

// Operand values of one instruction. A function that evaluates it may move out of them and write into the moved values:
// storage is copied only if it is shared.
using Operands = std::span<Literal>;

class ScalarFunction;

class Evaluator {
 public:
  explicit Evaluator(const Options &options);
  ~Evaluator();
  Evaluator(const Evaluator &) = delete;
  Evaluator &operator=(const Evaluator &) = delete;

  // Evaluates a computation and returns the value of its root. Values are released after their last use.
  Result<Literal> run(ir::Computation computation, std::vector<Literal> arguments);
  // Evaluates one instruction; errors name it.
  Result<Literal> run(const Instruction &instruction, Operands operands);
  // Returns a called computation that takes scalars, prepared for many calls. Valid as long as the evaluator.
  Result<ScalarFunction *> scalar_function(ir::Computation computation);

  const Options &options() const { return options_; }
  // Runs body(begin, end) in parallel on parts of [0, count), each with at least `grain` elements. The results must not
  // depend on how elements are divided into parts. An exception in a part is rethrown here after all parts have ended.
  template <class Body>
  void parallel(std::int64_t count, std::int64_t grain, Body &&body) const;
  // Returns a zero-filled result of an instruction; fails if it exceeds the limit.
  Result<Literal> allocate(const Shape &shape) const;
  // Returns the same instruction with operands of these shapes and the result shape that follows, in a module owned by
  // the evaluator; valid until the next call for it.
  Result<Instruction> with_operand_shapes(const Instruction &instruction, std::span<const Literal> operands);
  // Returns random bits for rng.
  std::uint64_t random_bits() { return random_(); }
  // Returns the state of an rng-get-and-update-state. Each instruction has a state of its own, with XLA:CPU's initial
  // value.
  UInt128 &random_state(const Instruction &instruction) {
    constexpr UInt128 first = 0x7012395;
    return random_states_.try_emplace(index(instruction.id()), first).first->second;
  }

  // Has errors from here on keep their message and place: whoever evaluated the instruction named it.
  void set_blamed() { blamed_ = true; }

 private:
  struct Plan;

  const Plan &plan(ir::Computation computation);
  Status check_limits();
  Error blame(Error error, const Instruction &instruction);

  const Options &options_;
  mutable ThreadPool pool_;  // mutable because its state is not part of the evaluator's
  std::int64_t max_value_bytes_;
  std::int64_t steps_left_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int depth_ = 0;
  bool blamed_ = false;
  std::unordered_map<std::uint32_t, std::unique_ptr<Plan>> plans_;
  std::unordered_map<std::uint32_t, std::unique_ptr<ScalarFunction>> scalar_functions_;
  std::unique_ptr<ir::Module> other_shapes_;  // a copy of the module, followed by with_operand_shapes()'s instructions
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

// Evaluates one instruction with the evaluate_* function of its op, which gets dynamic arrays as arrays of their
// bounds.
Result<Literal> dispatch(Evaluator &evaluator, const Instruction &instruction, Operands operands);
// Evaluates an instruction whose operands or result have dynamic dimensions; see core/ir/run_time_sizes.h.
Result<Literal> evaluate_dynamic(Evaluator &evaluator, const Instruction &instruction, Operands operands);
// Converts an array to another element type, as convert does.
Result<Literal> converted(const Evaluator &evaluator, const Literal &value, ElementType type);

#define BP_OP(number, name, text, min_operands, max_operands, shape_rule, evaluator_name, ...) \
  Result<Literal> evaluate_##evaluator_name(Evaluator &evaluator, const Instruction &instruction, Operands operands);
#include "core/ir/ops.def"

}  // namespace bp::interpreter
