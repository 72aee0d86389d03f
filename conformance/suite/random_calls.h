// Random sequences of legal calls of a plugin's ABI: libraries are loaded, devices created, programs loaded, run and
// destroyed, memory allocated and released, commands submitted, several of each at a time and in any order. The result
// of a program and the content of a block of memory must not depend on the other calls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/suite/direct_program.h"
#include "conformance/suite/subject.h"

namespace bp::conformance {

// Numbers that choose the next action and its object. A step that is not legal when its turn comes does nothing, so a
// sequence remains legal when steps are removed from it.
struct Step {
  std::uint32_t kind, first, second, third;
};
std::vector<Step> random_steps(std::uint64_t seed, std::size_t count);

// A program for a sequence, and its results when nothing else is running.
struct TestProgram {
  std::string name;
  ir::Module module;
  std::vector<Literal> arguments[2];
  DirectProgram::Outputs expected[2];
};
// Returns those programs, out of some that the seed chooses, that the device can run completely. Leaves nothing loaded.
Result<std::vector<TestProgram>> make_test_programs(const Subject &subject, std::uint64_t seed);

struct CallsOutcome {
  std::string mismatch;            // description of the failure; empty: none
  std::vector<std::string> calls;  // the calls made; the last one is the one that failed
};
// Runs the steps; at the end everything is released, in an order that the last step chooses. Each call is also printed
// before it is made, so that a crash shows it.
CallsOutcome run_steps(const Subject &subject, const std::vector<TestProgram> &test_programs,
                       const std::vector<Step> &steps);

}  // namespace bp::conformance
