// Runs one self-checking program on a backend and tells what did not hold.
#pragma once

#include <string>
#include <vector>

#include "conformance/check/self_checking.h"
#include "core/backplane.h"

namespace bp::conformance {

// A check that did not hold.
struct Failure {
  SourceLocation location;  // of the check
  std::string text;         // "3 of 12 elements are not equal; ..."
};

struct Outcome {
  std::size_t checks = 0;
  std::vector<Failure> failures;
};

// Takes the program apart, compiles all of it for the backend, with nothing folded beforehand, runs it and compares.
// Errors: what keeps it from running; Unsupported if the backend does not claim an op. The module must be verified.
Result<Outcome> run(const ir::Module &module, const Backend &backend);

}  // namespace bp::conformance
