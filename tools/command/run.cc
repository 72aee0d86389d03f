#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <span>

#include "core/backplane.h"
#include "core/base/files.h"
#include "core/debugging/agreement.h"
#include "core/interpreter/compare.h"
#include "core/interpreter/host_calls.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/device_count.h"
#include "core/text/parser.h"
#include "core/text/printer.h"
#include "tools/arrays/array_file.h"
#include "tools/command/backend_choice.h"
#include "tools/command/by_instruction.h"
#include "tools/command/devices.h"
#include "tools/command/measured_run.h"
#include "tools/command/model_choice.h"
#include "tools/command/pass_choice.h"
#include "tools/command/report_text.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

struct RunRequest {
  ModelChoice model;
  std::string against, dump_dir, cache_dir;
  BackendChoice backend;
  std::uint64_t seed = 1;
  arrays::InputFiles inputs;
  std::vector<std::string> infeeds;
  std::string save_file;  // for the results; empty: they are not kept
  int repeat = 1;
  std::int64_t memory_limit = 0;
  PassChoice passes;
  RunTerms terms;                       // of the compilation and all runs
  std::optional<std::int64_t> devices;  // number of devices that run the program together
  double tolerance = 1e-4;
  bool by_instruction = false;
  bool has_several = false;        // there are several modules: the output names them
  std::optional<Package> package;  // if set, it is run in place of a model
  bool print_results = false;
};

// The findings about one run of a model, to be printed for people or as JSON.
struct Outcome {
  std::string module;
  std::size_t instructions = 0;  // as read, before all passes
  std::string backend;           // name, version and file
  compile::Report report;
  double compile_seconds = 0;
  std::vector<double> run_seconds;
  MemoryFigures predicted;
  MeasuredMemory measured;
  std::optional<debugging::Agreement> agreement;    // if the outputs are compared as a whole
  std::optional<InstructionReport> by_instruction;  // if each instruction is compared
  ir::Literal result;
  std::vector<ir::Literal> outfed;     // in the last run
  std::vector<ir::Literal> by_device;  // by device, in place of `result`, with --devices
  std::int64_t partitions = 1;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::size_t middle = values.size() / 2;
  return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// Reads a file that holds a literal of a shape; `what` is the value of what, for messages.
Result<ir::Literal> read_value(const std::string &file, const ir::Shape &shape, std::string_view what) {
  BP_ASSIGN(const arrays::InputFiles input, arrays::InputFiles::read({file}));
  if (input.size() != 1) {
    return invalid_input("{} holds {} arrays, expected one", file, input.size());
  }
  auto literal = input.value(0, shape);
  if (!literal.ok()) {
    return std::move(literal).error().note(fmt::format("read as the value of {}, {}", what, ir::to_string(shape)));
  }
  return literal;
}

// Makes arguments from files, one for each parameter, or from a seed.
Result<std::vector<ir::Literal>> make_arguments(const ir::Module &module, const RunRequest &request) {
  if (request.inputs.size() == 0) {
    return interpreter::random_arguments(module, request.seed);
  }
  ir::Computation entry = module.entry();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < entry.parameter_count(); ++i) {
    names.emplace_back(entry.parameter(i).name());
  }
  if (const std::string surplus = request.inputs.find_surplus(names);
      !surplus.empty() || request.inputs.size() != names.size()) {
    return invalid_input("{} input files were given, but {} has {} parameters{}", request.inputs.size(),
                         request.model.file(), names.size(),
                         surplus.empty() ? "" : fmt::format(", of which none is \"{}\"", surplus));
  }
  std::vector<ir::Literal> arguments;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto input = request.inputs.find(i, names[i]);
    if (!input) {
      return invalid_input("{}: no input file is for parameter {}, {}", request.model.file(), i, names[i]);
    }
    auto argument = request.inputs.value(*input, entry.parameter(i).shape());
    if (!argument.ok()) {
      return std::move(argument).error().note(
          fmt::format("read as the value of parameter {}, {}", i, ir::to_string(entry.parameter(i).shape())));
    }
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}

