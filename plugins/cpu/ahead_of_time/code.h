// The code of an artifact as object files that run without the plugin (backplane/ext/draft/aot.h): those of the
// artifact, and one that completes them with bp_check() and the functions that the program would not find.
#pragma once

#include <cstdint>
#include <string>

#include "backplane/ext/draft/aot.h"
#include "plugins/cpu/artifact.h"

namespace bp::cpu {

bp_aot_code_t describe_code(const Artifact &artifact);
// Returns object number `index`. Fails with BP_INVALID if there is none, or if the artifact's objects or target are not
// valid. `flags`: BP_AOT_.
plugin::Result<std::string> write_code(const Artifact &artifact, std::uint32_t flags, std::uint32_t index);

}  // namespace bp::cpu
