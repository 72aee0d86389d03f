// Runs of a program at the ABI, each in memory of its own that was poisoned before: the very first ones at the same
// time, long ones at the same time, and one after the other very often. All must give the bits of a run alone.
#pragma once

#include <cstdint>

#include "conformance/report/record.h"
#include "conformance/suite/subject.h"

namespace bp::conformance {

// The program is loaded anew several times, and each time its first runs begin together.
Result<Verdict> run_first_together(Subject &subject, const ir::Module &module, std::uint64_t seed);
// For programs whose runs take so long that several are in progress at once.
Result<Verdict> run_overlapping(Subject &subject, const ir::Module &module, std::uint64_t seed);
// More runs than a counter of 8 bits counts.
Result<Verdict> run_many_times(Subject &subject, const ir::Module &module, std::uint64_t seed);

}  // namespace bp::conformance
