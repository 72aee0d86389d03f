// Attention: the dot of queries and keys, work on the rows of these scores, such as a softmax, and the dot that
// multiplies the rows by values. A few rows of scores at a time are computed in scratch, worked on, and multiplied, so
// that they stay in a near cache. Keys and values are copied to panels (contraction/packed/panels.h) before that.
#pragma once

#include <optional>
#include <string>

#include "plugins/llvm/generator/generator.h"
#include "plugins/llvm/generator/kernel_site.h"
#include "plugins/llvm/kernel/row_fusion.h"
#include "plugins/llvm/vector_target.h"

namespace bp::emit {

// Whether a fusion has two dots, so that it can only be attention.
bool has_two_dots(InstructionView fusion);

// Returns why a fusion of two dots is not compiled as attention; empty if it is. Requires the other checks of
// kernel_problem() to have passed.
std::string attention_problem(InstructionView fusion, const VectorTarget &target);

// Bytes of the panels, if several calls share them. Requires attention_problem() to be empty.
std::int64_t attention_common_bytes(InstructionView fusion, const VectorTarget &target);

// The same contract as emit_kernel(), and the operands are bound in `generator`.
KernelWork emit_attention(Generator &generator, KernelBuilder &builder, const KernelSite &site,
                          const VectorTarget &target);

}  // namespace bp::emit
