#include <fmt/core.h>
#include <boost/algorithm/string.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/backplane.h"
#include "core/base/files.h"
#include "core/buffers/assign.h"
#include "core/buffers/copy_insertion.h"
#include "core/buffers/print.h"
#include "core/compile/passes.h"
#include "core/import/hlo_proto/buffer_assignment.h"
#include "core/import/stablehlo/stablehlo.h"
#include "core/passes/simplification/algebra.h"
#include "core/text/printer.h"
#include "tools/command/check_passes.h"
#include "tools/command/clusters_text.h"
#include "tools/command/model_choice.h"
#include "tools/command/pass_choice.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

void list_passes() {
  auto print = [](const passes::Pass &pass) { fmt::print("{:<36} {}\n", pass.name, pass.summary); };
  std::ranges::for_each(passes::passes(), print);
  std::ranges::for_each(compile::buffer_passes(), print);
  fmt::print("\nWithout --passes, these run: ");
  std::string separator;
  for (const passes::Pass &pass : compile::default_passes()) {
    fmt::print("{}{}", separator, pass.name);
    separator = ",";
  }
  fmt::print("\nThe name of a stage stands for its passes: {}\n", fmt::join(compile::stage_names(), ", "));
}

void list_rules() {
  auto print = [](const passes::Identity &identity) { fmt::print("  {:<72} {}\n", identity.rule, identity.because); };
  fmt::print("Exact: always used\n");
  std::ranges::for_each(passes::exact_identities(), print);
  fmt::print("\nInexact: true of real numbers, with the reason why not of floats; used with --allow-inexact\n");
  std::ranges::for_each(passes::inexact_identities(), print);
  fmt::print("  {:<72} {}\n", "convolution(pad(x, 0), y) => convolution(x, y), padded", "0 * inf is NaN");
}

// Writes the module and its plan after inserting the copies that it needs.
template <class Write>
Result<std::string> with_plan(ir::Module module, const Write &write) {
  BP_TRY(buffers::insert_copies(module));
  BP_ASSIGN(const buffers::Plan plan, buffers::assign(module));
  return write(module, plan);
}

using Version = import::stablehlo::bytecode::Version;

// An output format of --emit. `target`: the version of StableHLO that reads bytecode.
struct Form {
  std::string_view name;
  bool is_text;
  Result<std::string> (*write)(const ir::Module &, Version target);
  bool is_stablehlo = false;
};
constexpr Form forms[] = {
    {"hlo", true, [](const ir::Module &module, Version) -> Result<std::string> { return text::print(module); }},
    {"buffers", true,
     [](const ir::Module &module, Version) {
       return with_plan(module, [](const ir::Module &planned, const buffers::Plan &plan) {
         return buffers::to_string(plan, planned);
       });
     }},
    {"module-proto", false, [](const ir::Module &module, Version) { return import::hlo_proto::write_module(module); }},
    {"proto", false,
     [](const ir::Module &module, Version) { return with_plan(module, import::hlo_proto::write_hlo_proto); }},
    {"stablehlo", true, [](const ir::Module &module, Version) { return import::stablehlo::to_text(module); }, true},
    {"bytecode", false,
     [](const ir::Module &module, Version target) { return import::stablehlo::to_bytecode(module, target); }, true},
};

// Options for the output.
struct OutputOptions {
  const Form &form;
  std::string file, dump_dir;
  bool timing = false, explains_growth = false;
  Version target;                        // of bytecode
  std::optional<std::string> explained;  // fusion decisions about this instruction, or all if it is empty
};

// Prints the decision if it is about the instruction. Returns whether it was.
bool print_decision(const passes::FusionDecision &decision, const std::string &of) {
  const bool is_asked = of.empty() || decision.first == of || decision.second == of;
  if (is_asked) {
    fmt::print("{} and {}: {}\n", decision.first, decision.second,
               decision.reason.empty() ? "one kernel" : "separate, because " + decision.reason);
  }
  return is_asked;
}

