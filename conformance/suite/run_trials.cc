// Trials of what the host offers for one run or one compilation: an early end, counters, reports of progress.
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <latch>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <thread>

#include "backplane/ext/draft/cancel.h"
#include "backplane/ext/draft/counters.h"
#include "backplane/ext/draft/priority.h"
#include "backplane/ext/draft/progress.h"
#include "conformance/suite/contract_trials.h"
#include "conformance/suite/direct_program.h"
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

// All that the host of a trial tells the device and hears from it. Threads: a device asks and reports from any.
struct Conversation {
  std::atomic<bool> offers_end = false, offers_counters = false, offers_progress = false;
  // The run is over from this question on; a compilation from this report on. 0: never.
  std::atomic<std::uint64_t> over_from = 0;
  std::atomic<std::uint64_t> questions = 0, after_end = 0;  // is_over(), in all and after it returned 1
  std::atomic<std::uint64_t> reports = 0;                   // of progress
  std::atomic<const bp_diag_t *> of_call = nullptr;         // of the compile() or load() in progress
  std::atomic<int> runs_now = 0;                            // runs in progress
  std::mutex mutex;
  std::vector<std::string> broken;                   // rules that a report or a question broke
  std::vector<std::array<std::uint64_t, 3>> counts;  // counter, instruction, value

  bool is_over(std::uint64_t number) const { return over_from != 0 && number >= over_from; }
  // A table of a run is used while the run is in progress, and only if it was offered for that run.
  void used(const char *rule, bool is_offered) {
    if (runs_now == 0 || !is_offered) {
      add_broken(fmt::format("{}: a table of a run is used {}", rule,
                             runs_now == 0 ? "after the run" : "for a later run, which does not have it"));
    }
  }
  void add_broken(std::string what) {
    const std::lock_guard lock(mutex);
    broken.push_back(std::move(what));
  }
};

// The functions of a run that has the tables that the conversation, its ctx, offers. Layers below may pass on copies of
// the run.
struct TalkingRun {
  static Conversation &of(const bp_run_t *run) { return *static_cast<Conversation *>(run->ctx); }
  static const void *get_extension(const bp_run_t *run, const char *id) {
    if (of(run).offers_end && std::string_view(id) == BP_EXT_CANCEL) {
      return &end_table;
    }
    return of(run).offers_counters && std::string_view(id) == BP_EXT_RUN_COUNTERS ? &counter_table : nullptr;
  }
  static std::uint32_t is_over(const bp_run_t *run) {
    Conversation &talk = of(run);
    talk.used("BP-CANCEL-01", talk.offers_end);
    const std::uint64_t number = ++talk.questions;
    talk.after_end += talk.is_over(number) ? 1 : 0;
    return talk.is_over(number) ? 1 : 0;
  }
  static void count(const bp_run_t *run, std::uint32_t counter, std::uint32_t instr, std::uint64_t value) {
    of(run).used("BP-COUNTER-02", of(run).offers_counters);
    const std::lock_guard lock(of(run).mutex);
    of(run).counts.push_back({counter, instr, value});
  }
  static constexpr bp_run_cancel_t end_table = {&TalkingRun::is_over};
  static constexpr bp_run_counters_t counter_table = {&TalkingRun::count};
};

struct Talker final : Interposer {
  Talker(std::unique_ptr<host::Entry> below, Conversation &talk) : Interposer(std::move(below)), talk_(talk) {}

