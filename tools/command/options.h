// Options of a subcommand: Boost.Program_options with uniform help, examples and error messages.
#pragma once

#include <fmt/core.h>

#include <boost/program_options.hpp>
#include <optional>
#include <span>
#include <string>

#include "tools/command/command.h"

namespace bp::command {

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
  std::string usage_, description_, examples_;
  boost::program_options::options_description named_{"Options"};
  boost::program_options::options_description hidden_;
  boost::program_options::positional_options_description positional_;
  boost::program_options::variables_map values_;
};

}  // namespace bp::command
