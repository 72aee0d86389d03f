// Complex functions as formulas on real and imaginary parts.
#pragma once

#include <span>

#include "core/passes/array_builder.h"
#include "core/passes/expansion/complex_arithmetic.h"

namespace bp::passes {

// Formula of an elementwise op that takes and returns complex numbers. The formulas are made for c128. Those with
// needs_double have to be computed in f64 for c64, too, and their result rounded.
struct ComplexFormula {
  ir::Opcode opcode;
  Parts (*apply)(ArrayBuilder &b, std::span<const Parts> operands);
  bool needs_double = true;
};
// Returns nullptr if there is no formula for the op.
const ComplexFormula *find_complex_formula(ir::Opcode opcode);

}  // namespace bp::passes
