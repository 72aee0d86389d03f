// Preferences: the layouts that a device prefers, read through bp.layout/draft-1.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/host/image.h"
#include "core/host/plugin.h"
#include "core/passes/pass.h"

namespace bp::compile {

// Asks a device, which has bp.layout/draft-1, for its layout preferences. The image is that of `module`, at
// Stage::Legalize. Preferences for tokens, and for operands of instructions that only pass tuples through, are left
// out. PluginFailure, naming the instruction, if a preference refers to something that does not exist or is not a valid
// layout of it.
Result<std::vector<passes::LayoutPreference>> ask_for_layouts(const host::Device &device, const ir::Module &module,
                                                              const host::Image &image);

}  // namespace bp::compile
