#include "tools/command/conform_show.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>

#include "conformance/report/json_lines.h"
#include "conformance/report/render.h"
#include "conformance/suite/exhibit.h"
#include "core/base/files.h"
#include "core/debugging/child_process.h"
#include "tools/command/conform_results.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

// Returns the id of the only case that matches.
bp::Result<std::string> find_only_case(const conformance::Subject &subject, const std::string &pattern) {
  conformance::Selection selection;
  selection.patterns = {pattern};
  BP_ASSIGN(const std::vector<conformance::Group> groups, conformance::select_cases(subject, selection));
  std::size_t count = 0;
  for (const conformance::Group &group : groups) {
    count += group.ids.size();
  }
  if (count != 1) {
    return invalid_input("--show is '{}', which matches {} cases, such as {} and {}: expected one", pattern, count,
                         groups.front().ids.front(), groups.back().ids.back());
  }
  return groups.front().ids.front();
}

// Returns what a process of its own says about the case, up to its end.
std::string exhibit_apart(conformance::Subject &subject, const std::string &id, double deadline_scale) {
  const int file = memfd_create("exhibit", MFD_CLOEXEC);
  const std::string path = fmt::format("/proc/self/fd/{}", file);
  debugging::Limits limits;
  limits.bytes = std::int64_t{16} << 30;
  limits.seconds = 2 * deadline_scale * conformance::stage_of_case(id)->deadline_seconds;
  const debugging::Ending ending = debugging::run_in_child(
      [&] {
        accept_exits();
        conformance::exhibit(subject, id, [](std::string_view text) {
          fmt::print("{}", text);
          std::fflush(stdout);
        });
        return success;
      },
      limits, path);
  auto text = read_file(path);
  close(file);
  std::string shown = text.ok() ? printable(*text) : text.error().to_string() + "\n";
  if (ending.kind != debugging::Ending::Kind::Exited || ending.code != success) {
    shown += fmt::format("... and then: {}\n", to_string(ending, limits));
  }
  return shown;
}

}  // namespace

int show_case(conformance::Session session, const std::string &pattern) {
  auto subject = conformance::Subject::find(session.choice);
  if (!subject.ok()) {
    return report(subject.error());
  }
  const auto id = find_only_case(*subject, pattern);
  if (!id.ok()) {
    return report(id.error());
  }
  session.selection.patterns = {*id};
  const auto lines = run_session(session);
  if (!lines.ok()) {
    return report(lines.error());
  }
  const auto results = conformance::report_from_json(*lines);
  if (!results.ok() || results->records.empty()) {
    return report(results.ok() ? make_error(ErrorCode::Internal, "the case was not run") : results.error());
  }
  fmt::print("{}", exhibit_apart(*subject, *id, session.deadline_scale));
  fmt::print("verdict:\n{}", conformance::to_text(results->records.front(), paint_status));
  return results->totals->unexpected() == 0 ? success : negative;
}

}  // namespace bp::command
