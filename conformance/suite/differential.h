// A program on the device and on the interpreter, as a case.
#pragma once

#include <cstdint>

#include "conformance/report/record.h"
#include "core/backplane.h"

namespace bp::conformance {

// Of a verified program, on inputs of the seed (random_graph.h). What fails is made small before it is told: the message
// ends with the few instructions that still show it. Unsupported if not even the interpreter runs it within its limits.
Result<Verdict> compare_with_interpreter(const Backend &backend, const Module &module, std::uint64_t seed);

}  // namespace bp::conformance
