// Runs cases in worker processes, several at a time. A case that crashes or hangs ends its worker: a new worker
// continues with the next case. Each record is passed on as soon as it is there, so that nothing that happens later can
// lose it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/runner/expectations.h"
#include "conformance/runner/selection.h"

namespace bp::conformance {

struct RunOptions {
  std::vector<std::string> worker_command;             // starts a process that calls serve() with its last argument
  int jobs = 0;                                        // number of workers at a time; 0: one per processor
  double deadline_scale = 1;                           // factor for the stages' deadlines
  std::int64_t worker_bytes = std::int64_t{16} << 30;  // limit of the address space of one worker
  bool fail_fast = false;                              // stop after the first unexpected result
  Expectations expectations;
  std::function<std::string(const std::string &id)> rerun_command;
  // Called on the calling thread; `record` is included in `done`.
  std::function<void(Record record, std::size_t done, std::size_t total)> on_record;
};

// The groups must be in the order of the stages. Fails only if no worker can be started.
Status run(const std::vector<Group> &groups, const Subject &subject, const RunOptions &options);

}  // namespace bp::conformance
