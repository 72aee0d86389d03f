// How the elementwise work that is fused with a contraction reads its operands.
#pragma once

#include <llvm/IR/Value.h>

#include <span>

#include "plugins/llvm/generator/generator.h"
#include "plugins/llvm/generator/kernel_site.h"

namespace bp::emit {

// Binds the fusion's parameters to the kernel's pointers, for operands in memory.
void bind_operands(Generator &generator, const KernelSite &site, std::span<llvm::Value *const> pointers);
// Returns the coordinates, in an array of this shape, of the elements at these positions in its memory.
Indices indices_at(KernelBuilder &builder, const Shape &shape, const Index &flat);

}  // namespace bp::emit