// Runs the passes and returns the output; empty if decisions were printed instead.
Result<std::string> optimize_module(ir::Module module, const std::vector<passes::Pass> &list,
                                    const passes::PassContext &context, const OutputOptions &output) {
  auto dump = [&](int number, std::string_view name) -> Status {
    return output.dump_dir.empty()
               ? Status()
               : write_file(fmt::format("{}/{:02}-{}.hlo", output.dump_dir, number, name), text::print(module));
  };
  if (!output.dump_dir.empty()) {
    BP_TRY(make_directory(output.dump_dir));
  }
  BP_TRY(dump(0, "input"));
  int number = 0;
  passes::PipelineOptions options;
  options.context = context;
  options.verify_between_passes = true;
  bool is_explained = false;
  if (output.explained) {
    options.context.explain_fusion = [&](const passes::FusionDecision &decision) {
      is_explained = print_decision(decision, *output.explained) || is_explained;
    };
  }
  std::string stopped;  // why the current pass stopped copying
  if (output.explains_growth) {
    options.context.explain_growth = [&](const passes::GrowthStop &stop) {
      stopped = fmt::format("stopped at {}: {}", stop.instruction, stop.reason);
    };
  }
  options.after_pass = [&](const ir::Module &, const passes::PassReport &report) -> Status {
    ++number;
    if (!stopped.empty()) {
      fmt::print(stderr, "{} {}\n", report.name, std::exchange(stopped, {}));
    }
    if (output.timing) {
      fmt::print(stderr, "{:<36} {:>10}  {}\n", report.name, format_seconds(report.seconds),
                 report.changed ? fmt::format("changed, {} instructions", module.instruction_count()) : "");
    }
    return report.changed ? dump(number, report.name) : Status();
  };
  BP_TRY(passes::run_passes(module, list, options));
  if (output.explained && !is_explained && !output.explained->empty()) {
    return make_error(ErrorCode::NotFound,
                      "{}: no pass considered fusing {}; --explain-fusion without a name prints all decisions",
                      module.name(), *output.explained);
  }
  return output.explained && output.file.empty() ? std::string() : output.form.write(module, output.target);
}

Status write(const OutputOptions &output, const std::string &written) {
  if (!output.file.empty()) {
    return write_file(output.file, written);
  }
  fmt::print("{}", written);
  return {};
}

// Several modules are written one after the other, in such a way that they can be read again.
Status optimize_model(const ModelChoice &model, const std::vector<passes::Pass> &list,
                      const passes::PassContext &context, const OutputOptions &output) {
  BP_ASSIGN(std::vector<Module> modules, model.modules());
  if (modules.size() > 1 && (!output.form.is_text || !output.dump_dir.empty())) {
    return model.too_many(modules,
                          output.form.is_text ? std::string("--dump-dir") : fmt::format("--emit={}", output.form.name));
  }
  std::string written;
  for (Module &module : modules) {
    const std::string name = module.name();
    auto text = optimize_module(std::move(module), list, context, output);
    if (!text.ok()) {
      return modules.size() == 1 ? std::move(text).error() : std::move(text).error().note("in the module " + name);
    }
    written += (written.empty() || text->empty() ? "" : "\n// -----\n\n") + *text;
  }
  return write(output, written);
}

// Writes the programs of a text of StableHLO as they are: also functions that the entry does not reach, and operations
// that have no HLO.
Status write_stablehlo(const std::string &file, std::string_view text, const OutputOptions &output) {
  const std::vector<import::stablehlo::TextPart> parts = import::stablehlo::split(text);
  if (parts.size() > 1 && !output.form.is_text) {
    return invalid_input("{} contains {} programs, expected one for --emit={}", file, parts.size(), output.form.name);
  }
  std::string written;
  for (const import::stablehlo::TextPart &part : parts) {
    const import::stablehlo::Options options{file, part.first_line, {}};
    BP_ASSIGN(const std::string program, output.form.is_text
                                             ? import::stablehlo::to_text(part.text, options)
                                             : import::stablehlo::to_bytecode(part.text, output.target, options));
    written += (written.empty() ? "" : "\n// -----\n\n") + program;
  }
  return write(output, written);
}

