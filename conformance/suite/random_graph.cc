#include "conformance/suite/random_graph.h"

#include "conformance/suite/program_judge.h"
#include "core/debugging/draws.h"
#include "core/debugging/random_module.h"

namespace bp::conformance {

int graph_size(std::uint64_t seed) {
  return 6 + static_cast<int>(seed % 30);
}

Module random_graph(std::uint64_t seed, int size) {
  return debugging::random_module(seed, {.instructions = size, .is_plain = seed / 4 % 2 == 0});
}

Result<std::vector<Literal>> graph_arguments(const Module &module, std::uint64_t seed) {
  return debugging::draw_arguments(module, seed, static_cast<int>(seed % 4));
}

Result<GraphOutcome> run_graph(const Backend &backend, const Module &module, std::uint64_t seed) {
  BP_ASSIGN(std::vector<Literal> arguments, graph_arguments(module, seed));
  BP_ASSIGN(const ProgramJudge judge, ProgramJudge::make(module, std::move(arguments)));
  CompileOptions options;
  options.fold_constants = false;
  GraphOutcome outcome;
  const auto compiled = backend.compile(module, options);
  if (!compiled.ok()) {
    outcome.mismatch = compiled.error().to_string();
    outcome.is_too_large = compiled.error().code() == ErrorCode::DoesNotFit;
    return outcome;
  }
  outcome.is_on_device = backend.is_interpreter() || compiled->report.programs > 0;
  const auto found = compiled->executable.run(judge.arguments());
  if (!found.ok()) {
    outcome.mismatch = found.error().to_string();
    return outcome;
  }
  BP_ASSIGN(outcome.mismatch, judge.find_mismatch(*found));
  return outcome;
}

}  // namespace bp::conformance
