#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/analysis/cost.h"
#include "core/compile/passes.h"
#include "core/passes/pipeline.h"
#include "tools/command/backend_choice.h"
#include "tools/command/model_choice.h"
#include "tools/command/pass_choice.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

using analysis::Cost;

struct StatsRequest {
  ModelChoice model;
  BackendChoice backend;  // without a name: the passes that run without a device
  PassChoice passes;
  std::size_t top = 20;
  bool json = false;
  double peak_flops = 0, peak_bandwidth = 0;  // per second; 0: unknown
};

// The most that a device does in a second; 0: unknown.
struct Peaks {
  double flops = 0, bandwidth = 0;

  bool are_known() const { return flops > 0 && bandwidth > 0; }
  // A function is counted as one operation, of which it takes several: the time is a lower bound.
  double compute(const Cost &cost) const { return flops > 0 ? (cost.operations() + cost.functions) / flops : 0; }
  double memory(const Cost &cost) const { return bandwidth > 0 ? cost.bytes / bandwidth : 0; }
  double least(const Cost &cost) const { return std::max(compute(cost), memory(cost)); }
  std::string_view limit(const Cost &cost) const { return compute(cost) > memory(cost) ? "compute" : "memory"; }
};

// One instruction that runs, which after the passes is a kernel.
struct Row {
  std::string name, op, program;  // `program`: of the device; empty if there is only one
  double times = 1;
  Cost cost;
};

struct Side {
  std::vector<Row> rows;
  Cost sum;
  double least_seconds = 0;                          // the sum of the kernels' times
  std::vector<std::string> unknown_loops, branches;  // names of instructions that are counted once, or in part
};

struct Stats {
  std::string module;
  Side before, after;
  Peaks peaks;
  std::size_t programs = 0;          // of the device
  std::vector<std::string> on_host;  // names of instructions that the device leaves to the host
};

double intensity(const Cost &cost) {
  return cost.bytes > 0 ? (cost.operations() + cost.functions) / cost.bytes : 0;
}

void add(Side &side, const ir::Module &module, const std::string &program) {
  const analysis::Costs costs = analysis::costs(module);
  side.sum += costs.sum;
  for (const analysis::InstructionCost &item : costs.instructions) {
    const ir::Instruction instruction = module.instruction(item.instruction);
    side.rows.push_back(
        {std::string(instruction.name()), std::string(instruction.op().text), program, item.times, item.cost});
  }
  for (const ir::InstructionId id : costs.unknown_loops) {
    side.unknown_loops.emplace_back(module.instruction(id).name());
  }
  for (const ir::InstructionId id : costs.conditionals) {
    side.branches.emplace_back(module.instruction(id).name());
  }
}

// Keeps the costs of the programs of a device.
class ProgramCosts final : public compile::Observer {
 public:
  explicit ProgramCosts(Side &side) : side_(side) {}

  Status module(const std::string &, const ir::Module &) override { return {}; }
  Status program(const std::string &name, const ir::Module &module, const buffers::Plan &, const host::Image &,
                 std::span<const std::byte>) override {
    add(side_, module, name);
    return {};
  }

 private:
  Side &side_;
};

// Adds what runs on the device.
Status add_programs(const ir::Module &module, const StatsRequest &request, Stats &stats) {
  BP_ASSIGN(const Backend backend, request.backend.load());
  if (backend.is_interpreter()) {
    return invalid_input("the interpreter runs a module as it is, without passes: expected a device for --on, or none");
  }
  ProgramCosts observer(stats.after);
  compile::Options options;
  options.observer = &observer;
  request.passes.apply_to(options);
  options.keep_artifacts = true;
  options.must_load = false;
  BP_ASSIGN(const Compiled compiled, compile::compile(module, backend.devices(), options));
  stats.programs = compiled.report.programs;
  for (const compile::OnHost &item : compiled.report.on_host) {
    stats.on_host.push_back(item.name);
  }
  if (const bp_device_memory_t *memory = backend.device()->memory(); memory != nullptr && stats.peaks.bandwidth == 0) {
    stats.peaks.bandwidth = 1e9 * static_cast<double>(memory->spaces[0].gb_per_s);
  }
  return {};
}

Result<Stats> count(ir::Module module, const StatsRequest &request) {
  Stats stats;
  stats.module = module.name();
  stats.peaks = {request.peak_flops, request.peak_bandwidth};
  add(stats.before, module, "");
  if (!request.backend.name().empty()) {
    BP_TRY(add_programs(module, request, stats));
  } else {
    BP_TRY(passes::run_passes(module, compile::optimizations(request.passes.fuses(), request.passes.disabled())));
    add(stats.after, module, "");
  }
  for (Side *side : {&stats.before, &stats.after}) {
    const Peaks &peaks = stats.peaks;
    std::ranges::stable_sort(side->rows, [&](const Row &a, const Row &b) {
      return peaks.are_known()
                 ? peaks.least(a.cost) > peaks.least(b.cost)
                 : std::tuple(a.cost.bytes, a.cost.operations()) > std::tuple(b.cost.bytes, b.cost.operations());
    });
    for (const Row &row : side->rows) {
      side->least_seconds += peaks.least(row.cost);
    }
  }
  return stats;
}

