// Ops on static arrays that stand for dynamic ones, with the run-time sizes beside them as scalars.
#pragma once

#include <optional>

#include "core/passes/array_builder.h"

namespace bp::passes {

// By dimension: s32[], or no_instruction where the size is static.
using RunTimeSizes = std::vector<ir::InstructionId>;

// What combines with anything to give that; nothing for reducers that are more than one op. Of complex numbers nothing
// does: 1 times an infinity has a NaN in it, and adding a zero may change the sign of one.
std::optional<double> identity_of(ir::Computation reducer, ir::ElementType type);

// The value of a dynamic instruction whose operands have been replaced by static arrays, as a static array of the
// bounds: right within `sizes`, anything beyond. `own`: the sizes of the operands; `from`: those that the op works on,
// see ir::operand_sizes().
ir::InstructionId on_bounds(ArrayBuilder &b, ir::Instruction i, const std::vector<RunTimeSizes> &own,
                            const std::vector<RunTimeSizes> &from, const RunTimeSizes &sizes);

}  // namespace bp::passes
