// The tables that the core offers to a device about one run.
#pragma once

#include "backplane/ext/compiler.h"

namespace bp::runtime {

// bp_run.get_extension() of a run whose ctx is its RunTerms (core/base/cancellation.h).
const void *run_extension(const bp_run_t *run, const char *id) noexcept;

}  // namespace bp::runtime
