// Self-checking programs: HLO whose custom calls state what its values should be.
//
//   custom-call(found, expected), custom_call_target="check.expect_eq"          equal
//   ..., custom_call_target="check.expect_close"       at most 3 ulp apart, or backend_config={"max_ulp_difference":N}
//   ..., custom_call_target="check.expect_almost_eq"   at most 0.001 apart, or backend_config={"tolerance":X}
//   custom-call(found), custom_call_target="check.expect_serialized_eq", backend_config={"probe_id":"name"}
//                                                      equal to the value that the probe of that name saw, after it was
//                                                      written and read back
//   custom-call(x), custom_call_target="interpreter.probe", backend_config={"probe_id":"name"}   x, and a probe of it
// Targets that end in _const mean the same; expect_almost_eq_const allows 0.0001. check.eq: integers are equal, floats
// at most 0.0001 apart. Semantics: the check dialect of StableHLO's interpreter.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "conformance/check/rule.h"
#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::conformance {

// A value that a check compares: computed by the program, seen by a probe inside it, or known beforehand.
struct Side {
  std::optional<std::size_t> output;  // index in the program's result
  std::string probe;                  // name of the probe; empty: none
  std::int64_t iteration = 0;         // index of the value among those that passed the probe
  ir::Literal value;                  // the known value, if there is neither an output nor a probe
};

struct Check {
  Rule rule;
  Side found, expected;
  bool is_serialized = false;  // the expected value is written as text and read back before it is compared
  SourceLocation location;
};

// Returns the probe_id of a call of interpreter.probe; empty for other instructions.
std::string probe_name(ir::Instruction instruction);

// A program taken apart so that none of it can be computed before it runs: its data became parameters, its checks are
// left to the caller, and the result is the tuple of the values that the checks compare.
struct SelfChecking {
  ir::Module program;
  std::vector<ir::Literal> arguments;  // by parameter number
  std::vector<Check> checks;
};

// Returns why only the interpreter can run the module: it looks at values inside called computations, also of several
// devices. Empty if any backend can.
std::string interpreter_only(const ir::Module &module);

// Whether the module starts programs on several devices (interpreter.run_parallel).
bool starts_devices(const ir::Module &module);

// Returns why no backend can run the module here: it reads an infeed, and nothing feeds one. Empty if the program
// contains all its input.
std::string fed_from_outside(const ir::Module &module);

// Takes a program apart. Its data are the constants of the entry, and calls without operands of computations that
// consist of constants only. Expects a verified module whose entry has no parameters, otherwise returns InvalidInput;
// the resulting module is verified.
Result<SelfChecking> split_checks(ir::Module module);

}  // namespace bp::conformance