  const bp_run_t *talking(const bp_run_t *run) {
    const std::lock_guard lock(mutex_);
    bp_run_t &made = runs_.emplace_back(*run);
    made.ctx = &talk_;
    made.get_extension = &TalkingRun::get_extension;
    return &made;
  }
  bp_status program_run(LayeredProgram &program, const bp_run_t *run, const bp_diag_t *diag) override {
    ++talk_.runs_now;
    const bp_status status = Interposer::program_run(program, talking(run), diag);
    --talk_.runs_now;
    return status;
  }
  bp_status queue_submit(LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands,
                         std::uint32_t command_count, bp_point_t done, const bp_diag_t *diag) override {
    std::vector<bp_command_t> changed(commands, commands + command_count);
    int runs = 0;
    for (bp_command_t &command : changed) {
      command.run = command.kind == BP_COMMAND_RUN ? talking(command.run) : command.run;
      runs += command.kind == BP_COMMAND_RUN ? 1 : 0;
    }
    if (runs > 0) {
      const std::lock_guard lock(mutex_);
      submitted_[{done.timeline, done.value}] = runs;
      talk_.runs_now += runs;
    }
    const bp_status status = Interposer::queue_submit(device, queue, changed.data(), command_count, done, diag);
    if (status != BP_OK) {
      end(done);
    }
    return status;
  }
  void host_signal(LayeredHost &host, bp_point_t point, bp_status status, std::uint32_t instr,
                   const char *msg) override {
    end(point);
    Interposer::host_signal(host, point, status, instr, msg);
  }
  bp_status compiler_compile(LayeredDevice &device, const bp_module_t *module, const bp_ostream_t *artifact,
                             const bp_diag_t *diag) override {
    begin(diag);
    const bp_status status = Interposer::compiler_compile(device, module, artifact, diag);
    talk_.of_call = nullptr;
    return status;
  }
  bp_status compiler_load(LayeredDevice &device, const void *artifact, std::uint64_t size, const bp_loc_t *constants,
                          std::uint8_t *taken, std::uint32_t allocation_count, const bp_program_t **program,
                          const bp_diag_t *diag) override {
    begin(diag);
    const bp_status status =
        Interposer::compiler_load(device, artifact, size, constants, taken, allocation_count, program, diag);
    talk_.of_call = nullptr;
    return status;
  }
  const void *host_get_extension(LayeredHost &host, const char *id) override {
    if (std::string_view(id) != BP_EXT_PROGRESS) {
      return Interposer::host_get_extension(host, id);
    }
    heard() = &talk_;
    return talk_.offers_progress ? &progress_table : nullptr;
  }

 private:
  void begin(const bp_diag_t *diag) { talk_.of_call = diag; }
  // Ends the runs that this point signals.
  void end(bp_point_t point) {
    const std::lock_guard lock(mutex_);
    if (const auto found = submitted_.extract({point.timeline, point.value})) {
      talk_.runs_now -= found.mapped();
    }
  }
  // The service's table has no room for data, and a process runs one trial at a time.
  static Conversation *&heard() {
    static Conversation *talk = nullptr;
    return talk;
  }
  static bp_status progress(const bp_host_t *, const bp_diag_t *diag, std::uint64_t done, std::uint64_t total) {
    Conversation &talk = *heard();
    if (talk.of_call == nullptr || diag != talk.of_call) {
      talk.add_broken("BP-PROGRESS-01: progress is reported after the call, or without its bp_diag");
    }
    if (done > total) {
      talk.add_broken(fmt::format("BP-PROGRESS-01: {} of {} parts are reported to be done", done, total));
    }
    return talk.is_over(++talk.reports) ? BP_CANCELLED : BP_OK;
  }
  static constexpr bp_host_progress_t progress_table = {&Talker::progress};

  Conversation &talk_;
  std::mutex mutex_;
  std::deque<bp_run_t> runs_;                                         // a queue may ask until the device is destroyed
  std::map<std::pair<std::uint64_t, std::uint64_t>, int> submitted_;  // numbers of runs, by the points that end them
};

// A loop of a hundred thousand iterations: long enough to be ended in the middle.
constexpr std::string_view long_loop = R"(
  step {
    t = (s32[], f32[16]) parameter(0)
    i = s32[] get-tuple-element(t), index=0  x = f32[16] get-tuple-element(t), index=1
    one = s32[] constant(1)  n = s32[] add(i, one)  h = f32[] constant(0.5)  b = f32[16] broadcast(h), dimensions={}
    m = f32[16] multiply(x, b)  y = f32[16] add(m, b)
    ROOT r = (s32[], f32[16]) tuple(n, y)
  }
  goes_on {
    t = (s32[], f32[16]) parameter(0)
    i = s32[] get-tuple-element(t), index=0  n = s32[] constant(100000)
    ROOT r = pred[] compare(i, n), direction=LT
  }
  ENTRY main {
    zero = s32[] constant(0)  x = f32[16] parameter(0)
    t = (s32[], f32[16]) tuple(zero, x)
    ROOT w = (s32[], f32[16]) while(t), condition=goes_on, body=step
  })";

