// Artifacts that one process compiles and another one loads, which has never compiled anything (BP-LOAD-03), and what
// two processes are told about the same devices.
#pragma once

#include "conformance/report/record.h"
#include "conformance/suite/subject.h"

namespace bp::conformance {

// Both must be called in a process that has not loaded the plugin yet: it is forked before, because a plugin is not
// called after fork() (BP-LAW-04).
Verdict loads_what_another_compiled(Subject &subject);

// BP-INSTANCE-02: instances have the same identities in another process.
Verdict has_the_identities_of_another(Subject &subject);

}  // namespace bp::conformance
