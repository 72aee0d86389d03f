// The plugin with other hosts: without services, with loops that run backwards, with a listener, and with a measurement
// of the system resources that a run uses.
#include <fmt/format.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <optional>
#include <thread>

#include "backplane/ext/draft/profile.h"
#include "conformance/suite/contract_trials.h"
#include "conformance/suite/direct_program.h"
#include "conformance/suite/library.h"
#include "conformance/suite/process_state.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "core/host/diagnostics.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/verifier.h"
#include "core/layers/interposer.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

using namespace layers;

// --- BP-HOST-01: the first sample gives the same bits without services ---

Result<Verdict> works_without(Subject &subject, const std::vector<std::string> &services) {
  BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(const Literal expected, run_alone(subject, *backend, module));
  BackendOptions options = subject.backend_options();
  options.withdrawn_services = {services.begin(), services.end()};
  BP_ASSIGN(const Backend without, Backend::load(subject.choice().name, options));
  BP_ASSIGN(const Literal found, run_alone(subject, without, module));
  return found.identical(expected)
             ? Verdict()
             : failure(fmt::format("BP-HOST-01: the result differs in bits without {}", fmt::join(services, " and ")));
}
Verdict without_log(Subject &subject) {
  return verdict_or_error(works_without(subject, {"bp.log/1"}));
}
Verdict without_threads(Subject &subject) {
  return verdict_or_error(works_without(subject, {"bp.thread-pool/1"}));
}
Verdict without_services(Subject &subject) {
  return verdict_or_error(works_without(subject, {"bp.log/1", "bp.thread-pool/1"}));
}

// --- BP-PARALLEL-01: loops on one thread, from the last index to the first ---

struct Backwards final : Interposer {
  Backwards(std::unique_ptr<host::Entry> below, std::atomic<std::uint64_t> &loops)
      : Interposer(std::move(below)), loops_(loops) {}
  void threads_parallel(LayeredHost &, std::uint32_t n, bp_parallel_body body, void *ctx) override {
    loops_ += n > 1 ? 1 : 0;
    for (std::uint32_t i = n; i-- > 0;) {
      body(ctx, i, 0);
    }
  }
  std::atomic<std::uint64_t> &loops_;
};

// Large enough to be worth several threads, with ops that most devices have.
constexpr std::string_view large_program = R"(
  ENTRY main {
    x = f32[301,400] parameter(0)  y = f32[400,523] parameter(1)  z = f32[301,523] parameter(2)
    d = f32[301,523] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    m = f32[301,523] multiply(d, z)
    ROOT r = f32[301,523] subtract(m, d)
  })";

Result<Verdict> loops_run_backwards(Subject &subject) {
  BP_ASSIGN(const ir::Module module, text::parse_module(large_program));
  BP_TRY(ir::verify(module));
  BP_ASSIGN(const Backend *backend, subject.backend());
  const auto expected = run_alone(subject, *backend, module);
  if (!expected.ok()) {
    return verdict_of_compilation(subject, module, expected.error());
  }
  std::atomic<std::uint64_t> loops = 0;
  BP_ASSIGN(const Backend alone, load_under(subject, [&loops](std::unique_ptr<host::Entry> below) {
              return std::make_unique<Backwards>(std::move(below), loops);
            }));
  BP_ASSIGN(const Literal found, run_alone(subject, alone, module));
  if (loops == 0) {
    return Verdict{.status = CaseStatus::Unsupported, .message = "the device runs no loops on the host's threads"};
  }
  return found.identical(*expected)
             ? Verdict()
             : failure("BP-PARALLEL-01: the result differs in bits if loops run on one thread, from the last index on");
}
Verdict runs_loops_backwards(Subject &subject) {
  return verdict_or_error(loops_run_backwards(subject));
}

// --- bp.thread-pool/1 of a larger machine ---

// A host with many threads, of which four work at a time, with numbers of workers that are far apart.
// Notices bodies that leave another floating-point environment to the thread that they share (BP-LAW-04).
struct LargeMachine final : Interposer {
  static constexpr std::uint32_t workers = 61, threads = 4, distance = 16;
  struct Seen {
    std::atomic<std::uint64_t> loops = 0, changed = 0;
  };
  LargeMachine(std::unique_ptr<host::Entry> below, Seen &seen) : Interposer(std::move(below)), seen_(seen) {}