// Sets what infeed reads, from the first file again, and has the values of outfeed kept. `next`: the number of files
// read so far.
void set_channels(interpreter::HostCalls &calls, const RunRequest &request, std::size_t &next,
                  std::vector<ir::Literal> &outfed) {
  next = 0;
  if (!request.infeeds.empty()) {
    calls.set_infeed([&files = request.infeeds, &next](const ir::Shape &shape) -> Result<ir::Literal> {
      if (next == files.size()) {
        return invalid_input("all {} files of --infeed have been read, expected another one with {}", files.size(),
                             ir::to_string(shape));
      }
      const std::size_t number = next++;
      auto value = read_value(files[number], shape, fmt::format("infeed {}", number));
      if (!value.ok()) {  // the error gets the place of the instruction
        return make_error(value.error().code(), "--infeed {}: {}", files[number], value.error().message());
      }
      return value;
    });
  }
  outfed.clear();
  calls.set_outfeed([&outfed](const ir::Literal &value) {
    outfed.push_back(value);
    return Status();
  });
}

void warn_of_unread(const std::vector<std::string> &infeeds, std::size_t read) {
  if (read < infeeds.size()) {
    fmt::print(stderr, "--infeed: the program has taken {} of {} values, not read: {}\n", read, infeeds.size(),
               fmt::join(std::span(infeeds).subspan(read), ", "));
  }
}

interpreter::Options with_progress(Progress &progress, RunTerms terms = {}) {
  interpreter::Options options;
  options.terms = std::move(terms);
  options.progress = [&](std::int64_t done, std::int64_t total, const ir::Instruction &next) {
    progress.update(static_cast<std::size_t>(done), static_cast<std::size_t>(total), next.name());
  };
  return options;
}

// Runs the module on the reference backend: compiled for it, or interpreted as read.
Result<ir::Literal> run_reference(const ir::Module &module, const RunRequest &request,
                                  const std::vector<ir::Literal> &arguments) {
  BP_ASSIGN(Backend backend, Backend::load(request.against));
  Progress progress(request.against);
  if (backend.is_interpreter()) {
    return interpreter::interpret(module, arguments, with_progress(progress));
  }
  BP_ASSIGN(Compiled compiled, backend.compile(module));
  return compiled.executable.run(arguments, with_progress(progress));
}

CompileOptions compile_options(const RunRequest &request) {
  CompileOptions options;
  options.dump_dir = request.dump_dir;
  options.cache_dir = request.cache_dir;
  options.memory_limit = request.memory_limit;
  request.passes.apply_to(options);
  options.cancellation = request.terms.cancellation;
  options.host_functions = {"infeed", "outfeed"};  // one run at a time, and files do not wait for it
  return options;
}

// Runs the program on several devices, and compares their results.
Status run_on_devices(const ir::Module &module, const RunRequest &request, Outcome &outcome) {
  BP_TRY(check_device_count(module, *request.devices));
  BP_ASSIGN(const std::vector<ir::Literal> arguments, make_arguments(module, request));
  BP_ASSIGN(const Ensemble ensemble, request.backend.load_ensemble(*request.devices, request.dump_dir));
  outcome.backend = fmt::format("{}, {} devices", describe(ensemble.backends()[0]), *request.devices);
  const auto start = std::chrono::steady_clock::now();
  BP_ASSIGN(const EnsembleExecutable executable, ensemble.compile(module, compile_options(request)));
  outcome.compile_seconds = seconds_since(start);
  outcome.report = executable.report();
  outcome.partitions = module.header().num_partitions;
  const std::vector by_device(ensemble.backends().size(), arguments);
  interpreter::Options host;
  host.terms = request.terms;
  for (int i = 0; i < request.repeat; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    BP_ASSIGN(outcome.by_device, executable.run(by_device, host));
    outcome.run_seconds.push_back(seconds_since(begin));
  }
  if (!request.against.empty()) {
    BP_ASSIGN(const Ensemble reference, Ensemble::load(request.against, *request.devices));
    BP_ASSIGN(const EnsembleExecutable other, reference.compile(module));
    BP_ASSIGN(const std::vector<ir::Literal> expected, other.run(by_device));
    BP_ASSIGN(outcome.agreement,
              debugging::compare(module, executable, arguments, outcome.by_device, expected, request.tolerance));
  }
  return {};
}