// The same iterations inside a branch of an outer loop, which has two.
constexpr std::string_view nested_loop = R"(
  step {
    t = (s32[], f32[16]) parameter(0)
    i = s32[] get-tuple-element(t), index=0  x = f32[16] get-tuple-element(t), index=1
    one = s32[] constant(1)  n = s32[] add(i, one)  h = f32[] constant(0.5)  b = f32[16] broadcast(h), dimensions={}
    m = f32[16] multiply(x, b)  y = f32[16] add(m, b)
    ROOT r = (s32[], f32[16]) tuple(n, y)
  }
  goes_on {
    t = (s32[], f32[16]) parameter(0)
    i = s32[] get-tuple-element(t), index=0  n = s32[] constant(50000)
    ROOT r = pred[] compare(i, n), direction=LT
  }
  long {
    x = f32[16] parameter(0)  zero = s32[] constant(0)  t = (s32[], f32[16]) tuple(zero, x)
    w = (s32[], f32[16]) while(t), condition=goes_on, body=step
    ROOT r = f32[16] get-tuple-element(w), index=1
  }
  short { x = f32[16] parameter(0)  ROOT r = f32[16] add(x, x) }
  outer {
    t = (s32[], f32[16]) parameter(0)
    i = s32[] get-tuple-element(t), index=0  x = f32[16] get-tuple-element(t), index=1
    one = s32[] constant(1)  n = s32[] add(i, one)  two = s32[] constant(2)
    p = pred[] compare(i, two), direction=LT
    y = f32[16] conditional(p, x, x), true_computation=long, false_computation=short
    ROOT r = (s32[], f32[16]) tuple(n, y)
  }
  outer_goes_on {
    t = (s32[], f32[16]) parameter(0)
    i = s32[] get-tuple-element(t), index=0  n = s32[] constant(2)
    ROOT r = pred[] compare(i, n), direction=LT
  }
  ENTRY main {
    zero = s32[] constant(0)  x = f32[16] parameter(0)
    t = (s32[], f32[16]) tuple(zero, x)
    ROOT w = (s32[], f32[16]) while(t), condition=outer_goes_on, body=outer
  })";

// A program on a backend whose host talks to the device.
struct Talk {
  Conversation &talk;
  Backend backend;
  Compiled compiled;
  std::vector<Literal> arguments;

  static Result<Talk> begin(Subject &subject, Conversation &talk, const ir::Module &module) {
    BP_ASSIGN(Backend backend, load_under(subject, [&talk](std::unique_ptr<host::Entry> below) {
                return std::make_unique<Talker>(std::move(below), talk);
              }));
    CompileOptions options;
    options.fold_constants = false;
    options.device_only = true;
    BP_ASSIGN(Compiled compiled, backend.compile(module, options));
    BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module, subject.seed_of("contract")));
    return Talk{talk, std::move(backend), std::move(compiled), std::move(arguments)};
  }
  Result<Literal> run(std::uint64_t over_from) {
    talk.over_from = over_from;
    talk.questions = talk.after_end = 0;
    return compiled.executable.run(arguments);
  }
};

// --- BP-CANCEL-01, BP-CANCEL-02 ---

// Several threads of a device may each have asked once more when they learn that the run is over.
constexpr std::uint64_t most_questions_after_end = 1024;

