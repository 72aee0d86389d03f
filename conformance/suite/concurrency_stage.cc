// Runs at the same time give the bits of runs one after the other: of one program from several threads, and of two devices
// made by one plugin.
#include <fmt/format.h>

#include <atomic>
#include <thread>

#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "core/interpreter/random_inputs.h"

namespace bp::conformance {
namespace {

constexpr int threads = 4;

bool identical(const Literal &a, const Literal &b) {
  if (!a.shape().is_tuple()) {
    return a.identical(b);
  }
  for (std::size_t i = 0; i < a.tuple_elements().size(); ++i) {
    if (!identical(a.tuple_elements()[i], b.tuple_elements()[i])) {
      return false;
    }
  }
  return true;
}

// Inputs of a thread, and what they give when nobody else runs.
struct Work {
  std::vector<Literal> arguments;
  Literal expected;
};

Result<Work> make_work(const Compiled &compiled, const ir::Module &module, std::uint64_t seed) {
  Work work;
  BP_ASSIGN(work.arguments, interpreter::random_arguments(module, seed));
  BP_ASSIGN(work.expected, compiled.executable.run(work.arguments));
  return work;
}

// All threads begin together, each with inputs of its own; `programs` take turns.
Status run_together(const std::vector<const Compiled *> &programs, const std::vector<Work> &work, int rounds) {
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
        } else if (!identical(*result, work[t].expected)) {
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

Result<Verdict> judge(Subject &subject, const std::string &name, bool two_devices) {
  BP_ASSIGN(const ir::Module module, sample_program(name));
  auto program = subject.compile("concurrency/" + name, module);
  if (!program.ok()) {
    return verdict_of_compilation(subject, module, program.error());
  }
  if (!subject.is_on_device(**program)) {
    return nothing_to_do();
  }
  std::vector<Work> work;
  for (std::uint64_t t = 0; t < threads; ++t) {
    BP_ASSIGN(Work of_thread, make_work(**program, module, subject.seed_of(name) + t));
    work.push_back(std::move(of_thread));
  }
  std::vector<const Compiled *> programs = {program->get()};
  std::optional<Compiled> other;
  if (two_devices) {
    BP_ASSIGN(const Backend second, Backend::load(subject.choice().name, subject.backend_options()));
    CompileOptions compile_options;
    compile_options.device_only = true;
    compile_options.fold_constants = false;
    BP_ASSIGN(other, second.compile(module, compile_options));
    programs.push_back(&*other);
  }
  return verdict_of(run_together(programs, work, subject.is_full() ? 500 : 20));
}

std::vector<std::string> list(const Subject &subject) {
  std::vector<std::string> ids;
  for (const std::string &name : sample_program_names()) {
    ids.push_back(fmt::format("concurrency/{}/threads", name));
    if (!subject.is_interpreter()) {
      ids.push_back(fmt::format("concurrency/{}/devices", name));
    }
  }
  return ids;
}

Verdict run(Subject &subject, const std::string &id) {
  const std::size_t begin = id.find('/') + 1, end = id.rfind('/');
  return verdict_or_error(judge(subject, id.substr(begin, end - begin), id.substr(end + 1) == "devices"));
}

}  // namespace

const Stage concurrency_stage = {.name = "concurrency",
                                 .summary = "runs at the same time, of one device and of two: the same bits",
                                 .list = list,
                                 .run = run,
                                 .shares_programs = true};

}  // namespace bp::conformance
