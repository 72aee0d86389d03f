// Runs programs so that the instructions executed by each can be counted: the measured part of tools/growth/growth.py.
// See there.
#include <fmt/core.h>
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define BP_CAN_COUNT 1
#else
#define BP_CAN_COUNT 0
#define RUNNING_ON_VALGRIND 0
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(name) static_cast<void>(name)
#endif

#include <functional>
#include <iostream>
#include <memory>
#include <sstream>

#include "backplane/ext/thread_pool.h"
#include "conformance/coverage/programs.h"
#include "conformance/suite/timing.h"
#include "core/backplane.h"
#include "core/base/files.h"
#include "core/buffers/assign.h"
#include "core/compile/passes.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::growth {
namespace {

constexpr const char *usage =
    "Usage: growth_runner ops FOLDER SIZE           writes a program of each op, and says which has a size\n"
    "       growth_runner compile CACHE FEATURES    compiles the programs of cpu that standard input names\n"
    "       growth_runner count CACHE FEATURES      runs all of them; under valgrind --tool=callgrind\n"
    "Standard input has a line for each program: BACKEND NAME FILE, where BACKEND is cpu, interpreter, core, or "
    "passes\n"
    "for core pass by pass.\n";

constexpr int cannot_count = 77;  // exit code

// A piece of work to be counted, with its name. It may count parts of itself.
struct Job {
  std::string name;
  std::function<Status()> work;
};

template <class Work>
auto counted(const std::string &name, const Work &work) {
  CALLGRIND_ZERO_STATS;
  auto result = work();
  CALLGRIND_DUMP_STATS_AT(name.c_str());
  return result;
}

Result<Job> interpreter_job(const std::string &name, const std::string &file) {
  BP_ASSIGN(Module read, read_module(file));
  auto module = std::make_shared<Module>(std::move(read));
  BP_ASSIGN(std::vector<Literal> made, interpreter::random_arguments(*module, 1));
  auto arguments = std::make_shared<std::vector<Literal>>(std::move(made));
  return Job{name, [=]() -> Status {
               interpreter::Options options;
               options.threads = 1;
               BP_TRY(counted(name, [&] { return interpreter::interpret(*module, *arguments, options); }));
               return {};
             }};
}

// Uses one thread, because with several the waiting times of shared loops would be counted.
Result<Backend> load_cpu(const std::string &features) {
  BackendOptions options;
  options.withdrawn_services = {BP_EXT_THREAD_POOL};
  if (!features.empty()) {
    options.settings = {{"features", features}};
  }
  return Backend::load("cpu", options);
}

Result<Compiled> compile(const Backend &backend, const Module &module, const std::string &cache) {
  CompileOptions options;
  options.device_only = true;
  options.cache_dir = cache;
  return backend.compile(module, options);
}

Result<Job> cpu_job(const Backend &backend, const std::string &cache, const std::string &name,
                    const std::string &file) {
  BP_ASSIGN(const Module module, read_module(file));
  BP_ASSIGN(const Compiled compiled, compile(backend, module, cache));
  if (compiled.executable.program() == nullptr) {
    return make_error(ErrorCode::Unsupported, "the core leaves nothing for the device to do");
  }
  BP_ASSIGN(auto program, conformance::TimedProgram::make(compiled, module, 1, nullptr));
  return Job{name, [=]() -> Status {
               BP_TRY(counted(name, [&] { return program->run(); }));
               return {};
             }};
}

// Counts all passes of a stage together, or each pass separately.
Status count_passes(const std::string &name, std::string_view stage, Module &module, bool by_pass) {
  const std::string names[] = {std::string(stage)};
  BP_ASSIGN(const std::vector<passes::Pass> list, compile::passes_named(names));
  passes::PipelineOptions options;
  // The limit on copied instructions is the same at n and 8n, so it is kept small.
  options.context.max_inlined_instructions = 2'000;
  options.context.max_instructions = 20'000;
  if (by_pass) {
    options.after_pass = [&](const Module &, const passes::PassReport &report) -> Status {
      const std::string part = fmt::format("{} {}", name, report.name);  // must outlive the macro's statements
      CALLGRIND_DUMP_STATS_AT(part.c_str());
      return {};
    };
  }
  return counted(fmt::format("{} {}", name, stage), [&] { return passes::run_passes(module, list, options); });
}

// Plans with best fit alone, because a search for better offsets uses as many steps as it is given.
Status count_core(const std::string &name, const std::string &text, bool by_pass) {
  BP_ASSIGN(Module module, counted(name + " parse", [&] { return text::parse_module(text); }));
  BP_TRY(counted(name + " verify", [&] { return ir::verify(module); }));
  for (const std::string_view stage : compile::stage_names()) {
    BP_TRY(count_passes(name, stage, module, by_pass));
  }
  buffers::Options options;
  options.packing_steps = 0;
  BP_TRY(counted(name + " plan", [&] { return buffers::assign(module, options); }));
  return {};
}

Result<Job> core_job(const std::string &name, const std::string &file, bool by_pass) {
  BP_ASSIGN(const std::string text, read_file(file));
  return Job{name, [=] { return count_core(name, text, by_pass); }};
}

// Prints a line on standard output for each program: that it was counted, or why it cannot be.
void report(const std::string &name, const Status &status) {
  std::string text = status.ok() ? "" : status.error().to_string();
  text = text.substr(0, text.find('\n'));
  fmt::print("{} {}{}{}\n", status.ok() ? "done" : "failed", name, text.empty() ? "" : ": ", text);
  std::fflush(stdout);
}

int run(const std::string &command, const std::string &cache, const std::string &features, std::istream &list) {
  std::optional<Result<Backend>> cpu;
  std::vector<Job> jobs;
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    std::string on, name, file;
    words >> on >> name >> file;
    Result<Job> job = invalid_input("'{}', expected BACKEND NAME FILE", line);
    const std::string section = fmt::format("{} {}", on, name);
    if (on == "cpu") {
      cpu = cpu ? std::move(cpu) : load_cpu(features);
      job = cpu->ok() ? cpu_job(**cpu, cache, section, file) : Result<Job>(cpu->error());
    } else if (command == "compile") {
      continue;
    } else if (on == "interpreter") {
      job = interpreter_job(section, file);
    } else if (on == "core" || on == "passes") {
      job = core_job(section, file, on == "passes");
    }
    if (!job.ok()) {
      report(section, job.error());
    } else if (command == "count") {
      jobs.push_back(std::move(*job));
    }
  }
  CALLGRIND_START_INSTRUMENTATION;
  for (const Job &job : jobs) {
    report(job.name, job.work());
  }
  return 0;
}

