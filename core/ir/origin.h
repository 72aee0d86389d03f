// Origin: what an instruction keeps of the one that it was made from.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/ir/module.h"

namespace bp::ir {

// The name in `frontend_attributes` by which a program marks instructions that a device is to run (docs/clusters.md); a
// composite is marked if its name begins with the second one.
inline constexpr std::string_view cluster_attribute = "backplane_cluster", cluster_composite = "backplane.cluster";

// Returns the value by which the program marks the instruction, as text with its quotes; empty if it is not marked.
std::string cluster_mark(const Instruction &instruction);

// Marks instructions, except those that are marked already or only name values. Nothing if `mark` is empty.
void mark_cluster(Module &module, std::span<const InstructionId> ids, std::string_view mark);

// Gives an instruction the metadata, the source location and the mark of another, of this module or another.
void copy_origin(Module &module, InstructionId id, const Instruction &from);

}  // namespace bp::ir