  std::uint32_t threads_count(LayeredHost &) override { return workers; }
  void threads_parallel(LayeredHost &, std::uint32_t n, bp_parallel_body body, void *ctx) override {
    const auto number = static_cast<std::uint32_t>(seen_.loops);
    seen_.loops += n > 1 ? 1 : 0;
    std::atomic<std::uint32_t> next = 0;
    const auto work = [&](std::uint32_t thread) {
      const std::uint64_t before = fingerprint_of_thread();
      for (std::uint32_t i = next++; i < n; i = next++) {
        // The numbers of threads differ by multiples of a power of two, in case somebody has only so many places.
        body(ctx, i, thread * distance + number % (workers - (threads - 1) * distance));
      }
      seen_.changed += fingerprint_of_thread() != before ? 1 : 0;
    };
    const std::uint32_t count = std::clamp(n, 1u, threads);
    std::barrier together(count);
    const auto begin = [&](std::uint32_t thread) {
      together.arrive_and_wait();
      work(thread);
    };
    std::vector<std::jthread> others;
    for (std::uint32_t thread = 1; thread < count; ++thread) {
      others.emplace_back(begin, thread);
    }
    begin(0);
  }
  Seen &seen_;
};

// Work that devices divide: products of matrices, a sort, sums of rows, a transpose.
constexpr std::string_view divided_programs[] = {large_program, R"(
  ENTRY main {
    x = f32[161,701] parameter(0)  y = f32[701,163] parameter(1)
    ROOT r = f32[161,163] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} })",
                                                 R"(
  less { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
  ENTRY main { x = f32[67,801] parameter(0)  ROOT r = f32[67,801] sort(x), dimensions={1}, is_stable=true, to_apply=less })",
                                                 R"(
  sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
  ENTRY main {
    x = f32[257,601] parameter(0)  y = f32[257,601] parameter(1)  z = f32[] constant(0)
    m = f32[257,601] multiply(x, y)  t = f32[601,257] transpose(m), dimensions={1,0}
    s = f32[257] reduce(m, z), dimensions={1}, to_apply=sum
    ROOT r = (f32[601,257], f32[257]) tuple(t, s) })"};

// Runs the program for a while: a conflict between threads does not show each time.
Status expect_same_results(const Subject &subject, const Backend &large, const ir::Module &module,
                           const Literal &expected, const LargeMachine::Seen &seen) {
  constexpr std::chrono::milliseconds least(150);
  constexpr int max_runs = 30;
  CompileOptions options;
  options.fold_constants = false;
  const auto compiled = large.compile(module, options);
  if (!compiled.ok()) {
    return make_error(ErrorCode::PluginFailure, "a program does not compile on a host with {} threads: {}",
                      LargeMachine::workers, compiled.error().to_string());
  }
  BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(module, subject.seed_of("contract")));
  const auto start = std::chrono::steady_clock::now();
  const auto has_time = [&] { return std::chrono::steady_clock::now() - start < least; };
  for (int i = 0; i == 0 || (seen.loops > 0 && i < max_runs && has_time()); ++i) {
    const auto found = compiled->executable.run(arguments);
    if (!found.ok() || !found->identical(expected)) {
      return make_error(ErrorCode::PluginFailure, "on a host with {} threads, {}", LargeMachine::workers,
                        found.ok() ? "the result differs in bits" : "a program fails: " + found.error().to_string());
    }
  }
  return {};
}

Result<Verdict> runs_with_many_workers(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  LargeMachine::Seen seen;
  BP_ASSIGN(const Backend large, load_under(subject, [&seen](std::unique_ptr<host::Entry> below) {
              return std::make_unique<LargeMachine>(std::move(below), seen);
            }));
  for (const std::string_view program : divided_programs) {
    BP_ASSIGN(const ir::Module module, text::parse_module(program));
    BP_TRY(ir::verify(module));
    const auto expected = run_alone(subject, *backend, module);
    if (!expected.ok()) {
      continue;  // other stages judge what the device cannot run
    }
    BP_TRY(expect_same_results(subject, large, module, *expected, seen));
  }
  if (seen.changed > 0) {
    return failure("BP-LAW-04: the body of a loop changes the floating-point environment of the host's thread");
  }
  return seen.loops > 0
             ? Verdict()
             : Verdict{.status = CaseStatus::Unsupported, .message = "the device runs no loops on the host's threads"};
}
Verdict has_many_workers(Subject &subject) {
  return verdict_or_error(runs_with_many_workers(subject));
}

