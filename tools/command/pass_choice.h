// The choice of passes of a compilation: the same options for every subcommand that compiles a model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/backplane.h"
#include "tools/command/options.h"

namespace bp::command {

class PassChoice {
 public:
  // Adds --no-fusion and --disable-pass.
  static void add_to(Options &options);
  // To be called after Options::parse(). Returns an exit code if a pass is unknown or cannot be disabled, or if the
  // backend `on` is the interpreter, which runs no passes.
  std::optional<int> read(const Options &options, const std::string &on);

  void apply_to(CompileOptions &options) const;
  bool fuses() const { return fuse_; }
  const std::vector<std::string> &disabled() const { return disabled_; }

 private:
  bool fuse_ = true;
  std::vector<std::string> disabled_;
};

}  // namespace bp::command
