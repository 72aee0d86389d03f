// Trials of the options that bp_device_factory.create() takes.
#pragma once

#include "conformance/report/record.h"
#include "conformance/suite/subject.h"

namespace bp::conformance {

// BP-CREATE-02: options that the description does not have, and values of another type, are refused with a report.
Verdict refuses_wrong_options(Subject &subject);
// BP-CREATE-03: options are gone after create(), as memory that can no longer be read. The device works without them.
Verdict forgets_its_options(Subject &subject);

}  // namespace bp::conformance
