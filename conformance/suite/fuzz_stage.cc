// Random programs and sequences of calls, which depend only on the number of the case and --seed. Failing ones are
// reduced before they are reported.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "conformance/suite/differential.h"
#include "conformance/suite/random_calls.h"
#include "conformance/suite/random_graph.h"
#include "conformance/suite/stage.h"

namespace bp::conformance {
namespace {

constexpr std::string_view graphs = "fuzz/graphs/", calls = "fuzz/calls/";

Result<Verdict> judge_graph(Subject &subject, const std::string &id) {
  const std::uint64_t seed = subject.seed_of(id);
  const ir::Module module = random_graph(seed, graph_size(seed));
  BP_ASSIGN(const Backend *backend, subject.backend());
  return compare_with_interpreter(*backend, module, seed);
}

// Returns a part of the sequence that still fails: removes halves, then quarters, down to single steps, as long as the
// rest still fails.
std::vector<Step> shortened(const Subject &subject, const std::vector<TestProgram> &test_programs,
                            std::vector<Step> steps) {
  constexpr double max_seconds = 10;
  const auto start = std::chrono::steady_clock::now();
  const auto is_over = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > max_seconds;
  };
  for (std::size_t chunk = steps.size() / 2; chunk > 0; chunk /= 2) {
    for (std::size_t end = steps.size(); end > 0 && !is_over(); end -= std::min(end, chunk)) {
      std::vector<Step> fewer = steps;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(end - std::min(end, chunk)),
                  fewer.begin() + static_cast<std::ptrdiff_t>(end));
      if (!run_steps(subject, test_programs, fewer).mismatch.empty()) {
        steps = std::move(fewer);
      }
    }
  }
  return steps;
}

Result<Verdict> judge_calls(Subject &subject, const std::string &id) {
  constexpr std::size_t count = 120;
  subject.unload();  // the sequence has to start with a freshly loaded library
  const std::uint64_t seed = subject.seed_of(id);
  BP_ASSIGN(const std::vector<TestProgram> test_programs, make_test_programs(subject, seed));
  const std::vector<Step> steps = random_steps(seed, count);
  CallsOutcome outcome = run_steps(subject, test_programs, steps);
  if (outcome.mismatch.empty()) {
    return Verdict();
  }
  const CallsOutcome shorter = run_steps(subject, test_programs, shortened(subject, test_programs, steps));
  const CallsOutcome &shown = shorter.mismatch.empty() ? outcome : shorter;
  return failure(fmt::format("{}; {} calls of {} show it:\n    {}", shown.mismatch, shown.calls.size(),
                             outcome.calls.size(), fmt::join(shown.calls, "\n    ")));
}

std::vector<std::string> list_fuzz(const Subject &subject) {
  std::vector<std::string> ids;
  for (int i = 0; i < (subject.is_interpreter() ? 0 : subject.is_full() ? 2'000 : 50); ++i) {
    ids.push_back(fmt::format("{}{}", calls, i));
  }
  for (int i = 0; i < (subject.is_full() ? 10'000 : 300); ++i) {
    ids.push_back(fmt::format("{}{}", graphs, i));
  }
  return ids;
}

Verdict run_fuzz(Subject &subject, const std::string &id) {
  return verdict_or_error(id.starts_with(calls) ? judge_calls(subject, id) : judge_graph(subject, id));
}

Result<CaseProgram> program_of_fuzz(Subject &subject, const std::string &id) {
  if (id.starts_with(calls)) {
    return invalid_input("the case is a sequence of calls; the message of a failing one lists them");
  }
  const std::uint64_t seed = subject.seed_of(id);
  Module module = random_graph(seed, graph_size(seed));
  BP_ASSIGN(std::vector<Literal> arguments, graph_arguments(module, seed));
  return CaseProgram{std::move(module), std::move(arguments), std::string(allowed_by_program_judge), false};
}

std::string advice(const Subject &subject, std::string_view id) {
  if (id.starts_with(calls)) {
    return "the last call that it printed is the cause";
  }
  return fmt::format("reduce it with: backplane fuzz --on {} --seed {} --count 1", subject.choice().name,
                     subject.seed_of(id));
}

}  // namespace

const Stage fuzz_stage = {.name = "fuzz",
                          .summary = "random programs compared with the interpreter, and random sequences of calls",
                          .list = list_fuzz,
                          .run = run_fuzz,
                          .program = program_of_fuzz,
                          .advice = advice,
                          .deadline_seconds = 60};

}  // namespace bp::conformance
