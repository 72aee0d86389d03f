// Runs at the same time give the bits of runs one after the other: of one program from several threads, of two devices
// made by one plugin, and in whatever order submissions start and end.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "core/interpreter/random_inputs.h"
#include "core/layers/interposer.h"

namespace bp::conformance {
namespace {

constexpr int threads = 4;

// Delays submissions on their way to the device, and what it signals on its way back, each for a time of its own: so that
// those of different queues come in another order for every seed. What one queue is given stays in order.
class Permutation final : public layers::Interposer {
 public:
  Permutation(std::unique_ptr<host::Entry> below, std::uint64_t seed)
      : Interposer(std::move(below)), seed_(seed), thread_(&Permutation::release, this) {}
  ~Permutation() override {
    {
      const std::lock_guard lock(mutex_);
      is_closing_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  bp_status queue_submit(layers::LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands,
                         std::uint32_t command_count, bp_point_t done, const bp_diag_t *diag) override {
    std::this_thread::sleep_for(delay(queue, submitted_++));
    return Interposer::queue_submit(device, queue, commands, command_count, done, diag);
  }
  void host_signal(layers::LayeredHost &host, bp_point_t point, bp_status status, std::uint32_t instr,
                   const char *msg) override {
    const auto due = std::chrono::steady_clock::now() + delay(point.timeline, point.value);
    {
      const std::lock_guard lock(mutex_);
      held_.emplace(due, Held{&host, point, status, instr, msg == nullptr ? "" : msg});
    }
    changed_.notify_one();
  }

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Held {
    layers::LayeredHost *host;
    bp_point_t point;
    bp_status status;
    std::uint32_t instr;
    std::string message;
  };
  // Up to half a millisecond.
  std::chrono::microseconds delay(std::uint64_t a, std::uint64_t b) const {
    return std::chrono::microseconds(hash_of(fmt::format("{}/{}", a, b), seed_) % 500);
  }
  void release() {
    std::unique_lock lock(mutex_);
    while (!is_closing_ || !held_.empty()) {
      if (held_.empty()) {
        changed_.wait(lock);
      } else if (held_.begin()->first > std::chrono::steady_clock::now()) {
        const Time due = held_.begin()->first;
        changed_.wait_until(lock, due);
      } else {
        const Held held = std::move(held_.begin()->second);
        held_.erase(held_.begin());
        lock.unlock();
        Interposer::host_signal(*held.host, held.point, held.status, held.instr, held.message.c_str());
        lock.lock();
      }
    }
  }

  std::uint64_t seed_;
  std::atomic<std::uint64_t> submitted_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<Time, Held> held_;
  bool is_closing_ = false;
  std::thread thread_;  // last: uses all the others
};

// Inputs of a thread, and what they give when nobody else runs.
struct ConcurrentWork {
  std::vector<Literal> arguments;
  Literal expected;
};

Result<ConcurrentWork> make_work(const Compiled &compiled, const ir::Module &module, std::uint64_t seed) {
  ConcurrentWork work;
  BP_ASSIGN(work.arguments, interpreter::random_arguments(module, seed));
  BP_ASSIGN(work.expected, compiled.executable.run(work.arguments));
  return work;
}

// All threads begin together, each with inputs of its own; `programs` take turns.
Status run_together(const std::vector<const Compiled *> &programs, const std::vector<ConcurrentWork> &work,
                    int rounds) {
  std::atomic<int> ready = 0;
  std::atomic<bool> differs = false;
  std::vector<Status> failures(threads);
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      const Compiled &program = *programs[t % programs.size()];
      ++ready;
      while (ready < threads) {
        std::this_thread::yield();
      }
      for (int i = 0; i < rounds && failures[t].ok() && !differs; ++i) {
        auto result = program.executable.run(work[t].arguments);
        if (!result.ok()) {
          failures[t] = std::move(result).error();
        } else if (!result->identical(work[t].expected)) {
          differs = true;
        }
      }
    });
  }
  for (std::thread &thread : running) {
    thread.join();
  }
  for (Status &failure : failures) {
    BP_TRY(std::move(failure));
  }
  return differs ? Status(make_error(ErrorCode::PluginFailure,
                                     "a run has other bits when {} threads run than when one does", threads))
                 : Status();
}

// The same bits in every order.
Status run_permuted(const Subject &subject, const ir::Module &module, const std::vector<ConcurrentWork> &work) {
  for (int i = 0; i < (subject.is_full() ? 100 : 5); ++i) {
    BackendOptions options = subject.backend_options();
    options.layers.push_back([seed = subject.seed_of(fmt::format("order/{}", i))](std::unique_ptr<host::Entry> below) {
      return std::make_unique<Permutation>(std::move(below), seed);
    });
    BP_ASSIGN(const Backend permuted, Backend::load(subject.choice().name, options));
    CompileOptions compile_options;
    compile_options.device_only = true;
    compile_options.fold_constants = false;
    BP_ASSIGN(const Compiled compiled, permuted.compile(module, compile_options));
    BP_TRY(run_together({&compiled}, work, 3));
  }
  return {};
}

Result<Verdict> judge(Subject &subject, const std::string &name, std::string_view kind) {
  BP_ASSIGN(const ir::Module module, sample_program(name));
  auto program = subject.compile("concurrency/" + name, module);
  if (!program.ok()) {
    return verdict_of_compilation(subject, module, program.error());
  }
  if (!subject.is_on_device(**program)) {
    return nothing_to_do();
  }
  std::vector<ConcurrentWork> work;
  for (std::uint64_t t = 0; t < threads; ++t) {
    BP_ASSIGN(ConcurrentWork of_thread, make_work(**program, module, subject.seed_of(name) + t));
    work.push_back(std::move(of_thread));
  }
  if (kind == "order") {
    return verdict_of(run_permuted(subject, module, work));
  }
  std::vector<const Compiled *> programs = {program->get()};
  std::optional<Compiled> other;
  if (kind == "devices") {
    BP_ASSIGN(const Backend second, Backend::load(subject.choice().name, subject.backend_options()));
    CompileOptions compile_options;
    compile_options.device_only = true;
    compile_options.fold_constants = false;
    BP_ASSIGN(other, second.compile(module, compile_options));
    programs.push_back(&*other);
  }
  return verdict_of(run_together(programs, work, subject.is_full() ? 500 : 20));
}

std::vector<std::string> list_concurrency(const Subject &subject) {
  std::vector<std::string> ids;
  for (const std::string &name : sample_program_names()) {
    ids.push_back(fmt::format("concurrency/{}/threads", name));
    if (!subject.is_interpreter()) {
      ids.push_back(fmt::format("concurrency/{}/devices", name));
    }
    if (subject.has("bp.queue/1") && subject.has("bp.compiler/1")) {
      ids.push_back(fmt::format("concurrency/{}/order", name));
    }
  }
  return ids;
}

Verdict run_concurrency(Subject &subject, const std::string &id) {
  const std::size_t begin = id.find('/') + 1, end = id.rfind('/');
  return verdict_or_error(judge(subject, id.substr(begin, end - begin), std::string_view(id).substr(end + 1)));
}

}  // namespace

const Stage concurrency_stage = {.name = "concurrency",
                                 .summary = "runs at the same time, of one device and of two: the same bits",
                                 .list = list_concurrency,
                                 .run = run_concurrency,
                                 .shares_programs = true};

}  // namespace bp::conformance
