#include "conformance/suite/differential.h"

#include <fmt/format.h>

#include <boost/algorithm/string.hpp>

#include "conformance/suite/random_graph.h"
#include "conformance/suite/stage.h"
#include "core/debugging/reduce.h"
#include "core/text/printer.h"

namespace bp::conformance {
namespace {

std::string indented(std::string text) {
  boost::trim_right(text);
  return boost::replace_all_copy(text, "\n", "\n    ");
}

// Reduces the program to the smallest one with the same kind of failure, and returns it as text.
std::string reduced(const Backend &backend, const Module &module, std::uint64_t seed, std::string mismatch) {
  debugging::ReduceOptions options;
  options.max_seconds = 10;
  const debugging::Reduced result = debugging::reduce(
      module,
      [&](const Module &candidate) {
        auto outcome = run_graph(backend, candidate, seed);
        if (!outcome.ok() || outcome->mismatch.empty() || outcome->is_too_large) {
          return false;
        }
        mismatch = std::move(outcome->mismatch);
        return true;
      },
      options);
  return fmt::format("{}; {} instructions of {} show it:\n    {}", mismatch, result.module.instruction_count(),
                     module.instruction_count(), indented(text::print(result.module)));
}

}  // namespace

Result<Verdict> compare_with_interpreter(const Backend &backend, const Module &module, std::uint64_t seed) {
  const auto outcome = run_graph(backend, module, seed);
  if (!outcome.ok()) {
    return Verdict{.status = CaseStatus::Unsupported,
                   .message = "the oracle cannot run it either: " + outcome.error().message(),
                   .is_evidence = false};
  }
  if (outcome->is_too_large) {
    return Verdict{.status = CaseStatus::Unsupported, .message = outcome->mismatch, .is_evidence = false};
  }
  if (!outcome->mismatch.empty()) {
    return failure(reduced(backend, module, seed, outcome->mismatch));
  }
  return outcome->is_on_device ? Verdict() : nothing_to_do();
}

}  // namespace bp::conformance
