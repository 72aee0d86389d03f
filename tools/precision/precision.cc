// How far the results of a backend's functions are from the correctly rounded ones, over all arguments there are.
#include <fmt/core.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <chrono>
#include <fstream>
#include <iostream>
#include <thread>

#include "tools/command/terminal.h"
#include "tools/precision/results.h"

namespace bp::precision {
namespace {

namespace po = boost::program_options;
using ir::ElementType;

struct Request {
  std::vector<std::string> functions;  // empty: all
  std::vector<ElementType> types;
  std::uint64_t stride = 1, pairs = 0;
  Options options;
};

bool is_wanted(const Request &request, const std::string &name) {
  return request.functions.empty() || std::ranges::count(request.functions, name) != 0;
}

Result<Measurement> measure(const Backend &backend, const Function &function, ElementType from, ElementType to,
                            const Request &request) {
  const bool is_unary = function.operands == 1;
  // Of the narrower types there are few values.
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

// Rows are printed as they are found.
class Report {
 public:
  Status add(Result<Measurement> measurement) {
    BP_ASSIGN(Measurement good, std::move(measurement));
    const std::string table = to_markdown({&good, 1});
    const std::size_t row = table.find('\n', table.find('\n') + 1) + 1;
    fmt::print("{}", all_.empty() ? table : table.substr(row));
    std::fflush(stdout);
    all_.push_back(std::move(good));
    return {};
  }
  std::span<const Measurement> all() const { return all_; }

 private:
  std::vector<Measurement> all_;
};

Status run(const Backend &backend, const Request &request, Report &report) {
  BP_ASSIGN(const std::vector<Function> all, functions());
  const auto is_known = [&](const std::string &name) {
    return name == conversion().name || std::ranges::count(all, name, &Function::name) != 0;
  };
  for (const std::string &name : request.functions) {
    if (!is_known(name)) {
      return make_error(ErrorCode::NotFound, "no function '{}'; 'backplane ops' lists those of HLO", name);
    }
  }
  for (ElementType from : request.types) {
    for (const Function &function : all) {
      const bool has_type = !function.name.starts_with("chlo.") || ir::bit_width(from) >= 16;
      if (is_wanted(request, function.name) && has_type) {
        BP_TRY(report.add(measure(backend, function, from, from, request)));
      }
    }
    for (const ir::ElementTypeInfo &to : ir::element_types()) {
      const bool can_convert = from == ElementType::F32 || from == ElementType::F16 || from == ElementType::BF16;
      if (is_wanted(request, conversion().name) && can_convert && ir::is_floating(to.type) && to.type != from) {
        BP_TRY(report.add(measure(backend, conversion(), from, to.type, request)));
      }
    }
  }
  return {};
}

Status write(const po::variables_map &values, const char *option, const std::string &text) {
  if (values.count(option) == 0) {
    return {};
  }
  const auto &path = values[option].as<std::string>();
  if (!(std::ofstream(path) << text)) {
    return make_error(ErrorCode::Io, "{}: cannot be written", path);
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
    if (!type || !ir::is_floating(*type) || *type == ElementType::F64) {
      return invalid_input("--type={}: expected a float of 32 bits or less", text);
    }
    request.types.push_back(*type);
  }
  request.stride = std::max<std::uint64_t>(values["stride"].as<std::uint32_t>(), 1);
  request.pairs = values["pairs"].as<std::uint32_t>();
  request.options.threads = values["threads"].as<unsigned>();
  BP_ASSIGN(const Backend backend, Backend::load(values["on"].as<std::string>()));
  Report report;
  BP_TRY(run(backend, request, report));
  BP_TRY(write(values, "json", to_json(report.all())));
  BP_TRY(write(values, "worst", to_text(report.all())));
  return std::ranges::all_of(report.all(), &Measurement::is_good);
}

int main(int argc, char **argv) {
  po::options_description options("Options");
  options.add_options()("help", "this text")("on", po::value<std::string>()->default_value("cpu"), "backend")(
      "op", po::value<std::vector<std::string>>()->composing(), "only this function, by its name in HLO; repeatable")(
      "type",
      po::value<std::vector<std::string>>()->composing()->default_value({"f32", "f16", "bf16"}, "f32, f16 and bf16"),
      "of arguments and results; repeatable")("stride", po::value<std::uint32_t>()->default_value(1),
                                              "of f32 only each nth of all bit patterns; best a prime")(
      "pairs", po::value<std::uint32_t>()->default_value(10'000'000), "of arguments, at random, for two of them")(
      "threads", po::value<unsigned>()->default_value(std::max(std::thread::hardware_concurrency(), 1u)),
      "that compute and compare")("json", po::value<std::string>(), "write what was found to this file")(
      "worst", po::value<std::string>(), "write the worst arguments to this file; see worst_cases.txt");
  po::variables_map values;
  try {
    po::store(po::parse_command_line(argc, argv, options), values);
  } catch (const po::error &error) {
    fmt::print(stderr, "precision: {}\n", error.what());
    return 2;
  }
  if (values.count("help") != 0) {
    std::cout
        << "Usage: build/tools/precision [options]\n"
        << "Compares all results of all functions with the correctly rounded ones; prints a table in Markdown.\n\n"
        << options << "\nExit code 1: some are off by more than docs/precision.md allows.\n"
        << "Example:\n  build/tools/precision --op tanh --type f32 --stride 1009\n";
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
