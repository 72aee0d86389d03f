// Calls that fail while a program is loaded and run: the n-th allocation, the n-th copy; or the n-th call and all later
// ones, because the device is lost. The program must report the failure and leave nothing behind, and the next run must
// work.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/report/record.h"
#include "conformance/suite/subject.h"
#include "core/runtime/memory.h"

namespace bp::conformance {

// Returns the failures that the device can meet: "alloc/1", "copy/2", "lost/3".
std::vector<std::string> failing_calls(const Subject &subject);
Result<Verdict> run_with_failing_call(Subject &subject, std::string_view call);

// Compiles a program for the device alone, without constant folding, and runs it with the same inputs each time.
Result<Literal> run_on_device(const Backend &backend, const Module &module);

// Allocates all memory of a device that states how much it has; nothing if a test should not allocate that much.
std::vector<runtime::Block> allocate_all(const host::Device &device);

}  // namespace bp::conformance
