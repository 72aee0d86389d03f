// The program of tools/demo: finds a backend by its name, compiles models for it, runs them, and compares the results
// with the interpreter's. It needs the engine alone (core/meson.build): little is built before the first result.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "core/base/files.h"
#include "core/compile/compile.h"
#include "core/host/open_device.h"
#include "core/interpreter/compare.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/random_inputs.h"
#include "core/runtime/program.h"
#include "core/text/parser.h"
#include "tools/command/terminal.h"
#include "tools/measure/allocation_counter.h"
#include "tools/measure/store_input.h"

namespace bp {
namespace {

constexpr std::size_t runs = 21;
constexpr double tolerance = 1e-4;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

Result<ir::Module> read_model(const std::string &file) {
  BP_ASSIGN(const std::string text, read_file(file));
  text::ParseOptions options;
  options.file = file;
  return text::parse_module(text, options);
}

// Runs the program on memory of its own, and prints the time and the memory that it takes.
Status print_run(const std::shared_ptr<const runtime::Program> &program, const std::vector<ir::Literal> &arguments) {
  runtime::Execution execution = runtime::Execution::prepare(program);
  std::vector<double> seconds;
  seconds.reserve(runs);  // before allocations are counted
  const auto run_once = [&]() -> Status {
    std::size_t leaf = 0;
    for (const ir::Literal &argument : arguments) {  // each time: donated inputs are overwritten
      measure::store_input(argument, *program, execution, leaf);
    }
    const auto start = std::chrono::steady_clock::now();
    BP_TRY(execution.run());
    seconds.push_back(command::seconds_since(start));
    return {};
  };
  std::optional<std::int64_t> measured;
  {
    const measure::AllocationCounter counter;
    BP_TRY(execution.allocate());
    BP_TRY(run_once());
    if (counter.is_valid()) {
      // The constants were allocated when the program was loaded.
      measured = counter.peak() + program->memory().constants;
    }
  }
  while (seconds.size() < runs) {
    BP_TRY(run_once());
  }
  fmt::print("run time:         {} (median of {})\n", command::format_seconds(median(seconds)), runs);
  const std::int64_t predicted = program->memory().peak();
  fmt::print("peak memory:      {} predicted", command::format_bytes(static_cast<double>(predicted)));
  if (measured.has_value()) {
    fmt::print(", {} measured{}", command::format_bytes(static_cast<double>(*measured)),
               *measured == predicted ? ", equal to the byte" : fmt::format(", {:+} bytes", *measured - predicted));
  }
  fmt::print("\n");
  return {};
}

// Returns whether the results agree.
Result<bool> compare_with_interpreter(const ir::Module &module, const compile::Compiled &compiled,
                                      const std::vector<ir::Literal> &arguments) {
  BP_ASSIGN(const ir::Literal result, compiled.executable.run(arguments));
  command::Progress progress("interpreter");
  interpreter::Options options;
  options.progress = [&](std::int64_t done, std::int64_t total, const ir::Instruction &next) {
    progress.update(static_cast<std::size_t>(done), static_cast<std::size_t>(total), next.name());
  };
  BP_ASSIGN(const ir::Literal reference, interpreter::interpret(module, arguments, options));
  BP_ASSIGN(const std::vector<interpreter::Comparison> outputs, interpreter::compare(result, reference));
  double largest = 0;
  bool agrees = true;
  for (const interpreter::Comparison &output : outputs) {
    largest = std::max(largest, output.typical_error);
    agrees = agrees && output.agrees(tolerance);
  }
  fmt::print(
      "largest error:    {:.3g}, relative, in {} outputs, against interpreter: {}\n", largest, outputs.size(),
      agrees ? command::paint(command::Colour::Green, "agrees") : command::paint(command::Colour::Red, "differs"));
  return agrees;
}

// Returns whether the backend computes what the interpreter does.
Result<bool> demonstrate(const std::shared_ptr<const host::Device> &device, const std::string &file) {
  BP_ASSIGN(const ir::Module module, read_model(file));
  const auto start = std::chrono::steady_clock::now();
  BP_ASSIGN(const compile::Compiled compiled, compile::compile(module, device));
  const double seconds = command::seconds_since(start);
  const compile::Report &report = compiled.report;
  fmt::print("model:            {}\n", file);
  fmt::print("instructions:     {}, {} after the passes\n", module.instruction_count(), report.instructions);
  fmt::print("backend:          {} {}, {}\n", device->description().name, device->description().version,
             device->plugin().path());
  using command::format_seconds;
  fmt::print("compile time:     {} (passes {}, plan {}, backend {}, load {})\n", format_seconds(seconds),
             format_seconds(report.passes), format_seconds(report.plan), format_seconds(report.compile),
             format_seconds(report.load));
  BP_ASSIGN(const std::vector<ir::Literal> arguments, interpreter::random_arguments(module, 1));
  if (const auto &program = compiled.executable.program()) {
    BP_TRY(print_run(program, arguments));
  }
  fmt::print("on the host:      {}\n",
             report.on_host.empty() ? "nothing" : fmt::format("{} instructions", report.on_host.size()));
  return compare_with_interpreter(module, compiled, arguments);
}

// Returns whether all models agree.
Result<bool> demonstrate_all(const std::string &backend, std::span<const char *const> files) {
  BP_ASSIGN(const std::shared_ptr<const host::Device> device, host::open_device(backend));
  bool agree = true;
  for (const std::string file : files) {
    BP_ASSIGN(const bool agrees, demonstrate(device, file));
    agree = agree && agrees;
    fmt::print("\n");
  }
  return agree;
}

}  // namespace
}  // namespace bp

int main(int argc, char **argv) {
  if (argc < 3) {
    fmt::print(stderr, "Usage: demonstration BACKEND MODEL.hlo...\n");
    return 2;
  }
  const std::span<const char *const> arguments(argv, static_cast<std::size_t>(argc));
  const bp::Result<bool> agree = bp::demonstrate_all(arguments[1], arguments.subspan(2));
  if (!agree.ok()) {
    fmt::print(stderr, "{}\n", agree.error().to_string());
    return 3;
  }
  return *agree ? 0 : 1;
}