// Runs the program without an end, then so that it is over from the first, second, ... question on, and again without.
Result<Verdict> ends_early(Subject &subject, const ir::Module &module) {
  Conversation talk;
  talk.offers_end = true;
  BP_ASSIGN(Talk program, Talk::begin(subject, talk, module));
  const Result<Literal> expected = program.run(0);
  if (!expected.ok()) {
    return failure("BP-CANCEL-02: a run that nobody ended fails: " + expected.error().to_string());
  }
  const std::uint64_t all = talk.questions;
  if (all == 0) {
    return Verdict{.status = CaseStatus::Unsupported, .message = "the device does not ask whether to end a run"};
  }
  for (const std::uint64_t from : {std::uint64_t{1}, std::uint64_t{2}, all / 2, all}) {
    if (from == 0 || from > all) {
      continue;
    }
    const Result<Literal> ended = program.run(from);
    const bool is_cancelled = !ended.ok() && ended.error().code() == ErrorCode::Cancelled;
    if (!ended.ok() && !is_cancelled) {
      return failure(fmt::format("BP-CANCEL-01: a run that is over from question {} on fails: {}, expected \"{}\"",
                                 from, ended.error().to_string(), host::status_name(BP_CANCELLED)));
    }
    if (ended.ok() && !ended->identical(*expected)) {
      return failure(fmt::format(
          "BP-CANCEL-01: a run that is over from question {} on returns BP_OK without having done all of its work",
          from));
    }
    if (talk.after_end > most_questions_after_end || (ended.ok() && from <= all / 2)) {
      return failure(
          fmt::format("BP-CANCEL-01: a run that was told to end at question {} of {} goes on: it asks {} "
                      "more times, and {}",
                      from, all, talk.after_end.load(), ended.ok() ? "does all of its work" : "then ends early"));
    }
    const Result<Literal> again = program.run(0);
    if (!again.ok() || !again->identical(*expected)) {
      return failure("BP-CANCEL-01: after a run that ended early, the next one " +
                     (again.ok() ? std::string("gives other bits") : "fails: " + again.error().to_string()));
    }
  }
  talk.offers_end = false;
  const Result<Literal> unasked = program.run(1);
  if (!unasked.ok() || !unasked->identical(*expected)) {
    return failure("BP-CANCEL-02: a run for which no end is offered, after others that ended early, " +
                   (unasked.ok() ? std::string("gives other bits") : "fails: " + unasked.error().to_string()));
  }
  return talk.broken.empty() ? Verdict() : failure(talk.broken.front());
}
Verdict ends_sample_early(Subject &subject) {
  return verdict_or_error([&]() -> Result<Verdict> {
    BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
    return ends_early(subject, module);
  }());
}
Verdict ends_loop_early(Subject &subject) {
  return verdict_or_error([&]() -> Result<Verdict> {
    BP_ASSIGN(const ir::Module module, text::parse_module(long_loop));
    BP_TRY(ir::verify(module));
    return ends_early(subject, module);
  }());
}

Verdict ends_nested_loop_early(Subject &subject) {
  return verdict_or_error([&]() -> Result<Verdict> {
    BP_ASSIGN(const ir::Module module, text::parse_module(nested_loop));
    BP_TRY(ir::verify(module));
    return ends_early(subject, module);
  }());
}

// --- BP-CANCEL-02: of several runs of a program that overlap, one is told to end ---

// Runs that wait for each other at their first question, so that they overlap, unless the device makes them one by one;
// the others then wait until the one that is to end was told to.
struct Meeting {
  int runs;
  std::atomic<int> arrived = 0;
  std::atomic<bool> is_told = false, is_given_up = false;

  template <class Holds>
  void wait_until(Holds holds) {
    constexpr std::chrono::milliseconds step(1), patience(40);
    for (auto waited = std::chrono::milliseconds(0); !holds() && !is_given_up; waited += step) {
      is_given_up = waited >= patience;
      std::this_thread::sleep_for(step);
    }
  }
};

// A run in a thread of its own, which is over from its third question on, or never.
struct Neighbour {
  bp_run_t abi;  // its ctx is this object
  Meeting *meeting;
  bool ends;
  std::atomic<std::uint64_t> questions = 0;

