// Random programs as cases: the same program and inputs of a seed everywhere.
#pragma once

#include <cstdint>
#include <string>

#include "core/backplane.h"

namespace bp::conformance {

// About so many instructions has the entry of the program of a seed: 6 to 35.
int graph_size(std::uint64_t seed);
// Verified. Every other one is plain: mostly arithmetic that any device has, so that those that have little else are tried.
Module random_graph(std::uint64_t seed, int size);

// Inputs for a random program, or what is left of one, by its seed: by turns ordinary, small, special and mixed.
Result<std::vector<Literal>> graph_arguments(const Module &module, std::uint64_t seed);

struct GraphOutcome {
  std::string mismatch;       // what is wrong, also if it does not compile or run; empty: nothing
  bool is_on_device = true;   // whether the device had a part in it
  bool is_too_large = false;  // for the device's memory, by the core's plan: nothing is wrong, `mismatch` says how much
};
// Runs a verified program, with nothing folded beforehand, and judges the result (program_judge.h). What the device does
// not claim runs on the host. Unsupported and OutOfMemory: not even the oracle runs it.
Result<GraphOutcome> run_graph(const Backend &backend, const Module &module, std::uint64_t seed);

}  // namespace bp::conformance
