// Benchmarks of operations that users wait for: reading, planning, compiling, finding plugins, calling. Not a test:
// figures are from one run on one machine; compare only figures of the same run. Runs of programs are compared with
// those of peers in race.cc.
#include <fmt/core.h>

#include <algorithm>
#include <boost/json.hpp>
#include <boost/program_options.hpp>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>

#include "conformance/suite/performance_programs.h"
#include "core/backplane.h"
#include "core/base/files.h"
#include "core/buffers/assign.h"
#include "core/buffers/copy_insertion.h"
#include "core/buffers/schedule.h"
#include "core/compile/passes.h"
#include "core/host/discovery.h"
#include "core/ir/verifier.h"
#include "core/passes/pipeline.h"
#include "core/text/parser.h"
#include "core/text/printer.h"
#include "tools/bench/programs.h"

namespace bp::bench {
namespace {

namespace filesystem = std::filesystem;

// Returns the median of the seconds that `work` takes when run `times` times.
template <class Work>
double median_seconds(int times, Work &&work) {
  std::vector<double> seconds;
  for (int i = 0; i < times; ++i) {
    auto start = std::chrono::steady_clock::now();
    work();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + times / 2, seconds.end());
  return seconds[static_cast<std::size_t>(times / 2)];
}

template <class T>
T value_or_exit(Result<T> result) {
  if (!result.ok()) {
    fmt::print(stderr, "bench: {}\n", result.error().to_string());
    std::exit(3);
  }
  return std::move(result).value();
}
void ok_or_exit(const Status &status) {
  if (!status.ok()) {
    fmt::print(stderr, "bench: {}\n", status.error().to_string());
    std::exit(3);
  }
}

class Table {
 public:
  void add(std::string name, double value, std::string_view unit, std::string note = "") {
    fmt::print("{:<58} {:>10.3f} {:<14} {}\n", name, value, unit, note);
    std::fflush(stdout);
    rows_.push_back({{"name", name}, {"value", value}, {"unit", unit}, {"note", note}});
  }
  std::string json() const { return boost::json::serialize(rows_); }

