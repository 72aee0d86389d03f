// Contraction fusions: a dot or convolution and the elementwise work on its result (bias, activation, residual), done
// while each sum is still in a register; on threaded targets also that on its operands (contraction/prologue.h).
#pragma once

#include <optional>
#include <string>

#include "plugins/llvm/kernel/kernel.h"

namespace bp::emit {

// The dot or convolution of a fusion, if there is one.
std::optional<InstructionView> contraction_in(InstructionView fusion);

// Why a fusion with a contraction is not compiled as one; empty if it is. Expects what else kernel_problem() looks at to
// be right.
std::string contraction_fusion_problem(InstructionView fusion, InstructionView contraction, const VectorTarget &target);

// The work on the contraction's result: the fusion's root from finished sums. `large`: coordinates need 64 bits. The
// site must outlive it.
Epilogue make_epilogue(const KernelSite &site, InstructionView contraction, const VectorTarget &target, bool large);

// Binds the fusion's parameters to what its kernel gets for the operands that lie in memory.
void bind_operands(Generator &generator, const KernelSite &site, std::span<llvm::Value *const> pointers);
// Coordinates, in an array of this shape, of elements at these places of its memory.
Indices indices_at(KernelBuilder &builder, const Shape &shape, const Index &places);

}  // namespace bp::emit
