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
  // Adds --no-fusion, --disable-pass, --cluster and --cluster-min.
  static void add_to(Options &options);
  // To be called after Options::parse(). Returns an exit code if a pass is unknown or cannot be disabled, or if the
  // backend `on` is the interpreter, which runs no passes.
  std::optional<int> read(const Options &options, const std::string &on);

  template <class AnyOptions>  // CompileOptions or compile::Options
  void apply_to(AnyOptions &options) const {
    options.fuse = fuse_;
    options.disabled_passes = disabled_;
    options.clusters = clusters_;
  }
  bool fuses() const { return fuse_; }
  const std::vector<std::string> &disabled() const { return disabled_; }

 private:
  bool fuse_ = true;
  std::vector<std::string> disabled_;
  compile::ClusterOptions clusters_;
};

}  // namespace bp::command
