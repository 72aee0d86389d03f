// Runs one self-checking program on a backend and tells what did not hold.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/check/self_checking.h"
#include "core/backplane.h"

namespace bp::conformance {

// About one check.
struct Remark {
  SourceLocation location;  // of the check
  std::string text;         // "3 of 12 elements are not equal; ..."
};

struct Outcome {
  std::size_t checks = 0;
  std::vector<Remark> failures;  // checks that did not hold
  // Checks that do not hold against the stored value, but do, element by element, against it or the correctly rounded
  // result: it is the stored value that is off.
  std::vector<Remark> stored_values_off;
};

// What else is asked of a compiled program before it runs; an error is why it does not pass.
using Inspect = std::function<Status(const Executable &executable, const std::vector<Literal> &arguments)>;

// Takes the program apart, compiles all of it for the backend, with nothing folded beforehand, runs it and compares.
// Errors: what keeps it from running; Unsupported if the backend does not claim an op; what `inspect` says. The module
// must be verified.
Result<Outcome> run(const ir::Module &module, const Backend &backend, Policy policy = Policy::Strict,
                    const Inspect &inspect = {});

}  // namespace bp::conformance
