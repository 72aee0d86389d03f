#include <fmt/format.h>

#include "conformance/report/markup.h"
#include "conformance/report/render.h"
#include "conformance/report/summary.h"

namespace bp::conformance {
namespace {

std::string_view element_of(CaseStatus status) {
  if (is_unexpected(status)) {
    return status == CaseStatus::Crashed || status == CaseStatus::TimedOut ? "error" : "failure";
  }
  return status == CaseStatus::Pass ? "" : "skipped";
}

}  // namespace

std::string to_junit(const Report &report) {
  const std::vector<StageSummary> stages = by_stage(report);
  std::string out = fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\">\n",
                                escape(report.header.device));
  for (const StageSummary &stage : stages) {
    const Totals &totals = stage.totals;
    const std::size_t errors = totals[CaseStatus::Crashed] + totals[CaseStatus::TimedOut];
    out += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n",
        escape(stage.name), totals.cases(), totals.unexpected() - errors, errors,
        totals[CaseStatus::Unsupported] + totals[CaseStatus::ExpectedFailure] + totals[CaseStatus::NotRun] +
            totals[CaseStatus::Weak],
        totals.seconds);
    for (const Record &record : report.records) {
      if (record.stage != stage.name) {
        continue;
      }
      out += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\"", escape(record.stage),
                         escape(record.id), record.seconds);
      const std::string_view element = element_of(record.verdict.status);
      if (element.empty()) {
        out += "/>\n";
      } else {
        out += fmt::format("><{} message=\"{}: {}\"/>{}</testcase>\n", element, to_string(record.verdict.status),
                           escape(record.verdict.message),
                           record.rerun.empty() || element == "skipped"
                               ? ""
                               : fmt::format("<system-out>rerun: {}</system-out>", escape(record.rerun)));
      }
    }
    out += "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

}  // namespace bp::conformance