// --- BP-PROFILE-01, BP-PROFILE-02: runs with a listener ---

struct Recorded {
  std::uint32_t instruction, track;
  std::uint64_t begin, end;
  bool is_late;  // after the run
};

// A run with a listener.
struct ListeningRun {
  bp_run_t abi;
  const bp_run_t *below;
  std::mutex *mutex;
  std::vector<Recorded> *records;
  std::atomic<bool> is_over = false;

  static const void *get_extension(const bp_run_t *run, const char *id) {
    const auto &self = *reinterpret_cast<const ListeningRun *>(run);
    return std::string_view(id) == BP_EXT_PROFILE ? &profile : self.below->get_extension(self.below, id);
  }
  static void record(const bp_run_t *run, std::uint32_t instruction, std::uint32_t track, std::uint64_t begin,
                     std::uint64_t end) {
    const auto &self = *reinterpret_cast<const ListeningRun *>(run);
    const std::lock_guard lock(*self.mutex);
    self.records->push_back({instruction, track, begin, end, self.is_over});
  }
  static constexpr bp_run_profile_t profile = {&ListeningRun::record};
};

struct Listener final : Interposer {
  Listener(std::unique_ptr<host::Entry> below, std::vector<Recorded> &records, const bool &listens)
      : Interposer(std::move(below)), records_(records), listens_(listens) {}

  const bp_run_t *listen(const bp_run_t *run) {
    if (!listens_) {
      return run;
    }
    const std::lock_guard lock(mutex_);
    ListeningRun &listening = *runs_.emplace_back(new ListeningRun{*run, run, &mutex_, &records_});
    last_ = &listening;
    listening.abi.get_extension = &ListeningRun::get_extension;
    return &listening.abi;
  }
  bp_status program_run(LayeredProgram &program, const bp_run_t *run, const bp_diag_t *diag) override {
    const bp_run_t *heard = listen(run);
    const bp_status status = Interposer::program_run(program, heard, diag);
    if (heard != run) {
      const std::lock_guard lock(mutex_);
      last_->is_over = true;
    }
    return status;
  }
  // Trials make one run after the other.
  void host_signal(LayeredHost &host, bp_point_t point, bp_status status, std::uint32_t instr,
                   const char *msg) override {
    {
      const std::lock_guard lock(mutex_);
      if (last_ != nullptr && point.timeline == last_ends_.timeline && point.value == last_ends_.value) {
        last_->is_over = true;
      }
    }
    Interposer::host_signal(host, point, status, instr, msg);
  }
  bp_status queue_submit(LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands,
                         std::uint32_t command_count, bp_point_t done, const bp_diag_t *diag) override {
    std::vector<bp_command_t> heard(commands, commands + command_count);
    for (bp_command_t &command : heard) {
      if (command.kind == BP_COMMAND_RUN) {
        command.run = listen(command.run);
        const std::lock_guard lock(mutex_);
        last_ends_ = done;
      }
    }
    return Interposer::queue_submit(device, queue, heard.data(), command_count, done, diag);
  }

  std::mutex mutex_;
  std::vector<Recorded> &records_;
  const bool &listens_;                              // changes between runs
  std::vector<std::unique_ptr<ListeningRun>> runs_;  // a queue may report until the device is destroyed
  ListeningRun *last_ = nullptr;
  bp_point_t last_ends_{};  // signalled when the last run is over
};

// Compiles a sample and runs it several times with a listener.
Status run_heard(const Subject &subject, const Backend &heard, const ir::Module &module, const Literal &expected,
                 const std::vector<Recorded> &records) {
  constexpr int runs = 4;
  CompileOptions options;
  options.fold_constants = false;
  BP_ASSIGN(const Compiled compiled, heard.compile(module, options));
  BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(module, subject.seed_of("contract")));
  const std::size_t before = records.size();
  for (int i = 0; i < runs; ++i) {
    BP_ASSIGN(const Literal found, compiled.executable.run(arguments));
    if (!found.identical(expected)) {
      return make_error(ErrorCode::PluginFailure, "BP-PROFILE-02: the result differs in bits with a profile listener");
    }
  }
  const auto &program = compiled.executable.program();
  const std::uint64_t instructions = program == nullptr ? 0 : program->image().module()->instrs.count;
  for (std::size_t i = before; i < records.size() && compiled.report.programs == 1; ++i) {
    if (records[i].instruction >= instructions) {
      return make_error(ErrorCode::PluginFailure,
                        "BP-PROFILE-01: instruction {} of a module of {} instructions is said to have run",
                        records[i].instruction, instructions);
    }
  }
  return {};
}