// A comparison runs the module several times, in parts and in other ways, and each run would need the values anew.
Status check_comparable(const ir::Module &module, const RunRequest &request) {
  if (!request.by_instruction && request.against.empty()) {
    return {};
  }
  for (const ir::Computation computation : module.computations()) {
    for (const ir::Instruction instruction : computation.instructions()) {
      if (instruction.opcode() == ir::Opcode::Infeed || instruction.opcode() == ir::Opcode::Outfeed) {
        return unsupported(
            "{} cannot compare a program that exchanges values with the application, as {} ({}) does: expected a run "
            "without it",
            request.by_instruction ? "--by-instruction" : "--against", instruction.name(), instruction.op().text);
      }
    }
  }
  return {};
}

// Runs what was compiled or loaded, and compares its results.
Status run(const ir::Module &module, const Backend &backend, const Executable &executable, const RunRequest &request,
           Outcome &outcome) {
  BP_TRY(check_comparable(module, request));
  BP_ASSIGN(std::vector<ir::Literal> arguments, make_arguments(module, request));
  outcome.predicted = executable.memory();
  std::size_t read = 0;  // files of --infeed, by the last run
  if (const auto &program = executable.program(); program != nullptr && !program->calls_host()) {
    BP_ASSIGN(MeasuredRun measured, run_measured(program, arguments, request.repeat, request.terms));
    outcome.run_seconds = std::move(measured.seconds);
    outcome.measured = measured.memory;
    interpreter::Options host;
    host.terms = request.terms;
    BP_ASSIGN(outcome.result, program->run(arguments, host));
  } else {
    Progress progress(request.backend.name());
    for (int i = 0; i < request.repeat; ++i) {
      auto begin = std::chrono::steady_clock::now();
      interpreter::HostCalls calls;
      set_channels(calls, request, read, outcome.outfed);
      interpreter::Options host = with_progress(progress, request.terms);
      calls.serve(host);
      BP_ASSIGN(outcome.result, executable.run(arguments, host));
      outcome.run_seconds.push_back(seconds_since(begin));
    }
  }
  warn_of_unread(request.infeeds, read);
  if (!request.save_file.empty()) {
    std::vector<std::string> names;
    for (const package::Value &value : package::interface_of(module).results) {
      names.push_back(value.name);
    }
    BP_TRY(arrays::write_results(request.save_file, outcome.result, names));
  }
  if (request.by_instruction) {
    Progress progress("by instruction");
    BP_ASSIGN(outcome.by_instruction,
              compare_by_instruction(module, backend, std::move(arguments), request.tolerance,
                                     [&](std::size_t done, std::size_t total, std::string_view next) {
                                       progress.update(done, total, next);
                                     }));
  } else if (!request.against.empty()) {
    BP_ASSIGN(ir::Literal reference, run_reference(module, request, arguments));
    BP_ASSIGN(outcome.agreement,
              debugging::compare(module, executable, arguments, outcome.result, reference, request.tolerance));
  }
  return {};
}

Result<Outcome> run(const ir::Module &module, const RunRequest &request) {
  Outcome outcome;
  outcome.module = module.name();
  outcome.instructions = module.instruction_count();
  if (request.devices) {
    BP_TRY(run_on_devices(module, request, outcome));
    return outcome;
  }
  BP_TRY(ir::check_one_device(module));
  warn_if_unpartitioned(request.model.file(), module);

  BP_ASSIGN(Backend backend, request.backend.load(request.dump_dir));
  outcome.backend = describe(backend);

  auto start = std::chrono::steady_clock::now();
  BP_ASSIGN(Compiled compiled, backend.compile(module, compile_options(request)));
  outcome.compile_seconds = seconds_since(start);
  outcome.report = compiled.report;
  BP_TRY(run(module, backend, compiled.executable, request, outcome));
  return outcome;
}

// Loads the package and runs it.
Result<Outcome> run_package(const RunRequest &request) {
  BP_ASSIGN(const Backend backend, request.backend.load());
  const auto start = std::chrono::steady_clock::now();
  BP_ASSIGN(const Executable executable, request.package->load(backend.devices()));
  Outcome outcome;
  outcome.report.load = seconds_since(start);
  outcome.module = request.package->index().name;
  outcome.backend = describe(backend);
  outcome.instructions = outcome.report.instructions = executable.module().instruction_count();
  BP_TRY(run(executable.module(), backend, executable, request, outcome));
  return outcome;
}

