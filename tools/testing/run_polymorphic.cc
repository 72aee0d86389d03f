// run_polymorphic BACKEND FILE: runs a program that leaves sizes open, once for each line of standard input, with the
// arguments there: "f32[2,3] { {1, 2, 3}, {4, 5, 6} }; s32[] 4". Prints the result of each run on a line, then the
// counters of executables. For tests in other languages.
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

Status run_all(const std::string &name, const std::string &file) {
  BP_ASSIGN(const Backend backend, Backend::load(name));
  BP_ASSIGN(std::string text, read_file(file));
  BP_ASSIGN(const PolymorphicExecutable program, backend.compile_polymorphic(std::move(text), file));
  for (std::string line; std::getline(std::cin, line);) {
    BP_ASSIGN(std::vector<Literal> arguments, read_arguments(line));
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
  if (count != 3) {
    fmt::print(stderr, "usage: run_polymorphic BACKEND FILE < ARGUMENTS\n");
    return 2;
  }
  const bp::Status status = bp::run_all(arguments[1], arguments[2]);
  if (!status.ok()) {
    fmt::print(stderr, "{}\n", status.error().to_string());
  }
  return status.ok() ? 0 : 1;
}
