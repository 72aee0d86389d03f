// Random sequences of calls of a plugin's ABI, each of them legal: libraries are loaded, devices made, programs loaded,
// run and destroyed, memory taken and given back, commands submitted, several of each at a time and in any order. What a
// program computes, and what lies in a piece of memory, must not depend on the rest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/suite/naked_program.h"
#include "conformance/suite/subject.h"

namespace bp::conformance {

// Numbers that choose what is done next, and to what; a step that is not legal at its turn does nothing. So what is left
// of a sequence, when some steps are taken out, is a legal sequence.
struct Step {
  std::uint32_t kind, first, second, third;
};
std::vector<Step> random_steps(std::uint64_t seed, std::size_t count);

// A program for a sequence, and what it gives where nothing else is going on.
struct Material {
  std::string name;
  ir::Module module;
  std::vector<Literal> arguments[2];
  NakedProgram::Outputs expected[2];
};
// Those that the device runs all of, of some that the seed chooses. Leaves nothing loaded.
Result<std::vector<Material>> make_materials(const Subject &subject, std::uint64_t seed);

struct CallsOutcome {
  std::string mismatch;            // what went wrong; empty: nothing
  std::vector<std::string> calls;  // what was done, the last one being what went wrong
};
// Ends with everything released, in an order that the last step chooses. Calls are also printed, before they are made: a
// crash shows them.
CallsOutcome run_steps(const Subject &subject, const std::vector<Material> &materials, const std::vector<Step> &steps);

}  // namespace bp::conformance
