// run_polymorphic [--buckets] BACKEND FILE: runs a program that leaves sizes open, once for each line of standard
// input, with the arguments there: "f32[2,3] { {1, 2, 3}, {4, 5, 6} }; s32[] 4". Prints the result of each run on a
// line, then the counters of executables. With --buckets, sizes are padded to powers of two, and a line on standard
// error says of each run whether it was. For tests in other languages.
#include <fmt/core.h>

#include <iostream>

#include "core/base/files.h"
#include "core/polymorphic.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

namespace bp {
namespace {

Result<std::vector<Literal>> read_arguments(std::string_view line) {
  std::vector<Literal> arguments;
  while (!line.empty()) {
    const std::string_view one = line.substr(0, line.find(';'));
    line.remove_prefix(std::min(one.size() + 1, line.size()));
    const std::size_t begin = std::min(one.find_first_not_of(' '), one.size());
    const std::size_t blank = std::min(one.find(' ', begin), one.size());
    BP_ASSIGN(const Shape shape, text::parse_shape(one.substr(begin, blank - begin)));
    BP_ASSIGN(Literal argument, text::parse_literal(one.substr(blank), shape));
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

Status run_all(const std::string &name, const std::string &file, bool has_buckets) {
  BP_ASSIGN(const Backend backend, Backend::load(name));
  BP_ASSIGN(std::string text, read_file(file));
  BP_ASSIGN(PolymorphicExecutable program, backend.compile_polymorphic(std::move(text), file));
  if (has_buckets) {
    program.use_buckets(next_power_of_two);
  }
  for (std::string line; std::getline(std::cin, line);) {
    BP_ASSIGN(std::vector<Literal> arguments, read_arguments(line));
    if (has_buckets) {
      BP_ASSIGN(const std::string problem, program.why_not_padded(arguments));
      fmt::print(stderr, "{}\n", problem.empty() ? "padded" : "not padded: " + problem);
    }
    BP_ASSIGN(const Literal result, program.run(std::move(arguments)));
    fmt::print("{}\n", text::print(result));
  }
  const auto [hits, misses, evictions] = program.counters();
  fmt::print("hits {}, misses {}, evictions {}\n", hits, misses, evictions);
  return {};
}

}  // namespace
}  // namespace bp

int main(int count, char **arguments) {
  const bool has_buckets = count > 1 && std::string_view(arguments[1]) == "--buckets";
  const int first = has_buckets ? 2 : 1;
  if (count != first + 2) {
    fmt::print(stderr, "usage: run_polymorphic [--buckets] BACKEND FILE < ARGUMENTS\n");
    return 2;
  }
  const bp::Status status = bp::run_all(arguments[first], arguments[first + 1], has_buckets);
  if (!status.ok()) {
    fmt::print(stderr, "{}\n", status.error().to_string());
  }
  return status.ok() ? 0 : 1;
}
