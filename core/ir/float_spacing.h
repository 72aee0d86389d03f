// How far apart the values of an element type lie.
#pragma once

#include "core/ir/element_type.h"

namespace bp::ir {

// Next to x, by 2^(exponent of x - mantissa_bits), but not closer than 2^least.
struct Spacing {
  int mantissa_bits, least;
};

// Of a real type; integers lie apart by 1 everywhere.
Spacing spacing_of(ElementType type);

}  // namespace bp::ir
