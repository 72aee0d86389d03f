#include "core/packing/heaps.h"

#include <fmt/core.h>

#include <boost/json.hpp>
#include <chrono>

#include "core/base/files.h"
#include "core/packing/problem_text.h"
#include "tools/command/options.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

struct PackRequest {
  std::string file, output;
  std::int64_t capacity = 0, heap_limit = 0;
  double deadline = 0;  // seconds
  bool json = false;
};

using Clock = std::chrono::steady_clock;

packing::Options options_of(const PackRequest &request, Clock::time_point start) {
  packing::Options options;
  options.capacity = request.heap_limit > 0 ? request.heap_limit : request.capacity;
  options.steps = std::numeric_limits<std::int64_t>::max();
  options.deadline =
      start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(request.deadline));
  return options;
}

Result<int> pack_in_heaps(const PackRequest &request) {
  BP_ASSIGN(std::string text, read_file(request.file));
  BP_ASSIGN(packing::NamedProblem problem, packing::read_problem(text, request.file));
  Clock::time_point start = Clock::now();
  packing::Heaps result = packing::pack_in_heaps(problem.items, request.heap_limit, options_of(request, start));
  double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  BP_TRY(packing::check(problem.items, result));
  if (!request.output.empty()) {
    BP_TRY(write_file(request.output, packing::print_packing(problem, result)));
  }
  if (request.json) {
    fmt::print("{}\n", boost::json::serialize(boost::json::object{{"items", problem.items.size()},
                                                                  {"heights", boost::json::value_from(result.heights)},
                                                                  {"heap_limit", request.heap_limit},
                                                                  {"seconds", seconds}}));
    return success;
  }
  fmt::print("items:        {}\n", problem.items.size());
  fmt::print("heaps:        {}, of at most {}\n", result.heights.size(), request.heap_limit);
  fmt::print("heights:      {}\n", fmt::join(result.heights, ", "));
  fmt::print("time:         {}\n", format_seconds(seconds));
  return success;
}

// Returns ExitCode::negative if the items do not fit into the capacity.
Result<int> pack(const PackRequest &request) {
  BP_ASSIGN(std::string text, read_file(request.file));
  BP_ASSIGN(packing::NamedProblem problem, packing::read_problem(text, request.file));
  Clock::time_point start = Clock::now();
  packing::Packing result = packing::pack(problem.items, options_of(request, start));
  double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  BP_TRY(packing::check(problem.items, result));
  std::int64_t bound = packing::lower_bound(problem.items);
  bool fits = request.capacity == 0 || result.height <= request.capacity;
  if (!request.output.empty()) {
    BP_TRY(write_file(request.output, packing::print_packing(problem, result)));
  }
  if (request.json) {
    boost::json::object figures = {
        {"items", problem.items.size()}, {"height", result.height}, {"lower_bound", bound}, {"seconds", seconds}};
    if (request.capacity > 0) {
      figures["capacity"] = request.capacity;
      figures["fits"] = fits;
    }
    fmt::print("{}\n", boost::json::serialize(figures));
    return fits ? success : negative;
  }
  double over = bound == 0 ? 0 : 100.0 * static_cast<double>(result.height - bound) / static_cast<double>(bound);
  fmt::print("items:        {}\n", problem.items.size());
  fmt::print("height:       {}\n", result.height);
  fmt::print("lower bound:  {} ({})\n", bound,
             result.height == bound ? "reached: no packing is lower" : fmt::format("{:.3f} % below", over));
  fmt::print("time:         {}\n", format_seconds(seconds));
  if (request.capacity > 0) {
    fmt::print("capacity:     {}, {}\n", request.capacity,
               fits ? paint(Colour::Green, "it fits")
               : bound > request.capacity
                   ? paint(Colour::Red, "no packing fits: the lower bound is above the capacity")
                   : paint(Colour::Red, "no packing was found that fits; a longer --deadline may find one"));
  }
  return fits ? success : negative;
}

}  // namespace

int pack_problem(std::span<const std::string> arguments) {
  Options options(
      "pack PROBLEM.csv [--capacity N | --heap-limit N] [--deadline S] [-o OFFSETS.csv] [--json]",
      "Assigns memory offsets to items of given sizes and lifetimes, so that they need as little memory as\n"
      "possible. The problem has a line of column names, id,lower,upper,size, and a line for each item, which\n"
      "lives in the half-open interval [lower, upper). Columns named alignment and preset (a fixed offset)\n"
      "may be added.",
      "  backplane pack problem.csv\n"
      "  backplane pack problem.csv --capacity 1048576     stops at a packing that fits; exit code 1: none was found\n"
      "  backplane pack problem.csv --heap-limit 65536     uses several heaps of at most this height\n"
      "  backplane pack problem.csv --deadline 10 -o offsets.csv\n");
  options.add()("heap-limit", boost::program_options::value<std::int64_t>(),
                "use several heaps of at most this height, except for single larger items and presets")(
      "capacity", boost::program_options::value<std::int64_t>(),
      "stop as soon as a packing of at most this height is found")(
      "deadline", boost::program_options::value<double>()->default_value(1, "1"),
      "seconds after which the best packing so far is used")(
      "output,o", boost::program_options::value<std::string>(),
      "write the problem with an additional column, offset, to this file")("json",
                                                                           "print the figures as one JSON object");
  options.add_positional("problem", 1);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  if (!options.has("problem")) {
    return options.misuse("no problem was given");
  }
  PackRequest request;
  request.file = options.get<std::string>("problem");
  request.output = options.has("output") ? options.get<std::string>("output") : "";
  request.capacity = options.has("capacity") ? options.get<std::int64_t>("capacity") : 0;
  request.deadline = options.get<double>("deadline");
  request.json = options.has("json");
  if (options.has("capacity") && request.capacity <= 0) {
    return options.misuse(fmt::format("--capacity is {}, expected more than 0", request.capacity));
  }
  if (!(request.deadline >= 0 && request.deadline <= 1e6)) {
    return options.misuse(fmt::format("--deadline is {}, expected 0 to 1000000 seconds", request.deadline));
  }
  if (options.has("heap-limit")) {
    request.heap_limit = options.get<std::int64_t>("heap-limit");
    if (request.heap_limit <= 0) {
      return options.misuse(fmt::format("--heap-limit is {}, expected more than 0", request.heap_limit));
    }
    if (options.has("capacity")) {
      return options.misuse("--capacity and --heap-limit are both given, expected one of them: one heap, or several");
    }
  }
  Result<int> code = request.heap_limit > 0 ? pack_in_heaps(request) : pack(request);
  return code.ok() ? code.value() : report(code.error());
}

}  // namespace bp::command
