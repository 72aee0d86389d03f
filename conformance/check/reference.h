// The correctly rounded result of a program, for cases where the value stored in a test is itself inaccurate.
#pragma once

#include <optional>
#include <span>

#include "core/ir/literal.h"
#include "core/ir/module.h"

namespace bp::conformance {

// Computes element `output` of the program's result as if only the last step rounded:
// - elementwise arithmetic and functions of real numbers: with a hundred digits, by Boost.Multiprecision and
//   Boost.Math;
// - a dot of f64 or c128 whose operands are given, or only converted: each sum with a hundred digits;
// - also dots, convolutions, sums and complex numbers, if the program uses f32 and narrower types: in double.
// Returns nothing if the program contains an operation without an exact meaning of its own: conversions to narrower
// floats, comparisons, operations on bits.
std::optional<ir::Literal> correctly_rounded(const ir::Module &program, std::span<const ir::Literal> arguments,
                                             std::size_t output);

}  // namespace bp::conformance
