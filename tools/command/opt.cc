#include <fmt/core.h>
#include <boost/algorithm/string.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "core/backplane.h"
#include "core/base/files.h"
#include "core/buffers/assign.h"
#include "core/buffers/copy_insertion.h"
#include "core/buffers/print.h"
#include "core/buffers/rematerialize.h"
#include "core/buffers/schedule.h"
#include "core/import/hlo_proto/buffer_assignment.h"
#include "core/ir/verifier.h"
#include "core/passes/pipeline.h"
#include "core/text/printer.h"
#include "tools/command/options.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

// Steps of buffer assignment that rewrite a module: run like passes, but they belong to core/buffers.
struct BufferStep {
  std::string_view name, summary;
  Result<bool> (*run)(ir::Module &, std::int64_t memory_limit);
};
constexpr BufferStep buffer_steps[] = {
    {"schedule", "orders instructions so that little memory is live",
     [](ir::Module &module, std::int64_t) { return buffers::schedule(module); }},
    {"rematerialization", "computes cheap values again, until no more than --memory-limit bytes are needed",
     buffers::rematerialize},
    {"copy-insertion", "adds the copies without which no buffer assignment is correct",
     [](ir::Module &module, std::int64_t) { return buffers::insert_copies(module); }},
};

const BufferStep *find_buffer_step(std::string_view name) {
  for (const BufferStep &step : buffer_steps) {
    if (step.name == name) {
      return &step;
    }
  }
  return nullptr;
}

void list_passes() {
  for (const passes::Pass &pass : passes::passes()) {
    fmt::print("{:<36} {}\n", pass.name, pass.summary);
  }
  for (const BufferStep &step : buffer_steps) {
    fmt::print("{:<36} {}\n", step.name, step.summary);
  }
  fmt::print("\nWithout --passes, these run: ");
  std::string separator;
  for (std::string_view name : passes::default_passes()) {
    fmt::print("{}{}", separator, name);
    separator = ",";
  }
  fmt::print(",schedule,copy-insertion\n");
}

// Runs passes one after another; tells each to `after`.
Status run(ir::Module &module, const std::vector<std::string> &names, std::int64_t memory_limit,
           const std::function<Status(const passes::PassReport &)> &after) {
  for (const std::string &name : names) {
    const BufferStep *step = find_buffer_step(name);
    if (step == nullptr) {
      passes::PipelineOptions options;
      options.verify_between_passes = true;
      options.after_pass = [&](const ir::Module &, const passes::PassReport &report) { return after(report); };
      std::string_view view = name;
      BP_TRY(passes::run_passes(module, std::span(&view, 1), options));
      continue;
    }
    auto start = std::chrono::steady_clock::now();
    passes::PassReport report{step->name, false, 0};
    BP_ASSIGN(report.changed, step->run(module, memory_limit));
    BP_TRY(ir::verify(module));
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    BP_TRY(after(report));
  }
  return {};
}

// What --emit takes.
struct Form {
  std::string_view name;
  Result<std::string> (*write)(const ir::Module &);
};
constexpr Form forms[] = {
    {"hlo", [](const ir::Module &module) -> Result<std::string> { return text::print(module); }},
    {"buffers",
     [](const ir::Module &module) -> Result<std::string> {
       BP_ASSIGN(buffers::Plan plan, buffers::assign(module));
       return buffers::to_string(plan, module);
     }},
    {"module-proto", import::hlo_proto::write_module},
    {"proto",
     [](const ir::Module &module) -> Result<std::string> {
       BP_ASSIGN(buffers::Plan plan, buffers::assign(module));
       return import::hlo_proto::write_hlo_proto(module, plan);
     }},
};

std::string names_of_forms() {
  std::string names;
  for (const Form &form : forms) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", form.name);
  }
  return names;
}

