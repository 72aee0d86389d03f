#include <fmt/format.h>

#include "conformance/report/render.h"
#include "conformance/report/summary.h"

namespace bp::conformance {
namespace {

// "12 pass, 3 unsupported"; what did not happen is not mentioned.
std::string describe(const Totals &totals) {
  std::string text;
  for (std::size_t i = 0; i < case_status_count; ++i) {
    if (totals.counts[i] != 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", totals.counts[i], to_string(static_cast<CaseStatus>(i)));
    }
  }
  return text.empty() ? "no cases" : text;
}

}  // namespace

std::string to_text(const Report &report, const std::function<std::string(CaseStatus)> &paint) {
  constexpr std::size_t most_shown = 20;
  std::string out;
  std::size_t shown = 0, unexpected = 0;
  for (const Record &record : report.records) {
    if (!is_unexpected(record.verdict.status)) {
      continue;
    }
    ++unexpected;
    if (record.verdict.status == CaseStatus::Blocked || shown == most_shown) {
      continue;
    }
    ++shown;
    out += fmt::format("{} {}\n", paint(record.verdict.status), record.id);
    if (!record.verdict.message.empty()) {
      out += fmt::format("  {}\n", record.verdict.message);
    }
    out += fmt::format("  rerun: {}\n", record.rerun);
  }
  if (unexpected > shown) {
    out += fmt::format("... and {} more\n", unexpected - shown);
  }
  for (const StageSummary &stage : by_stage(report)) {
    out += fmt::format("{:<12} {}  ({:.1f} s of work)\n", stage.name, describe(stage.totals), stage.totals.seconds);
  }
  if (!by_op(report).ops.empty()) {
    out += fmt::format("{:<12} {:.1f} of 100: the mean over the families of ops of the cases that pass\n", "score",
                       100 * score(report));
  }
  if (report.totals) {
    const Totals &totals = *report.totals;
    out += fmt::format("{} cases in {:.1f} s: {}; {} unexpected\n", totals.cases(), totals.seconds, describe(totals),
                       totals.unexpected());
  } else {
    out += "the run was cut short: it has no totals\n";
  }
  return out;
}

}  // namespace bp::conformance
