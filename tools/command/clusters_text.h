// How a model is divided between a backend and the host, as text: for `backplane opt`.
#pragma once

#include <string>
#include <string_view>

#include "core/compile/report.h"
#include "core/ir/module.h"

namespace bp::command {

// Returns the clusters of a module with their costs, and what is left and why.
std::string clusters_text(const ir::Module &module, std::string_view device, const compile::Report &report);

}  // namespace bp::command