  static std::uint32_t is_over(const bp_run_t *run) {
    Neighbour &self = *static_cast<Neighbour *>(run->ctx);
    Meeting &meeting = *self.meeting;
    const std::uint64_t number = ++self.questions;
    if (number == 1) {
      ++meeting.arrived;
      meeting.wait_until([&] { return meeting.arrived >= meeting.runs; });
    }
    if (self.ends && number >= 3) {
      meeting.is_told = true;
      return 1;
    }
    if (!self.ends && number == 3) {
      meeting.wait_until([&] { return meeting.is_told.load(); });
    }
    return 0;
  }
  static constexpr bp_run_cancel_t end_table = {&Neighbour::is_over};
  static const void *get_extension(const bp_run_t *, const char *id) {
    return std::string_view(id) == BP_EXT_CANCEL ? &end_table : nullptr;
  }
};

Result<Verdict> ends_alone(Subject &subject) {
  BP_ASSIGN(const ir::Module module, text::parse_module(long_loop));
  BP_TRY(ir::verify(module));
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(const auto parts, DirectParts::compile(backend->device(), module));
  if (parts == nullptr) {
    return nothing_to_do();
  }
  BP_ASSIGN(const auto program, DirectProgram::load(backend->device(), parts));
  BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(module, subject.seed_of("neighbours")));
  BP_ASSIGN(const DirectProgram::Outputs expected, program->run(arguments, {}));
  bool any_asks = false;
  for (const int ended : {0, 1, 2}) {
    constexpr int count = 3;
    Meeting meeting{count};
    std::vector<std::unique_ptr<DirectRun>> memory;
    std::deque<Neighbour> runs;
    for (int i = 0; i < count; ++i) {
      BP_ASSIGN(auto prepared, program->prepare(arguments, {}));
      Neighbour &run = runs.emplace_back(*prepared->abi(), &meeting, i == ended);
      run.abi.ctx = &run;
      run.abi.get_extension = &Neighbour::get_extension;
      memory.push_back(std::move(prepared));
    }
    std::vector<bp_status> statuses(runs.size());
    {
      std::vector<std::jthread> threads;
      std::latch ready(static_cast<std::ptrdiff_t>(runs.size()));
      for (std::size_t i = 0; i < runs.size(); ++i) {
        threads.emplace_back([&, i] {
          host::Diagnostics diagnostics;
          ready.arrive_and_wait();
          statuses[i] = diagnostics.call(
              [&](const bp_diag_t *diag) { return program->abi()->run(program->abi(), &runs[i].abi, diag); });
        });
      }
    }
    any_asks = any_asks || runs.back().questions > 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (static_cast<int>(i) == ended) {
        continue;
      }
      if (statuses[i] != BP_OK) {
        return failure(fmt::format("BP-CANCEL-02: a run that nobody ended returns \"{}\", while another one was ended",
                                   host::status_name(statuses[i])));
      }
      BP_ASSIGN(const DirectProgram::Outputs found, memory[i]->finish());
      if (found != expected) {
        return failure("BP-CANCEL-02: the result of a run differs in bits, while another one was ended");
      }
    }
  }
  return any_asks
             ? Verdict()
             : Verdict{.status = CaseStatus::Unsupported, .message = "the device does not ask whether to end a run"};
}
Verdict ends_one_of_several(Subject &subject) {
  return verdict_or_error(ends_alone(subject));
}

// --- BP-PRIORITY-01: the first run holds the device, because its question is not answered until two others wait ---

// A run in a thread of its own, which notes when it asks for the first time.
struct Rival {
  bp_run_t abi;                          // its ctx is this object
  std::optional<std::int32_t> priority;  // none: no table is offered, which counts as 0
  std::atomic<int> *next_place;
  std::latch *others_wait;  // of the run that holds the device; else null
  std::atomic<int> place = 0;

  static Rival &of(const bp_run_t *run) { return *static_cast<Rival *>(run->ctx); }
  static std::uint32_t is_over(const bp_run_t *run) {
    Rival &self = of(run);
    if (self.place == 0) {
      self.place = ++*self.next_place;
      if (self.others_wait != nullptr) {
        self.others_wait->wait();
      }
    }
    return 0;
  }
  static std::int32_t priority_of(const bp_run_t *run) { return of(run).priority.value_or(0); }
  static constexpr bp_run_cancel_t end_table = {&Rival::is_over};
  static constexpr bp_run_priority_t priority_table = {&Rival::priority_of};
  static const void *get_extension(const bp_run_t *run, const char *id) {
    if (std::string_view(id) == BP_EXT_CANCEL) {
      return &end_table;
    }
    return std::string_view(id) == BP_EXT_PRIORITY && of(run).priority ? &priority_table : nullptr;
  }
};

