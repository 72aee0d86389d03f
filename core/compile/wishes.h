// Wishes: the layouts that a device would like, through bp.layout/1.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/host/image.h"
#include "core/host/plugin.h"
#include "core/passes/pass.h"

namespace bp::compile {

// Asks a device, which has bp.layout/1. The image is that of `module`, at Stage::Legalize.
// Wishes about tokens, and about operands of instructions that take tuples, which pass through, are left out.
// PluginFailure, naming the instruction, if a wish is for something that is not there or that is no layout of it.
Result<std::vector<passes::LayoutWish>> ask_for_layouts(const host::Device &device, const ir::Module &module,
                                                        const host::Image &image);

}  // namespace bp::compile
