// Runs one self-checking program on a backend and reports the checks that did not hold.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/check/self_checking.h"
#include "core/backplane.h"
#include "core/ensemble.h"

namespace bp::conformance {

// A message about one check.
struct Remark {
  SourceLocation location;  // location of the check
  std::string text;         // "3 of 12 elements are not equal; ..."
};

struct Outcome {
  std::size_t checks = 0;
  std::vector<Remark> failures;  // checks that did not hold
  // Checks that fail against the stored value, although each element agrees either with it or with the correctly
  // rounded result: the stored value is inaccurate.
  std::vector<Remark> stored_values_off;
};

// An additional check of a compiled program before it runs. An error is the reason why the program does not pass.
using Inspect = std::function<Status(const Executable &executable, const std::vector<Literal> &arguments)>;

// Loads the backend once for each of several devices.
using LoadEnsemble = std::function<Result<Ensemble>(std::int64_t count)>;

// Takes the program apart, compiles all of it for the backend without constant folding, runs it and compares. Errors:
// the reason why it cannot run; Unsupported if the backend does not claim an op; the error of `inspect`. The module
// must be verified. If it starts programs on several devices, these run on an ensemble; without `load_ensemble`, that
// of the backend's name.
Result<Outcome> run(const ir::Module &module, const Backend &backend, Policy policy = Policy::Strict,
                    const Inspect &inspect = {}, const LoadEnsemble &load_ensemble = {});
// The same for a program that is taken apart already.
Result<Outcome> run(SelfChecking program, const Backend &backend, Policy policy = Policy::Strict,
                    const Inspect &inspect = {}, const LoadEnsemble &load_ensemble = {});

}  // namespace bp::conformance
