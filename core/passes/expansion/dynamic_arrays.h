// Ops on static arrays that represent dynamic ones, whose run-time sizes are separate scalars.
#pragma once

#include <optional>

#include "core/passes/array_builder.h"

namespace bp::passes {

// Run-time sizes by dimension: s32[], or no_instruction where the size is static.
using RunTimeSizes = std::vector<ir::InstructionId>;

// Returns the identity element of a reducer; nothing for reducers that are more than one op. Reducers of complex
// numbers have none: 1 times an infinity contains a NaN, and adding a zero may change the sign of a zero.
std::optional<double> identity_of(ir::Computation reducer, ir::ElementType type);

// Returns the value of a dynamic instruction whose operands have been replaced by static arrays, as a static array of
// the bounds. Elements within `sizes` are right, elements outside have any value. `own`: sizes of the operands; `from`:
// sizes that the op works on, see ir::operand_sizes().
ir::InstructionId on_bounds(ArrayBuilder &b, ir::Instruction i, const std::vector<RunTimeSizes> &own,
                            const std::vector<RunTimeSizes> &from, const RunTimeSizes &sizes);

}  // namespace bp::passes
