// Compares a backend with the interpreter instruction by instruction: each instruction of the entry computation is run
// alone, on the interpreter's values, so that differences do not compound. In a deep network, rounding in the first
// layer may lead to a different gradient; a single instruction cannot amplify it like that.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/backplane.h"
#include "core/debugging/agreement.h"

namespace bp::command {

struct InstructionComparison {
  std::string name;  // name of the instruction
  ir::Opcode opcode;
  double relative_error = 0;  // the largest of its result arrays; see interpreter::Comparison::typical_error
  // Relative change of that array when the operands change by one unit in the last place. Computed only where the error
  // exceeds the tolerance: a sum that cancels to zero has no significant digits.
  double response = 0;

  bool agrees(double tolerance) const {
    return relative_error <= tolerance || debugging::is_ill_conditioned(relative_error, response);
  }
};

struct InstructionReport {
  std::vector<InstructionComparison> compared;  // in the order of the program
  std::size_t on_host = 0;    // number of instructions that the backend left to the host: not compared
  std::size_t not_alone = 0;  // number of instructions that cannot run alone: side effects, tokens
};

// The module must be verified. `tolerance`: see InstructionComparison::response. `progress` may be empty; its arguments
// are the number of instructions done, their total number and the name of the next one.
Result<InstructionReport> compare_by_instruction(
    const ir::Module &module, const Backend &backend, std::vector<ir::Literal> arguments, double tolerance,
    const std::function<void(std::size_t, std::size_t, std::string_view)> &progress);

}  // namespace bp::command
