// The model that a subcommand works on: a file and, if it holds several modules, those that are asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/backplane.h"
#include "tools/command/open_inputs.h"
#include "tools/command/options.h"

namespace bp::command {

class ModelChoice {
 public:
  // Adds the positional argument MODEL, --part, --shapes, --shape, --value, --model-weights and
  // --format.
  static void add_to(Options &options);
  // To be called after Options::parse(). Returns an exit code if the command line names no model.
  std::optional<int> read(const Options &options);

  const std::string &file() const { return file_; }
  // Returns the modules that are asked for, at least one, verified. Warnings of the reader are printed on standard
  // error.
  Result<std::vector<Module>> modules() const;
  // Returns the module, or an error if more than one is asked for.
  Result<Module> only_module() const;
  // Takes sizes that the program leaves open, and elements on which sizes depend, from files with its inputs.
  Status take_from(const arrays::InputFiles &inputs) { return take_from_inputs(file_, inputs, reading_); }
  // Returns the error that the option `option` takes only one module; it says how to choose one.
  Error too_many(const std::vector<Module> &modules, std::string_view option) const;
  // Returns the arguments that choose the module again, given that the file has `count` modules: "model.hlo
  // --part=step".
  std::string arguments(const Module &module, std::size_t count) const;

 private:
  std::string file_;
  std::string asked_;    // a name or a number counted from 1; empty: all
  ReadOptions reading_;  // shapes and values of parameters, the file of weights, the format
};

}  // namespace bp::command
