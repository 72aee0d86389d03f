// All passes by name: those of core/passes, and the steps of core/buffers that rewrite a module, as passes. Also the
// stages of the pipeline, so that a list of names may contain "simplify" or "buffers" for all passes of a stage.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/passes/pipeline.h"

namespace bp::compile {

// Returns "schedule", "rematerialization" (which has no effect without PassContext::memory_limit) and "copy-insertion",
// in that order: which values are live and which copies are needed depends on the order of instructions.
std::span<const passes::Pass> buffer_passes();

// Returns nullptr if there is no pass of that name.
const passes::Pass *find_pass(std::string_view name);

std::vector<passes::Pass> passes_of(passes::Stage stage);

// Returns the passes that run without a device: those of all stages.
std::vector<passes::Pass> default_passes();

// Returns whether passes of these names can be disabled: NotFound if there is no pass of a name, Unsupported if a
// compilation cannot do without it.
Status check_disabled(std::span<const std::string> names);

// Returns the passes that run without a device, except buffer_passes() and those that are disabled; with those of the
// stage Fuse only if `fuse`.
std::vector<passes::Pass> optimizations(bool fuse, std::span<const std::string> disabled);

// Returns the names of the stages of passes::Stage, and that of buffer_passes(): simplify, expand, ..., buffers.
std::vector<std::string_view> stage_names();

// Returns passes by their names, where the name of a stage stands for its passes. NotFound for an unknown name.
Result<std::vector<passes::Pass>> passes_named(std::span<const std::string> names);

}  // namespace bp::compile
