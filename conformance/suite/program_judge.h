// Judges the result of a whole program, by the table of tolerances of single operations (accuracy.h). How far errors that
// the table allows may throw a result, the interpreter says: it runs the program again with each result on the way moved
// by as much as is allowed, some elements up and some down, several times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/ir/literal.h"
#include "core/ir/module.h"

namespace bp::conformance {

class ProgramJudge {
 public:
  // Runs the program on the interpreter, within limits: Unsupported and OutOfMemory if it exceeds them. The module is
  // verified.
  static Result<ProgramJudge> make(ir::Module module, std::vector<ir::Literal> arguments);

  const ir::Module &module() const { return module_; }
  const std::vector<ir::Literal> &arguments() const { return arguments_; }

  // What is wrong with a result of this program on these arguments; empty: nothing. No output is judged in which moved
  // results differ in an integer, an infinity or a NaN, or that is random.
  Result<std::string> find_mismatch(const ir::Literal &found) const;

 private:
  ProgramJudge(ir::Module module, std::vector<ir::Literal> arguments, ir::Literal expected)
      : module_(std::move(module)), arguments_(std::move(arguments)), expected_(std::move(expected)) {}

  ir::Module module_;
  std::vector<ir::Literal> arguments_;
  ir::Literal expected_;
};

}  // namespace bp::conformance
