// One run of the suite on one plugin, from what was asked for to the JSON lines; and a look back at an earlier one.
#pragma once

#include <functional>
#include <string>

#include "conformance/runner/run.h"

namespace bp::conformance {

struct Session {
  Choice choice;
  Selection selection;
  std::string program;            // the `backplane` that serves as worker
  std::string expectations_file;  // empty: the one beside the plugin, if there is one
  int jobs = 0;
  double deadline_scale = 1;
  bool fail_fast = false;
  // Measurements are compared with those of this report.
  std::optional<Report> earlier = {};
  // Each line as it comes, with its newline.
  std::function<void(const std::string &line)> on_line = {};
  std::function<void(const Record &record, std::size_t done, std::size_t total)> on_record = {};
};

// The lines of the report. Errors: the plugin is not there, nothing was selected, an expectation cannot be read.
Result<std::string> run_session(const Session &session);

// The arguments that choose the same backend again: "acme --set x=y --seed 3".
std::vector<std::string> arguments_of(const Choice &choice);

// Of a file. Messages name it, and the line.
Result<Report> read_report(const std::string &file);

// What an earlier report is worth: its hashes hold, the plugin is the one it speaks of, and `sample` of its cases, chosen
// by the seed, give what they gave. Blocked cases are not run again. InvalidInput says what does not hold.
struct Verified {
  Report report;
  std::size_t rerun = 0;
  std::vector<std::string> differences;  // "ops/add/f32/one/random: was pass, now fail: ..."
};
Result<Verified> verify_report(const std::string &file, std::size_t sample, std::uint64_t seed, Session session);

}  // namespace bp::conformance
