// Faults in what a device does with the offers of the host for one run or one compilation: an early end, counters,
// calls of the application, reports of progress.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>

#include "backplane/ext/draft/cancel.h"
#include "backplane/ext/draft/counters.h"
#include "backplane/ext/draft/host_call.h"
#include "backplane/ext/draft/priority.h"
#include "backplane/ext/draft/progress.h"
#include "conformance/mutants/changed_runs.h"
#include "conformance/mutants/common_faults.h"
#include "conformance/mutants/mutant.h"

namespace bp::conformance {
namespace {

using EndRun = ChangedRun<bp_run_cancel_t>;
using CountedRun = ChangedRun<bp_run_counters_t>;

// The device asks, and goes on whatever the answer is.
constexpr bp_run_cancel_t deaf = {[](const bp_run_t *run) -> std::uint32_t {
  const EndRun &asked = EndRun::of(run);
  asked.original_table->is_over(asked.original);
  return 0;
}};

// The device asks, and ends at the thousandth question whatever the answer is.
constexpr bp_run_cancel_t impatient = {[](const bp_run_t *run) -> std::uint32_t {
  static std::atomic<int> questions = 0;
  const EndRun &asked = EndRun::of(run);
  return asked.original_table->is_over(asked.original) != 0 || ++questions == 1000 ? 1 : 0;
}};

// Adds everything to the counter after the last one.
constexpr bp_run_counters_t counts_beyond = {
    [](const bp_run_t *run, std::uint32_t, std::uint32_t instr, std::uint64_t value) {
      const CountedRun &counted = CountedRun::of(run);
      counted.original_table->add(counted.original, 1000, instr, value);
    }};

// Counts for instructions that the module does not have.
constexpr bp_run_counters_t counts_for_others = {
    [](const bp_run_t *run, std::uint32_t counter, std::uint32_t instr, std::uint64_t value) {
      const CountedRun &counted = CountedRun::of(run);
      counted.original_table->add(counted.original, counter, instr + 1'000'000, value);
    }};

constexpr bp_run_priority_t no_priority = {[](const bp_run_t *) -> std::int32_t { return 0; }};

constexpr bp_run_counters_t counts_nothing = {[](const bp_run_t *, std::uint32_t, std::uint32_t, std::uint64_t) {}};

using CallingRun = ChangedRun<bp_run_host_call_t>;

bp_status pass_on(const bp_run_t *run, std::uint32_t instr) {
  const CallingRun &calling = CallingRun::of(run);
  return calling.original_table->call(calling.original, instr);
}

// In the later iterations of a loop, the results of the first one stay.
constexpr bp_run_host_call_t calls_once = {[](const bp_run_t *run, std::uint32_t instr) -> bp_status {
  static std::mutex mutex;
  static std::set<std::pair<std::uint64_t, std::uint32_t>> called;
  {
    const std::lock_guard lock(mutex);
    if (!called.emplace(run->id, instr).second) {
      return BP_OK;
    }
  }
  return pass_on(run, instr);
}};

constexpr bp_run_host_call_t calls_twice = {[](const bp_run_t *run, std::uint32_t instr) -> bp_status {
  const bp_status status = pass_on(run, instr);
  return status == BP_OK ? pass_on(run, instr) : status;
}};

constexpr bp_run_host_call_t calls_on = {[](const bp_run_t *run, std::uint32_t instr) -> bp_status {
  pass_on(run, instr);
  return BP_OK;
}};

constexpr bp_run_host_call_t calls_failure_lost = {[](const bp_run_t *run, std::uint32_t instr) -> bp_status {
  return pass_on(run, instr) == BP_OK ? BP_OK : BP_DEVICE_LOST;
}};

// The call before this one is made again in its place.
constexpr bp_run_host_call_t calls_previous = {[](const bp_run_t *run, std::uint32_t instr) -> bp_status {
  static std::atomic<std::uint64_t> last_run = 0;
  static std::atomic<std::uint32_t> last = 0;
  const bool is_same_run = last_run.exchange(run->id) == run->id;
  const std::uint32_t before = last.exchange(instr);
  return pass_on(run, is_same_run && before < instr ? before : instr);
}};

std::mutex device_lock;
constexpr bp_run_host_call_t calls_under_lock = {[](const bp_run_t *run, std::uint32_t instr) -> bp_status {
  const std::lock_guard lock(device_lock);
  return pass_on(run, instr);
}};

// Calls the host's service for progress at the end of each compilation that succeeds.
template <class Report>
Fault at_end_of_compilation(Report report) {
  return {.compiler_compile = [report](const auto &next, layers::LayeredDevice &device, const bp_module_t *,
                                       const bp_ostream_t *, const bp_diag_t *diag) {
    const bp_status status = next();
    const bp_host_t *host = device.host.below;
    const void *service = host->get_extension(host, BP_EXT_PROGRESS);
    if (status == BP_OK && service != nullptr) {
      report(host, *static_cast<const bp_host_progress_t *>(service), diag);
    }
    return status;
  }};
}

constexpr Mutant run_table[] = {
    {"end-ignored", "runs", "a run that is told to end goes on", "npu", "contract/BP-CANCEL-01/loop",
     with_table<bp_run_cancel_t, BP_EXT_CANCEL, &deaf>},
    {"end-unasked", "runs", "a run ends early though it was not told to", "npu", "contract/BP-CANCEL-01/loop",
     with_table<bp_run_cancel_t, BP_EXT_CANCEL, &impatient>},
    {"end-called-success", "runs", "a run that ended early says that it is done", "npu", "contract/BP-CANCEL-01/*",
     [] {
       return at_signal([](const auto &next, bp_point_t point, bp_status status) {
         next(point, status == BP_CANCELLED ? bp_status{BP_OK} : status);
       });
     }},
    {"end-called-failure", "runs", "a run that ended early returns an internal error", "cpu", "contract/BP-CANCEL-01/*",
     [] {
       return at_run([](const auto &next, const bp_run_t *run) {
         const bp_status status = next(run);
         return status == BP_CANCELLED ? bp_status{BP_INTERNAL} : status;
       });
     }},
    {"end-sticks", "runs", "after a run that ended early, the next one ends, too", "cpu", "contract/BP-CANCEL-01/*",
     [] {
       auto has_ended = std::make_shared<std::atomic<bool>>(false);
       return at_run([has_ended](const auto &next, const bp_run_t *run) {
         if (has_ended->exchange(false)) {
           return bp_status{BP_CANCELLED};
         }
         const bp_status status = next(run);
         *has_ended = status == BP_CANCELLED;
         return status;
       });
     }},
    {"cancelled-without-end", "runs", "every fifth run returns BP_CANCELLED, whatever it was told", "cpu",
     "contract/BP-CANCEL-02",
     [] {
       auto runs = std::make_shared<std::atomic<int>>(0);
       return at_run([runs](const auto &next, const bp_run_t *run) {
         return ++*runs % 5 == 0 ? bp_status{BP_CANCELLED} : next(run);
       });
     }},
    {"priority-ignored", "runs", "runs begin in the order in which they came, however urgent they are", "npu",
     "contract/BP-PRIORITY-01", with_table<bp_run_priority_t, BP_EXT_PRIORITY, &no_priority>},
    {"progress-beyond-end", "compiler", "a compilation reports that more is done than there is to do", "npu",
     "contract/BP-PROGRESS-01",
     [] {
       return at_end_of_compilation([](const bp_host_t *host, const bp_host_progress_t &service,
                                       const bp_diag_t *diag) { service.report(host, diag, 11, 10); });
     }},
    {"progress-after-end", "compiler", "load() reports the progress of the compilation", "npu",
     "contract/BP-PROGRESS-01",
     [] {
       return Fault{.compiler_load = [](const auto &next, layers::LayeredDevice &device, auto...) {
         static const bp_diag_t old = {nullptr, [](const bp_diag_t *, bp_status, std::uint32_t, const char *) {}};
         const bp_host_t *host = device.host.below;
         if (const void *service = host->get_extension(host, BP_EXT_PROGRESS); service != nullptr) {
           static_cast<const bp_host_progress_t *>(service)->report(host, &old, 1, 1);
         }
         return next();
       }};
     }},
    {"progress-not-heeded", "compiler", "a compilation goes on when its result is not wanted", "npu",
     "contract/BP-PROGRESS-02",
     [] {
       static std::atomic<const bp_host_progress_t *> service;
       static constexpr bp_host_progress_t deaf_service = {
           [](const bp_host_t *host, const bp_diag_t *diag, std::uint64_t done, std::uint64_t total) -> bp_status {
             service.load()->report(host, diag, done, total);
             return BP_OK;
           }};
       return Fault{.host_get_extension = [](const auto &next, auto &, const char *id) -> const void * {
         const void *found = next();
         if (found == nullptr || std::string_view(id) != BP_EXT_PROGRESS) {
           return found;
         }
         service = static_cast<const bp_host_progress_t *>(found);
         return &deaf_service;
       }};
     }},
    {"call-once-per-run", "runs", "the application is called for an instruction in the first iteration of a loop only",
     "npu", "contract/BP-CALL-01/*", with_table<bp_run_host_call_t, BP_EXT_RUN_HOST_CALL, &calls_once>},
    {"call-made-twice", "runs", "the application is called twice for each instruction", "npu", "contract/BP-CALL-01/*",
     with_table<bp_run_host_call_t, BP_EXT_RUN_HOST_CALL, &calls_twice>},
    {"call-of-previous", "runs", "the application is called for the instruction before", "npu", "contract/BP-CALL-02",
     with_table<bp_run_host_call_t, BP_EXT_RUN_HOST_CALL, &calls_previous>},
    {"call-failure-ignored", "runs", "a run goes on after the application has failed", "npu", "contract/BP-CALL-03",
     with_table<bp_run_host_call_t, BP_EXT_RUN_HOST_CALL, &calls_on>},
    {"call-failure-loses-device", "runs", "a run whose application fails returns BP_DEVICE_LOST", "npu",
     "contract/BP-CALL-03", with_table<bp_run_host_call_t, BP_EXT_RUN_HOST_CALL, &calls_failure_lost>},
    {"call-under-lock", "runs", "memory cannot be allocated while the application is called", "npu",
     "contract/BP-CALL-04",
     [] {
       Fault fault = with_table<bp_run_host_call_t, BP_EXT_RUN_HOST_CALL, &calls_under_lock>();
       fault.memory_alloc = [](const auto &next, auto &, auto...) {
         const std::lock_guard lock(device_lock);
         return next();
       };
       return fault;
     }},
    {"counters-same-name", "life", "two counters have the same name", "npu", "life_cycle/load",
     [] {
       return Fault{.device_get_extension = [](const auto &next, auto &, std::string_view id) {
         static bp_counter_desc_t twice[2];
         static bp_device_counters_t table = {twice, 2};
         const void *found = next();
         if (id != BP_EXT_COUNTERS || found == nullptr) {
           return found;
         }
         twice[0] = twice[1] = static_cast<const bp_device_counters_t *>(found)->counters[0];
         return static_cast<const void *>(&table);
       }};
     }},
    {"counters-beyond-list", "runs", "counters are added to that the device does not have", "npu",
     "contract/BP-COUNTER-02", with_table<bp_run_counters_t, BP_EXT_RUN_COUNTERS, &counts_beyond>},
    {"counters-of-other-module", "runs", "things are counted for instructions that the module does not have", "npu",
     "contract/BP-COUNTER-02", with_table<bp_run_counters_t, BP_EXT_RUN_COUNTERS, &counts_for_others>},
    {"counters-silent", "runs", "the device has counters, but never adds to one", "npu", "contract/BP-COUNTER-02",
     with_table<bp_run_counters_t, BP_EXT_RUN_COUNTERS, &counts_nothing>},
    {"counters-stop-run", "runs", "a run that is measured computes nothing", "npu", "contract/BP-COUNTER-03",
     [] {
       return at_submit([](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *, bp_point_t) {
         const bool is_measured = std::ranges::any_of(commands, [](const bp_command_t &command) {
           return command.kind == BP_COMMAND_RUN &&
                  command.run->get_extension(command.run, BP_EXT_RUN_COUNTERS) != nullptr;
         });
         return is_measured ? next({}) : next(commands);
       });
     }},
};

}  // namespace

const std::span<const Mutant> run_mutants = run_table;

}  // namespace bp::conformance
