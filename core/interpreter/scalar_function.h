// ScalarFunction: a computation on scalars (a reducer, a comparator, a combiner) prepared for very many calls. If it
// consists of elementwise ops only, each instruction becomes a function on registers of many lanes; otherwise each lane
// is evaluated like any other computation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/interpreter/elementwise_function.h"
#include "core/ir/literal.h"
#include "core/ir/module.h"

namespace bp::interpreter {

class ScalarFunction {
 public:
  // Returns the value of the computation for the arguments of one lane.
  using Evaluate = std::function<Result<ir::Literal>(std::vector<ir::Literal> arguments)>;

  // `evaluate` is called for each lane of a computation that has other ops than elementwise ones.
  ScalarFunction(ir::Computation computation, Evaluate evaluate);

  // arguments[i] points to `count` elements of parameter i's type; results[j] to memory for the same number of elements
  // of the root, or of its element j. A result may be in the memory of one of the arguments.
  Status operator()(std::span<const std::byte *const> arguments, std::span<std::byte *const> results,
                    std::size_t count);

  // Returns the op, if the function is op(p0, p1) or op(p1, p0) on scalars of one type; otherwise Invalid.
  ir::Opcode plain_op() const { return plain_op_; }

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

  ir::Computation computation_;
  Evaluate evaluate_;
  ir::Opcode plain_op_ = ir::Opcode::Invalid;
  std::vector<ir::ElementType> argument_types_, result_types_;
  bool compiled_ = false;
  std::vector<Step> steps_;
  // Memory of the registers, each of max_count lanes. Registers of parameters have none; they point to the caller's
  // memory.
  std::vector<std::vector<std::byte>> rooms_;
  std::vector<const std::byte *> registers_;
  std::vector<std::uint32_t> parameter_registers_, result_registers_;
};

}  // namespace bp::interpreter
