// Self-checking programs: HLO whose custom calls say what its values should be.
//
//   custom-call(found, expected), custom_call_target="check.expect_eq"          equal
//   ..., custom_call_target="check.expect_close"       at most 3 ulp apart, or backend_config={"max_ulp_difference":N}
//   ..., custom_call_target="check.expect_almost_eq"   at most 0.001 apart, or backend_config={"tolerance":X}
//   custom-call(found), custom_call_target="check.expect_serialized_eq", backend_config={"probe_id":"name"}
//                                                      equal to what the probe of that name saw, written and read again
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

// A value that a check looks at: computed by the program, seen by a probe inside of it, or known.
struct Side {
  std::optional<std::size_t> output;  // element of the program's result
  std::string probe;                  // its name; empty: none
  std::int64_t iteration = 0;         // which of the values that passed the probe
  ir::Literal value;                  // if it is neither
};

struct Check {
  Rule rule;
  Side found, expected;
  bool is_serialized = false;  // the expected value is to be written as text and read again before it is compared
  SourceLocation location;
};

// The probe_id of a call of interpreter.probe; empty for other instructions.
std::string probe_name(ir::Instruction instruction);

// A program taken apart, so that nothing of it can be computed before it runs: its data became parameters, its checks
// are left to the caller, and the result is the tuple of the values they look at.
struct SelfChecking {
  ir::Module program;
  std::vector<ir::Literal> arguments;  // by parameter number
  std::vector<Check> checks;
};

// Why only the interpreter can run it: it starts programs on several devices (interpreter.run_parallel), or looks at
// values inside of called computations. Empty if any backend can.
std::string interpreter_only(const ir::Module &module);

// Why no backend can run it here: it takes an infeed, which nothing feeds. Empty if all it takes is in the program.
std::string fed_from_outside(const ir::Module &module);

// Data is: constants of the entry, and calls without operands of computations of nothing but constants. Expects a
// verified module whose entry has no parameters, else InvalidInput; leaves a verified one.
Result<SelfChecking> take_apart(ir::Module module);

}  // namespace bp::conformance
