// Infers the shape of an instruction from its operands, attributes and called computations by XLA's rules. One function
// per shape_rule of ops.def.
#pragma once

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::ir {

// The instruction's own shape is read only for ops that cannot infer it (Trait::ExplicitShape): their rule checks and
// returns it. Inferred arrays have the descending layout, or the operand's layout if the op keeps dimensions in place.
// Errors tell what was found and expected, without the instruction's name or location, which the caller adds.
Result<Shape> infer_shape(const Instruction &instruction);

// Whether the written element type may differ from the inferred one: contractions may accumulate into a wider type.
bool may_widen_result(Opcode opcode);

// Whether types and sizes are equal. An unbounded size agrees with any size; dynamic dimensions and layouts are
// ignored.
bool agree(const Shape &a, const Shape &b);

// Maximum total number of parts of a tuple; larger tuples are refused. Tuples of tuples double their parts with each
// line.
inline constexpr std::size_t max_tuple_parts = 1 << 16;

}  // namespace bp::ir
