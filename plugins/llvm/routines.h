// Functions that generated code calls, and that an application need not have: those of the C library's string.h, where
// there is no C library; exact arithmetic that a target lacks instructions for.
#pragma once

#include <set>
#include <string>

#include "plugin_api/cpp/result.h"

namespace bp::emit {

// Returns these functions as text in LLVM's language. Without `freestanding`, those of string.h are left to the C
// library. Fails with BP_UNSUPPORTED if one is not known, and says which.
plugin::Result<std::string> routines_text(const std::set<std::string> &names, bool freestanding);

}  // namespace bp::emit
