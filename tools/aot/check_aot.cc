// Whether programs that are compiled ahead of time compute what they compute when a backend runs them, to the last bit:
// compiles all programs of files both ways, links those compiled ahead of time into one shared library per batch, and
// calls them on one thread and on several. For the tests.
#include <dlfcn.h>
#include <fmt/core.h>

#include <boost/align/aligned_allocator.hpp>
#include <boost/filesystem.hpp>
#include <boost/process.hpp>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <thread>

#include "conformance/check/case.h"
#include "conformance/check/self_checking.h"
#include "core/aot/header.h"
#include "core/aot/program.h"
#include "core/backplane.h"
#include "core/base/files.h"
#include "core/base/thread_pool.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/storage.h"

namespace bp {
namespace {

namespace filesystem = boost::filesystem;
using Buffer = std::vector<std::byte, boost::alignment::aligned_allocator<std::byte, 64>>;

constexpr std::size_t batch_size = 50;
constexpr std::uint32_t thread_count = 2;

// As the header declares it.
struct Threads {
  void (*run)(void *context, void (*task)(void *data, std::uint32_t part, std::uint32_t thread), void *data,
              std::uint32_t parts);
  void *context;
  std::uint32_t count;
};
using Run = int (*)(void *const *arguments, void *const *results, void *arena, std::size_t arena_bytes,
                    const Threads *threads);
using RunWithWeights = int (*)(void *const *arguments, void *const *results, const void *weights,
                               std::size_t weights_bytes, void *arena, std::size_t arena_bytes, const Threads *threads);

void run_on_threads(void *, void (*task)(void *data, std::uint32_t part, std::uint32_t thread), void *data,
                    std::uint32_t parts) {
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < thread_count; ++thread) {
    threads.emplace_back([=] {
      for (std::uint32_t part = thread; part < parts; part += thread_count) {
        task(data, part, thread);
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
}

void append_arrays(const Literal &value, std::vector<Literal> &arrays) {
  if (value.shape().is_tuple()) {
    for (const Literal &element : value.tuple_elements()) {
      append_arrays(element, arrays);
    }
  } else if (value.shape().is_array()) {
    arrays.push_back(value);
  }
}

// Choices of the command line.
struct Choice {
  std::string compiler;  // with the standard of the language, such as "g++ -std=c++17"
  bool weights = false;  // constants in a file, which contains all arguments but the first
  bool is_timed = false;
};

// Makes constants of the values of all arguments but the first. Their parameters remain, and nothing uses them.
void make_weights(Module &module, std::span<const Literal> arguments) {
  std::vector<ir::InstructionId> replacements(module.instruction_id_limit(), ir::no_instruction), order;
  for (const ir::InstructionId parameter : module.entry().parameter_ids()) {
    const auto number = static_cast<std::size_t>(module.instruction(parameter).parameter_number());
    if (number > 0 && arguments[number].shape().is_array()) {
      order.push_back(module.add_constant(module.entry().id(), arguments[number]));
      replacements[ir::index(parameter)] = order.back();
    }
  }
  const std::span<const ir::InstructionId> all = module.entry().instruction_ids();
  order.insert(order.end(), all.begin(), all.end() - static_cast<std::ptrdiff_t>(order.size()));
  module.replace_uses(replacements);
  module.set_instruction_order(module.entry().id(), std::move(order));
}

struct Checked {
  std::string name;  // of the program in its file
  aot::Description description;
  std::vector<Literal> arguments, expected;  // arrays
  bool has_state = false;                    // a second run gives something else
  std::shared_ptr<const Program> by_backend;
  Buffer weights;  // the content of the file
};

struct Tally {
  std::size_t equal = 0;
  std::map<std::string, std::size_t> refused;  // reasons
  std::vector<std::string> wrong;
};

// The memory of the calls of a program.
class Call {
 public:
  Call(const Checked &program, void *run, const Threads *threads) : program_(program), run_(run), threads_(threads) {
    for (const aot::Array &array : program.description.arguments) {
      arguments_.push_back(given_.emplace_back(array.size).data());
    }
    for (const aot::ResultArray &array : program.description.results) {
      got_.emplace_back(array.size, std::byte(0xa5));
      if (array.delivery != aot::Delivery::InArgument) {
        results_.push_back(got_.back().data());
      }
    }
    arena_bytes_ = program.description.arena_bytes(threads == nullptr ? 1 : threads->count);
    arena_.assign(arena_bytes_ + guard, filling);
    // A struct without arrays has one byte.
    arguments_.push_back(nullptr);
    results_.push_back(nullptr);
    fill_arguments();
  }

  int run() {
    if (program_.weights.empty()) {
      return reinterpret_cast<Run>(run_)(arguments_.data(), results_.data(), arena_.data(), arena_bytes_, threads_);
    }
    return reinterpret_cast<RunWithWeights>(run_)(arguments_.data(), results_.data(), program_.weights.data(),
                                                  program_.weights.size(), arena_.data(), arena_bytes_, threads_);
  }

  // Runs the program once. Returns what is wrong, or nothing.
  std::string check() {
    if (const int status = run(); status != 0) {
      return fmt::format("returned {}", status);
    }
    if (std::ranges::any_of(std::span(arena_).last(guard), [](std::byte byte) { return byte != filling; })) {
      return fmt::format("wrote beyond its arena of {} bytes", arena_bytes_);
    }
    for (std::size_t i = 0; i < got_.size(); ++i) {
      const aot::ResultArray &array = program_.description.results[i];
      const Buffer &bytes = array.delivery == aot::Delivery::InArgument ? given_[array.argument] : got_[i];
      const Result<Literal> found = ir::load(bytes, array.shape);
      if (!found.ok() || !std::ranges::equal(found->bytes(), program_.expected[i].bytes())) {
        return fmt::format("result {} differs", i);
      }
    }
    return {};
  }

 private:
  static constexpr std::size_t guard = 64;
  static constexpr std::byte filling = std::byte(0x5a);

  void fill_arguments() {
    for (std::size_t i = 0; i < program_.arguments.size(); ++i) {
      ir::store(program_.arguments[i], program_.description.arguments[i].shape, given_[i]);
    }
  }

  const Checked &program_;
  void *const run_;
  const Threads *threads_;
  std::deque<Buffer> given_, got_;
  std::vector<void *> arguments_, results_;
  Buffer arena_;
  std::size_t arena_bytes_ = 0;
};

// Returns the least seconds of a call among many.
double least_seconds(const std::function<void()> &call) {
  using Clock = std::chrono::steady_clock;
  double least = std::numeric_limits<double>::infinity();
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(300);
  for (int i = 0; i < 10 || Clock::now() < end; ++i) {
    const Clock::time_point start = Clock::now();
    call();
    least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return least;
}

class Batch {
 public:
  Batch(const Backend &backend, const Choice &choice, Tally &tally)
      : backend_(backend), choice_(choice), tally_(tally) {}

  Status add(const std::string &name, const Module &module) {
    conformance::SelfChecking program{.program = module, .arguments = {}, .checks = {}};
    if (module.entry().parameter_ids().empty()) {
      BP_ASSIGN(program, conformance::split_checks(module));
    } else {
      BP_ASSIGN(program.arguments, interpreter::random_arguments(module, 1));
      if (choice_.weights) {
        make_weights(program.program, program.arguments);
      }
    }
    const package::Interface interface = package::interface_of(program.program);
    CompileOptions options;
    options.device_only = true;
    options.fold_constants = program.checks.empty();
    options.keep_artifacts = true;
    BP_ASSIGN(const Compiled compiled, backend_.compile(program.program, options));
    Checked checked{.name = name, .description = {}, .arguments = {}, .expected = {}, .by_backend = {}, .weights = {}};
    aot::Options aot;
    aot.name = fmt::format("p{}", programs_.size());
    aot.constants = choice_.weights ? aot::Constants::InFile : aot::Constants::InObject;
    BP_ASSIGN(aot::Program made, aot::make_program(compiled.executable, interface, aot));
    for (const Literal &argument : program.arguments) {
      append_arrays(argument, checked.arguments);
    }
    BP_ASSIGN(const Literal expected, compiled.executable.run(program.arguments));
    append_arrays(expected, checked.expected);
    for (const plugin::Instruction instruction : compiled.executable.program()->image().view().instructions()) {
      checked.has_state = checked.has_state || instruction.op() == BP_OP_RNG_GET_AND_UPDATE_STATE;
    }
    checked.by_backend = compiled.executable.program();
    for (const SharedBytes &piece : made.weights) {
      checked.weights.insert(checked.weights.end(), piece.bytes().begin(), piece.bytes().end());
    }
    BP_TRY(aot::append(object_, std::move(made.object), name));
    checked.description = std::move(made.description);
    programs_.push_back(std::move(checked));
    return programs_.size() < batch_size ? Status() : run();
  }

  // Links, loads and calls the programs that were added.
  Status run() {
    if (programs_.empty()) {
      return {};
    }
    const filesystem::path folder = filesystem::temp_directory_path() / filesystem::unique_path("aot-%%%%%%%%");
    BP_TRY(make_directory(folder.string()));
    Status done = run_in(folder);
    boost::system::error_code ignored;
    filesystem::remove_all(folder, ignored);
    programs_.clear();
    object_ = {};
    return done;
  }

 private:
  Status run_in(const filesystem::path &folder) {
    std::vector<aot::Description> descriptions;
    for (const Checked &program : programs_) {
      descriptions.push_back(program.description);
    }
    const std::string library = (folder / "batch.so").string();
    BP_TRY(write_file((folder / "batch.o").string(), aot::write_object(object_)));
    BP_TRY(write_file((folder / "batch.h").string(),
                      aot::header_text(descriptions, "batch", aot::Functions::Declared, "batch.h")));
    const bool is_cpp = choice_.compiler.find("++") != std::string::npos;
    const std::string source = (folder / (is_cpp ? "batch.cc" : "batch.c")).string();
    BP_TRY(write_file(source, aot::source_text(descriptions, "batch.h")));
    const int linked = boost::process::system(fmt::format(
        "{} -Wall -Wextra -Wpedantic -Wconversion -Werror -O1 -shared -fPIC -Wl,-z,defs -o {} {} {}/batch.o",
        choice_.compiler, library, source, folder.string()));
    void *loaded = linked == 0 ? dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (loaded == nullptr) {
      return make_error(ErrorCode::Io, "a batch of {} programs, the first of which is {}, cannot be linked: {}",
                        programs_.size(), programs_[0].name, linked == 0 ? dlerror() : "see above");
    }
    constexpr Threads threads{run_on_threads, nullptr, thread_count};
    for (const Checked &program : programs_) {
      void *const run = dlsym(loaded, program.description.symbol("call_run").c_str());
      std::string problem = Call(program, run, nullptr).check();
      if (problem.empty() && !program.has_state) {
        problem = Call(program, run, &threads).check();
      }
      if (choice_.is_timed && problem.empty()) {
        BP_TRY(compare_times(program, run));
      }
      if (problem.empty()) {
        ++tally_.equal;
      } else {
        tally_.wrong.push_back(fmt::format("{}: {}", program.name, problem));
      }
    }
    dlclose(loaded);
    return {};
  }

  // Prints the least time of a call in a process that does nothing else, on one thread, and that of a run by the
  // backend, in memory that both have already.
  static Status compare_times(const Checked &program, void *run) {
    Call call(program, run, nullptr);
    const double alone = least_seconds([&] { call.run(); });
    Execution execution = Execution::prepare(program.by_backend);
    BP_TRY(execution.allocate());
    for (std::size_t i = 0; i < program.arguments.size(); ++i) {
      ir::store(program.arguments[i], program.description.arguments[i].shape, execution.input(i));
    }
    const double by_backend = least_seconds([&] { static_cast<void>(execution.run().ok()); });
    fmt::print("{:10.2f} us, by the backend {:10.2f} us, ratio {:.3f}: {}\n", alone * 1e6, by_backend * 1e6,
               alone / by_backend, program.name);
    return {};
  }

  const Backend &backend_;
  const Choice &choice_;
  Tally &tally_;
  std::vector<Checked> programs_;
  aot::ObjectFile object_;
};

Status check(const std::vector<std::string> &files, Batch &batch, Tally &tally) {
  for (const std::string &file : files) {
    BP_ASSIGN(const std::vector<conformance::Case> cases, conformance::read_cases(file));
    for (const conformance::Case &one : cases) {
      const Result<Module> module = conformance::parse(one);
      const std::string name = fmt::format("{} part {}", file, one.part);
      Status added = module.ok() ? batch.add(name, *module) : Status(Error(module.error()));
      if (!added.ok()) {
        const bool is_refused =
            added.error().code() == ErrorCode::Unsupported || added.error().code() == ErrorCode::InvalidInput;
        if (!is_refused) {
          return std::move(added).error().note("in " + name);
        }
        ++tally.refused[added.error().message().substr(0, 100)];
      }
    }
  }
  return batch.run();
}

int check_all(std::vector<std::string> arguments) {
  const auto take_flag = [&](std::string_view name) { return std::erase(arguments, name) > 0; };
  const auto take_value = [&](std::string_view name) {
    const auto option = std::ranges::find(arguments, name);
    std::string value;
    if (option != arguments.end() && option + 1 != arguments.end()) {
      value = *(option + 1);
      arguments.erase(option, option + 2);
    }
    return value;
  };
  Choice choice{
      .compiler = take_value("--compiler"), .weights = take_flag("--weights"), .is_timed = take_flag("--time")};
  if (choice.compiler.empty()) {
    const char *named = std::getenv("CC");
    choice.compiler = fmt::format("{} -std=c99", named == nullptr ? "cc" : named);
  }
  BackendOptions options;
  if (const std::string features = take_value("--features"); !features.empty()) {
    options.settings.emplace_back("features", features);
  }
  if (arguments.size() < 2) {
    fmt::print(stderr,
               "Usage: check_aot [--time] [--weights] [--features LIST] [--compiler COMMAND] BACKEND FILE...\n"
               "--time also compares the times of calls, on one thread.\n"
               "--weights puts constants into a file, which contains the values of all arguments but the first.\n"
               "--compiler compiles the header and links, such as \"clang++ -std=c++17\"; default: $CC -std=c99.\n");
    return 2;
  }
  ThreadPool one_thread(1);
  options.threads = choice.is_timed ? &one_thread : nullptr;
  const Result<Backend> backend = Backend::load(arguments[0], options);
  if (!backend.ok()) {
    fmt::print(stderr, "{}\n", backend.error().to_string());
    return 2;
  }
  Tally tally;
  Batch batch(*backend, choice, tally);
  const Status status = check({arguments.begin() + 1, arguments.end()}, batch, tally);
  for (const std::string &wrong : tally.wrong) {
    fmt::print("wrong: {}\n", wrong);
  }
  std::size_t refused = 0;
  for (const auto &[reason, count] : tally.refused) {
    fmt::print("refused {:>4}: {}\n", count, reason);
    refused += count;
  }
  if (!status.ok()) {
    fmt::print("{}\n", status.error().to_string());
  }
  fmt::print("{} programs equal, {} wrong, {} refused\n", tally.equal, tally.wrong.size(), refused);
  return status.ok() && tally.wrong.empty() && tally.equal > 0 ? 0 : 1;
}

}  // namespace
}  // namespace bp

int main(int argument_count, char **arguments) {
  return bp::check_all({arguments + 1, arguments + argument_count});
}
