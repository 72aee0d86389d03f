// Whether two backends compute the same with a module: the one judge of `run --against`, `bisect`, `reduce` and `fuzz`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/backplane.h"
#include "core/interpreter/compare.h"

namespace bp::debugging {

enum class Verdict {
  Agrees,
  WeakEvidence,  // nothing differs, but that says little about an output at least: Comparison::weak_evidence
  Differs,
};
std::string_view to_string(Verdict verdict);  // "agrees", "weak evidence", "differs"

// One array of the result.
struct Output {
  interpreter::Comparison comparison;
  // A parameter or a constant, only moved: no evidence, but bits that change differ.
  bool is_passed_through = false;
  Verdict verdict = Verdict::Agrees;
};

struct Agreement {
  std::vector<Output> outputs;  // in the order of the result
  bool has_inputs = true;       // Otherwise there is one result only, and equal bits are all the evidence there can be.

  // Differs if an output does; agrees if outputs are computed, and all of these agree.
  Verdict verdict() const;
  // What differs, the first, as "{1}: f32[8]: relative error ...".
  std::optional<std::string> difference() const;
};

// Compares what `executable`, compiled from `module`, made of the arguments with what a reference made of them. Errors
// above the tolerance differ, unless moving the inputs by one unit in the last place does as much: no two ways of
// rounding need to agree there. Runs on inputs moved like that, if there is a use for it, and on inputs that are a
// little larger: an output of floats that hardly answers to these is weak evidence, as is a saturated softmax; errors
// inside show no more than the inputs do. Fails if the shapes differ, or if a run does.
Result<Agreement> compare(const Module &module, const Executable &executable, const std::vector<Literal> &arguments,
                          const Literal &result, const Literal &expected, double tolerance);

// The same of two backends, on inputs made from the seed. `reference` may be the interpreter.
Result<Agreement> compare(const Module &module, const Backend &backend, const Backend &reference, std::uint64_t seed,
                          double tolerance);

// Whether an error is what moving the inputs by one unit in the last place does, too.
bool is_ill_conditioned(double relative_error, double response);

}  // namespace bp::debugging
