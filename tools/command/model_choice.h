// Which model a subcommand works on: a file, and of a file with several modules those that are asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/backplane.h"
#include "tools/command/options.h"

namespace bp::command {

class ModelChoice {
 public:
  // The positional argument MODEL, --part and --shapes.
  static void add_to(Options &options);
  // After Options::parse(). An exit code if the command line names no model.
  std::optional<int> read(const Options &options);

  const std::string &file() const { return file_; }
  // The modules that are asked for, at least one, verified. Warnings of the reader go to standard error.
  Result<std::vector<Module>> modules() const;
  // The same if it is one.
  Result<Module> only_module() const;
  // Says that there are more than an option takes, named for the message, and how to choose.
  Error too_many(const std::vector<Module> &modules, std::string_view option) const;
  // "model.hlo --part=step": asks for the module again, one of the file's `count`.
  std::string arguments(const Module &module, std::size_t count) const;

 private:
  std::string file_;
  std::string asked_;  // a name or a number from 1 on; empty: all
  std::vector<ir::Shape> shapes_;
};

}  // namespace bp::command
