#include "tools/command/certificate_text.h"

#include <fmt/format.h>

#include "tools/command/terminal.h"

namespace bp::command {

using State = conformance::Certificate::State;

std::string describe(const conformance::Certificate &certificate) {
  const conformance::Header &header = certificate.header;
  const std::string run =
      fmt::format("{} cases of the {} suite{}{}, none unexpected, in {}", certificate.cases, header.mode,
                  header.selection.empty() && header.shard.empty() ? "" : ", a part: ", header.selection + header.shard,
                  certificate.report);
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
  object["cases"] = certificate.cases;
  if (certificate.stamp) {
    object["date"] = certificate.stamp->date;
    object["rerun"] = certificate.stamp->rerun;
  }
  return object;
}

}  // namespace bp::command
