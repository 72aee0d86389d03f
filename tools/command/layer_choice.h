// --layer: the layers between the core and the plugins of this command, and their results at the end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/host/entry.h"
#include "tools/command/options.h"

namespace bp::command {

void add_layer_option(Options &options);
// Reads the layers asked for, in their order. Returns an exit code if the command line is wrong or a file cannot be
// written.
std::optional<int> read_layers(const Options &options, std::vector<host::Layer> &layers);

// To be called at the end of the process, when all backends are destroyed: writes files and counts violations. Returns
// the exit code: that of the command, or 1 if a file could not be written or a rule was broken.
int finish_layers(int code);

}  // namespace bp::command
