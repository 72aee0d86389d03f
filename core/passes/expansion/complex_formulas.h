// Complex functions as formulas on real and imaginary parts.
#pragma once

#include <span>

#include "core/passes/array_builder.h"

namespace bp::passes {

// A complex value taken apart: two arrays of the same shape and real type.
struct Parts {
  ir::InstructionId real, imaginary;
};

// An elementwise op that takes and returns complex numbers. The formulas are chosen for c128: those with needs_double
// want the parts of c64 as f64, and the result rounded after.
struct ComplexFormula {
  ir::Opcode opcode;
  Parts (*apply)(ArrayBuilder &b, std::span<const Parts> operands);
  bool needs_double = true;
};
// Null if there is none.
const ComplexFormula *find_complex_formula(ir::Opcode opcode);

// |z|, without overflow on the way; infinite if a part is.
ir::InstructionId complex_modulus(ArrayBuilder &b, Parts z);

}  // namespace bp::passes
