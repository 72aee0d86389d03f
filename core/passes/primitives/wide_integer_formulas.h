// Arithmetic of 64-bit integers as formulas on their 32-bit halves.
#pragma once

#include "core/passes/array_builder.h"

namespace bp::passes {

// Halves of 64-bit integers: two u32 arrays of the same shape.
struct Halves {
  ir::InstructionId low, high;
};

// Returns a u32 that f32 holds, and that f16 and narrower floats round to what they would round x to: if x has more
// digits than f32, bits below the 16 highest ones count as an odd last bit.
ir::InstructionId rounded_to_odd(ArrayBuilder &b, ir::InstructionId x);

// Arithmetic wraps around; comparisons are signed or unsigned.
class WideMath {
 public:
  using Id = ir::InstructionId;
  WideMath(ArrayBuilder &b, bool is_signed) : b_(b), is_signed_(is_signed) {}

  Halves number(std::uint64_t value, Id like) const {
    return {b_.splat_bits(value & 0xffffffff, like), b_.splat_bits(value >> 32, like)};
  }
  Halves sum(Halves x, Halves y) const;
  Halves difference(Halves x, Halves y) const;
  Halves negation(Halves x) const;
  Halves product(Halves x, Halves y) const;
  struct Division {
    Halves quotient, remainder;
  };
  // Defined for a divisor of zero and for the minimum integer, as in the op table.
  Division division(Halves x, Halves y) const;
  Halves magnitude(Halves x) const;
  Halves by_halves(ir::Opcode opcode, Halves x, Halves y) const;
  Halves select(Id predicate, Halves x, Halves y) const;
  Halves shift(ir::Opcode opcode, Halves x, Halves distance) const;
  // Return pred.
  Id is_negative(Halves x) const;
  Id less(Halves x, Halves y) const;
  Id equal(Halves x, Halves y) const;
  Id is_zero(Halves x) const;

  // From floats: truncated and saturated; NaN gives 0. To floats: rounded once.
  Halves from_float(Id x) const;
  Id to_float(Halves x, ir::ElementType type) const;

 private:
  Division division_without_sign(Halves x, Halves y) const;

  ArrayBuilder &b_;
  bool is_signed_;
};

}  // namespace bp::passes
