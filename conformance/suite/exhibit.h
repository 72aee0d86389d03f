// One case, shown in full: its program and what the core makes of it, the operands, the expected result and the
// device's, and what runs where.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "conformance/suite/subject.h"

namespace bp::conformance {

// Passes on the text section by section, what is known without the device first: the plugin may end the process. To be
// called in a process of its own, with an id of the suite. A case without a program is shown in words only.
void exhibit(Subject &subject, const std::string &id, const std::function<void(std::string_view)> &tell);

}  // namespace bp::conformance