// Writes StableHLO that no pass is to change as it is. Returns nothing for other models.
std::optional<Status> write_unchanged(const ModelChoice &model, const std::vector<passes::Pass> &list,
                                      const OutputOptions &output) {
  if (!output.form.is_stablehlo || !list.empty()) {
    return {};
  }
  const Result<std::string> text = read_file(model.file());
  if (!text.ok() || !import::stablehlo::is_stablehlo(*text)) {
    return {};
  }
  return write_stablehlo(model.file(), *text, output);
}

// Reads --target-version, which is for bytecode.
Result<Version> target_version(const Options &options, const Form &form) {
  namespace bytecode = import::stablehlo::bytecode;
  if (!options.has("target-version")) {
    return bytecode::default_target;
  }
  const auto &text = options.get<std::string>("target-version");
  if (form.name != "bytecode") {
    return invalid_input("--target-version is given with --emit={}, expected --emit=bytecode", form.name);
  }
  const std::optional<Version> version = bytecode::parse_version(text);
  if (!version || *version < bytecode::oldest_version || *version > bytecode::newest_version) {
    return invalid_input("--target-version is '{}', expected {} to {}, a version of StableHLO", text,
                         bytecode::to_string(bytecode::oldest_version), bytecode::to_string(bytecode::newest_version));
  }
  return *version;
}

int check_model(const ModelChoice &model, const Options &options, const std::vector<passes::Pass> &list) {
  debugging::CheckOptions check;
  BackendChoice choice;
  for (auto exit : {read_check_options(options, check), choice.read(options)}) {
    if (exit) {
      return *exit;
    }
  }
  std::optional<Backend> backend;
  if (!choice.name().empty()) {
    auto loaded = choice.load();
    if (!loaded.ok()) {
      return report(loaded.error());
    }
    backend = std::move(loaded).value();
  }
  auto modules = model.modules();
  if (!modules.ok()) {
    return report(modules.error());
  }
  int worst = success;
  for (const Module &module : *modules) {
    std::string rerun = fmt::format("backplane opt {} --check", model.arguments(module, modules->size()));
    if (modules->size() > 1) {
      fmt::print("module {}:\n", module.name());
    }
    if (backend) {
      rerun += " " + choice.arguments();
    } else if (options.has("passes")) {
      rerun += " --passes=" + options.get<std::string>("passes");
    }
    worst = std::max(worst, check_passes(module, list, backend ? &*backend : nullptr, check, rerun));
  }
  return worst;
}

// Returns the exit code of a misuse if an option is given that has no effect together with `mode`.
std::optional<int> refuse(const Options &options, const char *mode, std::string_view what_it_does,
                          std::initializer_list<const char *> others) {
  for (const char *other : others) {
    if (options.is_given(other)) {
      return options.misuse(fmt::format("--{} and --{} exclude each other: --{} {}", mode, other, mode, what_it_does));
    }
  }
  return {};
}

// Writes how the models are divided between the backend and the host: as modules, or as a table.
Status write_clusters(const ModelChoice &model, const BackendChoice &choice, const PassChoice &passes, bool explain,
                      const OutputOptions &output) {
  BP_ASSIGN(std::vector<Module> modules, model.modules());
  if (modules.size() > 1 && !output.form.is_text) {
    return model.too_many(modules, fmt::format("--emit={}", output.form.name));
  }
  BP_ASSIGN(const Backend backend, choice.load());
  compile::Options options;
  passes.apply_to(options);
  std::string written;
  for (Module &module : modules) {
    BP_ASSIGN(const compile::Report report, compile::show_clusters(module, backend.device(), options));
    if (explain) {
      written += clusters_text(module, backend.device()->id(), report);
      continue;
    }
    BP_ASSIGN(const std::string one, output.form.write(module, output.target));
    written += (written.empty() ? "" : "\n// -----\n\n") + one;
  }
  return write(output, written);
}

