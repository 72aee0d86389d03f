// Contraction fusions: a dot or convolution together with the elementwise work on its result (bias, activation,
// residual), which is done while each sum is still in a register. On threaded targets, and in products of a matrix and
// few vectors, also with the elementwise work on its operands (contraction/prologue.h).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "plugins/llvm/contraction/contraction.h"
#include "plugins/llvm/generator/kernel_site.h"
#include "plugins/llvm/vector_target.h"

namespace bp::emit {

// Returns the dot or convolution of a fusion, if there is one.
std::optional<InstructionView> contraction_in(InstructionView fusion);

// Returns why a fusion with a contraction cannot be compiled as a contraction fusion; empty if it can. Requires the
// other checks of kernel_problem() to have passed. may_be_computed: whether the kernel computes this operand where it
// reads it, if has_prologue().
std::string contraction_fusion_problem(InstructionView fusion, InstructionView contraction,
                                       const std::function<bool(std::size_t operand)> &may_be_computed);

// Returns the work on the contraction's result, from finished sums to the fusion's root. `large`: coordinates need 64
// bits. The site must outlive the epilogue.
Epilogue make_epilogue(const KernelSite &site, InstructionView contraction, const VectorTarget &target, bool large);

}  // namespace bp::emit
