// Judges the result of a whole program by the table of tolerances of single operations (accuracy.h). The interpreter
// determines how far the errors that the table allows may move the result: it runs the program several times more, with
// each intermediate result moved by as much as is allowed, some elements up and some down.
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
  // Runs the program on the interpreter within its limits: Unsupported or OutOfMemory if it exceeds them. The module
  // must be verified.
  static Result<ProgramJudge> make(ir::Module module, std::vector<ir::Literal> arguments);

  const ir::Module &module() const { return module_; }
  const std::vector<ir::Literal> &arguments() const { return arguments_; }

  // The part of a result that is judged as one. An error anywhere may affect all of an output, but only one element in
  // a program of elementwise instructions.
  enum class Unit : std::uint8_t { Output, Element };

  // Describes what is wrong with a result of this program for these arguments; empty: nothing. A unit is not judged if
  // it is random, or if the moved results differ in an integer, an infinity or a NaN.
  Result<std::string> find_mismatch(const ir::Literal &found, Unit unit = Unit::Output) const;

 private:
  ProgramJudge(ir::Module module, std::vector<ir::Literal> arguments, ir::Literal expected)
      : module_(std::move(module)), arguments_(std::move(arguments)), expected_(std::move(expected)) {}

  ir::Module module_;
  std::vector<ir::Literal> arguments_;
  ir::Literal expected_;
};

}  // namespace bp::conformance
