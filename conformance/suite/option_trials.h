// Trials of the options that bp_device_factory.create() takes.
#pragma once

#include <string>
#include <vector>

#include "conformance/report/record.h"
#include "conformance/suite/subject.h"

namespace bp::conformance {

// Returns values of an option with which the device may have another target. An option for any text that is called
// `target` or `features` may know some of the targets that LLVM has.
std::vector<std::string> values_of_other_targets(const bp_option_desc_t &option);

// BP-CREATE-02: options that the description does not have, and values of another type, are refused with a report.
Verdict refuses_wrong_options(Subject &subject);
// BP-CREATE-03: options are gone after create(), as memory that can no longer be read. The device works without them.
Verdict forgets_its_options(Subject &subject);

}  // namespace bp::conformance
