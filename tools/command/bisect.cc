#include <fmt/core.h>

#include <algorithm>

#include "core/compile/compile.h"
#include "core/debugging/agreement.h"
#include "core/interpreter/random_inputs.h"
#include "tools/command/by_instruction.h"
#include "tools/command/check_passes.h"
#include "tools/command/model_choice.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

namespace po = boost::program_options;

struct BisectRequest {
  ModelChoice model;
  std::string against;
  BackendChoice backend;
  debugging::CheckOptions check;
  double tolerance = 1e-4;
};

// Whether the device agrees with the reference when it gets a module that is not fused.
Result<bool> agrees_unfused(const ir::Module &module, const Backend &backend, const Backend &reference,
                            const BisectRequest &request) {
  BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module, request.check.seed));
  compile::Options options;
  options.fuse = false;
  BP_ASSIGN(Compiled compiled, compile::compile(module, backend.devices(), options));
  BP_ASSIGN(Literal result, compiled.executable.run(arguments));
  BP_ASSIGN(Compiled other, reference.compile(module));
  BP_ASSIGN(Literal expected, other.executable.run(arguments));
  BP_ASSIGN(const debugging::Agreement agreement,
            debugging::compare(module, compiled.executable, arguments, result, expected, request.tolerance));
  return agreement.verdict() != debugging::Verdict::Differs;
}

// Returns the instruction of the entry for which the device's result differs from the interpreter's on equal operands.
Result<std::optional<InstructionComparison>> find_instruction(const ir::Module &module, const Backend &backend,
                                                              const BisectRequest &request) {
  BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module, request.check.seed));
  Progress progress("by instruction");
  BP_ASSIGN(InstructionReport report,
            compare_by_instruction(module, backend, std::move(arguments), request.tolerance,
                                   [&](std::size_t done, std::size_t total, std::string_view next) {
                                     progress.update(done, total, next);
                                   }));
  for (const InstructionComparison &item : report.compared) {
    if (!item.agrees(request.tolerance)) {
      return std::optional(item);
    }
  }
  return std::optional<InstructionComparison>();
}

Result<int> bisect(const BisectRequest &request) {
  BP_ASSIGN(ir::Module module, request.model.only_module());
  BP_ASSIGN(Backend backend, request.backend.load());
  BP_ASSIGN(Backend reference, Backend::load(request.against));
  const std::string common = fmt::format("{} {} --seed {}", request.model.arguments(module, 1),
                                         request.backend.arguments(), request.check.seed);
  const auto agreement = debugging::compare(module, backend, reference, request.check.seed, request.tolerance);
  if (!agreement.ok()) {
    return Error(agreement.error())
        .note(fmt::format("the run failed, so there is no difference to find; for a crash: backplane reduce {} "
                          "--crashes -o small.hlo",
                          common));
  }
  const auto difference = agreement->difference();
  if (!difference) {
    fmt::print("{} and {} agree{}: there is nothing to find; --seed gives other inputs, which may differ\n",
               request.backend.name(), request.against,
               agreement->verdict() == debugging::Verdict::Agrees ? "" : ", on weak evidence");
    return static_cast<int>(negative);
  }
  fmt::print("{} differs from {}: {}\n", request.backend.name(), request.against, *difference);

  if (!backend.is_interpreter()) {
    debugging::PassCheck check(request.check);
    compile::Options options;
    options.verify = true;
    options.compare = check.compare();
    Status status;
    if (auto compiled = compile::compile(module, backend.devices(), options); !compiled.ok()) {
      status = std::move(compiled).error();
    }
    if (check.failure()) {
      fmt::print("{}\nrerun: backplane opt {} --check --draws {}\n",
                 debugging::to_string(*check.failure(), request.check), common, request.check.draws);
      return static_cast<int>(success);
    }
    BP_TRY(std::move(status));
    fmt::print("no pass changes results: {} were compared before and after\n", check.compared());
  }

  BP_ASSIGN(auto found, find_instruction(module, backend, request));
  if (found) {
    fmt::print(
        "{} computes {} ({}) differently from the interpreter: relative error {:.3g}\n"
        "rerun: backplane run {} --by-instruction --tolerance {:g}\n"
        "alone: backplane reduce {} --extract {} --depth 1 -o {}\n",
        request.backend.name(), found->name, ir::to_string(found->opcode), found->relative_error, common,
        request.tolerance, request.model.arguments(module, 1), shell_word(found->name),
        shell_word(found->name + ".hlo"));
    return static_cast<int>(success);
  }
  fmt::print("each instruction alone agrees\n");
  if (!backend.is_interpreter()) {
    BP_ASSIGN(bool agrees, agrees_unfused(module, backend, reference, request));
    fmt::print("without fusion it {}: the difference is in {}\n", agrees ? "agrees" : "differs too",
               agrees ? "how fusions are compiled" : "how instructions follow each other");
  }
  fmt::print("next: backplane reduce {} --against {} --tolerance {:g} -o small.hlo\n", common,
             shell_word(request.against), request.tolerance);
  return static_cast<int>(success);
}

}  // namespace

int bisect_model(std::span<const std::string> arguments) {
  Options options(
      "bisect MODEL --on NAME [--against NAME]",
      "Finds out why a backend's results differ: the first pass of its compilation that changes results on the\n"
      "interpreter, or the first instruction that the backend computes differently, or the compilation of fusions.\n"
      "Prints the command that reproduces the difference.",
      "  backplane bisect model.hlo --on cpu\n"
      "  backplane bisect model.hlo --on ./libbackplane_acme.so --against cpu --tolerance 1e-3\n");
  options.add()("against", po::value<std::string>()->default_value("interpreter"), "the backend to compare with")(
      "tolerance", po::value<double>()->default_value(1e-4),
      "largest error that is allowed: |x-y| relative to |y| or to the output's typical size, whichever is larger");
  options.complete({"against"}, Completion::Backend);
  add_check_options(options);
  BackendChoice::add_to(options);
  ModelChoice::add_to(options);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  BisectRequest request;
  if (auto exit = request.model.read(options)) {
    return *exit;
  }
  request.against = options.get<std::string>("against");
  request.tolerance = options.get<double>("tolerance");
  if (!(request.tolerance >= 0)) {
    return options.misuse(fmt::format("--tolerance is {}, expected at least 0", request.tolerance));
  }
  if (auto exit = request.backend.read(options)) {
    return *exit;
  }
  if (auto exit = read_check_options(options, request.check)) {
    return *exit;
  }
  auto code = bisect(request);
  return code.ok() ? *code : report(code.error());
}

}  // namespace bp::command
