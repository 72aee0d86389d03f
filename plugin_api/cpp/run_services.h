// The tables that the host offers for one run, with a substitute for each that it does not offer (BP-RUN-05), except
// for calls of the application. They are looked up once, when the run begins; copies are cheap.
#pragma once

#include <cstdint>

#include "backplane/ext/draft/cancel.h"
#include "backplane/ext/draft/counters.h"
#include "backplane/ext/draft/host_call.h"
#include "backplane/ext/draft/priority.h"

namespace bp::plugin {

// Returns a table of the run; null if the host does not offer it.
template <class Table>
const Table *find_table(const bp_run_t &run, const char *id) {
  return run.get_extension == nullptr ? nullptr : static_cast<const Table *>(run.get_extension(&run, id));
}

// Says whether a run is to end early (bp.cancel/draft-1): it then returns BP_CANCELLED.
class EarlyEnd {
 public:
  explicit EarlyEnd(const bp_run_t &run) : run_(&run), table_(find_table<bp_run_cancel_t>(run, BP_EXT_CANCEL)) {}

  bool is_possible() const { return table_ != nullptr; }
  bool is_over() const { return table_ != nullptr && table_->is_over(run_) != 0; }

 private:
  const bp_run_t *run_;
  const bp_run_cancel_t *table_;
};

// Adds to the counters of a run (bp.counters/draft-1).
class RunCounters {
 public:
  explicit RunCounters(const bp_run_t &run)
      : run_(&run), table_(find_table<bp_run_counters_t>(run, BP_EXT_RUN_COUNTERS)) {}

  bool are_wanted() const { return table_ != nullptr; }
  // `instruction`: an index in the module, or BP_NONE.
  void add(std::uint32_t counter, std::uint32_t instruction, std::uint64_t value) const {
    if (table_ != nullptr) {
      table_->add(run_, counter, instruction, value);
    }
  }

 private:
  const bp_run_t *run_;
  const bp_run_counters_t *table_;
};

// Calls the application for marked instructions (bp.host-call/draft-1).
class HostCalls {
 public:
  explicit HostCalls(const bp_run_t &run)
      : run_(&run), table_(find_table<bp_run_host_call_t>(run, BP_EXT_RUN_HOST_CALL)) {}

  bool are_possible() const { return table_ != nullptr; }
  // Has the application run the instruction with this index in the module. A status other than BP_OK ends the run.
  bp_status call(std::uint32_t instruction) const {
    return table_ == nullptr ? BP_INVALID : table_->call(run_, instruction);
  }

 private:
  const bp_run_t *run_;
  const bp_run_host_call_t *table_;
};

// Returns how urgent the run is (bp.priority/draft-1).
inline std::int32_t priority_of(const bp_run_t &run) {
  const auto *table = find_table<bp_run_priority_t>(run, BP_EXT_PRIORITY);
  return table == nullptr ? 0 : table->priority(&run);
}

}  // namespace bp::plugin
