// One run of the suite on one plugin, from the options to the JSON lines; and the verification of an earlier report.
#pragma once

#include <functional>
#include <string>

#include "conformance/runner/run.h"

namespace bp::conformance {

struct Session {
  Choice choice;
  Selection selection;
  std::string program;            // the `backplane` executable that serves as worker
  std::string expectations_file;  // empty: the file next to the plugin, if there is one
  int jobs = 0;
  double deadline_scale = 1;
  bool fail_fast = false;
  // Report with which measurements are compared.
  std::optional<Report> earlier = {};
  // Called with each line, including its newline, as soon as it is there.
  std::function<void(const std::string &line)> on_line = {};
  std::function<void(const Record &record, std::size_t done, std::size_t total)> on_record = {};
};

// Returns the lines of the report. Errors: the plugin does not exist, no case is selected, an expectation cannot be
// read.
Result<std::string> run_session(const Session &session);

// Returns the arguments that choose the same backend again: "acme --set x=y --seed 3".
std::vector<std::string> arguments_of(const Choice &choice);

// Checks that the report has totals, and that they are the sum of the records.
Status check_totals(const Report &report, const std::string &file);

// Reads a report from a file. Error messages name the file and the line.
Result<Report> read_report(const std::string &file);

// The outcome of verify_report().
struct Verified {
  Report report;
  std::size_t rerun = 0;                 // number of cases
  std::vector<std::string> differences;  // "ops/add/f32/one/random: was pass, now fail: ..."
};
// Verifies an earlier report: its hashes are right, the plugin is the one it was made for, it has all cases of the
// suite that its header speaks of, and `sample` of them, chosen by the seed, give the same results again. Blocked cases
// are not rerun. InvalidInput: the hashes, the plugin or the cases do not match.
Result<Verified> verify_report(const std::string &file, std::size_t sample, std::uint64_t seed, Session session);

}  // namespace bp::conformance
