// The correctly rounded result of a program, for when the value stored in a test is itself off.
#pragma once

#include <optional>
#include <span>

#include "core/ir/literal.h"
#include "core/ir/module.h"

namespace bp::conformance {

// Element `output` of the program's result, computed as if no step but the last rounded:
// - elementwise arithmetic and functions of reals: in a hundred digits, by Boost.Multiprecision and Boost.Math;
// - a dot of f64 or c128 whose operands are given, or only converted: each sum in a hundred digits;
// - with dots, convolutions, sums and complex numbers too, if the program is of f32 and narrower: in double.
// Nothing if the program holds what has no exact meaning of its own: conversions to narrower floats, comparisons, bits.
std::optional<ir::Literal> correctly_rounded(const ir::Module &program, std::span<const ir::Literal> arguments,
                                             std::size_t output);

}  // namespace bp::conformance
