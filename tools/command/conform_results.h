// The results of a run of the suite as text, HTML and XML; and `conform report`, `verify`, `sign` and `attach`, which
// read the results of an earlier run.
#pragma once

#include "conformance/report/record.h"
#include "conformance/report/workload.h"
#include "tools/command/options.h"

namespace bp::command {

// Path of the `backplane` executable that worker processes run.
inline constexpr char this_program[] = "/proc/self/exe";

// Returns the file with the results: they may be in a folder, together with logs and other files.
std::string results_in(const std::string &package);

// Adds --html, --junit, --badge and --workload.
void add_renderings(Options &options);
// Returns the status, red or green on a terminal.
std::string paint_status(conformance::CaseStatus status);
// Prints the text and writes the files that were asked for. Returns the exit code: negative if a result is unexpected
// or missing. `shown`: unexpected results that are printed already.
int show_results(const Options &options, const conformance::Report &results,
                 std::span<const conformance::Workload> workloads, std::size_t shown = 0);
// Reads the workloads that are part of the tool and those of --workload. Returns an exit code if one cannot be read.
std::optional<int> read_workloads(const Options &options, std::vector<conformance::Workload> &workloads);

int report_results(std::span<const std::string> arguments);
int verify_results(std::span<const std::string> arguments);
int sign_results(std::span<const std::string> arguments);
int attach_results(std::span<const std::string> arguments);

}  // namespace bp::command
