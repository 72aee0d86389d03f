// Faults in what a plugin promises beside the results of its programs: second sentences of the headers, calls that are
// refused, what is stated and has to stay so, several threads, runs and processes.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "backplane/ext/draft/cancel.h"
#include "backplane/ext/draft/counters.h"
#include "backplane/ext/draft/host_call.h"
#include "backplane/ext/draft/layout.h"
#include "backplane/ext/draft/priority.h"
#include "backplane/ext/draft/profile.h"
#include "backplane/ext/draft/progress.h"
#include "conformance/mutants/changed_runs.h"
#include "conformance/mutants/common_faults.h"
#include "conformance/mutants/mutant.h"
#include "core/layers/artifacts.h"

namespace bp::conformance {
namespace {

// --- runs ---

using EndedRun = ChangedRun<bp_run_cancel_t>;
using PricedRun = ChangedRun<bp_run_priority_t>;
using SummedRun = ChangedRun<bp_run_counters_t>;
using ProfiledRun = ChangedRun<bp_run_profile_t>;
using CallerRun = ChangedRun<bp_run_host_call_t>;

// For a moment after one run was told to end, all runs are.
constexpr bp_run_cancel_t ends_all = {[](const bp_run_t *run) -> std::uint32_t {
  using Clock = std::chrono::steady_clock;
  static std::atomic<Clock::rep> until = 0;
  const EndedRun &asked = EndedRun::of(run);
  const Clock::rep now = Clock::now().time_since_epoch().count();
  if (asked.original_table->is_over(asked.original) != 0) {
    until = now + Clock::duration(std::chrono::milliseconds(100)).count();
    return 1;
  }
  return now < until ? 1 : 0;
}};

std::int32_t priority_of_original(const bp_run_t *run) {
  const PricedRun &priced = PricedRun::of(run);
  return priced.original_table->priority(priced.original);
}
constexpr bp_run_priority_t newest_first = {[](const bp_run_t *run) -> std::int32_t {
  static std::atomic<std::int32_t> number = 0;
  return priority_of_original(run) * 1000 + ++number % 1000;
}};
constexpr bp_run_priority_t priority_in_a_byte = {
    [](const bp_run_t *run) -> std::int32_t { return static_cast<std::int8_t>(priority_of_original(run)); }};

constexpr bp_run_counters_t counts_accumulated = {
    [](const bp_run_t *run, std::uint32_t counter, std::uint32_t instr, std::uint64_t value) {
      static std::mutex mutex;
      static std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> totals;
      const std::lock_guard lock(mutex);
      const SummedRun &counted = SummedRun::of(run);
      counted.original_table->add(counted.original, counter, instr, totals[{counter, instr}] += value);
    }};

// Counts are kept until the end of the run was signalled.
struct LateCounts {
  struct Count {
    const SummedRun *run;
    std::uint32_t counter, instr;
    std::uint64_t value;
  };
  std::mutex mutex;
  std::vector<Count> waiting;
};
LateCounts late_counts;
constexpr bp_run_counters_t counts_late = {
    [](const bp_run_t *run, std::uint32_t counter, std::uint32_t instr, std::uint64_t value) {
      const SummedRun &counted = SummedRun::of(run);
      const std::lock_guard lock(late_counts.mutex);
      if (late_counts.waiting.empty()) {
        late_counts.waiting.push_back({&counted, counter, instr, value});
      } else {
        counted.original_table->add(counted.original, counter, instr, value);
      }
    }};
Fault counted_late() {
  late_counts.waiting.clear();
  Fault fault = with_table<bp_run_counters_t, BP_EXT_RUN_COUNTERS, &counts_late>();
  fault.host_signal = [](const auto &next, auto &, auto...) {
    next();
    const std::lock_guard lock(late_counts.mutex);
    for (const LateCounts::Count &count : late_counts.waiting) {
      count.run->original_table->add(count.run->original, count.counter, count.instr, count.value);
    }
    late_counts.waiting.clear();
  };
  return fault;
}

constexpr bp_run_profile_t profiles_machine_instructions = {
    [](const bp_run_t *run, std::uint32_t instr, std::uint32_t track, std::uint64_t begin, std::uint64_t end) {
      const ProfiledRun &profiled = ProfiledRun::of(run);
      profiled.original_table->record(profiled.original, instr + 10'000, track, begin, end);
    }};
// The clock begins again with each run.
constexpr bp_run_profile_t profiles_from_zero = {
    [](const bp_run_t *run, std::uint32_t instr, std::uint32_t track, std::uint64_t begin, std::uint64_t end) {
      static std::mutex mutex;
      static std::map<const bp_run_t *, std::uint64_t> first;
      const std::lock_guard lock(mutex);
      const std::uint64_t zero = first.try_emplace(run, begin).first->second;
      const ProfiledRun &profiled = ProfiledRun::of(run);
      profiled.original_table->record(profiled.original, instr, track, begin - zero, end - zero);
    }};

// --- calls of the application ---

constexpr bp_run_host_call_t call_status_lost = {[](const bp_run_t *run, std::uint32_t instr) -> bp_status {
  const CallerRun &calling = CallerRun::of(run);
  return calling.original_table->call(calling.original, instr) == BP_OK ? BP_OK : BP_INTERNAL;
}};

std::mutex one_run;
constexpr bp_run_host_call_t calls_keep_others_out = {[](const bp_run_t *run, std::uint32_t instr) -> bp_status {
  const std::lock_guard lock(one_run);
  const CallerRun &calling = CallerRun::of(run);
  return calling.original_table->call(calling.original, instr);
}};

constexpr bp_run_host_call_t calls_for_newest = {[](const bp_run_t *run, std::uint32_t instr) -> bp_status {
  static std::mutex mutex;
  static std::set<const bp_run_t *> known;
  static const bp_run_t *newest = nullptr;
  const CallerRun *calling = nullptr;
  {
    const std::lock_guard lock(mutex);
    newest = known.insert(run).second ? run : newest;
    calling = &CallerRun::of(newest);
  }
  return calling->original_table->call(calling->original, instr);
}};

// --- progress ---

// Passes the plugin's reports on after report() has changed them, and the answer back after answer() has.
struct ReplacedProgress {
  std::atomic<const bp_host_progress_t *> below = nullptr;
};
ReplacedProgress replaced_progress;
constexpr bp_host_progress_t heeded_at_first = {
    [](const bp_host_t *host, const bp_diag_t *diag, std::uint64_t done, std::uint64_t total) -> bp_status {
      const bp_status answer = replaced_progress.below.load()->report(host, diag, done, total);
      return done == 0 ? answer : bp_status{BP_OK};
    }};
constexpr bp_host_progress_t with_first_diag = {
    [](const bp_host_t *host, const bp_diag_t *diag, std::uint64_t done, std::uint64_t total) -> bp_status {
      static const bp_diag_t first = *diag;
      return replaced_progress.below.load()->report(host, &first, done, total);
    }};
template <const bp_host_progress_t *table>
Fault with_progress() {
  return {.host_get_extension = [](const auto &next, auto &, const char *id) -> const void * {
    const void *found = next();
    if (found == nullptr || std::string_view(id) != BP_EXT_PROGRESS) {
      return found;
    }
    replaced_progress.below = static_cast<const bp_host_progress_t *>(found);
    return table;
  }};
}

// --- artifacts ---

template <class Body>
Fault at_refused_load(Body body) {
  return {.compiler_load = [body](const auto &next, auto &, const void *, std::uint64_t, const bp_loc_t *,
                                  std::uint8_t *, std::uint32_t, const bp_program_t **program, const bp_diag_t *) {
    const bp_status status = next();
    if (status != BP_OK) {
      body(program);
    }
    return status;
  }};
}

// Takes an artifact for a good one that it has made if likes(bad, good) holds.
template <class Likes>
Fault loads_similar(Likes likes) {
  auto made = std::make_shared<std::vector<std::string>>();
  auto mutex = std::make_shared<std::mutex>();
  Fault fault;
  fault.compiler_compile = [made, mutex](const auto &next, auto &, const bp_module_t *module,
                                         const bp_ostream_t *artifact, const bp_diag_t *diag) {
    layers::Tee tee(artifact);
    const bp_status status = next(module, tee.abi(), diag);
    const std::lock_guard lock(*mutex);
    made->push_back(tee.bytes());
    return status;
  };
  fault.compiler_load = [made, mutex, likes](const auto &next, auto &, const void *artifact, std::uint64_t size,
                                             const bp_loc_t *constants, std::uint8_t *taken, std::uint32_t count,
                                             const bp_program_t **program, const bp_diag_t *diag) {
    const std::string_view given(static_cast<const char *>(artifact), size);
    std::string similar;
    {
      const std::lock_guard lock(*mutex);
      for (const std::string &one : *made) {
        similar = one.size() == size && one != given && likes(given, one) ? one : similar;
      }
    }
    return similar.empty() ? next() : next(similar.data(), similar.size(), constants, taken, count, program, diag);
  };
  return fault;
}

// An artifact ends with an address of the process that made it.
Fault artifact_has_address() {
  static const void *const place = mmap(nullptr, 1 << 21, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Fault fault;
  fault.compiler_compile = [](const auto &next, auto &, const bp_module_t *module, const bp_ostream_t *artifact,
                              const bp_diag_t *diag) {
    layers::Tee tee(nullptr);
    const bp_status status = next(module, tee.abi(), diag);
    std::string bytes = tee.bytes();
    bytes.append(reinterpret_cast<const char *>(&place), sizeof place);
    return status == BP_OK ? artifact->write(artifact, bytes.data(), bytes.size()) : status;
  };
  fault.compiler_load = [](const auto &next, auto &, const void *artifact, std::uint64_t size,
                           const bp_loc_t *constants, std::uint8_t *taken, std::uint32_t count,
                           const bp_program_t **program, const bp_diag_t *diag) {
    const std::uint64_t own = size < sizeof place ? 0 : size - sizeof place;
    const void *address = nullptr;
    std::memcpy(&address, static_cast<const char *>(artifact) + own, size < sizeof place ? 0 : sizeof address);
    const bp_status status = next(artifact, own, constants, taken, count, program, diag);
    // The code would jump to nowhere.
    return status == BP_OK && address != place ? bp_status{BP_INTERNAL} : status;
  };
  return fault;
}

// --- streams ---

// Gives the stream to the function, and replaces the status that it returns after a refusal.
struct HeardStream {
  bp_ostream_t abi{this, &HeardStream::write};
  const bp_ostream_t *below;
  bp_status answer = BP_OK;
  static bp_status write(const bp_ostream_t *stream, const void *bytes, std::uint64_t size) {
    auto &self = *static_cast<HeardStream *>(stream->ctx);
    return self.answer = self.below->write(self.below, bytes, size);
  }
};

// --- claims ---

template <class Refuses>
Fault refuses_claims(Refuses refuses) {
  return {.compiler_claim = [refuses](const auto &next, auto &, const bp_module_t *module, float *cost_ns,
                                      const bp_diag_t *) {
    const bp_status status = next();
    for (const plugin::Instruction instruction : plugin::ModuleView(module).instructions()) {
      if (refuses(module, instruction)) {
        cost_ns[instruction.index()] = -1;
      }
    }
    return status;
  }};
}
bool is_sum_of_negated(const plugin::Instruction &instruction) {
  return instruction.op() == BP_OP_ADD && instruction.operand(0).instruction().op() == BP_OP_NEGATE;
}

// Writes the preferences of an instruction only if keeps(index, number of the instructions with preferences before it).
template <class Keeps>
Fault prefers_only(Keeps keeps) {
  return {.layout_preferences = [keeps](const auto &next, auto &, const bp_module_t *module, const bp_ostream_t *out,
                                        const bp_diag_t *diag) {
    layers::Tee tee(nullptr);
    const bp_status status = next(module, tee.abi(), diag);
    const std::string &all = tee.bytes();
    std::string kept;
    std::set<std::uint32_t> seen;
    for (std::size_t at = 0; at + sizeof(bp_layout_preference_t) <= all.size();) {
      bp_layout_preference_t one;
      std::memcpy(&one, all.data() + at, sizeof one);
      const std::size_t size = sizeof one + std::size_t{one.word_count} * sizeof(std::int64_t);
      seen.insert(one.instr);
      kept += keeps(one.instr, seen.size() - 1) ? all.substr(at, size) : std::string();
      at += size;
    }
    return status != BP_OK || kept.empty() ? status : out->write(out, kept.data(), kept.size());
  }};
}

// Only one call at a time gets an answer.
struct OneAtATime {
  std::atomic<int> inside = 0;
  struct Entry {
    OneAtATime &gate;
    const bool is_first;
    explicit Entry(OneAtATime &to) : gate(to), is_first(to.inside++ == 0) {}
    ~Entry() { --gate.inside; }
  };
};

// --- loops on the host's threads ---

struct Loop {
  bp_parallel_body body;
  void *ctx;
};
template <void (*each)(const Loop &loop, std::uint32_t index, std::uint32_t worker)>
Fault with_bodies() {
  return {.threads_parallel = [](const auto &next, auto &, std::uint32_t n, bp_parallel_body body, void *ctx) {
    Loop loop{body, ctx};
    next(
        n,
        [](void *own, std::uint32_t index, std::uint32_t worker) {
          each(*static_cast<const Loop *>(own), index, worker);
        },
        &loop);
  }};
}
void only_sixteen_workers(const Loop &loop, std::uint32_t index, std::uint32_t worker) {
  if (worker < 16) {
    loop.body(loop.ctx, index, worker);
  }
}
void leaves_flush_to_zero(const Loop &loop, std::uint32_t index, std::uint32_t worker) {
  loop.body(loop.ctx, index, worker);
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8000);
#endif
}

// --- facts ---

// The body gets each fact and the function that tells it.
template <class Body>
Fault at_told_fact(Body body) {
  return {.device_info_report = [body](const auto &next, auto &, const bp_fact_receiver_t *receiver,
                                       const bp_diag_t *diag) {
    struct Change {
      const bp_fact_receiver_t *below;
      const Body *body;
    } change = {receiver, &body};
    const bp_fact_receiver_t changing = {&change, [](const bp_fact_receiver_t *self, const bp_fact_t *fact) {
                                           const auto &to = *static_cast<const Change *>(self->ctx);
                                           bp_fact_t changed = *fact;
                                           (*to.body)([&] { to.below->tell(to.below, &changed); }, changed);
                                         }};
    return next(&changing, diag);
  }};
}

Fault small_pieces_uncounted() {
  struct Pieces {
    std::mutex mutex;
    std::map<std::uint64_t, std::uint64_t> small;
  };
  auto pieces = std::make_shared<Pieces>();
  Fault fault = at_told_fact([pieces](const auto &tell, bp_fact_t &fact) {
    const std::lock_guard lock(pieces->mutex);
    for (const auto &[memory, size] : pieces->small) {
      fact.integer += std::string_view(fact.name) == "memory.free" ? size : 0;
    }
    tell();
  });
  fault.memory_alloc = [pieces](const auto &next, auto &, std::uint32_t, std::uint64_t size, std::uint32_t,
                                bp_memory_t *out, const bp_diag_t *) {
    const bp_status status = next();
    if (status == BP_OK && size < 4096) {
      const std::lock_guard lock(pieces->mutex);
      pieces->small[out->memory] = size;
    }
    return status;
  };
  fault.memory_release = [pieces](const auto &next, auto &, std::uint64_t memory) {
    {
      const std::lock_guard lock(pieces->mutex);
      pieces->small.erase(memory);
    }
    next();
  };
  return fault;
}

Fault failed_after_refusal() {
  auto has_refused = std::make_shared<std::atomic<bool>>(false);
  Fault fault = at_told_fact([has_refused](const auto &tell, bp_fact_t &fact) {
    fact.text = std::string_view(fact.name) == "health" && *has_refused ? "failed" : fact.text;
    tell();
  });
  fault.memory_alloc = [has_refused](const auto &next, auto &, auto...) {
    const bp_status status = next();
    *has_refused = *has_refused || status != BP_OK;
    return status;
  };
  return fault;
}

// The capacity of a space becomes what is left of it.
Fault capacity_shrinks() {
  return {.memory_alloc = [](const auto &next, layers::LayeredDevice &device, std::uint32_t space, std::uint64_t size,
                             std::uint32_t, bp_memory_t *, const bp_diag_t *) {
    const bp_status status = next();
    if (status == BP_OK && size > 1 << 20) {
      const_cast<bp_space_t &>(device.memory->spaces[space]).capacity -= size;
    }
    return status;
  }};
}

// --- options and instances ---

template <class Change>
Fault with_options(Change change) {
  return {.factory_create = [change](const auto &next, auto &, const bp_host_t *host, const char *id,
                                     std::uint32_t instance, const bp_option_t *options, std::uint32_t option_count,
                                     const bp_diag_t *diag) -> const bp_device_t * {
    std::vector<std::pair<std::string, std::string>> texts;
    for (std::uint32_t i = 0; i < option_count; ++i) {
      texts.emplace_back(options[i].key, options[i].value);
    }
    change(texts);
    std::vector<bp_option_t> given;
    for (const auto &[key, value] : texts) {
      given.push_back({key.c_str(), value.c_str()});
    }
    return next(host, id, instance, given.data(), static_cast<std::uint32_t>(given.size()), diag);
  }};
}
using Texts = std::vector<std::pair<std::string, std::string>>;

Fault probe_counts_what_is_left() {
  static std::atomic<int> devices = 0;
  Fault fault;
  fault.device_init = [](const auto &next, auto &, auto...) {
    ++devices;
    return next();
  };
  fault.device_destroy = [](const auto &next, auto &) {
    --devices;
    next();
  };
  fault.factory_probe = [](const auto &next, auto &, const char *, std::uint32_t *instances, const bp_diag_t *) {
    const bp_status status = next();
    *instances -= std::min<std::uint32_t>(*instances, static_cast<std::uint32_t>(std::max(0, devices.load())));
    return status;
  };
  return fault;
}

constexpr Mutant promise_table[] = {
    {"end-of-neighbours", "runs", "a run ends early because another one of its program was told to", "cpu",
     "contract/BP-CANCEL-02/neighbours", with_table<bp_run_cancel_t, BP_EXT_CANCEL, &ends_all>},
    {"priority-newest-first", "runs", "of runs with equal priorities, the last one begins first", "npu",
     "contract/BP-PRIORITY-01", with_table<bp_run_priority_t, BP_EXT_PRIORITY, &newest_first>},
    {"priority-in-a-byte", "runs", "priorities are truncated to 8 bits", "npu", "contract/BP-PRIORITY-01",
     with_table<bp_run_priority_t, BP_EXT_PRIORITY, &priority_in_a_byte>},
    {"counters-accumulate", "runs", "the counters of a run contain those of all earlier ones", "npu",
     "contract/BP-COUNTER-02", with_table<bp_run_counters_t, BP_EXT_RUN_COUNTERS, &counts_accumulated>},
    {"counters-late", "runs", "a part of a run is counted after the end of the run", "npu", "contract/BP-COUNTER-02",
     counted_late},
    {"profile-of-machine-instructions", "runs", "a profile numbers the instructions of the machine", "npu",
     "contract/BP-PROFILE-01", with_table<bp_run_profile_t, BP_EXT_PROFILE, &profiles_machine_instructions>},
    {"profile-from-zero", "runs", "the clock of the profile begins again with each run", "npu",
     "contract/BP-PROFILE-01", with_table<bp_run_profile_t, BP_EXT_PROFILE, &profiles_from_zero>},
    {"call-status-lost", "runs", "a run whose application fails in any way returns an internal error", "npu",
     "contract/BP-CALL-03", with_table<bp_run_host_call_t, BP_EXT_RUN_HOST_CALL, &call_status_lost>},
    {"call-keeps-others-out", "runs", "no other run begins while the application is called", "npu",
     "contract/BP-CALL-04",
     [] {
       Fault fault = with_table<bp_run_host_call_t, BP_EXT_RUN_HOST_CALL, &calls_keep_others_out>();
       const auto run = fault.program_run;
       fault.program_run = [run](const auto &next, layers::LayeredProgram &program, const bp_run_t *given,
                                 const bp_diag_t *diag) {
         {
           const std::lock_guard lock(one_run);
         }
         return run(next, program, given, diag);
       };
       return fault;
     }},
    {"call-for-newest-run", "runs", "the application is called for the run that began last", "npu",
     "contract/BP-CALL-01/runs", with_table<bp_run_host_call_t, BP_EXT_RUN_HOST_CALL, &calls_for_newest>},
    {"progress-with-first-diag", "compiler", "progress is reported with the bp_diag of the first compilation", "npu",
     "contract/BP-PROGRESS-01", with_progress<&with_first_diag>},
    {"progress-heeded-at-first", "compiler", "a compilation that has begun cannot be ended", "npu",
     "contract/BP-PROGRESS-02", with_progress<&heeded_at_first>},
    {"artifact-of-equal-sum", "compiler", "load() notices damage only by the sum of all bytes", "cpu",
     "faults/artifact/exchanged",
     [] {
       return loads_similar([](std::string_view bad, std::string_view good) {
         const auto sum = [](std::string_view bytes) {
           std::uint64_t all = 0;
           for (const char byte : bytes) {
             all += static_cast<unsigned char>(byte);
           }
           return all;
         };
         return sum(bad) == sum(good);
       });
     }},
    {"artifact-block-lost", "compiler", "load() does not notice a block of zeros in an artifact", "cpu",
     "faults/artifact/lost",
     [] {
       return loads_similar([](std::string_view bad, std::string_view good) {
         std::size_t changed = 0;
         for (std::size_t i = 0; i < bad.size(); ++i) {
           if (bad[i] != good[i]) {
             ++changed;
             if (bad[i] != 0) {
               return false;
             }
           }
         }
         return changed > 1;
       });
     }},
    {"refused-program-written", "compiler", "load() writes *program, and then refuses the artifact", "cpu",
     "faults/artifact/*", [] { return at_refused_load([](const bp_program_t **program) { *program = nullptr; }); }},
    {"refusal-printed", "compiler", "load() prints a line when it refuses an artifact", "cpu", "faults/artifact/*",
     [] {
       return at_refused_load([](const bp_program_t **) {
         constexpr std::string_view line = "bad artifact\n";
         static_cast<void>(!write(STDERR_FILENO, line.data(), line.size()));
       });
     }},
    {"refusal-handles-signal", "compiler", "after load() has refused an artifact, SIGPIPE is ignored", "cpu",
     "faults/artifact/*", [] { return at_refused_load([](const bp_program_t **) { std::signal(SIGPIPE, SIG_IGN); }); }},
    {"artifact-has-address", "compiler", "an artifact contains an address of the process that compiled it", "cpu",
     "life_cycle/BP-LOAD-03", artifact_has_address},
    {"stream-status-replaced", "compiler",
     "compile() returns an internal error when the stream refused for another reason", "cpu", "faults/stream",
     [] {
       return Fault{.compiler_compile = [](const auto &next, auto &, const bp_module_t *module,
                                           const bp_ostream_t *artifact, const bp_diag_t *diag) {
         HeardStream heard{.below = artifact};
         const bp_status status = next(module, &heard.abi, diag);
         return heard.answer != BP_OK && heard.answer != BP_NO_MEMORY ? bp_status{BP_INTERNAL} : status;
       }};
     }},
    {"preferences-ignore-refusal", "compiler", "preferences() returns BP_OK although the stream refused the bytes",
     "npu", "faults/stream/preferences",
     [] {
       return Fault{.layout_preferences = [](const auto &next, auto &, const bp_module_t *module,
                                             const bp_ostream_t *out, const bp_diag_t *diag) {
         HeardStream heard{.below = out};
         const bp_status status = next(module, &heard.abi, diag);
         return heard.answer != BP_OK ? bp_status{BP_OK} : status;
       }};
     }},
    {"rewrite-ignores-refusal", "compiler", "rewrite() returns BP_OK although the stream refused the bytes", "npu",
     "faults/stream/rewrite",
     [] {
       return Fault{.rewrite_rewrite = [](const auto &next, auto &, std::uint32_t phase, const bp_module_t *module,
                                          const bp_ostream_t *out, const bp_diag_t *diag) {
         HeardStream heard{.below = out};
         const bp_status status = next(phase, module, &heard.abi, diag);
         return heard.answer != BP_OK ? bp_status{BP_OK} : status;
       }};
     }},
    {"claim-small-modules", "compiler", "claim() claims nothing in modules of more than 100 instructions", "cpu",
     "claims/*/local",
     [] {
       return refuses_claims(
           [](const bp_module_t *module, const plugin::Instruction &) { return module->instrs.count > 100; });
     }},
    {"claim-by-producer", "compiler", "claim() refuses to add what a negate has made", "cpu", "claims/*/local",
     [] {
       return refuses_claims(
           [](const bp_module_t *, const plugin::Instruction &instruction) { return is_sum_of_negated(instruction); });
     }},
    {"find-by-producer", "compiler", "find() refuses to add what a negate has made", "kernels", "claims/*/local",
     [] {
       return at_find([](const auto &next, plugin::ModuleView module, std::uint32_t instr) {
         return next() && !is_sum_of_negated(module.instruction(instr));
       });
     }},
    {"find-index-in-a-byte", "compiler", "find() returns null for instructions with an index above 127", "kernels",
     "claims/*/local",
     [] {
       return at_find([](const auto &next, plugin::ModuleView, std::uint32_t instr) { return next() && instr < 128; });
     }},
    {"preferences-of-first", "compiler", "layouts are preferred only for the first instruction that has any", "npu",
     "claims/contractions/local",
     [] { return prefers_only([](std::uint32_t, std::size_t before) { return before == 0; }); }},
    {"preferences-by-index", "compiler", "layouts are preferred only for the first 40 instructions of a module", "npu",
     "claims/contractions/local",
     [] { return prefers_only([](std::uint32_t instr, std::size_t) { return instr < 40; }); }},
    {"claim-one-at-a-time", "compiler", "claim() claims nothing while another thread asks", "cpu",
     "contract/BP-CLAIM-01/threads",
     [] {
       auto gate = std::make_shared<OneAtATime>();
       return Fault{.compiler_claim = [gate](const auto &next, auto &, const bp_module_t *module, float *cost_ns,
                                             const bp_diag_t *) {
         const OneAtATime::Entry entry(*gate);
         std::this_thread::yield();
         const bp_status status = next();
         std::fill_n(cost_ns, entry.is_first ? 0 : module->instrs.count, -1.0f);
         return status;
       }};
     }},
    {"find-one-at-a-time", "compiler", "find() returns null while another thread asks", "kernels",
     "contract/BP-FIND-01/threads",
     [] {
       auto gate = std::make_shared<OneAtATime>();
       return at_find([gate](const auto &next, plugin::ModuleView, std::uint32_t) {
         const OneAtATime::Entry entry(*gate);
         std::this_thread::yield();
         return next() && entry.is_first;
       });
     }},
    {"compile-one-at-a-time", "compiler", "compile() fails while another thread compiles", "cpu",
     "contract/BP-COMPILE-01/threads",
     [] {
       auto gate = std::make_shared<OneAtATime>();
       return Fault{.compiler_compile = [gate](const auto &next, auto &, auto...) {
         const OneAtATime::Entry entry(*gate);
         return entry.is_first ? next() : bp_status{BP_INTERNAL};
       }};
     }},
    {"allocations-in-a-byte", "compiler", "compile() fails for modules of more than 255 allocations", "cpu",
     "contract/BP-COMPILE-01/large",
     [] {
       return Fault{.compiler_compile = [](const auto &next, auto &, const bp_module_t *module, const bp_ostream_t *,
                                           const bp_diag_t *) {
         return module->allocations.count > 255 ? bp_status{BP_INTERNAL} : next();
       }};
     }},
    {"compile-trips-over-sections", "compiler", "compile() fails for modules with a section that it does not know",
     "cpu", "contract/BP-LAW-05/compile",
     [] {
       return Fault{.compiler_compile = [](const auto &next, auto &, const bp_module_t *module, const bp_ostream_t *,
                                           const bp_diag_t *) {
         for (std::uint32_t i = 0; i < module->sections.count; ++i) {
           if (BP_AT(module, sections, bp_section_t, i)->id != BP_SECTION_CONTROL_EDGES) {
             return bp_status{BP_INTERNAL};
           }
         }
         return next();
       }};
     }},
    {"sixteen-workers", "runs", "parts of a loop whose worker has a number above 15 compute nothing", "cpu",
     "contract/BP-LAW-04/threads", with_bodies<&only_sixteen_workers>},
    {"body-leaves-flush-to-zero", "runs", "the body of a loop leaves flush-to-zero switched on", "cpu",
     "contract/BP-LAW-04/threads", with_bodies<&leaves_flush_to_zero>},
    {"large-run-takes-memory", "runs", "a run allocates two megabytes, and frees them again", "cpu",
     "contract/BP-RUN-02/large",
     [] {
       return at_run([](const auto &next, const bp_run_t *run) {
         std::vector<char> own(2 << 20, 1);
         const bp_status status = next(run);
         return own[own.size() / 2] == 1 ? status : bp_status{BP_INTERNAL};
       });
     }},
    {"reason-for-another", "compiler", "find() reports its reasons against instructions that there are not", "kernels",
     "contract/BP-DIAG-01/reports",
     [] {
       return Fault{.kernels_find = [](const auto &next, auto &, const bp_module_t *module, std::uint32_t instr,
                                       const bp_diag_t *diag) {
         const bp_diag_t changing = {const_cast<bp_diag_t *>(diag),
                                     [](const bp_diag_t *self, bp_status status, std::uint32_t at, const char *msg) {
                                       const auto *below = static_cast<const bp_diag_t *>(self->ctx);
                                       below->report(below, status, at + 1'000, msg);
                                     }};
         return next(module, instr, &changing);
       }};
     }},
    {"refusal-in-silence", "compiler", "load() does not say why it refuses an artifact", "cpu",
     "contract/BP-DIAG-01/reports",
     [] {
       return Fault{.compiler_load = [](const auto &next, auto &, const void *artifact, std::uint64_t size,
                                        const bp_loc_t *constants, std::uint8_t *taken, std::uint32_t count,
                                        const bp_program_t **program, const bp_diag_t *) {
         static const bp_diag_t silent = {nullptr, [](const bp_diag_t *, bp_status, std::uint32_t, const char *) {}};
         return next(artifact, size, constants, taken, count, program, &silent);
       }};
     }},
    {"log-with-newline", "life", "lines of the log end with a newline", "npu", "contract/BP-LOG-01/lines",
     [] {
       return Fault{.log_log = [](const auto &next, auto &, std::uint32_t severity, const char *msg) {
         next(severity, (std::string(msg) + "\n").c_str());
       }};
     }},
    {"claim-offline-less", "compiler", "claim() claims no additions on a device that is offline", "cpu",
     "contract/BP-CLAIM-01/offline",
     [] {
       auto offline = std::make_shared<std::set<const void *>>();
       Fault fault;
       fault.compiler_claim = [offline](const auto &next, layers::LayeredDevice &device, const bp_module_t *module,
                                        float *cost_ns, const bp_diag_t *) {
         const bp_status status = next();
         for (const plugin::Instruction instruction : plugin::ModuleView(module).instructions()) {
           if (offline->contains(&device.abi) && instruction.op() == BP_OP_ADD) {
             cost_ns[instruction.index()] = -1;
           }
         }
         return status;
       };
       fault.factory_create = [offline](const auto &next, auto &, const bp_host_t *, const char *,
                                        std::uint32_t instance, auto...) {
         const bp_device_t *device = next();
         offline->erase(device);
         if (instance == BP_NONE) {
           offline->insert(device);
         }
         return device;
       };
       return fault;
     }},
    {"facts-with-two-values", "life", "numbers are told with a text, too", "npu", "contract/BP-INFO-01",
     [] {
       return at_told_fact([](const auto &tell, bp_fact_t &fact) {
         fact.text = fact.text == nullptr ? "" : fact.text;
         tell();
       });
     }},
    {"facts-of-other-thread", "life", "facts are told on another thread", "npu", "contract/BP-INFO-01",
     [] { return at_told_fact([](const auto &tell, bp_fact_t &) { std::thread(tell).join(); }); }},
    {"facts-of-no-space", "life", "facts about memory name a space that there is not", "npu", "contract/BP-INFO-01",
     [] {
       return at_told_fact([](const auto &tell, bp_fact_t &fact) {
         fact.space += fact.space != BP_NONE ? 2 : 0;
         tell();
       });
     }},
    {"facts-take-time", "life", "report() takes 150 ms", "npu", "contract/facts_in_time",
     [] {
       return Fault{.device_info_report = [](const auto &next, auto &, auto...) {
         std::this_thread::sleep_for(std::chrono::milliseconds(150));
         return next();
       }};
     }},
    {"small-pieces-uncounted", "life", "memory.free does not count pieces of less than 4 KiB", "npu",
     "contract/BP-INFO-02", small_pieces_uncounted},
    {"failed-after-refusal", "life", "after an allocation that was refused, the device is told to have failed", "npu",
     "contract/BP-INFO-04", failed_after_refusal},
    {"capacity-shrinks", "memory", "the capacity of a space changes when memory is allocated", "npu",
     "contract/lasting_statements", capacity_shrinks},
    {"default-not-true", "life", "the default of an option is not the value that is stated", "npu",
     "contract/true_defaults",
     [] {
       return with_options([](Texts &options) {
         for (auto &[key, value] : options) {
           value = key == "memory" && value == "67108864" ? "33554432" : value;
         }
       });
     }},
    {"identity-of-process", "life", "the identity of an instance contains the number of the process", "npu",
     "life_cycle/BP-INSTANCE-02",
     [] {
       return Fault{.instances_describe = [](const auto &next, auto &, const char *id, std::uint32_t number,
                                             const bp_instance_receiver_t *receiver, const bp_diag_t *diag) {
         const bp_instance_receiver_t changing = {
             const_cast<bp_instance_receiver_t *>(receiver),
             [](const bp_instance_receiver_t *self, const bp_instance_t *instance) {
               const auto *below = static_cast<const bp_instance_receiver_t *>(self->ctx);
               const std::string identity = instance->identity + std::to_string(getpid());
               bp_instance_t changed = *instance;
               changed.identity = identity.c_str();
               below->tell(below, &changed);
             }};
         return next(id, number, &changing, diag);
       }};
     }},
    {"probe-counts-what-is-left", "life", "probe() does not count devices that are in use", "npu", "life_cycle/probe",
     probe_counts_what_is_left},
    {"probe-of-anything", "life", "probe() counts a device of every id", "kernels", "life_cycle/unknown_device",
     [] {
       return Fault{
           .factory_probe = [](const auto &next, auto &, const char *, std::uint32_t *instances, const bp_diag_t *) {
             const bp_status status = next();
             *instances = std::max<std::uint32_t>(*instances, 1);
             return status;
           }};
     }},
    {"option-refused-in-silence", "life", "create() refuses options without a report", "npu", "life_cycle/BP-CREATE-02",
     [] {
       return Fault{.factory_create = [](const auto &next, auto &, const bp_host_t *host, const char *id,
                                         std::uint32_t instance, const bp_option_t *options, std::uint32_t option_count,
                                         const bp_diag_t *) {
         static const bp_diag_t deaf = {nullptr, [](const bp_diag_t *, bp_status, std::uint32_t, const char *) {}};
         return next(host, id, instance, options, option_count, &deaf);
       }};
     }},
    {"option-read-in-part", "life", "a number is read up to the first character that is no digit", "npu",
     "life_cycle/BP-CREATE-02",
     [] {
       return with_options([](Texts &options) {
         for (auto &[key, value] : options) {
           const std::size_t end = value.find_first_not_of("0123456789");
           value = end == 0 || end == std::string::npos ? value : value.substr(0, end);
         }
       });
     }},
    {"options-after-first-ignored", "life", "create() reads only the first option", "npu", "life_cycle/BP-CREATE-02",
     [] { return with_options([](Texts &options) { options.resize(std::min<std::size_t>(options.size(), 1)); }); }},
};

}  // namespace

const std::span<const Mutant> promise_mutants = promise_table;

}  // namespace bp::conformance