// Returns "1.23 M".
std::string format_count(double count) {
  constexpr std::string_view units[] = {"", " k", " M", " G", " T", " P", " E"};
  std::size_t unit = 0;
  for (; count >= 999.5 && unit + 1 < std::size(units); ++unit) {
    count /= 1000;
  }
  return fmt::format("{:.{}g}{}", count, count < 999.5 ? 3 : 4, units[unit]);
}

void print_sums(const Stats &stats) {
  auto line = [&](std::string_view what, auto &&value) {
    fmt::print("{:<30}{:>14}{:>14}\n", what, value(stats.before), value(stats.after));
  };
  fmt::print("{:<30}{:>14}{:>14}\n", stats.module, "before", "after");
  line("instructions, kernels", [](const Side &side) { return std::to_string(side.rows.size()); });
  line("operations", [](const Side &side) { return format_count(side.sum.operations()); });
  line("  of dots and convolutions", [](const Side &side) { return format_count(side.sum.contractions); });
  line("  of other ops", [](const Side &side) { return format_count(side.sum.others); });
  line("functions (exp, sin, ...)", [](const Side &side) { return format_count(side.sum.functions); });
  line("bytes read and written", [](const Side &side) { return format_bytes(side.sum.bytes); });
  line("operations per byte", [](const Side &side) { return fmt::format("{:.3g}", intensity(side.sum)); });
  if (stats.peaks.are_known()) {
    line("least time", [](const Side &side) { return format_seconds(side.least_seconds); });
    fmt::print("peaks: {}flop/s, {}/s; a kernel of less than {:.3g} operations per byte is limited by memory\n",
               format_count(stats.peaks.flops) + " ", format_bytes(stats.peaks.bandwidth),
               stats.peaks.flops / stats.peaks.bandwidth);
  }
}

void print_names(std::string_view what, const std::vector<std::string> &names) {
  if (names.empty()) {
    return;
  }
  constexpr std::size_t max_names = 6;
  const auto shown = names.begin() + static_cast<std::ptrdiff_t>(std::min(max_names, names.size()));
  fmt::print("{}: {}{}\n", what, fmt::join(names.begin(), shown, ", "),
             names.size() > max_names ? fmt::format(" and {} more", names.size() - max_names) : "");
}

void print_rows(const Stats &stats, std::size_t top) {
  const std::vector<Row> &rows = stats.after.rows;
  const bool has_peaks = stats.peaks.are_known();
  const std::size_t shown = std::min(top, rows.size());
  if (shown == 0) {
    return;
  }
  fmt::print("\n{:<32} {:<14} {:>8} {:>10} {:>10} {:>10} {:>9}", "kernel", "op", "times", "operations", "functions",
             "bytes", "per byte");
  fmt::print("{}\n", has_peaks ? fmt::format(" {:>10} {}", "least time", "limit") : "");
  const auto print = [&](const std::string &name, const std::string &op, const std::string &times, const Cost &cost,
                         double seconds) {
    fmt::print("{:<32} {:<14} {:>8} {:>10} {:>10} {:>10} {:>9.3g}", name, op, times, format_count(cost.operations()),
               format_count(cost.functions), format_bytes(cost.bytes), intensity(cost));
    fmt::print(
        "{}\n",
        has_peaks ? fmt::format(" {:>10} {}", format_seconds(seconds), op.empty() ? "" : stats.peaks.limit(cost)) : "");
  };
  Cost rest;
  double rest_seconds = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row &row = rows[i];
    if (i < shown) {
      const std::string name = stats.programs > 1 ? row.program + ": " + row.name : row.name;
      print(name, row.op, fmt::format("{:g}", row.times), row.cost, stats.peaks.least(row.cost));
    } else {
      rest += row.cost;
      rest_seconds += stats.peaks.least(row.cost);
    }
  }
  if (shown < rows.size()) {
    print(fmt::format("{} more", rows.size() - shown), "", "", rest, rest_seconds);
  }
  print("sum", "", "", stats.after.sum, stats.after.least_seconds);
}

void print_for_people(const Stats &stats, std::size_t top) {
  print_sums(stats);
  print_names("counted once, because the number of iterations is not known", stats.after.unknown_loops);
  print_names("of these conditionals, the branch with most operations is counted", stats.after.branches);
  print_names("left to the host, and not counted", stats.on_host);
  if (stats.programs > 1) {
    fmt::print("each of the {} programs is counted once\n", stats.programs);
  }
  print_rows(stats, top);
}

