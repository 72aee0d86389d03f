#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <cmath>
#include <span>

#include "conformance/report/performance.h"
#include "conformance/report/render.h"
#include "conformance/report/summary.h"

namespace bp::conformance {
namespace {

// Returns "12 pass, 3 unsupported"; statuses without cases are not mentioned.
std::string describe(const Totals &totals) {
  std::string text;
  for (std::size_t i = 0; i < case_status_count; ++i) {
    if (totals.counts[i] != 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", totals.counts[i], to_string(static_cast<CaseStatus>(i)));
    }
  }
  return text.empty() ? "no cases" : text;
}

// Describes the peaks, the costs of small operations, and the ops that are far from the roofline.
std::string describe(const Performance &performance) {
  std::vector<std::string> rates, costs;
  if (performance.bytes_per_second > 0) {
    rates.push_back(fmt::format("memory {}B/s", format_rate(performance.bytes_per_second)));
  }
  for (const Peak &peak : performance.peaks) {
    rates.push_back(fmt::format("{} {} {}op/s", peak.kind, peak.type, format_rate(peak.rate)));
  }
  for (const Figure &figure : performance.figures) {
    costs.push_back(fmt::format("{} {}", figure.title, format_seconds(figure.measured.seconds)));
  }
  std::vector<const OpSpeed *> slowest;
  for (const OpSpeed &one : performance.ops) {
    slowest.push_back(&one);
  }
  std::ranges::stable_sort(slowest, {}, &OpSpeed::share);
  std::string lowest;
  for (const OpSpeed *one : std::span(slowest).first(std::min<std::size_t>(slowest.size(), 4))) {
    lowest += fmt::format("{}{} {} {:.1f} %", lowest.empty() ? "" : ", ", one->op, one->type, 100 * one->share);
  }
  std::string out;
  const auto line = [&](std::string_view name, const std::string &text) {
    out += text.empty() ? "" : fmt::format("{:<12} {}\n", name, text);
  };
  line("peaks", fmt::format("{}", fmt::join(rates, ", ")));
  line("costs", fmt::format("{}", fmt::join(costs, ", ")));
  if (const double share = median_share(performance); share > 0) {
    line("roofline",
         fmt::format("median share {:.0f} % of {} ops; the lowest: {}", 100 * share, performance.ops.size(), lowest));
  }
  if (performance.compared > 0) {
    line("development", fmt::format("{} of {} cases differ from the earlier report by more than the noise",
                                    performance.changes.size(), performance.compared));
    for (const Record *record : performance.changes) {
      const Measurement &measured = *record->verdict.measured;
      line("", fmt::format("{} {}: {}", to_string(measured.development->change), title_of(*record),
                           describe_change(measured)));
    }
  }
  return out;
}

}  // namespace

bool is_shown(const Record &record) {
  return is_unexpected(record.verdict.status) && record.verdict.status != CaseStatus::Blocked;
}

std::string to_text(const Record &record, const Paint &paint) {
  std::string out = fmt::format("{} {}\n", paint(record.verdict.status), record.id);
  if (!record.verdict.message.empty()) {
    out += fmt::format("  {}\n", boost::replace_all_copy(record.verdict.message, "\n", "\n  "));
  }
  if (record.rerun.empty()) {
    return out;
  }
  out += fmt::format("  rerun: {}\n", record.rerun);
  if (record.verdict.status == CaseStatus::Crashed) {  // the worker is the child; it has long enough to be looked at
    out += fmt::format("  debug: gdb -ex 'set follow-fork-mode child' -ex run --args {}{}\n", record.rerun,
                       record.rerun.find(" --deadline ") == std::string::npos ? " --deadline 1000" : "");
  }
  return out;
}

std::string to_text(const Report &report, const Paint &paint, std::size_t shown, std::span<const Workload> workloads) {
  std::string out;
  const bool are_shown = shown > 0;
  std::size_t unexpected = 0;
  for (const Record &record : report.records) {
    unexpected += is_unexpected(record.verdict.status) ? 1 : 0;
    if (!are_shown && is_shown(record) && shown < max_shown_results) {
      out += to_text(record, paint);
      ++shown;
    }
  }
  if (unexpected > shown) {
    out += fmt::format("... and {} more\n", unexpected - shown);
  }
  for (const StageSummary &stage : by_stage(report)) {
    out += fmt::format("{:<12} {}  ({:.1f} s of work)\n", stage.name, describe(stage.totals), stage.totals.seconds);
  }
  if (const Shares shares = counted_shares(report); !shares.empty()) {
    out += fmt::format("{:<12} {:.1f} of 100: half by operations and types, half by their use in workloads\n", "score",
                       100 * score(report));
    std::vector<std::string> parts;
    for (const Workload &workload : workloads) {
      parts.push_back(
          fmt::format("{} {:.0f} %", workload.name, std::floor(100 * share_of(workload, shares).passed + 1e-6)));
    }
    out += parts.empty() ? "" : fmt::format("{:<12} {}\n", "workloads", fmt::join(parts, ", "));
  }
  out += describe(performance_of(report));
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