// Returns the place of each run: the first one, which holds the device, then by priority, then in this order.
std::vector<int> places_of(std::span<const std::optional<std::int32_t>> priorities) {
  std::vector<std::size_t> order(priorities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order.begin() + 1, order.end(), std::ranges::greater(),
                           [&](std::size_t i) { return priorities[i].value_or(0); });
  std::vector<int> places(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    places[order[place]] = static_cast<int>(place) + 1;
  }
  return places;
}

// `wait`: until a run that was begun in a thread has reached the device, on a machine that is not too busy.
Result<Verdict> urgent_runs_first(Subject &subject, std::chrono::milliseconds wait) {
  BP_ASSIGN(const auto library, load_library(subject));
  BP_ASSIGN(const DevicePointer device, make_device(library, subject));
  BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
  BP_ASSIGN(const auto parts, DirectParts::compile(device, module));
  if (parts == nullptr) {
    return Verdict{.status = CaseStatus::Unsupported, .message = "the device has nothing to do in the sample"};
  }
  BP_ASSIGN(const auto program, DirectProgram::load(device, parts));
  BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(module, subject.seed_of("contract")));
  std::atomic<int> next_place = 0;
  std::latch others_wait(1);
  // The first one holds the device. Equals, numbers of more than a byte or two, the least and the largest, and none.
  using Limits = std::numeric_limits<std::int32_t>;
  constexpr std::optional<std::int32_t> priorities[] = {
      0, -5, std::nullopt, 9, Limits::max(), 0, 200, -5, Limits::min(), 40'000, 200, Limits::max() - 1};
  const std::vector<int> expected = places_of(priorities);
  std::vector<std::unique_ptr<DirectRun>> memory;
  std::deque<Rival> rivals;
  for (const std::optional<std::int32_t> &priority : priorities) {
    BP_ASSIGN(auto prepared, program->prepare(arguments, {}));
    Rival &rival =
        rivals.emplace_back(*prepared->abi(), priority, &next_place, rivals.empty() ? &others_wait : nullptr);
    rival.abi.ctx = &rival;
    rival.abi.get_extension = &Rival::get_extension;
    memory.push_back(std::move(prepared));
  }
  std::vector<bp_status> statuses(rivals.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    threads.emplace_back([&, i] {
      host::Diagnostics diagnostics;
      statuses[i] = diagnostics.call(
          [&](const bp_diag_t *diag) { return program->abi()->run(program->abi(), &rivals[i].abi, diag); });
    });
    std::this_thread::sleep_for(wait);
  }
  const bool others_waited = next_place == 1;
  others_wait.count_down();
  for (std::thread &thread : threads) {
    thread.join();
  }
  if (std::ranges::any_of(statuses, [](bp_status status) { return status != BP_OK; })) {
    return failure("BP-PRIORITY-01: a run with a priority fails");
  }
  if (!others_waited) {
    return Verdict{.status = CaseStatus::Unsupported,
                   .message = next_place == 0 ? "the device does not ask whether to end a run"
                                              : "runs do not wait for each other"};
  }
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    if (rivals[i].place != expected[i]) {
      return failure(fmt::format(
          "BP-PRIORITY-01: of {} runs, the one that waits as number {}, of {}, begins as number "
          "{}, expected {}",
          rivals.size(), i + 1, rivals[i].priority ? fmt::format("priority {}", *rivals[i].priority) : "no priority",
          rivals[i].place.load(), expected[i]));
    }
  }
  return Verdict();
}
// A run may reach the device late on a busy machine: only an order that is wrong however long is waited is a failure.
Verdict most_urgent_first(Subject &subject) {
  Verdict verdict;
  for (const std::chrono::milliseconds wait :
       {std::chrono::milliseconds(10), std::chrono::milliseconds(50), std::chrono::milliseconds(250)}) {
    verdict = verdict_or_error(urgent_runs_first(subject, wait));
    if (verdict.status != CaseStatus::Fail) {
      break;
    }
  }
  return verdict;
}

