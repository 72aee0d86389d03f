#include <fmt/core.h>

#include "core/backplane.h"
#include "core/base/files.h"
#include "core/debugging/reduce.h"
#include "core/text/printer.h"
#include "tools/command/model_choice.h"
#include "tools/command/problem.h"

namespace bp::command {
namespace {

namespace po = boost::program_options;

int extract(const ir::Module &module, const Options &options, const std::string &output) {
  auto slice = debugging::extract_slice(module, options.get<std::string>("extract"), options.get<int>("depth"));
  Status status = slice.ok() ? write_file(output, text::print(*slice)) : Status(std::move(slice).error());
  if (!status.ok()) {
    return report(status.error());
  }
  fmt::print("{}: {} instructions of {}, {} parameters\n", output, slice->instruction_count(),
             module.instruction_count(), slice->entry().parameter_count());
  return success;
}

}  // namespace

int reduce_model(std::span<const std::string> arguments) {
  Options options(
      "reduce MODEL -o FILE [--check | --on NAME | --command CMD]",
      "Reduces a model to a few instructions that still show a problem, and writes it with the command that shows the\n"
      "problem. Each trial runs in a separate process, so that the problem may be a crash or a hang. With --extract,\n"
      "writes a slice of the model instead.",
      "  backplane reduce model.hlo --check -o small.hlo            a pass changes results\n"
      "  backplane reduce model.hlo --on cpu -o small.hlo           cpu differs from the interpreter\n"
      "  backplane reduce model.hlo --on cpu --crashes -o small.hlo     compiling or running it crashes\n"
      "  backplane reduce model.hlo --command ./is_wrong.sh -o small.hlo     exit code 0: still wrong\n"
      "  backplane reduce model.hlo --extract dot.17 --depth 4 -o slice.hlo     dot.17 and its operands\n");
  options.add()("check", "the problem is that opt --check fails")("crashes", "the problem is that the trial crashes")(
      "hangs", "the problem is that the trial takes longer than --deadline")(
      "command", po::value<std::string>(),
      "the problem is that this command, with the file as its argument, ends with exit code 0")(
      "extract", po::value<std::string>(),
      "name of an instruction: write only this instruction and those that compute its operands")(
      "depth", po::value<int>()->default_value(4),
      "with --extract: number of levels of operands to keep; values beyond become parameters")(
      "output,o", po::value<std::string>(), "the file to write");
  options.complete({"extract"}, Completion::Nothing);
  Problem::add_to(options);
  ModelChoice::add_to(options);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  ModelChoice model;
  if (auto exit = model.read(options)) {
    return *exit;
  }
  if (auto exit = options.check_at_least("depth", 0)) {
    return *exit;
  }
  if (!options.has("output")) {
    return options.misuse("expected -o FILE, the file to write");
  }
  Problem problem;
  if (auto exit = problem.read(options)) {
    return *exit;
  }
  const int ways = (options.has("check") ? 1 : 0) + (options.has("command") ? 1 : 0) +
                   (options.has("extract") ? 1 : 0) + (problem.trial == Problem::Trial::Run ? 1 : 0);
  if (ways != 1) {
    return options.misuse("expected exactly one of --check, --on, --command, --extract");
  }
  auto module = model.only_module();
  if (!module.ok()) {
    return report(module.error());
  }
  const auto &output = options.get<std::string>("output");
  if (options.has("extract")) {
    return extract(*module, options, output);
  }
  if (options.has("command")) {
    problem.trial = Problem::Trial::Command;
    problem.command = options.get<std::string>("command");
  }
  if (options.has("crashes") || options.has("hangs")) {
    problem.symptom = options.has("crashes") ? Problem::Symptom::Crashes : Problem::Symptom::Hangs;
  }
  const debugging::Ending ending = problem.attempt(*module);
  if (!problem.is_reproduced_by(ending)) {
    fmt::print("{} does not show the problem: {}{}\ntry: {}\n", model.file(),
               debugging::to_string(ending, problem.limits()),
               ending.kind == debugging::Ending::Kind::Crashed ? "; it crashes, which --crashes looks for" : "",
               problem.rerun(model.arguments(*module, 1)));
    return negative;
  }
  return reduce_and_write(*module, problem, model.file(), output);
}

}  // namespace bp::command
