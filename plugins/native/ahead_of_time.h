// The code of an artifact as object files that run without the plugin (backplane/ext/draft/aot.h): those of the
// artifact, and one that completes them with bp_check() and the functions that the program would not find.
#pragma once

#include <cstdint>
#include <string>

#include "backplane/ext/draft/aot.h"
#include "plugins/native/artifact.h"
#include "plugins/native/target.h"

namespace bp::native {

bp_aot_code_t describe_code(const Artifact &artifact);
// Returns object number `index`. Fails with BP_INVALID if there is none, or if the artifact's objects are not valid.
// `flags`: BP_AOT_. The last object is compiled for `baseline`, what all machines of the architecture have; `check` is
// bp_check() in LLVM's language, which returns 1 as i32 on a machine that has what the artifact was compiled for.
plugin::Result<std::string> write_code(const Artifact &artifact, std::uint32_t flags, std::uint32_t index,
                                       const Target &baseline, const std::string &check);

}  // namespace bp::native
