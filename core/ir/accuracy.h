// How close to the interpreter's result a backend's must be: the accuracy column of ops.def.
#pragma once

#include <cstdint>

namespace bp::ir {

// Numbers are the ABI's BP_CLOSENESS_*.
enum class Closeness : std::uint8_t {
  Bits,   // values are moved: every bit, payloads of NaN too
  Exact,  // the correctly rounded result, with the sign of zero; any NaN for NaN
  Ulp,    // up to N units in the last place away. Complex: of the larger part, and zeros have no sign
  Sum,    // a sum in any order: n * eps * S and one rounding, where S is the sum of the absolute values of its n terms
          // and eps is that of f32, or of f64 for f64 and c128
  Norm,   // of an array: N * eps of its largest element, and one rounding
  Unknown,  // random, or a value that another party decides: it only has to run
};

// Values at the edges of a type that make sense as operands in a test.
enum class SpecialValueSet : std::uint8_t {
  All,       // zeros of both signs, subnormals, infinities, NaN, ties, the largest
  Ordered,   // those that have an order: without NaN and -0
  Quiet,     // all, but no signaling NaN: IEEE 754 gives a NaN for these where it gives a number for a quiet one
  Summands,  // small integers, whose sums are exact, with an infinity or NaN among them
  None,
};

struct Accuracy {
  Closeness closeness = Closeness::Exact;
  // N for Ulp and Norm: for f32 and f64; for floats of at most 16 bits; for complex numbers. 0: exact.
  float wide = 0, narrow = 0, complex = 0;
  SpecialValueSet special_values = SpecialValueSet::All;

  constexpr Accuracy with(SpecialValueSet other) const { return {closeness, wide, narrow, complex, other}; }
};

// The words of the column.
namespace accuracy {
inline constexpr Accuracy Bits{.closeness = Closeness::Bits}, Exact{},
    Sum{.closeness = Closeness::Sum, .special_values = SpecialValueSet::Summands},
    Unknown{.closeness = Closeness::Unknown, .special_values = SpecialValueSet::None};
constexpr Accuracy Ulp(float wide, float narrow, float complex) {
  return {Closeness::Ulp, wide, narrow, complex, SpecialValueSet::All};
}
constexpr Accuracy Norm(float limit) {
  return {Closeness::Norm, limit, limit, limit, SpecialValueSet::None};
}
}  // namespace accuracy

}  // namespace bp::ir
