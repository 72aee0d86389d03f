// Prologues: elementwise work on an operand of a contraction, such as a conversion or a scale, done where the operand
// is read.
#pragma once

#include "plugins/llvm/contraction/contraction.h"
#include "plugins/llvm/generator/kernel_site.h"
#include "plugins/llvm/vector_target.h"

namespace bp::emit {

// Whether an operand of a fusion's contraction is computed by elementwise work on parameters of its dimensions and
// layout, of which several elements may be in a byte, and on constants, scalars, broadcasts and iotas.
bool has_prologue(const ModuleView &module, std::uint32_t operand);

// Whether what is broadcast to such an operand is the same for whole vectors of so many neighbours, or lies along them.
bool has_uniform_vectors(const ModuleView &module, std::uint32_t operand, std::int64_t lanes);

// Returns the prologue of an operand; empty if the operand is a parameter of the fusion. `large`: coordinates need 64
// bits. site: the site of the fusion, which must outlive the prologue; null if no code is emitted.
Prologue make_prologue(InstructionView contraction, std::size_t operand, const KernelSite *site,
                       const VectorTarget &target, bool large);

}  // namespace bp::emit
