// The shape an instruction computes from its operands, attributes and called computations: XLA's rules, one function
// per shape_rule of ops.def.
#pragma once

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::ir {

// The instruction's own shape is read only by ops that cannot infer it (Trait::ExplicitShape): their rule checks it and
// returns it. Inferred arrays get the descending layout, or the operand's where the op keeps dimensions in place.
// Errors name what was found and expected, without the instruction's name or place: the caller adds those.
Result<Shape> infer_shape(const Instruction &instruction);

// Whether the written element type may differ from the inferred one: contractions may accumulate into a wider type.
bool may_widen_result(Opcode opcode);

// Same types and sizes; an unbounded size agrees with any, and marks of dynamic sizes and layouts are not looked at.
bool agree(const Shape &a, const Shape &b);

// Tuples with more parts than this in all are refused: a tuple of a tuple of a tuple doubles its parts with each line.
inline constexpr std::size_t max_tuple_parts = 1 << 16;

}  // namespace bp::ir
