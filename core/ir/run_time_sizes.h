// Run-time sizes of dynamic dimensions: which ops propagate them, and how. A dimension written <=8 holds up to 8
// elements; the elements beyond its run-time size are undefined. The semantics are those of XLA's
// DynamicDimensionInference and DynamicPadder.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"
#include "core/ir/size_formulas.h"

namespace bp::ir {

// Rules of propagation, see run_time_sizes.def.
enum class SizeRule { PassThrough, Bounded, CutToSizes, Refused };
SizeRule size_rule(Opcode opcode);
// Returns the description in the op's row.
std::string_view size_summary(Opcode opcode);

// Whether the result or an operand of the instruction is an array (not in a tuple) with dynamic dimensions.
bool has_dynamic_arrays(const Instruction &instruction);
// Returns Unsupported, with the reason, if the op is not defined for the dynamic dimensions of its operands. Here and
// below the instruction must have passed the verifier.
Status check_dynamic_dimensions(const Instruction &instruction);
// Returns, for each operand, the sizes that the op sees: a static dimension that must equal a dynamic one has the size
// of the dynamic one.
std::vector<SizeFormulas> operand_sizes(const Instruction &instruction);
// Returns the sizes of each array of the result: one array, or those of a tuple. Not for ops whose rule is PassThrough
// or Refused.
std::vector<SizeFormulas> result_sizes(const Instruction &instruction);

// XLA's custom calls that convert between a dynamic array and a static array of its bounds plus its sizes, one s32[]
// per dimension: PadToStatic(x) returns (array, sizes...), SliceToDynamic(array, sizes...) returns x.
enum class SizeCall { None, PadToStatic, SliceToDynamic };
SizeCall size_call(const Instruction &instruction);
// Returns InvalidInput if the shapes do not match this description.
Status check_size_call(const Instruction &instruction);

}  // namespace bp::ir