 private:
  boost::json::array rows_;
};

// Measures the chosen passes: the total time, and time and effect of each pass that took at least a thousandth of it
// or changed something.
void all_passes(Table &table, const std::string &name, ir::Module &module, const CompileOptions &choice) {
  struct Effect {
    double seconds = 0;
    std::int64_t added = 0;
    bool changed = false;
  };
  std::map<std::string_view, Effect> effects;
  auto count = static_cast<std::int64_t>(module.instruction_count());
  passes::PipelineOptions options;
  options.after_pass = [&](const ir::Module &after, const passes::PassReport &pass) -> Status {
    Effect &effect = effects[pass.name];
    effect.seconds += pass.seconds;
    effect.changed = effect.changed || pass.changed;
    const auto now = static_cast<std::int64_t>(after.instruction_count());
    effect.added += now - std::exchange(count, now);
    return {};
  };
  const std::vector<passes::Pass> list = compile::optimizations(choice.fuse, choice.disabled_passes);
  const double seconds = median_seconds(1, [&] { ok_or_exit(passes::run_passes(module, list, options)); });
  table.add(name + ": passes", seconds * 1e3, "ms", fmt::format("{} instructions left", module.instruction_count()));
  for (const auto &[pass, effect] : effects) {
    if (effect.changed || effect.seconds > seconds / 1000) {
      table.add(fmt::format("{}:   {}", name, pass), effect.seconds * 1e3, "ms",
                effect.changed ? fmt::format("{:+} instructions", effect.added) : "");
    }
  }
}

// Measures reading, verifying, passes and planning of one program.
void core_stages(Table &table, const std::string &name, const std::string &text, const CompileOptions &choice) {
  ir::Module module;
  double parse = median_seconds(5, [&] { module = value_or_exit(text::parse_module(text)); });
  auto count = static_cast<double>(module.instruction_count());
  std::string size = fmt::format("{:.0f} instructions, {:.2f} MB", count, static_cast<double>(text.size()) / 1e6);
  table.add(name + ": parse", static_cast<double>(text.size()) / 1e6 / parse, "MB/s", size);
  table.add(name + ": print", median_seconds(3, [&] { text::print(module); }) * 1e3, "ms");
  table.add(name + ": verify", median_seconds(3, [&] { ok_or_exit(ir::verify(module)); }) * 1e3, "ms");
  table.add(name + ": copy of the module", median_seconds(3, [&] { ir::Module copy = module; }) * 1e3, "ms");
  ir::Module optimized = module;
  all_passes(table, name, optimized, choice);
  buffers::Plan plan;
  double planning = median_seconds(1, [&] {
    value_or_exit(buffers::schedule(optimized));
    value_or_exit(buffers::insert_copies(optimized));
    plan = value_or_exit(buffers::assign(optimized));
  });
  table.add(
      name + ": schedule, copies, plan", planning * 1e3, "ms",
      fmt::format("{:.1f} MB temporaries", static_cast<double>(plan.bytes(buffers::AllocationKind::Temporary)) / 1e6));
}

void compile_time(Table &table, const std::string &name, const std::string &text, const Backend &backend,
                  const CompileOptions &choice) {
  ir::Module module = value_or_exit(text::parse_module(text));
  Compiled compiled = value_or_exit(backend.compile(module, choice));
  table.add(
      name + ": compile()", compiled.report.compile * 1e3 / (static_cast<double>(compiled.report.instructions) / 1e3),
      "ms per 1,000",
      fmt::format("{} instructions after passes, {:.2f} s", compiled.report.instructions, compiled.report.compile));
}

void plugin_scan(Table &table, const std::string &plugin) {
  filesystem::path folder = filesystem::temp_directory_path() / fmt::format("backplane-bench-{}", ::getpid());
  filesystem::create_directories(folder);
  for (int i = 0; i < 100; ++i) {
    filesystem::copy_file(plugin, folder / fmt::format("libbackplane_copy{}.so", i));
  }
  std::size_t loadable = 0;
  double seconds = median_seconds(11, [&] {
    loadable = 0;
    for (const host::Candidate &candidate : host::scan({folder.string()})) {
      loadable += !candidate.refusal;
    }
  });
  table.add("scan of 100 plugins, without dlopen", seconds * 1e3, "ms", fmt::format("{} loadable", loadable));
  filesystem::remove_all(folder);
}

void call_overhead(Table &table, const Backend &backend) {
  Compiled compiled = value_or_exit(backend.compile(
      value_or_exit(text::parse_module("ENTRY e { x = f32[] parameter(0)  ROOT y = f32[] add(x, x) }"))));
  Execution execution = Execution::prepare(compiled.executable.program());
  ok_or_exit(execution.allocate());
  constexpr int calls = 100'000;
  double seconds = median_seconds(7, [&] {
    for (int i = 0; i < calls; ++i) {
      ok_or_exit(execution.run());
    }
  });
  table.add("one call of a trivial program through the ABI", seconds / calls * 1e9, "ns");
}

int main(int argc, char **argv) {
  namespace po = boost::program_options;
  po::options_description options("Options");
  options.add_options()("help", "this text")("on", po::value<std::string>()->default_value("cpu"), "backend")(
      "layers", po::value<int>()->default_value(815), "of the generated transformer; 815 are 44,000 instructions")(
      "model", po::value<std::vector<std::string>>()->composing(), "read, plan and compile this file too; repeatable")(
      "plugin", po::value<std::string>()->default_value("build/plugins/null/libbackplane_null.so"),
      "to scan copies of")("no-fusion", "do not fuse instructions")(
      "disable-pass", po::value<std::vector<std::string>>()->composing()->default_value({}, ""),
      "leave out a pass that backplane opt --list names; may be repeated")("json", po::value<std::string>(),
                                                                           "write the figures to this file");
  po::variables_map values;
  try {
    po::store(po::parse_command_line(argc, argv, options), values);
  } catch (const po::error &error) {
    fmt::print(stderr, "bench: {}\n", error.what());
    return 2;
  }
  if (values.count("help") != 0) {
    std::cout << "Usage: build/tools/bench [options], from the root of the repository\n"
              << options << "Examples:\n  build/tools/bench --model resnet50.hlo\n"
              << "  build/tools/bench --no-fusion --disable-pass=dot-merging    what do these passes cost and save?\n";
    return 0;
  }
  CompileOptions choice;
  choice.fuse = values.count("no-fusion") == 0;
  choice.disabled_passes = values["disable-pass"].as<std::vector<std::string>>();
  if (const Status status = compile::check_disabled(choice.disabled_passes); !status.ok()) {
    fmt::print(stderr, "bench: --disable-pass: {}\n", status.error().message());
    return 2;
  }
  Table table;
  Backend backend = value_or_exit(Backend::load(values["on"].as<std::string>()));
  core_stages(table, "transformer stack", transformer_stack(values["layers"].as<int>()), choice);
  core_stages(table, "elementwise chain", conformance::chain_program(ir::ElementType::F32, 1000, 17'000).text, choice);
  compile_time(table, "transformer stack of 40 layers", transformer_stack(40), backend, choice);
  if (values.count("model") != 0) {
    for (const std::string &model : values["model"].as<std::vector<std::string>>()) {
      std::string text = value_or_exit(read_file(model));
      core_stages(table, filesystem::path(model).filename(), text, choice);
      compile_time(table, filesystem::path(model).filename(), text, backend, choice);
    }
  }
  plugin_scan(table, values["plugin"].as<std::string>());
  call_overhead(table, backend);
  if (values.count("json") != 0) {
    ok_or_exit(write_file(values["json"].as<std::string>(), table.json() + "\n"));
  }
  return 0;
}

}  // namespace
}  // namespace bp::bench

int main(int argc, char **argv) {
  return bp::bench::main(argc, argv);
}
