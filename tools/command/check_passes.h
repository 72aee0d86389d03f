// `opt --check`: runs passes, or a device's whole compilation, and compares results before and after each pass.
#pragma once

#include <span>
#include <string>

#include "core/debugging/pass_check.h"
#include "tools/command/backend_choice.h"

namespace bp::command {

// --check and its options.
void add_check_options(Options &options);
// After Options::parse(). An exit code if the command line is wrong.
std::optional<int> read_check_options(const Options &options, debugging::CheckOptions &check);

// An exit code. `backend`: null, or a device whose compilation is checked instead of `passes`. Prints what was found, and
// `rerun`, the command that finds it again.
int check_passes(const ir::Module &module, std::span<const passes::Pass> passes, const Backend *backend,
                 const debugging::CheckOptions &check, const std::string &rerun);

}  // namespace bp::command