Result<Verdict> reports_to_listener(Subject &subject) {
  BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(const Literal expected, run_alone(subject, *backend, module));
  std::vector<Recorded> records;
  {
    const bool listens = true;
    BP_ASSIGN(const Backend heard, load_under(subject, [&](std::unique_ptr<host::Entry> below) {
                return std::make_unique<Listener>(std::move(below), records, listens);
              }));
    BP_TRY(run_heard(subject, heard, module, expected, records));
    // Instructions that run several times, if the device has loops.
    BP_ASSIGN(const ir::Module loop, sample_program("loop"));
    if (const auto of_loop = run_alone(subject, *backend, loop); of_loop.ok()) {
      BP_TRY(run_heard(subject, heard, loop, *of_loop, records));
    }
  }
  if (std::ranges::any_of(records, &Recorded::is_late)) {
    return failure("BP-PROFILE-01: an instruction is reported after the end of its run");
  }
  std::ranges::sort(records, [](const Recorded &a, const Recorded &b) {
    return std::pair(a.track, a.begin) < std::pair(b.track, b.begin);
  });
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Recorded &one = records[i];
    if (one.begin > one.end) {
      return failure(fmt::format("BP-PROFILE-01: an instruction runs from {} ns to {} ns", one.begin, one.end));
    }
    if (i > 0 && records[i - 1].track == one.track && records[i - 1].end > one.begin) {
      return failure(
          fmt::format("BP-PROFILE-01: on track {} an instruction begins at {} ns, before the one that ends "
                      "at {} ns",
                      one.track, one.begin, records[i - 1].end));
    }
  }
  return records.empty()
             ? Verdict{.status = CaseStatus::Unsupported, .message = "the device reports no events for its runs"}
             : Verdict();
}
Verdict reports_its_runs(Subject &subject) {
  return verdict_or_error(reports_to_listener(subject));
}

// --- BP-RUN-05: runs with a listener, then without ---

Result<Verdict> computes_unheard(Subject &subject) {
  BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(const Literal expected, run_alone(subject, *backend, module));
  std::vector<Recorded> records;
  bool listens = true;
  BP_ASSIGN(const Backend heard, load_under(subject, [&](std::unique_ptr<host::Entry> below) {
              return std::make_unique<Listener>(std::move(below), records, listens);
            }));
  BP_ASSIGN([[maybe_unused]] const Literal first, run_alone(subject, heard, module));
  listens = false;
  const auto found = run_alone(subject, heard, module);
  if (!found.ok()) {
    return failure("BP-RUN-05: a run fails after the profile listener was removed: " + found.error().to_string());
  }
  return found->identical(expected)
             ? Verdict()
             : failure("BP-RUN-05: the result differs in bits after the profile listener was removed");
}
Verdict runs_unheard(Subject &subject) {
  return verdict_or_error(computes_unheard(subject));
}

// --- BP-RUN-02: resources that a run takes ---

// Returns a value of /proc/self/status in bytes; 0 if there is none.
std::int64_t process_figure(std::string_view name) {
  std::int64_t kilobytes = 0;
  if (std::FILE *file = std::fopen("/proc/self/status", "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, file) != nullptr) {
      if (std::string_view(line).starts_with(name)) {
        kilobytes = std::atoll(line + name.size() + 1);
      }
    }
    std::fclose(file);
  }
  return kilobytes * 1024;
}

// Resets the peak of resident memory.
bool reset_peak() {
  std::FILE *file = std::fopen("/proc/self/clear_refs", "w");
  const bool written = file != nullptr && std::fputs("5", file) >= 0;
  return file != nullptr && std::fclose(file) == 0 && written;
}

// Memory that was freed in earlier runs, and that malloc has kept, would hide that a run allocates.
void give_back_freed_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

