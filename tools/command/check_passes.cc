#include "tools/command/check_passes.h"

#include <fmt/core.h>

#include "core/compile/compile.h"
#include "tools/command/terminal.h"

namespace bp::command {

void add_check_options(Options &options) {
  namespace po = boost::program_options;
  const debugging::CheckOptions check;
  options.add()("check", "compare results before and after each pass, and print no module")(
      "seed", po::value<std::uint64_t>()->default_value(check.seed), "with --check: seed of the inputs")(
      "draws", po::value<int>()->default_value(check.draws),
      "with --check: number of draws of inputs; in turn ordinary values, small integers, some and only special values")(
      "check-seconds", po::value<double>()->default_value(check.max_seconds),
      "with --check: maximum seconds for one run of the interpreter");
}

std::optional<int> read_check_options(const Options &options, debugging::CheckOptions &check) {
  check.seed = options.get<std::uint64_t>("seed");
  check.draws = options.get<int>("draws");
  check.max_seconds = options.get<double>("check-seconds");
  if (check.draws < 1 || !(check.max_seconds > 0)) {
    return options.misuse("--draws must be at least 1, --check-seconds positive");
  }
  return std::nullopt;
}

int check_passes(const ir::Module &module, std::span<const passes::Pass> passes, const Backend *backend,
                 const debugging::CheckOptions &check, const std::string &rerun) {
  debugging::PassCheck pass_check(check);
  Progress progress("checking passes");
  std::size_t seen = 0;
  auto compare = [&, compare = pass_check.compare()](const ir::Module &before, const ir::Module &after,
                                                     const passes::Pass &pass) {
    progress.update(seen, seen + 1, pass.name);
    ++seen;
    return compare(before, after, pass);
  };
  Status status;
  if (backend != nullptr && !backend->is_interpreter()) {
    compile::Options options;
    options.verify = true;
    options.compare = compare;
    auto compiled = compile::compile(module, backend->devices(), options);
    status = compiled.ok() ? Status() : Status(std::move(compiled).error());
  } else {
    passes::PipelineOptions options;
    options.verify_between_passes = true;
    options.compare = compare;
    ir::Module copy = module;
    status = passes::run_passes(copy, passes, options);
  }
  if (pass_check.failure()) {
    fmt::print("{} {}\nrerun: {} --seed {} --draws {}\n", paint(Colour::Red, "differs:"),
               debugging::to_string(*pass_check.failure(), check), rerun, check.seed, check.draws);
    return negative;
  }
  if (!status.ok()) {
    return report(status.error());
  }
  for (const std::string &line : pass_check.not_compared()) {
    fmt::print("not compared: {}\n", line);
  }
  const std::size_t missing = pass_check.not_compared().size();
  fmt::print("{} passes changed the module; {} were compared on {} draws: {}\n", seen, pass_check.compared(),
             check.draws,
             missing == 0 ? paint(Colour::Green, "the results are the same") : paint(Colour::Yellow, "no difference"));
  if (missing == seen && seen != 0) {
    fmt::print("nothing was compared; a larger --check-seconds gives the interpreter more time\n");
    return failed;
  }
  return success;
}

}  // namespace bp::command
