// Distance between neighbouring values of an element type.
#pragma once

#include "core/ir/element_type.h"

namespace bp::ir {

// The distance next to a value x is 2^(exponent of x - mantissa_bits), but at least 2^least.
struct Spacing {
  int mantissa_bits, least;
};

// Returns the spacing of a real type. The distance of integers is 1 everywhere.
Spacing spacing_of(ElementType type);

}  // namespace bp::ir
