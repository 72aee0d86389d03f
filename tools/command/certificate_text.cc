#include "tools/command/certificate_text.h"

#include <fmt/format.h>

#include "tools/command/terminal.h"

namespace bp::command {

using State = conformance::Certificate::State;

std::string describe_counts(const conformance::Totals &totals) {
  using conformance::CaseStatus;
  std::string text = fmt::format("{} passed, {} unsupported, {} failed as expected", totals[CaseStatus::Pass],
                                 totals[CaseStatus::Unsupported], totals[CaseStatus::ExpectedFailure]);
  for (const auto &[status, name] : {std::pair(CaseStatus::Weak, "weak"), std::pair(CaseStatus::NotRun, "not run")}) {
    text += totals[status] == 0 ? "" : fmt::format(", {} {}", totals[status], name);
  }
  return text;
}

std::string describe(const conformance::Certificate &certificate) {
  const conformance::Header &header = certificate.header;
  const std::string run =
      fmt::format("{} cases of the {} suite{}{}: {}, in {}", certificate.totals.cases(), header.mode,
                  header.selection.empty() && header.shard.empty() ? "" : ", a part, ", header.selection + header.shard,
                  describe_counts(certificate.totals), certificate.report) +
      (certificate.signed_by.empty() ? "" : ", signed by " + certificate.signed_by);
  switch (certificate.state) {
    case State::None: return {};
    case State::Claimed:
      return printable(fmt::format("claimed: {}; not checked on this machine: backplane conform verify {}", run,
                                   certificate.report));
    case State::Checked:
      return printable(fmt::format("checked on {}: {}; {} of them ran again on this machine", certificate.stamp->date,
                                   run, certificate.stamp->rerun));
    case State::Wrong: return paint(Colour::Red, "wrong: " + printable(certificate.problem));
  }
  return {};
}

boost::json::object to_json(const conformance::Certificate &certificate) {
  boost::json::object object{{"state", conformance::to_string(certificate.state)}};
  if (certificate.state == State::None) {
    return object;
  }
  object["report"] = certificate.report;
  if (certificate.state == State::Wrong) {
    object["problem"] = certificate.problem;
    return object;
  }
  object["mode"] = certificate.header.mode;
  object["selection"] = certificate.header.selection;
  object["shard"] = certificate.header.shard;
  object["host_version"] = certificate.header.host_version;
  object["cases"] = certificate.totals.cases();
  boost::json::object counts;
  for (std::size_t i = 0; i < conformance::case_status_count; ++i) {
    counts[conformance::case_status_names[i]] = certificate.totals.counts[i];
  }
  object["counts"] = std::move(counts);
  if (!certificate.signed_by.empty()) {
    object["signed_by"] = certificate.signed_by;
  }
  if (certificate.stamp) {
    object["date"] = certificate.stamp->date;
    object["rerun"] = certificate.stamp->rerun;
  }
  return object;
}

}  // namespace bp::command