boost::json::object to_json(const Cost &cost) {
  return {{"operations", cost.operations()},
          {"contraction_operations", cost.contractions},
          {"other_operations", cost.others},
          {"functions", cost.functions},
          {"bytes", cost.bytes},
          {"operations_per_byte", intensity(cost)}};
}

boost::json::object to_json(const Side &side, const Stats &stats, std::size_t top) {
  boost::json::array rows;
  for (std::size_t i = 0; i < std::min(top, side.rows.size()); ++i) {
    const Row &row = side.rows[i];
    boost::json::object object = to_json(row.cost);
    object["name"] = row.name;
    object["op"] = row.op;
    object["times"] = row.times;
    if (!row.program.empty()) {
      object["program"] = row.program;
    }
    if (stats.peaks.are_known()) {
      object["least_seconds"] = stats.peaks.least(row.cost);
      object["limit"] = stats.peaks.limit(row.cost);
    }
    rows.push_back(std::move(object));
  }
  boost::json::object object = to_json(side.sum);
  object["instructions"] = side.rows.size();
  object["unknown_loops"] = boost::json::value_from(side.unknown_loops);
  object["conditionals"] = boost::json::value_from(side.branches);
  if (stats.peaks.are_known()) {
    object["least_seconds"] = side.least_seconds;
  }
  object["rows"] = std::move(rows);
  return object;
}

void print_as_json(const Stats &stats, const StatsRequest &request) {
  boost::json::object object{{"model", request.model.file()},
                             {"module", stats.module},
                             {"before", to_json(stats.before, stats, request.top)},
                             {"after", to_json(stats.after, stats, request.top)}};
  if (!request.backend.name().empty()) {
    object["backend"] = request.backend.name();
    object["programs"] = stats.programs;
    object["on_host"] = boost::json::value_from(stats.on_host);
  }
  if (stats.peaks.are_known()) {
    object["peak_flops"] = stats.peaks.flops;
    object["peak_bandwidth"] = stats.peaks.bandwidth;
  }
  fmt::print("{}\n", boost::json::serialize(object));
}

Options stats_options() {
  namespace po = boost::program_options;
  Options options(
      "stats MODEL [--on NAME] [--top N] [--peak-flops N] [--peak-bandwidth N] [--json]",
      "Counts the operations of a model and the bytes that it reads and writes, before and after the passes, and\n"
      "lists the kernels, the dearest first. With --on, they are the kernels of that backend; without, those that\n"
      "the passes make for no backend in particular. With the peaks of a device, each kernel has the least time\n"
      "that it takes there, and what limits it: compute or memory.",
      "  backplane stats model.hlo\n"
      "  backplane stats model.hlo --on cpu --top 5\n"
      "  backplane stats model.hlo --on cpu --no-fusion            what the same costs without fusion\n"
      "  backplane stats model.hlo --peak-flops 67e12 --peak-bandwidth 4.8e12    the limits of a device\n"
      "  backplane stats model.hlo --disable-pass=dot-merging      what a pass saves\n"
      "  backplane stats model.hlo --json > stats.json\n");
  options.add()("top", po::value<std::uint64_t>()->default_value(20), "number of kernels to list, the dearest first")(
      "peak-flops", po::value<double>(), "floating-point operations that the device does in a second, at most")(
      "peak-bandwidth", po::value<double>(),
      "bytes that the device reads and writes in a second, at most; default: what the backend says of its memory")(
      "json", "print one JSON object per line and module instead of text");
  BackendChoice::add_to(options, "");
  PassChoice::add_to(options);
  ModelChoice::add_to(options);
  return options;
}

std::optional<int> read_peak(const Options &options, const char *name, double &peak) {
  if (!options.has(name)) {
    return std::nullopt;
  }
  peak = options.get<double>(name);
  return peak > 0 && std::isfinite(peak) ? std::nullopt
                                         : std::optional(options.misuse(fmt::format(
                                               "--{} is {}, expected a number above 0, such as 1e12", name, peak)));
}

}  // namespace

int show_stats(std::span<const std::string> arguments) {
  Options options = stats_options();
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  StatsRequest request;
  for (auto exit : {request.model.read(options), request.backend.read(options),
                    read_peak(options, "peak-flops", request.peak_flops),
                    read_peak(options, "peak-bandwidth", request.peak_bandwidth)}) {
    if (exit) {
      return *exit;
    }
  }
  if (auto exit = request.passes.read(options, "")) {
    return *exit;
  }
  request.top = options.get<std::uint64_t>("top");
  request.json = options.has("json");
  auto modules = request.model.modules();
  if (!modules.ok()) {
    return report(modules.error());
  }
  for (ir::Module &module : *modules) {
    const Result<Stats> stats = count(std::move(module), request);
    if (!stats.ok()) {
      return report(stats.error());
    }
    request.json ? print_as_json(*stats, request) : print_for_people(*stats, request.top);
    if (!request.json && &module != &modules->back()) {
      fmt::print("\n");
    }
  }
  return success;
}

}  // namespace bp::command