bool all_agree(const Outcome &outcome, double tolerance) {
  if (outcome.by_instruction) {
    return !outcome.by_instruction->compared.empty() &&
           std::all_of(outcome.by_instruction->compared.begin(), outcome.by_instruction->compared.end(),
                       [&](const InstructionComparison &item) { return item.agrees(tolerance); });
  }
  return !outcome.agreement || outcome.agreement->verdict() == debugging::Verdict::Agrees;
}

void print_outputs(const debugging::Agreement &agreement, debugging::Verdict verdict) {
  std::size_t count = 0;
  for (const debugging::Output &output : agreement.outputs) {
    if (output.verdict == verdict && ++count <= 10) {
      fmt::print("  {}\n", interpreter::to_string(output.comparison));
    }
  }
  if (count > 10) {
    fmt::print("  and {} more outputs\n", count - 10);
  }
}

void print_agreement(const RunRequest &request, const debugging::Agreement &agreement) {
  using debugging::Verdict;
  double largest = 0;
  std::size_t passed_through = 0, weak = 0;
  for (const debugging::Output &output : agreement.outputs) {
    const bool is_evidence = !output.is_passed_through || output.verdict == Verdict::Differs;
    passed_through += !is_evidence;
    weak += output.verdict == Verdict::WeakEvidence;
    if (is_evidence) {
      largest = std::max(largest, output.comparison.typical_error);
    }
  }
  const std::size_t computed = agreement.outputs.size() - passed_through;
  print_outputs(agreement, Verdict::Differs);
  print_outputs(agreement, Verdict::WeakEvidence);
  const Verdict verdict = agreement.verdict();
  fmt::print("largest error:    {:.3g}, relative, in {} outputs, against {}: {}\n", largest, computed, request.against,
             verdict == Verdict::Agrees ? paint(Colour::Green, "agrees")
             : verdict == Verdict::Differs
                 ? paint(Colour::Red, fmt::format("differs (at most {:g} is allowed)", request.tolerance))
                 : paint(Colour::Red, "weak evidence"));
  if (passed_through != 0) {
    fmt::print("passed through:   {} outputs are parameters or constants, which are not evidence\n", passed_through);
  }
  if (weak != 0) {
    fmt::print("weak evidence:    {} of {} outputs{}{}\n", weak, computed,
               agreement.has_inputs && request.inputs.size() == 0 ? "; --seed gives other inputs" : "",
               request.against == "interpreter" ? "; --by-instruction compares each instruction alone" : "");
  } else if (computed == 0) {
    fmt::print("weak evidence:    the model computes nothing\n");
  }
}

// Returns the instructions that differ most, the worst first.
std::vector<InstructionComparison> worst_first(const InstructionReport &report) {
  std::vector<InstructionComparison> sorted = report.compared;
  std::stable_sort(sorted.begin(), sorted.end(), [](const InstructionComparison &a, const InstructionComparison &b) {
    return a.relative_error > b.relative_error;
  });
  return sorted;
}

void print_comparisons(const RunRequest &request, const Outcome &outcome) {
  const InstructionReport &report = *outcome.by_instruction;
  std::vector<InstructionComparison> worst = worst_first(report);
  fmt::print(
      "by instruction:   {} compared with the interpreter on equal operands, {} ran on the host, {} cannot run alone: "
      "{}\n",
      report.compared.size(), report.on_host, report.not_alone,
      all_agree(outcome, request.tolerance) ? paint(Colour::Green, "agrees") : paint(Colour::Red, "differs"));
  for (std::size_t i = 0; i < std::min<std::size_t>(worst.size(), 5); ++i) {
    fmt::print(
        "  relative error {:.3g}: {} ({}){}\n", worst[i].relative_error, worst[i].name, ir::to_string(worst[i].opcode),
        worst[i].response == 0
            ? ""
            : fmt::format("; changing its operands by one unit in the last place gives {:.3g}", worst[i].response));
  }
}

