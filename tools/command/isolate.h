// Compares a backend with the interpreter instruction by instruction: each of the entry computation is run alone, on
// the interpreter's values, so that differences do not compound. A deep network may turn the rounding of its first
// layer into a different gradient; one instruction cannot.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/backplane.h"
#include "core/debugging/agreement.h"

namespace bp::command {

struct Isolated {
  std::string name;  // of the instruction
  ir::Opcode opcode;
  double relative_error = 0;  // the largest of its arrays; interpreter::Comparison::typical_error
  // By how much that array changes, in the same measure, when the operands move by one unit in the last place. Looked
  // at only where the error is above the tolerance: a sum that cancels to nothing has no digits to agree on.
  double response = 0;

  bool agrees(double tolerance) const {
    return relative_error <= tolerance || debugging::is_ill_conditioned(relative_error, response);
  }
};

struct IsolationReport {
  std::vector<Isolated> compared;  // in the order of the program
  std::size_t on_host = 0;         // that the backend left to the host: not compared
  std::size_t not_alone = 0;       // that have no meaning alone: side effects, tokens
};

// The module is verified. `tolerance`: see Isolated::response. `progress` may be empty: instructions done, of how many,
// the next one's name.
Result<IsolationReport> compare_in_isolation(
    const ir::Module &module, const Backend &backend, std::vector<ir::Literal> arguments, double tolerance,
    const std::function<void(std::size_t, std::size_t, std::string_view)> &progress);

}  // namespace bp::command
