// Operands of dot and convolution that lie in the panels that the kernel multiplies (contraction/packed/panels.h). In
// HLO that is a tiled layout: the contracted dimensions are the minor ones, and a tile has as many neighbours along the
// free dimension as a panel is wide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plugins/llvm/module_view.h"
#include "plugins/llvm/vector_target.h"

namespace bp::emit {

struct PanelLayout {
  std::vector<std::int64_t> minor_to_major;
  std::vector<std::int64_t> tile;
};

// Returns the layout in which a dot or convolution would read an operand without copying it; nothing if there is none,
// or if the kernel reads the operand from where it is in any case.
std::optional<PanelLayout> preferred_panels(llvm::LLVMContext &context, InstructionView contraction,
                                            std::size_t operand, const VectorTarget &target);

// Whether a tiled operand of an instruction lies in panels that the kernel of the instruction reads: a dot,
// convolution, or fusion that uses this operand only as an operand of its dot or convolution.
bool is_in_panels(InstructionView instruction, std::size_t operand, const VectorTarget &target);

}  // namespace bp::emit