// --- BP-PROGRESS-01, BP-PROGRESS-02 ---

Result<Verdict> reports_of_compilation(Subject &subject) {
  BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
  Conversation talk;
  BP_ASSIGN(Talk silent, Talk::begin(subject, talk, module));
  BP_ASSIGN(const Literal expected, silent.run(0));
  talk.offers_progress = true;
  BP_ASSIGN(Talk heard, Talk::begin(subject, talk, module));
  BP_ASSIGN(const Literal found, heard.run(0));
  if (!talk.broken.empty()) {
    return failure(talk.broken.front());
  }
  if (!found.identical(expected)) {
    return failure("BP-PROGRESS-02: the result differs in bits if the compilation was listened to");
  }
  const std::uint64_t all = talk.reports;
  if (all == 0) {
    return Verdict{.status = CaseStatus::Unsupported, .message = "the device reports no progress of its compilations"};
  }
  // The first report, and one in the middle.
  for (const std::uint64_t from : {std::uint64_t{1}, (all + 1) / 2}) {
    talk.reports = 0;
    talk.over_from = from;
    const Result<Talk> unwanted = Talk::begin(subject, talk, module);
    if (unwanted.ok() || unwanted.error().code() != ErrorCode::Cancelled) {
      return failure(
          fmt::format("BP-PROGRESS-02: a compilation whose result is not wanted from report {} of {} on {}, "
                      "expected \"{}\"",
                      from, all, unwanted.ok() ? "succeeds" : "fails: " + unwanted.error().to_string(),
                      host::status_name(BP_CANCELLED)));
    }
    if (talk.reports > from + most_questions_after_end) {
      return failure(fmt::format("BP-PROGRESS-02: a compilation goes on for {} more reports after it was told to end",
                                 talk.reports - from));
    }
  }
  talk.over_from = 0;
  BP_ASSIGN(Talk again, Talk::begin(subject, talk, module));
  BP_ASSIGN(const Literal last, again.run(0));
  return last.identical(expected) ? Verdict()
                                  : failure(
                                        "BP-PROGRESS-02: the result differs in bits after a compilation that ended "
                                        "early");
}
Verdict reports_progress(Subject &subject) {
  return verdict_or_error(reports_of_compilation(subject));
}

// --- BP-COUNTER-02, BP-COUNTER-03 ---

// The sum of all values that runs of the program have added, by counter.
Result<std::map<std::uint64_t, std::uint64_t>> sums_of_counts(Conversation &talk, const Talk &program) {
  const host::Device &device = *program.backend.device();
  const std::uint64_t instructions = program.compiled.executable.program()->image().module()->instrs.count;
  std::map<std::uint64_t, std::uint64_t> sums;
  const std::lock_guard lock(talk.mutex);
  for (const auto &[counter, instruction, value] : talk.counts) {
    if (counter >= device.counters()->counter_count) {
      return make_error(ErrorCode::PluginFailure, "BP-COUNTER-02: counter {} is added to, expected one below {}",
                        counter, device.counters()->counter_count);
    }
    if (instruction != BP_NONE && instruction >= instructions) {
      return make_error(ErrorCode::PluginFailure,
                        "BP-COUNTER-02: something is counted for instruction {}, expected one below {}", instruction,
                        instructions);
    }
    sums[counter] += value;
  }
  talk.counts.clear();
  return sums;
}

// Says which counter adds all that earlier runs have counted, too: after n runs it has counted at least n - 1/2 times
// as much as the first one, for each n.
std::optional<std::uint64_t> accumulating(const std::vector<std::map<std::uint64_t, std::uint64_t>> &sums) {
  for (const auto &[counter, first] : sums.front()) {
    bool grows = first > 0;
    for (std::size_t n = 1; n < sums.size(); ++n) {
      const auto found = sums[n].find(counter);
      grows = grows && found != sums[n].end() && 2 * found->second >= (2 * n + 1) * first;
    }
    if (grows) {
      return counter;
    }
  }
  return std::nullopt;
}

