// The results of a run of the suite as text, HTML and XML; and `conform report`, `conform verify` and `conform attach`,
// which read the results of an earlier run.
#pragma once

#include "conformance/report/record.h"
#include "tools/command/options.h"

namespace bp::command {

// Path of the `backplane` executable that worker processes run.
inline constexpr char this_program[] = "/proc/self/exe";

// Adds --html and --junit.
void add_renderings(Options &options);
// Prints the text and writes the files that were asked for. Returns the exit code: negative if a result is unexpected
// or missing.
int show_results(const Options &options, const conformance::Report &results);

int report_results(std::span<const std::string> arguments);
int verify_results(std::span<const std::string> arguments);
int attach_results(std::span<const std::string> arguments);

}  // namespace bp::command
