#include "conformance/runner/hardware_safe.h"

#include <algorithm>

#include "conformance/runner/expectations.h"

namespace bp::conformance {
namespace {

struct UnsafeCases {
  std::string_view pattern, reason;
};
// The first line that matches counts. Cases that only use a device as programs do are not here, even if they put load
// on it; neither are those that the core or the plugin's host part answers alone.
constexpr UnsafeCases unsafe_cases[] = {
    {"faults/artifact/*", "loads a damaged artifact: code that a board runs unchecked may stop it"},
    {"faults/lost/*", "makes the device fail in the middle of runs, and abandons it"},
    {"faults/memory", "exhausts memory"},
    {"faults/alloc/*", "makes allocations fail in the middle of runs"},
    {"faults/copy/*", "makes copies fail in the middle of runs"},
    {"life_cycle/BP-ENTRY-03", "loads and unloads the plugin many times: some drivers have to be reset after that"},
    {"life_cycle/BP-INIT-02/repeated", "ends and begins the plugin's life again and again"},
    {"life_cycle/BP-DEVICE-03", "abandons a device whose start has failed"},
    {"life_cycle/leaks/refused_artifact", "loads a damaged artifact: code that a board runs unchecked may stop it"},
    {"life_cycle/leaks/refused_alloc", "exhausts memory"},
    {"life_cycle/leaks/refused_copy", "copies to memory that does not exist"},
    {"life_cycle/leaks/create", "creates and destroys a device many times"},
    {"concurrency/*/devices", "destroys a device while another one works"},
    {"contract/BP-WAIT-01/failure*", "submits a copy to memory that does not exist"},
    {"contract/BP-CLAIM-01/later", "loads a damaged artifact, and asks for more memory than there is"},
    {"contract/BP-DIAG-01/reports", "loads a damaged artifact, and asks for more memory than there is"},
    {"contract/BP-LOG-01/lines", "loads a damaged artifact, and asks for more memory than there is"},
    {"contract/BP-INFO-04", "loads a damaged artifact, and asks for more memory than there is"},
    {"contract/lasting_statements", "asks for more memory than there is"},
    {"contract/BP-STATUS-03/own_loss", "loses the device on purpose"},
    {"fuzz/calls/*", "destroys programs, devices and libraries in random order"},
    {"performance/load/plugin", "loads and unloads the plugin many times"},
};

}  // namespace

std::string_view why_left_out(std::string_view id) {
  const auto found =
      std::ranges::find_if(unsafe_cases, [&](const UnsafeCases &row) { return matches(row.pattern, id); });
  return found == std::end(unsafe_cases) ? std::string_view() : found->reason;
}

std::vector<Record> leave_out_unsafe(const Subject &subject, std::vector<Group> &groups) {
  std::vector<Record> left_out;
  for (Group &group : groups) {
    std::erase_if(group.ids, [&](const std::string &id) {
      const std::string_view reason = why_left_out(id);
      if (reason.empty()) {
        return false;
      }
      Record record;
      record.id = id;
      record.stage = group.stage->name;
      record.seed = subject.seed_of(id);
      record.verdict = {.status = CaseStatus::NotRun, .message = std::string(reason)};
      left_out.push_back(std::move(record));
      return true;
    });
  }
  std::erase_if(groups, [](const Group &group) { return group.ids.empty(); });
  return left_out;
}

Status check_left_out(const Report &report, bool hardware_safe, const std::string &file) {
  for (const Record &record : report.records) {
    const bool is_left_out = record.verdict.status == CaseStatus::NotRun;
    if (is_left_out == (hardware_safe && !why_left_out(record.id).empty())) {
      continue;
    }
    return is_left_out ? invalid_input("{}: leaves out the case {}, which a {} run does not leave out", file, record.id,
                                       hardware_safe ? "--hardware-safe" : "usual")
                       : invalid_input("{}: has the case {} as {}, which a --hardware-safe run leaves out", file,
                                       record.id, to_string(record.verdict.status));
  }
  return {};
}

}  // namespace bp::conformance
