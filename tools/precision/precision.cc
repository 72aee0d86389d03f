// Measures how far the results of a backend's functions are from the correctly rounded ones, over all possible
// arguments.
#include <fmt/core.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <chrono>
#include <iostream>
#include <thread>

#include "core/base/files.h"
#include "tools/command/terminal.h"
#include "tools/precision/results.h"
#include "tools/precision/wide_functions.h"
#include "tools/precision/wide_sweep.h"

namespace bp::precision {
namespace {

namespace po = boost::program_options;
using ir::ElementType;

constexpr unsigned max_threads = 1024;

struct Request {
  std::vector<std::string> functions;  // empty: all
  std::vector<ElementType> types;
  std::uint64_t stride = 1, pairs = 0;
  int numbers = 0;  // number of each kind, for f64 and complex types
  Options options;
};

std::string names() {
  std::string result = conversion().name;
  if (const Result<std::vector<Function>> all = functions(); all.ok()) {
    for (const Function &function : *all) {
      result += ", " + function.name;
    }
  }
  return result;
}

bool is_requested(const Request &request, const std::string &name) {
  return request.functions.empty() || std::ranges::count(request.functions, name) != 0;
}

// The types that sweep() accepts.
bool can_convert(ElementType from, ElementType to) {
  const bool is_half = from == ElementType::F16 || from == ElementType::BF16;
  const bool is_integer = ir::is_integer(to) || to == ElementType::Pred;
  return from != to &&
         (ir::is_floating(to) ? is_half || from == ElementType::F32 : is_integer && from == ElementType::F32);
}

Result<Measurement> measure(const Backend &backend, const Function &function, ElementType from, ElementType to,
                            const Request &request) {
  const bool is_unary = function.operands == 1;
  // The narrower types have few values, so all are tried.
  const std::uint64_t stride = is_unary ? (from == ElementType::F32 ? request.stride : 1) : 0;
  Measurement result{function.name, from, to, function.budget, stride, {}, 0};
  command::Progress progress(fmt::format("{} {}", function.name, ir::to_string(from)));
  Options options = request.options;
  options.report = [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total, ""); };
  const auto start = std::chrono::steady_clock::now();
  BP_ASSIGN(result.statistics,
            sweep(backend, function, from, to,
                  is_unary ? Arguments::every(from, stride) : Arguments::random(request.pairs), options));
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

Status write(const std::string &path, const std::string &text) {
  return path.empty() ? Status() : write_file(path, text);
}

// Prints and writes each row as soon as it is known.
class Report {
 public:
  Report(std::string json_path, std::string worst_path)
      : json_path_(std::move(json_path)), worst_path_(std::move(worst_path)) {}

  Status write_files() const {
    BP_TRY(write(json_path_, to_json(all_)));
    return write(worst_path_, to_text(all_));
  }
  Status add(Result<Measurement> measurement) {
    BP_ASSIGN(Measurement good, std::move(measurement));
    const std::string table = to_markdown({&good, 1});
    const std::size_t row = table.find('\n', table.find('\n') + 1) + 1;
    fmt::print("{}", all_.empty() ? table : table.substr(row));
    std::fflush(stdout);
    all_.push_back(std::move(good));
    return write_files();
  }
  bool is_good() const { return std::ranges::all_of(all_, &Measurement::is_good); }