int divide_model(const ModelChoice &model, const Options &options, const OutputOptions &output) {
  const bool explain = options.has("explain-clusters");
  if (explain) {
    if (auto exit = refuse(options, "explain-clusters", "prints a table, and no module", {"emit"})) {
      return *exit;
    }
  }
  if (auto exit =
          refuse(options, explain ? "explain-clusters" : "cluster",
                 "runs the passes of a compilation for the backend; --disable-pass leaves one out",
                 {"passes", "allow-inexact", "memory-limit", "dump-dir", "timing", "explain", "explain-fusion"})) {
    return *exit;
  }
  BackendChoice choice;
  PassChoice passes;
  if (auto exit = choice.read(options)) {
    return *exit;
  }
  if (choice.name().empty() || choice.name() == "interpreter") {
    return options.misuse("clusters depend on a backend, expected --on NAME");
  }
  if (auto exit = passes.read(options, choice.name())) {
    return *exit;
  }
  const Status status = write_clusters(model, choice, passes, explain, output);
  return status.ok() ? success : report(status.error());
}

// Returns the passes that --passes names, by default the whole pipeline.
Result<std::vector<passes::Pass>> chosen_passes(const Options &options) {
  if (!options.has("passes")) {
    return compile::default_passes();
  }
  std::vector<std::string> names;
  if (const auto &listed = options.get<std::string>("passes"); listed != "none") {
    boost::split(names, listed, [](char c) { return c == ','; });
  }
  return compile::passes_named(names);
}

Options optimize_options() {
  namespace po = boost::program_options;
  Options options(
      "opt MODEL [--passes=a,b] [--check] [--emit=FORM] [-o FILE]",
      "Runs passes over a model and prints the result. The model is verified after each pass. With --check\n"
      "the interpreter runs the model before and after each pass, on the same inputs, and the command\n"
      "names the first pass that changes results.",
      "  backplane opt --list\n"
      "  backplane opt model.hlo --passes=tuple-simplification,dead-code-elimination\n"
      "  backplane opt model.hlo --passes=simplify,buffers     the passes of two stages\n"
      "  backplane opt models.hlo --part=step     one of several modules of a file\n"
      "  backplane opt exported.mlir --shape x=8x128 --value n=8     gives unknown sizes\n"
      "  backplane opt model.hlo --check\n"
      "  backplane opt model.hlo --check --on cpu   the passes that run for a device, with its expansions\n"
      "  backplane opt model.hlo --allow-inexact    also uses rules that hold only for real numbers\n"
      "  backplane opt model.hlo --explain-fusion=add.3   why it was fused with others or not\n"
      "  backplane opt model.hlo --on npu --explain-clusters --cluster=auto    which parts the backend gets, and why\n"
      "  backplane opt model.hlo --on npu --cluster=auto -o divided.hlo    the model with a call for each part\n"
      "  backplane opt model.hlo --emit=buffers     the memory plan\n"
      "  backplane opt model.hlo --emit=proto -o model.pb     for XLA's memory viewers\n"
      "  backplane opt model.mlirbc --passes=none --emit=stablehlo     bytecode of JAX as text\n"
      "  backplane opt model.hlo --passes=none --emit=stablehlo     HLO as StableHLO\n"
      "  backplane opt model.mlir --emit=bytecode --target-version=1.9.0 -o model.mlirbc\n"
      "  backplane opt model.hlo --dump-dir dump    the module after each pass that changed it\n");
  options.add()("list", "list the passes, and those that run by default")(
      "list-rules", "list the algebraic identities, and those that only --allow-inexact uses")(
      "passes", po::value<std::string>(),
      "names of passes and stages, separated by commas; default: the whole pipeline; none: no pass")(
      "emit", po::value<std::string>()->default_value("hlo"),
      "hlo: text; buffers: the memory plan; proto: a HloProto with the plan; module-proto: a HloModuleProto; "
      "stablehlo: a StableHLO program as text; bytecode: a StableHLO program as a portable artifact; with "
      "--passes=none, StableHLO stays as it is")(
      "target-version", po::value<std::string>(),
      "the oldest version of StableHLO that has to read the bytecode, 0.9.0 to 1.20.0; default: 1.17.0, which jaxlib "
      "0.10.2 reads")("output,o", po::value<std::string>()->default_value(""),
                      "the file to write; default: standard output")(
      "dump-dir", po::value<std::string>()->default_value(""), "folder for the module before and after the passes")(
      "memory-limit", po::value<std::int64_t>(), "maximum bytes of memory; cheap values are recomputed to stay below")(
      "allow-inexact", "also use rules that hold for real numbers but not for floats, so that results may change")(
      "timing", "print the time and effect of each pass on standard error")(
      "explain", "print on standard error where and why a pass stopped inlining calls, loops or branches")(
      "explain-fusion", po::value<std::string>()->implicit_value(""),
      "print, instead of the module, which instructions were fused and why others were not; =NAME: only for NAME");
  add_check_options(options);
  options.add()(
      "explain-clusters",
      "print, instead of the module, which parts of it the backend gets, what they cost, and why others stay on "
      "the host");
  options.complete({"passes"}, Completion::Pass);
  options.complete({"dump-dir"}, Completion::Folder);
  options.complete({"target-version", "explain-fusion"}, Completion::Nothing);
  options.expect_one_of("emit", names_of(forms));
  PassChoice::add_to(options);
  BackendChoice::add_to(options, "");
  ModelChoice::add_to(options);
  return options;
}

}  // namespace

