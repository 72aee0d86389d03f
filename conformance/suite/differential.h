// A case that compares a program on the device with the interpreter.
#pragma once

#include <cstdint>

#include "conformance/report/record.h"
#include "core/backplane.h"

namespace bp::conformance {

// Compares a verified program on inputs generated from the seed (random_graph.h). A program that fails is reduced
// first: the message ends with the few instructions that still show the failure. Unsupported if not even the
// interpreter can run it within its limits.
Result<Verdict> compare_with_interpreter(const Backend &backend, const Module &module, std::uint64_t seed);

}  // namespace bp::conformance