 private:
  std::string json_path_, worst_path_;  // may be empty
  std::vector<Measurement> all_;
};

bool is_wide(ElementType type) {
  return type == ElementType::F64 || ir::is_complex(type);
}

// Reports a function that a device lacks; the others are still measured.
bool is_lacking(std::string_view name, ElementType type, const Error &error) {
  const bool result = error.code() == ErrorCode::Unsupported;
  if (result) {
    fmt::print("| {} | {} | is not run: {} |\n", name, ir::to_string(type), error.message());
  }
  return result;
}

Status print(std::string_view name, ElementType type, Result<WideStatistics> measured) {
  if (!measured.ok() && is_lacking(name, type, measured.error())) {
    return {};
  }
  BP_ASSIGN(const WideStatistics statistics, std::move(measured));
  fmt::print("| {} | {} | {} | {:.3g} | {:.3g} | {} |\n", name, ir::to_string(type), statistics.inputs,
             statistics.part_ulps, statistics.norm_ulps, statistics.worst_part);
  if (statistics.worst_norm != statistics.worst_part) {
    fmt::print("|  |  |  |  |  | {} |\n", statistics.worst_norm);
  }
  for (const std::string &special : statistics.special) {
    fmt::print("|  |  |  | special |  | {} |\n", special);
  }
  std::fflush(stdout);
  return {};
}

// Results are printed for people only, because there are no budgets.
Status run_wide(const Backend &backend, const std::vector<Function> &all, ElementType type, const Request &request) {
  WideCounts counts{request.numbers, request.numbers, request.numbers / 12, request.numbers * 3};
  counts.expands_functions = request.options.expands_functions;
  fmt::print(
      "| function | type | arguments | ulp of parts | ulp of the larger part | worst |\n|---|---|---|---|---|---|\n");
  if (type == ElementType::F64) {
    for (const Function &function : all) {
      if (is_requested(request, function.name) && has_distance(function)) {
        BP_TRY(print(function.name, type, sweep_f64(backend, function, counts)));
      }
    }
    return {};
  }
  for (const WideFunction &function : complex_functions()) {
    if (is_requested(request, std::string(function.name))) {
      BP_TRY(print(function.name, type, sweep_complex(backend, function.name, type, counts)));
    }
  }
  return {};
}

Status run(const Backend &backend, const Request &request, Report &report) {
  BP_ASSIGN(const std::vector<Function> all, functions());
  for (const std::string &name : request.functions) {
    if (name != conversion().name && std::ranges::count(all, name, &Function::name) == 0) {
      return make_error(ErrorCode::NotFound, "no function '{}', expected one of: {}", name, names());
    }
  }
  for (ElementType from : request.types) {
    if (is_wide(from)) {
      BP_TRY(run_wide(backend, all, from, request));
      continue;
    }
    for (const Function &function : all) {
      const bool has_type = !function.name.starts_with("chlo.") || ir::bit_width(from) >= 16;
      if (is_requested(request, function.name) && has_type) {
        Result<Measurement> measured = measure(backend, function, from, from, request);
        if (measured.ok() || !is_lacking(function.name, from, measured.error())) {
          BP_TRY(report.add(std::move(measured)));
        }
      }
    }
    for (const ir::ElementTypeInfo &to : ir::element_types()) {
      if (is_requested(request, conversion().name) && can_convert(from, to.type)) {
        BP_TRY(report.add(measure(backend, conversion(), from, to.type, request)));
      }
    }
  }
  return {};
}

Result<bool> all_are_good(const po::variables_map &values) {
  Request request;
  if (values.count("op") != 0) {
    request.functions = values["op"].as<std::vector<std::string>>();
  }
  for (const std::string &text : values["type"].as<std::vector<std::string>>()) {
    const auto type = ir::element_type_from_string(text);
    if (!type || !(ir::is_floating(*type) || ir::is_complex(*type))) {
      return invalid_input("--type={}: expected a float or a complex number", text);
    }
    request.types.push_back(*type);
  }
  request.stride = std::max<std::uint64_t>(values["stride"].as<std::uint32_t>(), 1);
  request.pairs = values["pairs"].as<std::uint32_t>();
  request.numbers = static_cast<int>(values["numbers"].as<std::uint32_t>());
  request.options.threads = values["threads"].as<unsigned>();
  if (request.options.threads < 1 || request.options.threads > max_threads) {
    return invalid_input("--threads={}: expected 1 to {}", request.options.threads, max_threads);
  }
  request.options.expands_functions = values["expanded"].as<bool>();
  BackendOptions options;
  if (const auto &features = values["features"].as<std::string>(); !features.empty()) {
    options.settings.emplace_back("features", features);
  }
  BP_ASSIGN(const Backend backend, Backend::load(values["on"].as<std::string>(), options));
  Report report(values["json"].as<std::string>(), values["worst"].as<std::string>());
  BP_TRY(report.write_files());
  BP_TRY(run(backend, request, report));
  return report.is_good();
}

po::options_description options() {
  po::options_description result("Options", 110);
  const auto text = [](const char *name) { return po::value<std::string>()->value_name(name)->default_value("", ""); };
  const auto texts = [](const char *name) {
    return po::value<std::vector<std::string>>()->value_name(name)->composing();
  };
  const auto number = [](std::uint32_t value) {
    return po::value<std::uint32_t>()->value_name("N")->default_value(value);
  };
  const unsigned cores = std::clamp(std::thread::hardware_concurrency(), 1u, max_threads);
  result.add_options()("help", "this text");
  result.add_options()("on", text("BACKEND")->default_value("cpu"), "which computes what is measured");
  result.add_options()("features", text("FEATURES"), "of the CPU to generate code for: x86-64-v3 or +avx2,-fma");
  result.add_options()("op", texts("FUNCTION"), "only this one, see below; repeatable");
  result.add_options()("type", texts("TYPE")->default_value({"f32", "f16", "bf16"}, "f32, f16 and bf16"),
                       "of arguments; repeatable");
  result.add_options()("stride", number(1), "of f32 only each Nth of all bit patterns; best a prime");
  result.add_options()("pairs", number(10'000'000), "of arguments, at random, for functions of two");
  result.add_options()("numbers", number(60), "of each kind, for f64, c64 and c128");
  result.add_options()("expanded", po::bool_switch(),
                       "measure what devices compute that lack the functions and f64: the core's formulas");
  result.add_options()("threads", number(cores), "that compute and compare");
  result.add_options()("json", text("FILE"), "to write what was found to");
  result.add_options()("worst", text("FILE"), "to write the worst arguments to, as in worst_cases.txt");
  return result;
}

constexpr std::string_view examples = R"(
Exit code: 0 if all results are as near as docs/precision.md promises, 1 if some are not, 2 or 3 if it cannot tell.

Examples:
  build/tools/precision                                      all of it: half an hour on two cores
  build/tools/precision --op tanh --type f32                 one function at all 2^32 arguments
  build/tools/precision --op tanh --op erf --stride 1009     two, at each 1009th f32, and all f16 and bf16
  build/tools/precision --on interpreter --stride 20011
  build/tools/precision --features x86-64-v3 --stride 1009
  build/tools/precision --op convert --json found.json --worst worst.txt

Functions: )";

int main(int argc, char **argv) {
  po::variables_map values;
  try {
    po::store(po::parse_command_line(argc, argv, options()), values);
  } catch (const po::error &error) {
    fmt::print(stderr, "precision: {}\n", error.what());
    return 2;
  }
  if (values.count("help") != 0) {
    std::cout << "Usage: build/tools/precision [options]\n"
              << "Compares a backend's results with the correctly rounded ones; prints a table in Markdown.\n\n"
              << options() << examples << names() << "\n";
    return 0;
  }
  const Result<bool> good = all_are_good(values);
  if (!good.ok()) {
    fmt::print(stderr, "precision: {}\n", good.error().to_string());
    return 3;
  }
  return *good ? 0 : 1;
}

}  // namespace
}  // namespace bp::precision

int main(int argc, char **argv) {
  return bp::precision::main(argc, argv);
}