Status optimize_file(const std::string &file, const std::vector<std::string> &names, std::int64_t memory_limit,
                     const Form &form, const std::string &output, const std::string &dump_dir, bool timing) {
  std::vector<std::string> warnings;
  BP_ASSIGN(ir::Module module, read_module(file, &warnings));
  for (const std::string &warning : warnings) {
    fmt::print(stderr, "{}\n", warning);
  }
  auto dump = [&](int number, std::string_view name) -> Status {
    return dump_dir.empty() ? Status()
                            : write_file(fmt::format("{}/{:02}-{}.hlo", dump_dir, number, name), text::print(module));
  };
  if (!dump_dir.empty()) {
    BP_TRY(make_directory(dump_dir));
  }
  BP_TRY(dump(0, "input"));
  int number = 0;
  BP_TRY(run(module, names, memory_limit, [&](const passes::PassReport &report) -> Status {
    ++number;
    if (timing) {
      fmt::print(stderr, "{:<36} {:>10}  {}\n", report.name, format_seconds(report.seconds),
                 report.changed ? fmt::format("changed, {} instructions", module.instruction_count()) : "");
    }
    return report.changed ? dump(number, report.name) : Status();
  }));
  BP_ASSIGN(std::string written, form.write(module));
  if (!output.empty()) {
    return write_file(output, written);
  }
  std::fwrite(written.data(), 1, written.size(), stdout);
  return {};
}

}  // namespace

int optimize(std::span<const std::string> arguments) {
  namespace po = boost::program_options;
  Options options("opt MODEL [--passes=a,b] [--emit=FORM] [-o FILE]",
                  "Runs passes over a model and prints what comes out. The model is verified after each.",
                  "  backplane opt --list\n"
                  "  backplane opt model.hlo --passes=tuple-simplification,dead-code-elimination\n"
                  "  backplane opt model.hlo --emit=buffers     where every value lies\n"
                  "  backplane opt model.hlo --emit=proto -o model.pb     for XLA's viewers of memory\n"
                  "  backplane opt model.hlo --dump-dir dump    the module after each pass that changed it\n");
  options.add()("list", "the passes, and which run by default")(
      "passes", po::value<std::string>(), "names, separated by commas; default: the whole pipeline; none: no pass")(
      "emit", po::value<std::string>()->default_value("hlo"),
      "hlo; buffers: the plan of memory; proto: a HloProto with the plan; module-proto: a HloModuleProto")(
      "output,o", po::value<std::string>()->default_value(""), "the file to write; default: standard output")(
      "dump-dir", po::value<std::string>()->default_value(""), "write the module before and after passes there")(
      "memory-limit", po::value<std::int64_t>(), "bytes; cheap values are computed again where more would be needed")(
      "timing", "on standard error: time and effect of each pass");
  options.add_positional("model", 1);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  if (options.has("list")) {
    list_passes();
    return success;
  }
  if (!options.has("model")) {
    return options.misuse("no model was given");
  }
  const auto &emit = options.get<std::string>("emit");
  auto form = std::ranges::find(forms, emit, &Form::name);
  if (form == std::end(forms)) {
    return options.misuse(fmt::format("--emit is '{}', expected one of {}", emit, names_of_forms()));
  }
  std::vector<std::string> names;
  if (!options.has("passes")) {
    for (std::string_view name : passes::default_passes()) {
      names.emplace_back(name);
    }
    names.emplace_back("schedule");
    if (options.has("memory-limit")) {
      names.emplace_back("rematerialization");
    }
    names.emplace_back("copy-insertion");
  } else if (const auto &listed = options.get<std::string>("passes"); listed != "none") {
    boost::split(names, listed, [](char c) { return c == ','; });
  }
  for (const std::string &name : names) {
    if (passes::find_pass(name) == nullptr && find_buffer_step(name) == nullptr) {
      return options.misuse(fmt::format("there is no pass '{}', expected one that backplane opt --list names", name));
    }
  }
  std::int64_t memory_limit = options.has("memory-limit") ? options.get<std::int64_t>("memory-limit") : 0;
  Status status =
      optimize_file(options.get<std::string>("model"), names, memory_limit, *form, options.get<std::string>("output"),
                    options.get<std::string>("dump-dir"), options.has("timing"));
  return status.ok() ? success : report(status.error());
}

}  // namespace bp::command
