// Decides whether two backends compute the same for a module; used by all of `run --against`, `bisect`, `reduce` and
// `fuzz`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/backplane.h"
#include "core/ensemble.h"
#include "core/interpreter/compare.h"

namespace bp::debugging {

enum class Verdict {
  Agrees,
  WeakEvidence,  // nothing differs, but for at least one output that says little: Comparison::weak_evidence
  Differs,
};
std::string_view to_string(Verdict verdict);  // returns "agrees", "weak evidence" or "differs"

// One array of the result.
struct Output {
  interpreter::Comparison comparison;
  // Whether it is a parameter or constant that was only moved: no evidence if equal, but changed bits count as a
  // difference.
  bool is_passed_through = false;
  Verdict verdict = Verdict::Agrees;
};

struct Agreement {
  std::vector<Output> outputs;  // in the order of the results
  // Without inputs there is only one possible result, and equal bits are all the evidence there can be.
  bool has_inputs = true;

  // Returns Differs if an output differs; Agrees if at least one output is computed, and all computed ones agree.
  Verdict verdict() const;
  // Returns the first difference, as "{1}: f32[8]: relative error ...".
  std::optional<std::string> difference() const;
};

// Compares the result that `executable`, compiled from `module`, computed from the arguments with that of a reference.
// Errors above the tolerance count as differences, and so does any other bit of an integer, unless moving the inputs by
// one unit in the last place changes the result as much: then different rounding need not agree. Runs the executable on
// inputs moved in this way, if that is useful, and on inputs that are slightly larger: a floating-point output that
// hardly responds to these, such as a saturated softmax, is weak evidence, because it would show intermediate errors no
// better than it shows the inputs. Fails if the shapes differ, or if a run fails.
Result<Agreement> compare(const Module &module, const Executable &executable, const std::vector<Literal> &arguments,
                          const Literal &result, const Literal &expected, double tolerance);
// The same for a program for several devices, which all get the arguments; results are by device. The first index of an
// output is the device.
Result<Agreement> compare(const Module &module, const EnsembleExecutable &executable,
                          const std::vector<Literal> &arguments, const std::vector<Literal> &results,
                          const std::vector<Literal> &expected, double tolerance);

// Compares two backends in the same way, on inputs made from the seed. `reference` may be the interpreter.
Result<Agreement> compare(const Module &module, const Backend &backend, const Backend &reference, std::uint64_t seed,
                          double tolerance);

// Whether moving the inputs by one unit in the last place causes an error of this size, too.
bool is_ill_conditioned(double relative_error, double response);

}  // namespace bp::debugging
