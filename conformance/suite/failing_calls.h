// Calls that fail while a program is loaded and run: the n-th allocation, the n-th copy; or the n-th and all that follow,
// since the device is lost. That is said, nothing is left behind, and the next run works.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/report/record.h"
#include "conformance/suite/subject.h"

namespace bp::conformance {

// "alloc/1", "copy/2", "lost/3": those that the device can meet.
std::vector<std::string> failing_calls(const Subject &subject);
Result<Verdict> run_with_failing_call(Subject &subject, std::string_view call);

// Compiles a program for the device alone, with nothing folded, and runs it: the same inputs each time.
Result<Literal> run_on_device(const Backend &backend, const Module &module);

}  // namespace bp::conformance
