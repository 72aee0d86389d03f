// What comes after a run of the suite: its results as text, page and XML; and `conform report` and `conform verify`, which
// read results that were written down.
#pragma once

#include "conformance/report/record.h"
#include "tools/command/options.h"

namespace bp::command {

// The `backplane` that workers are processes of.
inline constexpr char this_program[] = "/proc/self/exe";

// --html and --junit.
void add_renderings(Options &options);
// The text, and the files that were asked for. The exit code: negative if something was unexpected, or is missing.
int show_results(const Options &options, const conformance::Report &results);

int report_results(std::span<const std::string> arguments);
int verify_results(std::span<const std::string> arguments);

}  // namespace bp::command
