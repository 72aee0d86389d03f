// An artifact that one process compiles and another one loads, which has never compiled anything (BP-LOAD-03).
#pragma once

#include "conformance/report/record.h"
#include "conformance/suite/subject.h"

namespace bp::conformance {

// Must be called in a process that has not loaded the plugin yet: it is forked before, because a plugin is not called
// after fork() (BP-LAW-04).
Verdict loads_what_another_compiled(Subject &subject);

}  // namespace bp::conformance