// `measured` is 0 if there is no single program, and -1 if nothing was counted.
void print_memory(std::string_view where, std::int64_t predicted, std::int64_t measured) {
  if (measured < 0) {
    fmt::print("{:<17} {} predicted\n", where, format_bytes(static_cast<double>(predicted)));
  } else if (measured > 0) {
    fmt::print("{:<17} {} predicted, {} measured{}\n", where, format_bytes(static_cast<double>(predicted)),
               format_bytes(static_cast<double>(measured)),
               predicted == measured ? ", equal to the byte" : fmt::format(", {:+} bytes", measured - predicted));
  }
}

void print_for_people(const RunRequest &request, const Outcome &outcome) {
  const compile::Report &report = outcome.report;
  fmt::print("model:            {}{}\n", request.model.file(), request.has_several ? ", " + outcome.module : "");
  if (request.package) {
    fmt::print("program:          {}, compiled by Backplane {}\n", outcome.module, request.package->index().backplane);
    fmt::print("backend:          {}\n", outcome.backend);
    fmt::print("load time:        {}\n", format_seconds(report.load));
  } else {
    fmt::print("instructions:     {}, {} after the passes\n", outcome.instructions, report.instructions);
    fmt::print("backend:          {}\n", outcome.backend);
    fmt::print("compile time:     {} (passes {}, plan {}, backend {}, load {})\n",
               format_seconds(outcome.compile_seconds), format_seconds(report.passes), format_seconds(report.plan),
               format_seconds(report.compile), format_seconds(report.load));
  }
  if (!request.cache_dir.empty()) {
    fmt::print("from the cache:   {} of {} programs{}\n", report.cached, report.programs,
               report.cache_problem.empty() ? "" : "; " + report.cache_problem);
  }
  fmt::print("run time:         {} (median of {})\n", format_seconds(median(outcome.run_seconds)),
             outcome.run_seconds.size());
  if (outcome.predicted.staging == 0) {
    print_memory("peak memory:", outcome.predicted.peak(), outcome.measured.peak);
  } else {
    print_memory("device memory:", outcome.predicted.peak(), outcome.measured.peak);
    print_memory("host memory:", outcome.predicted.staging, outcome.measured.staging);
  }
  if (report.assignment.size() > 1) {
    fmt::print("assignment:       {} programs, in this order\n", report.assignment.size());
    for (std::size_t i = 0; i < std::min<std::size_t>(report.assignment.size(), 10); ++i) {
      const compile::Assignment &item = report.assignment[i];
      const std::size_t shown = std::min<std::size_t>(item.instructions.size(), 6);
      fmt::print(
          "  {}: {}{}\n", item.device,
          fmt::join(item.instructions.begin(), item.instructions.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
          shown < item.instructions.size() ? fmt::format(" and {} more", item.instructions.size() - shown) : "");
    }
  }
  print_on_host(report);
  if (outcome.agreement) {
    print_agreement(request, *outcome.agreement);
  }
  if (outcome.by_instruction) {
    print_comparisons(request, outcome);
  }
  for (const ir::Literal &value : outcome.outfed) {
    fmt::print("outfeed:          {}\n", text::print(value));
  }
  if (request.print_results && request.devices) {
    print_by_device(outcome.by_device, outcome.partitions);
  } else if (request.print_results) {
    fmt::print("{}\n", text::print(outcome.result));
  }
}

void print_as_json(const RunRequest &request, const Outcome &outcome) {
  boost::json::object object{{"model", request.model.file()},
                             {"module", outcome.module},
                             {"backend", outcome.backend},
                             {"instructions", outcome.instructions},
                             {"compile_seconds", outcome.compile_seconds},
                             {"run_seconds", boost::json::value_from(outcome.run_seconds)},
                             {"predicted_peak_bytes", outcome.predicted.peak()},
                             {"measured_peak_bytes", outcome.measured.peak},
                             {"predicted_staging_bytes", outcome.predicted.staging},
                             {"measured_staging_bytes", outcome.measured.staging},
                             {"on_host", outcome.report.on_host.size()}};
  if (request.package) {
    object["load_seconds"] = outcome.report.load;
  }
  if (request.devices) {
    object["devices"] = *request.devices;
  }
  if (outcome.agreement) {
    boost::json::array outputs;
    for (const auto &[comparison, is_passed_through, verdict] : outcome.agreement->outputs) {
      outputs.push_back({{"output", boost::json::value_from(comparison.output)},
                         {"verdict", debugging::to_string(verdict)},
                         {"passed_through", is_passed_through},
                         {"relative_error", comparison.typical_error},
                         {"max_ulp", comparison.max_ulp},
                         {"weak_evidence", comparison.weak_evidence}});
    }
    object["against"] = request.against;
    object["agrees"] = all_agree(outcome, request.tolerance);
    object["verdict"] = debugging::to_string(outcome.agreement->verdict());
    object["outputs"] = std::move(outputs);
  }
  if (outcome.by_instruction) {
    boost::json::array instructions;
    for (const InstructionComparison &item : outcome.by_instruction->compared) {
      instructions.push_back({{"name", item.name},
                              {"op", ir::to_string(item.opcode)},
                              {"relative_error", item.relative_error},
                              {"response", item.response}});
    }
    object["agrees"] = all_agree(outcome, request.tolerance);
    object["by_instruction"] = std::move(instructions);
  }
  if (!outcome.outfed.empty()) {
    boost::json::array outfed;
    for (const ir::Literal &value : outcome.outfed) {
      outfed.emplace_back(text::print(value));
    }
    object["outfeed"] = std::move(outfed);
  }
  if (request.print_results) {
    boost::json::array results;  // one for each simulated device, or the only one
    for (const ir::Literal &result : request.devices ? std::span(outcome.by_device) : std::span(&outcome.result, 1)) {
      results.emplace_back(text::print(result));
    }
    object["results"] = std::move(results);
  }
  fmt::print("{}\n", boost::json::serialize(object));
}

// Returns an exit code.
int print(const Result<Outcome> &outcome, const RunRequest &request, bool as_json) {
  if (!outcome.ok()) {
    return report(outcome.error());
  }
  if (as_json) {
    print_as_json(request, *outcome);
  } else {
    print_for_people(request, *outcome);
  }
  return all_agree(*outcome, request.tolerance) ? success : negative;
}

int run_and_print(const ir::Module &module, const RunRequest &request, bool as_json) {
  Result<Outcome> outcome = run(module, request);
  if (!outcome.ok() && request.has_several) {
    outcome = std::move(outcome).error().note("in the module " + module.name());
  }
  return print(outcome, request, as_json);
}

// Opens the package that is given in place of a model. Returns an exit code if it cannot be read, or the command line
// has options of a compilation.
std::optional<int> open_package(const Options &options, RunRequest &request) {
  for (const char *name : {"cache-dir", "dump-dir", "memory-limit", "devices", "part", "shapes", "shape", "value",
                           "weights", "target", "features", "no-fusion", "disable-pass", "cluster", "cluster-min"}) {
    if (options.is_given(name)) {
      return options.misuse(fmt::format("--{} is for models, but {} is a package, which is compiled already", name,
                                        request.model.file()));
    }
  }
  std::optional<PublicKey> key;
  if (options.has("signed-by")) {
    auto read = read_public_key(options.get<std::string>("signed-by"));
    if (!read.ok()) {
      return report(read.error());
    }
    key = *read;
  }
  auto opened = Package::open(request.model.file(), key);
  if (!opened.ok()) {
    return report(opened.error());
  }
  if (!options.is_given("on")) {
    request.backend.set_name(opened->backends());
  }
  request.package.emplace(*std::move(opened));
  return std::nullopt;
}

// Returns an exit code if the command line does not allow several devices, whatever the model.
std::optional<int> check_devices(const Options &options, const RunRequest &request) {
  if (*request.devices < 1) {
    return options.misuse(fmt::format("--devices is {}, expected at least 1", *request.devices));
  }
  if (request.by_instruction) {
    return options.misuse("--devices cannot be combined with --by-instruction, which runs instructions alone");
  }
  return std::nullopt;
}

Options run_options() {
  namespace po = boost::program_options;
  Options options(
      "run MODEL [--on NAME] [--against NAME]",
      "Compiles a model for a backend, runs it, and prints the time and the memory that it needed. With --against,\n"
      "the model also runs on a second backend, and the results are compared: for each output, the largest error\n"
      "|x-y| relative to |y| or to the output's typical size, whichever is larger. Inputs are made from a seed, or\n"
      "read from files: arrays of NumPy or ONNX, or literals in HLO's notation. A package, made by `backplane compile "
      "-o\n"
      "FILE.bpkg`, is loaded and run without compiling, by default on the backend that it was compiled for.",
      "  backplane run model.hlo\n"
      "  backplane run model.hlo --on cpu --against interpreter\n"
      "  backplane run model.bpkg                        runs what was compiled before\n"
      "  backplane run model.bpkg --signed-by public.pem    only if the owner of the key has signed it\n"
      "  backplane run model.hlo --on kernels,cpu        cpu runs what kernels does not\n"
      "  backplane run model.hlo --features=x86-64-v3     uses only these CPU features\n"
      "  backplane run model.hlo --memory-limit 16000000  recomputes values that do not fit\n"
      "  backplane run model.hlo --no-fusion              what does fusion save?\n"
      "  backplane run model.hlo --disable-pass=scatter-sorting    what is this pass good for?\n"
      "  backplane run model.hlo --on npu --cluster=auto    leaves to the host what costs less there\n"
      "  backplane run model.hlo --threads 1              leaves the other processors to others\n"
      "  backplane run model.hlo --deadline 2.5           an error if it takes longer, as in an endless loop\n"
      "  backplane run model.hlo --on npu --layer counters    shows what the device counts by instruction\n"
      "  backplane run model.hlo --by-instruction        shows which instructions differ\n"
      "  backplane run model.hlo --on ./libbackplane_acme.so --repeat 20 --json\n"
      "  backplane run model.hlo --on acme --isolate=60   crashes and calls of over 60 s are errors\n"
      "  backplane run model.hlo --on npu --devices 8 --against interpreter    runs replicas and partitions\n"
      "  backplane run model.hlo --inputs x.txt y.txt --print    x.txt holds: {1, 2}\n"
      "  backplane run model.onnx --inputs x.npy mask=m.npy --save results.npz\n"
      "  backplane run model.hlo --infeed a.txt b.txt     feeds two values; prints those of outfeed\n"
      "  backplane run exported.mlir --shapes f32[8,4] f32[4]    gives the unknown sizes of a program\n"
      "  backplane run exported.mlir --shape x=8x4 --value n=8    the same by name or number of a parameter\n"
      "  backplane run models.hlo                        runs each module of the file; --part=step: only one\n"
      "  backplane_counting run model.hlo                also measures the host's memory; only in the build tree\n");
  BackendChoice::add_to(options);
  BackendChoice::add_threads_to(options);
  options.add()("against", po::value<std::string>()->default_value(""), "a second backend, whose results are compared")(
      "seed", po::value<std::uint64_t>()->default_value(1), "seed of the random inputs")(
      "inputs", po::value<std::vector<std::string>>()->multitoken(),
      "files with the inputs, one per parameter: .npy, .pb (TensorProto), .bin (bytes), a literal as text; or "
      "NAME=FILE, or a "
      "file .npz with the names of the parameters")("save", po::value<std::string>()->default_value(""),
                                                    "file for the results: .npz, or .npy for one")(
      "infeed", po::value<std::vector<std::string>>()->multitoken(),
      "files with the values that infeed takes, one per value, in this order; each run begins with the first")(
      "memory-limit", po::value<std::int64_t>()->default_value(0),
      "maximum bytes of memory of a program; cheap values are recomputed to stay below; 0: no limit")(
      "devices", po::value<std::int64_t>(),
      "number of devices that run the model together, each with the same inputs: its replica_count x num_partitions; "
      "on the interpreter, they are simulated")("repeat", po::value<int>()->default_value(1),
                                                "number of runs; the median of their times is printed")(
      "signed-by", po::value<std::string>(),
      "file of a public key (PEM, Ed25519) whose owner must have signed the package")(
      "tolerance", po::value<double>()->default_value(1e-4), "largest relative error that counts as agreement")(
      "by-instruction",
      "run each instruction alone on values of the interpreter and compare, so that rounding errors do not add up")(
      "cache-dir", po::value<std::string>()->default_value(""),
      "folder in which compiled programs are kept for later runs")(
      "dump-dir", po::value<std::string>()->default_value(""),
      "folder for the module before and after each pass, the memory plan and the files of the backend")(
      "print", "print the results, also with --json")("json",
                                                      "print one JSON object per line and module instead of text");
  options.complete({"against"}, Completion::Backend);
  options.complete({"cache-dir", "dump-dir"}, Completion::Folder);
  PassChoice::add_to(options);
  add_deadline_option(options, "the compilation and all runs together");
  ModelChoice::add_to(options);
  return options;
}

// Sets the request from the command line. Returns an exit code if it does not allow a run.
std::optional<int> read_request(const Options &options, RunRequest &request) {
  if (auto exit = request.model.read(options)) {
    return exit;
  }
  for (auto exit : {request.backend.read(options), request.backend.read_threads(options)}) {
    if (exit) {
      return exit;
    }
  }
  if (auto exit = request.passes.read(options, request.backend.name())) {
    return exit;
  }
  request.backend.add_lowest_layer(device_memory_counter());
  request.against = options.get<std::string>("against");
  request.dump_dir = options.get<std::string>("dump-dir");
  request.cache_dir = options.get<std::string>("cache-dir");
  request.seed = options.get<std::uint64_t>("seed");
  request.repeat = options.get<int>("repeat");
  request.memory_limit = options.get<std::int64_t>("memory-limit");
  request.tolerance = options.get<double>("tolerance");
  if (!(request.tolerance >= 0)) {
    return options.misuse(fmt::format("--tolerance is {}, expected at least 0", request.tolerance));
  }
  if (auto exit = read_deadline(options, request.terms.cancellation)) {
    return exit;
  }
  request.print_results = options.has("print");
  request.save_file = options.get<std::string>("save");
  request.by_instruction = options.has("by-instruction");
  if (options.has("inputs")) {
    auto inputs = arrays::InputFiles::read(options.get<std::vector<std::string>>("inputs"));
    if (!inputs.ok()) {
      return report(inputs.error());
    }
    request.inputs = std::move(*inputs);
  }
  if (options.has("infeed")) {
    request.infeeds = options.get<std::vector<std::string>>("infeed");
    if (request.by_instruction || !request.against.empty() || options.has("devices")) {
      return options.misuse(
          "--infeed cannot be combined with --against, --by-instruction or --devices, which run the model in other "
          "ways");
    }
  }
  for (auto exit : {options.check_at_least<std::int64_t>("memory-limit", 0), options.check_at_least("repeat", 1)}) {
    if (exit) {
      return exit;
    }
  }
  if (!request.save_file.empty() && options.has("devices")) {
    return options.misuse("--save cannot be combined with --devices, which has a result of each device");
  }
  if (options.has("devices")) {
    request.devices = options.get<std::int64_t>("devices");
    if (auto exit = check_devices(options, request)) {
      return exit;
    }
  }
  return std::nullopt;
}

}  // namespace