// A program on a device with counters: measured several times, then unmeasured.
Result<Verdict> counts_of_runs(Subject &subject, const ir::Module &module) {
  constexpr int runs = 6;
  Conversation talk;
  BP_ASSIGN(Talk program, Talk::begin(subject, talk, module));
  BP_ASSIGN(const Literal expected, program.run(0));
  talk.offers_counters = true;
  std::vector<std::map<std::uint64_t, std::uint64_t>> sums;
  for (int i = 0; i < runs; ++i) {
    BP_ASSIGN(const Literal measured, program.run(0));
    if (!measured.identical(expected)) {
      return failure("BP-COUNTER-03: the result differs in bits if the run is measured");
    }
    BP_ASSIGN(auto of_run, sums_of_counts(talk, program));
    if (std::ranges::all_of(of_run, [](const auto &sum) { return sum.second == 0; })) {
      return failure(fmt::format("BP-COUNTER-02: a run on a device that has {} counts nothing", BP_EXT_COUNTERS));
    }
    sums.push_back(std::move(of_run));
  }
  if (const auto counter = accumulating(sums)) {
    return failure(
        fmt::format("BP-COUNTER-02: what is added to counter {} grows with each of {} equal runs, from {} to {}, as if "
                    "it contained "
                    "the earlier runs",
                    program.backend.device()->counters()->counters[*counter].name, runs, sums.front()[*counter],
                    sums.back()[*counter]));
  }
  // All that a host offers, and then nothing.
  talk.offers_end = true;
  BP_ASSIGN(const Literal with_all, program.run(0));
  talk.offers_end = talk.offers_counters = false;
  talk.counts.clear();
  BP_ASSIGN(const Literal last, program.run(0));
  if (!with_all.identical(expected) || !last.identical(expected)) {
    return failure(fmt::format(
        "BP-COUNTER-03: the result differs in bits {}",
        with_all.identical(expected) ? "after runs that were measured" : "if a run is measured and may be ended"));
  }
  return talk.broken.empty() ? Verdict() : failure(talk.broken.front());
}
Result<Verdict> counts_in_range(Subject &subject) {
  BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
  Verdict verdict;
  BP_ASSIGN(verdict, counts_of_runs(subject, module));
  if (verdict.status == CaseStatus::Pass) {
    BP_ASSIGN(const ir::Module loop, sample_program("loop"));
    const Result<Verdict> of_loop = counts_of_runs(subject, loop);
    verdict = of_loop.ok() || of_loop.error().code() != ErrorCode::Unsupported ? verdict_or_error(of_loop) : verdict;
  }
  return verdict;
}
Verdict counts_what_runs(Subject &subject) {
  return verdict_or_error(counts_in_range(subject));
}

constexpr ContractTrial run_table[] = {
    {"BP-CANCEL-01/sample", "bp.compiler/1", ends_sample_early},
    {"BP-CANCEL-01/loop", "bp.compiler/1", ends_loop_early},
    {"BP-CANCEL-01/nested", "bp.compiler/1", ends_nested_loop_early},
    {"BP-CANCEL-02", "bp.compiler/1", ends_loop_early},
    {"BP-CANCEL-02/neighbours", "bp.compiler/1", ends_one_of_several},
    {"BP-PRIORITY-01", "bp.compiler/1", most_urgent_first},
    {"BP-PROGRESS-01", "bp.compiler/1", reports_progress},
    {"BP-PROGRESS-02", "bp.compiler/1", reports_progress},
    {"BP-COUNTER-02", "bp.counters/draft-1", counts_what_runs},
    {"BP-COUNTER-03", "bp.counters/draft-1", counts_what_runs},
};

}  // namespace

const std::span<const ContractTrial> run_trials = run_table;

}  // namespace bp::conformance