int optimize(std::span<const std::string> arguments) {
  Options options = optimize_options();
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  if (options.has("list")) {
    list_passes();
    return success;
  }
  if (options.has("list-rules")) {
    list_rules();
    return success;
  }
  ModelChoice model;
  if (auto exit = model.read(options)) {
    return *exit;
  }
  const auto *form = std::ranges::find(forms, options.get<std::string>("emit"), &Form::name);
  const auto target = target_version(options, *form);
  if (!target.ok()) {
    return options.misuse(target.error().message());
  }
  const Result<std::vector<passes::Pass>> list = chosen_passes(options);
  if (!list.ok()) {
    return options.misuse(list.error().message());
  }
  if (auto exit = options.check_at_least<std::int64_t>("memory-limit", 0)) {
    return *exit;
  }
  if (options.has("check") && options.has("allow-inexact")) {
    return options.misuse("--allow-inexact changes results, expected no --check");
  }
  if (options.has("check")) {
    auto exit = refuse(options, "check", "compares results, and writes no module",
                       {"output", "emit", "dump-dir", "memory-limit", "timing", "explain", "explain-fusion",
                        "explain-clusters", "cluster", "cluster-min", "no-fusion", "disable-pass"});
    return exit ? *exit : check_model(model, options, *list);
  }
  OutputOptions output{*form,
                       options.get<std::string>("output"),
                       options.get<std::string>("dump-dir"),
                       options.has("timing"),
                       options.has("explain"),
                       *target,
                       {}};
  if (options.has("explain-clusters") || options.is_given("cluster")) {
    return divide_model(model, options, output);
  }
  for (const char *name : {"no-fusion", "disable-pass", "cluster-min"}) {
    if (options.is_given(name)) {
      return options.misuse(fmt::format(
          "--{} is given, expected --cluster or --explain-clusters too; --passes names the passes that run", name));
    }
  }
  if (!options.get<std::string>("on").empty()) {
    return options.misuse(
        "--on is given without --check or --cluster, expected one of them: it names the backend whose passes are "
        "checked, "
        "or that gets clusters");
  }
  passes::PassContext context;
  context.memory_limit = options.has("memory-limit") ? options.get<std::int64_t>("memory-limit") : 0;
  context.allow_inexact_algebra = options.has("allow-inexact");
  if (options.has("explain-fusion")) {
    output.explained = options.get<std::string>("explain-fusion");
  }
  std::optional<Status> unchanged = write_unchanged(model, *list, output);
  Status status = unchanged ? *std::move(unchanged) : optimize_model(model, *list, context, output);
  return status.ok() ? success : report(status.error());
}

}  // namespace bp::command
