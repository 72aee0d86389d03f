// Prologues: elementwise work on an operand of a contraction, such as a conversion or a scale, done where it is read.
#pragma once

#include "plugins/llvm/kernel/kernel.h"

namespace bp::emit {

// Whether an operand of a fusion's contraction is such work: on parameters of its dimensions and layout, and on constants,
// scalars, broadcasts and iotas.
bool has_prologue(const ModuleView &module, std::uint32_t operand);

// Empty if the contraction's operand is a parameter of the fusion. `large`: coordinates need 64 bits. site: of the fusion,
// which must outlive it; null if the code is not wanted.
Prologue make_prologue(InstructionView contraction, std::size_t operand, const KernelSite *site,
                       const VectorTarget &target, bool large);

}  // namespace bp::emit
