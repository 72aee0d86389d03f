#include <fmt/core.h>

#include <chrono>

#include "core/base/files.h"
#include "core/ir/verifier.h"
#include "core/text/printer.h"
#include "debugging/random_module.h"
#include "tools/command/problem.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

namespace po = boost::program_options;

struct Request {
  Problem problem;
  std::uint64_t first_seed = 1;
  std::int64_t count = 0;  // 0: until the time is over
  double minutes = 0;      // 0: until the count is reached
  debugging::RandomModuleOptions size;
  std::string output_folder;
  int max_failures = 5;
};

int fuzz(Request &request) {
  const auto start = std::chrono::steady_clock::now();
  auto minutes = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 60; };
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
      const ir::Module module = debugging::random_module(seed, request.size);
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
      const std::string name = fmt::format("random program {} ({} instructions)", seed, request.size.instructions);
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

}  // namespace

int fuzz_passes(std::span<const std::string> arguments) {
  Options options(
      "fuzz [--passes=a,b | --on NAME] [--count N | --minutes M] [--seed S]",
      "Makes random programs and checks the passes on each, or compares a backend with another. What fails is\n"
      "reduced and written to a file that begins with the command that shows it again.",
      "  backplane fuzz --minutes 10                     all passes\n"
      "  backplane fuzz --passes=simplify --count 1000   one stage\n"
      "  backplane fuzz --on cpu --minutes 10            cpu against the interpreter\n"
      "  backplane fuzz --seed 4711 --count 1            one program again\n");
  options.add()("count", po::value<std::int64_t>()->default_value(0),
                "how many programs; default: 200, or by --minutes")("minutes", po::value<double>()->default_value(0),
                                                                    "for how long")(
      "size", po::value<int>()->default_value(30), "about how many instructions a program's entry has")(
      "failures", po::value<int>()->default_value(5), "stop after so many")(
      "output,o", po::value<std::string>()->default_value("."), "the folder for programs that fail");
  Problem::add_to(options);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  Request request;
  if (auto exit = request.problem.read(options)) {
    return *exit;
  }
  request.first_seed = options.get<std::uint64_t>("seed");
  request.count = options.get<std::int64_t>("count");
  request.minutes = options.get<double>("minutes");
  request.size.instructions = options.get<int>("size");
  request.max_failures = options.get<int>("failures");
  request.output_folder = options.get<std::string>("output");
  if (request.count < 0 || request.minutes < 0 || request.size.instructions < 1 ||
      request.size.instructions > 100'000 || request.max_failures < 1) {
    return options.misuse(
        "--count and --minutes are numbers from 0 on, --size is from 1 to 100000, --failures from 1 on");
  }
  if (request.count == 0 && request.minutes == 0) {
    request.count = 200;
  }
  if (Status status = make_directory(request.output_folder); !status.ok()) {
    return report(status.error());
  }
  return fuzz(request);
}

}  // namespace bp::command
