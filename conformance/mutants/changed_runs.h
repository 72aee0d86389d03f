// Faults in what a device does with the tables of a run: the device gets copies of runs, in which a table is replaced.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "conformance/mutants/common_faults.h"

namespace bp::conformance {

// A copy of a run, in which a table is replaced.
template <class Table>
struct ChangedRun {
  bp_run_t changed;  // first, because the device gets its address
  const bp_run_t *original;
  const Table *original_table;

  // The run as a function of the table gets it.
  static const ChangedRun &of(const bp_run_t *run) { return *reinterpret_cast<const ChangedRun *>(run); }
};

// The changed runs of a library, kept as long as it.
template <class Table, const char *id, const Table *table>
class ChangedRuns {
 public:
  // Returns the run with `table` in place of the host's; the run itself if the host does not offer one.
  const bp_run_t *change(const bp_run_t *run) {
    const void *offered = run->get_extension(run, id);
    if (offered == nullptr) {
      return run;
    }
    const std::lock_guard lock(mutex_);
    auto &kept = runs_.emplace_back(ChangedRun<Table>{*run, run, static_cast<const Table *>(offered)});
    kept.changed.get_extension = [](const bp_run_t *self, const char *wanted) -> const void * {
      const bp_run_t *below = ChangedRun<Table>::of(self).original;
      return std::string_view(wanted) == id ? table : below->get_extension(below, wanted);
    };
    return &kept.changed;
  }

 private:
  std::mutex mutex_;
  std::deque<ChangedRun<Table>> runs_;
};

// Makes each run that is submitted to a queue, or run without one, have another table.
template <class Table, const char *id, const Table *table>
Fault with_table() {
  auto runs = std::make_shared<ChangedRuns<Table, id, table>>();
  Fault fault =
      at_submit([runs](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *, bp_point_t) {
        std::vector<bp_command_t> changed(commands.begin(), commands.end());
        for (bp_command_t &command : changed) {
          command.run = command.kind == BP_COMMAND_RUN ? runs->change(command.run) : command.run;
        }
        return next(changed);
      });
  fault.program_run = [runs](const auto &next, auto &, const bp_run_t *run, const bp_diag_t *diag) {
    return next(runs->change(run), diag);
  };
  return fault;
}

}  // namespace bp::conformance
