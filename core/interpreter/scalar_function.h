// ScalarFunction: a computation on scalars (a reducer, a comparator, a combiner) prepared for very many calls. If it
// consists of elementwise ops only, each instruction becomes a function on registers of many lanes; otherwise each lane
// is evaluated like any other computation.
#pragma once

#include <memory>
#include <vector>

#include "core/interpreter/elementwise_function.h"
#include "core/interpreter/evaluator.h"

namespace bp::interpreter {

class ScalarFunction {
 public:
  ScalarFunction(Evaluator &evaluator, ir::Computation computation);

  // arguments[i] points to `count` elements of parameter i's type; results[j] to memory for the same number of elements
  // of the root, or of its element j. A result may be in the memory of one of the arguments.
  Status operator()(std::span<const std::byte *const> arguments, std::span<std::byte *const> results,
                    std::size_t count);

  // Returns the op, if the function is op(p0, p1) or op(p1, p0) on scalars of one type; otherwise Invalid.
  Opcode plain_op() const { return plain_op_; }

 private:
  struct Step {
    ElementwiseFunction function;
    std::array<std::uint32_t, 3> operands;  // registers
    std::uint32_t operand_count;
    std::uint32_t result;
  };

  bool compile();
  void find_plain_op();
  void run_steps(std::span<const std::byte *const> arguments, std::span<std::byte *const> results, std::size_t first,
                 std::size_t count);
  Status run_lane(std::span<const std::byte *const> arguments, std::span<std::byte *const> results, std::size_t lane);

  Evaluator &evaluator_;
  ir::Computation computation_;
  Opcode plain_op_ = Opcode::Invalid;
  std::vector<ElementType> argument_types_, result_types_;
  bool compiled_ = false;
  std::vector<Step> steps_;
  // Memory of the registers, each of max_count lanes. Registers of parameters have none; they point to the caller's
  // memory.
  std::vector<std::vector<std::byte>> rooms_;
  std::vector<const std::byte *> registers_;
  std::vector<std::uint32_t> parameter_registers_, result_registers_;
};

}  // namespace bp::interpreter
