#include <fmt/core.h>

#include <chrono>

#include "conformance/suite/random_graph.h"
#include "core/base/files.h"
#include "core/debugging/mutation.h"
#include "core/ir/verifier.h"
#include "core/text/printer.h"
#include "tools/command/problem.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

namespace po = boost::program_options;

struct FuzzRequest {
  Problem problem;
  std::uint64_t first_seed = 1;
  std::int64_t count = 0;  // 0: until the time has passed
  double minutes = 0;      // 0: until the count is reached
  int size = 0;            // 0: the size that the seed determines
  std::string output_folder;
  int max_failures = 5;
};

int fuzz(FuzzRequest &request) {
  const auto start = std::chrono::steady_clock::now();
  auto minutes = [&] { return seconds_since(start) / 60; };
  int failures = 0;
  std::int64_t done = 0, instructions = 0, could_not = 0;
  {
    Progress progress("fuzzing");
    for (; (request.count == 0 || done < request.count) && (request.minutes == 0 || minutes() < request.minutes) &&
           failures < request.max_failures;
         ++done) {
      const std::uint64_t seed = request.first_seed + static_cast<std::uint64_t>(done);
      progress.update(static_cast<std::size_t>(done), static_cast<std::size_t>(std::max(request.count, done)),
                      fmt::format("seed {}", seed));
      const int size = request.size != 0 ? request.size : conformance::graph_size(seed);
      const ir::Module module = conformance::random_graph(seed, size);
      if (Status status = ir::verify(module); !status.ok()) {
        return report(std::move(status).error().note(fmt::format("the generator made this, from seed {}", seed)));
      }
      instructions += static_cast<std::int64_t>(module.instruction_count());
      Problem problem = request.problem;
      problem.set_seed(seed);
      const debugging::Ending ending = problem.attempt(module);
      if (!problem.adopt(ending)) {
        could_not += ending.code == success ? 0 : 1;
        continue;
      }
      ++failures;
      const std::string name = fmt::format("random program {} of size {}", seed, size);
      const std::string file = fmt::format("{}/fuzz-{}.hlo", request.output_folder, seed);
      fmt::print("{} seed {}: {}\n", paint(Colour::Red, "failed"), seed,
                 debugging::to_string(ending, problem.limits()));
      if (int code = reduce_and_write(module, problem, name, file); code != success) {
        return code;
      }
    }
  }
  fmt::print("{} programs of {} instructions in all, seeds {} to {}: {} failed", done, instructions, request.first_seed,
             request.first_seed + static_cast<std::uint64_t>(std::max<std::int64_t>(done, 1)) - 1, failures);
  fmt::print("{}\n", could_not == 0 ? "" : fmt::format("; {} could not be run", could_not));
  return failures == 0 ? success : negative;
}

// Fuzzes with mutants of programs of one op: see core/debugging/mutation.h.
int fuzz_mutants(const FuzzRequest &request, const std::vector<ir::Module> &bases) {
  const auto start = std::chrono::steady_clock::now();
  auto minutes = [&] { return seconds_since(start) / 60; };
  std::int64_t done = 0, accepted = 0;
  int failures = 0;
  Progress progress("fuzzing");
  for (; (request.count == 0 || done < request.count) && (request.minutes == 0 || minutes() < request.minutes) &&
         failures < request.max_failures;
       ++done) {
    const std::uint64_t seed = request.first_seed + static_cast<std::uint64_t>(done);
    progress.update(static_cast<std::size_t>(done), static_cast<std::size_t>(std::max(request.count, done)),
                    fmt::format("seed {}", seed));
    const auto mutant = bases.empty() || seed % 2 == 0 ? debugging::random_mutant(seed)
                                                       : debugging::random_mutant(bases[seed / 2 % bases.size()], seed);
    if (!mutant) {
      continue;
    }
    ++accepted;
    debugging::Limits limits;
    const debugging::Ending ending =
        debugging::run_in_child([&] { return debugging::check_mutant(*mutant, seed).ok() ? 0 : 1; }, limits);
    if (ending.kind == debugging::Ending::Kind::Exited && ending.code == 0) {
      continue;
    }
    ++failures;
    const std::string file = fmt::format("{}/mutant-{}.hlo", request.output_folder, seed);
    const bool is_error = ending.kind == debugging::Ending::Kind::Exited;
    const std::string what =
        is_error ? debugging::check_mutant(*mutant, seed).error().to_string() : debugging::to_string(ending, limits);
    fmt::print("{} seed {}: {}\n", paint(Colour::Red, "failed"), seed, what);
    if (Status status = write_file(file, text::print(*mutant)); !status.ok()) {
      return report(status.error());
    }
  }
  fmt::print("{} mutants, {} of them programs: {} failed\n", done, accepted, failures);
  return failures == 0 ? success : negative;
}

