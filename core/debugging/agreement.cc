#include "core/debugging/agreement.h"

#include <algorithm>

#include "core/interpreter/interpreter.h"
#include "core/interpreter/nudge.h"
#include "core/interpreter/random_inputs.h"

namespace bp::debugging {

Status mark_ill_conditioned(const Executable &executable, const std::vector<Literal> &arguments, const Literal &result,
                            double tolerance, std::vector<interpreter::Comparison> &comparisons) {
  const bool close = std::ranges::all_of(
      comparisons, [&](const interpreter::Comparison &comparison) { return comparison.relative_error <= tolerance; });
  if (close) {
    return {};
  }
  std::vector<Literal> moved;
  for (const Literal &argument : arguments) {
    BP_ASSIGN(Literal literal, interpreter::nudge(argument, moved.size() + 1));
    moved.push_back(std::move(literal));
  }
  BP_ASSIGN(Literal answer, executable.run(std::move(moved)));
  BP_ASSIGN(std::vector<interpreter::Comparison> responses, interpreter::compare(answer, result));
  for (std::size_t i = 0; i < responses.size(); ++i) {
    interpreter::Comparison &comparison = comparisons[i];
    const double response = responses[i].relative_error;
    if (comparison.no_evidence.empty() && comparison.relative_error > tolerance &&
        comparison.relative_error <= 8 * response) {
      comparison.no_evidence =
          fmt::format("moving the inputs by one unit in the last place changes it by {:.2g}", response);
    }
  }
  return {};
}

Result<std::optional<std::string>> find_disagreement(const Module &module, const Backend &backend,
                                                     const Backend &reference, std::uint64_t seed, double tolerance) {
  BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module, seed));
  BP_ASSIGN(Compiled compiled, backend.compile(module));
  BP_ASSIGN(Literal result, compiled.executable.run(arguments));
  BP_ASSIGN(Compiled other, reference.compile(module));
  BP_ASSIGN(Literal expected, other.executable.run(arguments));
  BP_ASSIGN(std::vector<interpreter::Comparison> comparisons, interpreter::compare(result, expected));
  BP_TRY(mark_ill_conditioned(compiled.executable, arguments, result, tolerance, comparisons));
  for (const interpreter::Comparison &comparison : comparisons) {
    if (comparison.no_evidence.empty() && comparison.relative_error > tolerance) {
      return std::optional(interpreter::to_string(comparison));
    }
  }
  return std::optional<std::string>();
}

}  // namespace bp::debugging