int run_model(std::span<const std::string> arguments) {
  Options options = run_options();
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  RunRequest request;
  if (auto exit = read_request(options, request)) {
    return *exit;
  }
  if (options.has("signed-by") && !package::is_package(request.model.file())) {
    return options.misuse(fmt::format("--signed-by is for packages, but {} is none", request.model.file()));
  }
  if (package::is_package(request.model.file())) {
    const auto exit = open_package(options, request);
    return exit ? *exit : print(run_package(request), request, options.has("json"));
  }
  if (request.inputs.size() != 0) {
    if (const Status taken = request.model.take_from(request.inputs); !taken.ok()) {
      return report(taken.error());
    }
  }
  auto modules = request.model.modules();
  if (!modules.ok()) {
    return report(modules.error());
  }
  request.has_several = modules->size() > 1;
  if (request.has_several && (request.inputs.size() != 0 || !request.dump_dir.empty() || !request.save_file.empty())) {
    return report(request.model.too_many(*modules, request.inputs.size() != 0  ? "--inputs"
                                                   : request.save_file.empty() ? "--dump-dir"
                                                                               : "--save"));
  }
  int worst = success;
  for (const ir::Module &module : *modules) {
    worst = std::max<int>(worst, run_and_print(module, request, options.has("json")));
  }
  return worst;
}

}  // namespace bp::command