// Judges a program from a file: one written by an earlier run, or any other.
int judge_again(const std::string &file, const Problem &problem) {
  auto module = read_module(file);
  if (!module.ok()) {
    return report(module.error());
  }
  const debugging::Ending ending = problem.attempt(*module);
  const bool is_fine = ending.kind == debugging::Ending::Kind::Exited && ending.code == success;
  fmt::print("{}: {}\n", file, is_fine ? "no problem was found" : problem.explain(*module));
  return is_fine ? success : ending.kind == debugging::Ending::Kind::Exited ? ending.code : negative;
}

}  // namespace

int fuzz_passes(std::span<const std::string> arguments) {
  Options options(
      "fuzz [--passes=a,b | --on NAME] [--count N | --minutes M] [--seed S], or fuzz FILE --on NAME --seed S",
      "Makes random programs and checks the passes on each, or judges a backend as conform does (with --against:\n"
      "compares it with another backend). A program that fails is reduced and written to a file that begins with the\n"
      "command that shows the failure. With FILE, judges the program in the file, on the inputs of the seed.",
      "  backplane fuzz --minutes 10                     all passes\n"
      "  backplane fuzz --passes=simplify --count 1000   one stage\n"
      "  backplane fuzz --on cpu --minutes 10            cpu against the interpreter\n"
      "  backplane fuzz fuzz-17.hlo --on cpu --seed 17   repeats a failure\n"
      "  backplane fuzz --seed 4711 --count 1            repeats one program\n"
      "  backplane fuzz --mutants --minutes 10           the verifier against interpreter and passes\n");
  options.add()("count", po::value<std::int64_t>()->default_value(0),
                "number of programs; default: 200, or no limit with --minutes")(
      "minutes", po::value<double>()->default_value(0), "minutes to go on for; 0: no limit")(
      "mutants",
      "fuzz with mutated programs of one op, made from random programs and those of --base: if the verifier "
      "accepts one, the interpreter and all passes must accept it too")(
      "base", po::value<std::vector<std::string>>(), "a file with a program from which --mutants makes others")(
      "size", po::value<int>(),
      "approximate number of instructions of the entry computation; default: 6 to 35, by the seed")(
      "failures", po::value<int>()->default_value(5), "stop after this number of failures")(
      "output,o", po::value<std::string>()->default_value("."), "folder for programs that fail");
  options.complete({"output"}, Completion::Folder);
  Problem::add_to(options);
  options.add_positional("file", 1);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  FuzzRequest request;
  if (auto exit = request.problem.read(options)) {
    return *exit;
  }
  if (request.problem.trial == Problem::Trial::Run && options.get<std::string>("against") == "interpreter") {
    request.problem.trial = Problem::Trial::Judge;
  }
  if (options.has("file")) {
    return judge_again(options.get<std::string>("file"), request.problem);
  }
  request.first_seed = options.get<std::uint64_t>("seed");
  request.count = options.get<std::int64_t>("count");
  request.minutes = options.get<double>("minutes");
  request.size = options.has("size") ? options.get<int>("size") : 0;
  request.max_failures = options.get<int>("failures");
  request.output_folder = options.get<std::string>("output");
  if (request.count < 0 || !(request.minutes >= 0) || (options.has("size") && request.size < 1) ||
      request.size > 100'000 || request.max_failures < 1) {
    return options.misuse("--count and --minutes must be at least 0, --size 1 to 100000, --failures at least 1");
  }
  if (request.count == 0 && request.minutes == 0) {
    request.count = 200;
  }
  if (Status status = make_directory(request.output_folder); !status.ok()) {
    return report(status.error());
  }
  if (!options.has("mutants")) {
    return fuzz(request);
  }
  std::vector<ir::Module> bases;
  for (const std::string &file :
       options.has("base") ? options.get<std::vector<std::string>>("base") : std::vector<std::string>()) {
    auto base = read_module(file);
    if (!base.ok()) {
      return report(base.error());
    }
    bases.push_back(std::move(base).value());
  }
  return fuzz_mutants(request, bases);
}

}  // namespace bp::command
