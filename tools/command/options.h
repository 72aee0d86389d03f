// Options of a subcommand: Boost.Program_options with uniform help, examples and error messages. The same declarations
// describe the subcommand for manual pages and for the completion of command lines.
#pragma once

#include <fmt/core.h>

#include <boost/json/fwd.hpp>
#include <boost/program_options.hpp>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/command/command.h"

namespace bp::command {

// The argument with which a subcommand describes itself as JSON; manual pages and completion are made of it.
constexpr std::string_view describe_argument = "--describe";

// The names that complete a value on a command line: of folders, backends or passes.
enum class Completion { Nothing, Folder, Backend, Pass };

// Returns the names of the rows of a table, as words for Options.
template <class Table>
std::vector<std::string> names_of(const Table &table) {
  std::vector<std::string> names;
  for (const auto &row : table) {
    names.emplace_back(row.name);
  }
  return names;
}

class Options {
 public:
  // `usage`: "run MODEL.hlo [options]"; `examples`: lines shown under "Examples:".
  Options(std::string usage, std::string description, std::string examples)
      : usage_(std::move(usage)), description_(std::move(description)), examples_(std::move(examples)) {}

  // See boost::program_options::options_description::add_options.
  boost::program_options::options_description_easy_init add() { return named_.add_options(); }
  // Adds a positional argument; count -1: all remaining ones. Read it with get<std::vector<std::string>> if count is
  // not 1.
  void add_positional(const char *name, int count);
  // Says how the values of options or positional arguments are completed. By default they are files, or nothing if they
  // are numbers.
  void complete(std::initializer_list<const char *> names, Completion completion);
  // The same for values that are words, among others or alone.
  void complete(const char *name, std::vector<std::string> words);
  // Has parse() refuse other values of an option than these, which also complete it.
  void expect_one_of(const char *name, std::vector<std::string> words);

  // Parses. Returns an exit code if the subcommand has to end now: help was asked for, or the command line is wrong.
  std::optional<int> parse(std::span<const std::string> arguments);

  bool has(const char *name) const { return values_.count(name) != 0; }
  // Whether the user gave the option: has() is also true for one with a default.
  bool is_given(const char *name) const { return has(name) && !values_[name].defaulted(); }
  template <class T>
  const T &get(const char *name) const {
    return values_[name].as<T>();
  }
  // Returns the exit code of a misuse if the option is given with a value below `least`.
  template <class T>
  std::optional<int> check_at_least(const char *name, const T &least) const {
    if (!has(name) || get<T>(name) >= least) {
      return std::nullopt;
    }
    return misuse(fmt::format("--{} is {}, expected at least {}", name, get<T>(name), least));
  }
  // Prints what is wrong with the command line and where to read more. Returns the exit code.
  int misuse(std::string_view problem) const;

 private:
  // Prints the same as --help, as one JSON object in a line, for tools/documentation.
  void describe() const;
  // Returns the name, argument, default and completion of an option.
  boost::json::object describe(const boost::program_options::option_description &option) const;
  std::optional<int> check_words() const;

  std::string usage_, description_, examples_;
  boost::program_options::options_description named_{"Options"};
  boost::program_options::options_description hidden_;
  boost::program_options::positional_options_description positional_;
  boost::program_options::variables_map values_;
  std::map<std::string, Completion> completions_;          // by option or positional argument
  std::map<std::string, std::vector<std::string>> words_;  // by option that words complete
  std::vector<std::string> limited_;                       // options that take only their words
};

}  // namespace bp::command
