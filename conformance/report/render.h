// Renderings of a report for people and other programs. They depend on the records alone.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "conformance/report/record.h"
#include "conformance/report/workload.h"

namespace bp::conformance {

// Colours a status.
using Paint = std::function<std::string(CaseStatus)>;

// Returns the outcome of one case, with its message and the command that runs it again, if there are. After a crash,
// the command that does so in a debugger follows.
std::string to_text(const Record &record, const Paint &paint);
// Returns a line for each stage and the unexpected results, with the commands that rerun them. `shown`: that many of
// these are shown already, as they came, and are only counted.
std::string to_text(const Report &report, const Paint &paint, std::size_t shown = 0,
                    std::span<const Workload> workloads = named_workloads());
// The most unexpected results that a text shows. Blocked cases are not among them: the case that blocks them is.
inline constexpr std::size_t max_shown_results = 20;
bool is_shown(const Record &record);

// Returns JUnit XML, as continuous integration systems read it: a test suite for each stage.
std::string to_junit(const Report &report);

// Returns an HTML page that needs no other files. It shows how much of these workloads runs on the device.
std::string to_html(const Report &report, std::span<const Workload> workloads = named_workloads());

// Returns a small SVG picture with the score, or with what keeps the run from having one.
std::string to_badge(const Report &report);

}  // namespace bp::conformance
