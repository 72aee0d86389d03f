// Runs cases in worker processes, several at a time. A case that crashes or hangs costs its worker: a fresh one goes on
// with the next case. Records are given away as they come, so that nothing that happens later can lose them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/runner/expectations.h"
#include "conformance/runner/selection.h"

namespace bp::conformance {

struct RunOptions {
  std::vector<std::string> worker_command;             // of a process that calls serve() with its last argument
  int jobs = 0;                                        // workers at a time; 0: one per processor
  double deadline_scale = 1;                           // of the stages' deadlines
  std::int64_t worker_bytes = std::int64_t{16} << 30;  // of addresses, for one worker
  bool fail_fast = false;                              // ends after the first unexpected result
  Expectations expectations;
  std::function<std::string(const std::string &id)> rerun_command;
  // On the calling thread; `done` of `total`, this one among them.
  std::function<void(Record record, std::size_t done, std::size_t total)> on_record;
};

// The groups stand in the order of the stages. Fails only if no worker can be started.
Status run(const std::vector<Group> &groups, const Subject &subject, const RunOptions &options);

}  // namespace bp::conformance
