// Random programs as cases: a seed gives the same program and inputs on every machine.
#pragma once

#include <cstdint>
#include <string>

#include "core/backplane.h"

namespace bp::conformance {

// Returns the approximate number of instructions in the entry of the seed's program: 6 to 35.
int graph_size(std::uint64_t seed);
// Returns a verified program. Half of them are plain, mostly arithmetic that any device has, so that devices with few
// ops are tested too.
Module random_graph(std::uint64_t seed, int size);

// Returns inputs for a random program, or for a reduced one. The seed chooses their kind: ordinary, small, special or
// mixed.
Result<std::vector<Literal>> graph_arguments(const Module &module, std::uint64_t seed);

struct GraphOutcome {
  std::string mismatch;       // what is wrong, including failures to compile or run; empty: nothing
  bool is_on_device = true;   // whether the device ran a part of the program
  bool is_too_large = false;  // for the device's memory, by the core's plan: not an error; `mismatch` gives the size
};
// Runs a verified program without constant folding and judges the result (program_judge.h). Parts that the device does
// not claim run on the host. Unsupported or OutOfMemory: not even the oracle can run it.
Result<GraphOutcome> run_graph(const Backend &backend, const Module &module, std::uint64_t seed);

}  // namespace bp::conformance
