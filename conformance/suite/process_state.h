// What a library could change in the process that it is loaded into, and may not (BP-ENTRY-02, BP-LAW-04, BP-LOG-01).
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace bp::conformance {

// By what it is called: "the locale", "the handler of signal 11", ...
using ProcessState = std::map<std::string, std::string>;
ProcessState look_at_process();
// "the locale was C, and is de_DE"; empty if they are equal.
std::string difference(const ProcessState &before, const ProcessState &after);

// How much was written to standard output and standard error, which of a worker process are one file; 0 elsewhere.
std::int64_t output_size();
// What came after the first `size` bytes, cut off after a few hundred.
std::string output_after(std::int64_t size);

}  // namespace bp::conformance
