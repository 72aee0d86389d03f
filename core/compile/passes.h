// All passes by name: those of core/passes, and the steps of core/buffers that rewrite a module, as passes. And the
// stages of the pipeline, so that a list of names may say "simplify" or "buffers" for all in it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/passes/pipeline.h"

namespace bp::compile {

// "schedule", "rematerialization" (which does nothing without PassContext::memory_limit) and "copy-insertion", in that
// order: what is live and what copies are needed depends on the order of instructions.
std::span<const passes::Pass> buffer_passes();

// Null if there is none of that name.
const passes::Pass *find_pass(std::string_view name);

std::vector<passes::Pass> passes_of(passes::Stage stage);

// What runs without a device: all stages.
std::vector<passes::Pass> default_passes();

// The names of the stages: simplify, expand, fuse, finalize, buffers.
std::vector<std::string_view> stage_names();

// Passes by their names, where the name of a stage stands for its passes. NotFound for an unknown name.
Result<std::vector<passes::Pass>> passes_named(std::span<const std::string> names);

}  // namespace bp::compile