Result<Verdict> run_takes_nothing(Subject &subject) {
  constexpr std::int64_t slack = 4 << 20;  // for the caller's result, and pages accessed for the first time
  BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
  BP_ASSIGN(const auto compiled, subject.compile("sample", module));
  BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(module, 1));
  for (int i = 0; i < 3; ++i) {
    BP_ASSIGN([[maybe_unused]] const Literal warm, compiled->executable.run(arguments));
  }
  if (!reset_peak()) {
    return Verdict{.status = CaseStatus::Unsupported,
                   .message = "this system does not report the peak memory of a process"};
  }
  const std::int64_t before = process_figure("VmRSS");
  BP_ASSIGN([[maybe_unused]] const Literal result, compiled->executable.run(arguments));
  const std::int64_t more = process_figure("VmHWM") - before;
  return more <= slack
             ? Verdict()
             : failure(fmt::format("BP-RUN-02: a run takes {} bytes from the system in addition to its plan", more));
}
Verdict takes_no_memory(Subject &subject) {
  return verdict_or_error(run_takes_nothing(subject));
}

// The same for arrays that are larger than what a run may take, without the core's runtime, which makes the result.
Result<Verdict> large_run_takes_nothing(Subject &subject) {
  constexpr std::int64_t slack = 1 << 20;
  constexpr std::string_view programs[] = {
      "ENTRY main { x = f32[1031,1021] parameter(0)  y = f32[1031,1021] add(x, x)  ROOT r = f32[1031,1021] multiply(y, "
      "x) }",
      "ENTRY main { x = f32[1031,1021] parameter(0)  ROOT r = f32[1021,1031] transpose(x), dimensions={1,0} }",
      "ENTRY main { x = f32[520,1009] parameter(0)  y = f32[1009,16] parameter(1)  "
      "ROOT r = f32[520,16] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }"};
  BP_ASSIGN(const Backend *backend, subject.backend());
  bool any = false;
  for (const std::string_view text : programs) {
    BP_ASSIGN(const ir::Module module, text::parse_module(text));
    BP_TRY(ir::verify(module));
    const auto parts = DirectParts::compile(backend->device(), module);
    if (!parts.ok() || *parts == nullptr) {
      continue;  // other stages judge what does not compile
    }
    const auto loaded = DirectProgram::load(backend->device(), *parts);
    BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(module, 1));
    if (!loaded.ok()) {
      return loaded.error();
    }
    const auto prepared = (*loaded)->prepare(arguments, {});
    if (!prepared.ok()) {
      continue;  // the device has too little memory
    }
    for (int i = 0; i < 2; ++i) {
      BP_TRY((*loaded)->start(**prepared));
    }
    give_back_freed_memory();
    if (!reset_peak()) {
      return Verdict{.status = CaseStatus::Unsupported,
                     .message = "this system does not report the peak memory of a process"};
    }
    const std::int64_t before = process_figure("VmRSS");
    BP_TRY((*loaded)->start(**prepared));
    const std::int64_t more = process_figure("VmHWM") - before;
    if (more > slack) {
      return failure(
          fmt::format("BP-RUN-02: a run takes {} bytes from the system in addition to its plan: {}", more, text));
    }
    any = true;
  }
  return any ? Verdict() : nothing_to_do();
}
Verdict takes_no_memory_for_large_arrays(Subject &subject) {
  return verdict_or_error(large_run_takes_nothing(subject));
}

constexpr ContractTrial host_table[] = {
    {"BP-HOST-01/log", "", without_log},
    {"BP-HOST-01/threads", "", without_threads},
    {"BP-HOST-01/all", "", without_services},
    {"BP-PARALLEL-01", "", runs_loops_backwards},
    {"BP-LAW-04/threads", "", has_many_workers},
    {"BP-PROFILE-01", "bp.compiler/1", reports_its_runs},
    {"BP-PROFILE-02", "bp.compiler/1", reports_its_runs},
    {"BP-RUN-02", "bp.compiler/1", takes_no_memory},
    {"BP-RUN-02/large", "bp.compiler/1", takes_no_memory_for_large_arrays},
    {"BP-RUN-05", "bp.compiler/1", runs_unheard},
};

}  // namespace

const std::span<const ContractTrial> host_trials = host_table;

Result<Literal> run_alone(const Subject &subject, const Backend &backend, const ir::Module &module) {
  CompileOptions options;
  options.fold_constants = false;
  BP_ASSIGN(const Compiled compiled, backend.compile(module, options));
  BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(module, subject.seed_of("contract")));
  return compiled.executable.run(arguments);
}

Result<Backend> load_under(const Subject &subject, host::Layer layer) {
  BackendOptions options = subject.backend_options();
  options.layers.push_back(std::move(layer));
  return Backend::load(subject.choice().name, options);
}

}  // namespace bp::conformance
