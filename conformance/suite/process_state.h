// State of the process that a library could change but must not change (BP-ENTRY-02, BP-LAW-04, BP-LOG-01).
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace bp::conformance {

// The state by name: "the locale", "the handler of signal 11", ...
using ProcessState = std::map<std::string, std::string>;
ProcessState look_at_process();
// Describes the differences: "the locale was C, and is de_DE"; empty if there are none.
std::string difference(const ProcessState &before, const ProcessState &after);

// Returns a number that differs if any of that differs, or how this thread rounds and treats subnormals. Quick enough
// to be asked after every case.
std::uint64_t fingerprint_of_process();
// Returns how this thread rounds and treats subnormals.
std::uint64_t fingerprint_of_thread();

// Number of bytes written to standard output and standard error, which are one file in a worker process; 0 in other
// processes.
std::int64_t output_size();
// Returns the output after the first `size` bytes, cut off after a few hundred bytes.
std::string output_after(std::int64_t size);

}  // namespace bp::conformance
