// `opt --check`: runs passes, or a device's whole compilation, and compares results before and after each pass.
#pragma once

#include <span>
#include <string>

#include "core/debugging/pass_check.h"
#include "tools/command/backend_choice.h"

namespace bp::command {

// Adds --check and its options.
void add_check_options(Options &options);
// To be called after Options::parse(). Returns an exit code if the command line is wrong.
std::optional<int> read_check_options(const Options &options, debugging::CheckOptions &check);

// Runs the check and returns an exit code. If `backend` is not nullptr, that device's compilation is checked instead of
// `passes`. Prints the findings, and `rerun`, the command that reproduces them.
int check_passes(const ir::Module &module, std::span<const passes::Pass> passes, const Backend *backend,
                 const debugging::CheckOptions &check, const std::string &rerun);

}  // namespace bp::command