// Writes programs with the first type that the verifier accepts for each op.
int write_ops(const std::string &folder, std::int64_t size) {
  for (const ir::OpInfo &op : ir::ops()) {
    for (const ir::ElementType type : {ir::ElementType::F32, ir::ElementType::S32, ir::ElementType::C64}) {
      int count = 0;
      for (const coverage::Program &program : coverage::programs(op.opcode, type, {size, 1})) {
        const Result<Module> module = parse_module(program.text, std::string(op.text));
        if (!module.ok()) {
          continue;
        }
        const std::string name = fmt::format("{}{}{}", op.text, program.variant.empty() ? "" : ".", program.variant);
        if (const Status written = write_file(fmt::format("{}/{}.hlo", folder, name), program.text); !written.ok()) {
          fmt::print(stderr, "growth_runner: {}\n", written.error().to_string());
          return 3;
        }
        fmt::print("{} {} {}\n", op.text, name, program.has_size ? "grows" : "stays");
        ++count;
      }
      if (count > 0) {
        break;
      }
    }
  }
  return 0;
}

int main(std::span<const std::string> arguments) {
  if (arguments.size() == 3 && arguments[0] == "ops") {
    return write_ops(arguments[1], std::stoll(arguments[2]));
  }
  if (arguments.size() != 3 || (arguments[0] != "compile" && arguments[0] != "count")) {
    fmt::print(stderr, "{}", usage);
    return 2;
  }
  if (arguments[0] == "count" && !BP_CAN_COUNT) {
    fmt::print(stderr, "growth_runner: valgrind's headers were not there when it was built\n");
    return cannot_count;
  }
  if (arguments[0] == "count" && !RUNNING_ON_VALGRIND) {
    fmt::print(stderr, "growth_runner: count is for valgrind --tool=callgrind\n");
    return 3;
  }
  return run(arguments[0], arguments[1], arguments[2] == "-" ? "" : arguments[2], std::cin);
}

}  // namespace
}  // namespace bp::growth

int main(int argc, char **argv) {
  return bp::growth::main(std::vector<std::string>(argv + 1, argv + argc));
}
