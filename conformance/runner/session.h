// One run of the suite on one plugin, from the options to the JSON lines.
#pragma once

#include <functional>
#include <string>

#include "conformance/runner/run.h"

namespace bp::conformance {

struct Session {
  Choice choice;
  Selection selection;
  std::string program;            // the `backplane` executable that serves as worker
  std::string challenge = {};     // see accept_challenge()
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

// Lets the plugin and this text determine the seed (challenge_seed()), and the report state the text. InvalidInput: the
// text is empty, or the session is about the interpreter, which has no file.
Status accept_challenge(Session &session, const std::string &text);

// Returns what identifies a run: the backend, the options, and the hashes of the files that determine the results.
Result<Header> header_of(const Session &session, const Subject &subject);
// Returns the session's expectations, or those next to the plugin.
Result<Expectations> expectations_of(const Session &session, const Subject &subject);

// Returns a warning for each line of the expectations that matches no case of the quick or of the full run: it may be
// misspelt. Empty if the session runs a part of the cases.
Result<std::vector<std::string>> find_unused_expectations(const Session &session);

// Returns the arguments that choose the same backend again: "acme --set x=y --seed 3".
std::vector<std::string> arguments_of(const Choice &choice);

// Checks that the report has totals, and that they are the sum of the records.
Status check_totals(const Report &report, const std::string &file);

// Reads a report from a file. Error messages name the file and the line.
Result<Report> read_report(const std::string &file);

}  // namespace bp::conformance
