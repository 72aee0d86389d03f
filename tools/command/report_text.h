// Reports of compilations, for people.
#pragma once

#include "core/compile/report.h"

namespace bp::command {

// Prints the number of instructions that run on the host, the first ten and why; nothing if there is no program of a
// device either.
void print_on_host(const compile::Report &report);

}  // namespace bp::command
