// Functions that the operators of quantized numbers share.
#pragma once

#include "core/import/onnx/value.h"

namespace bp::import::onnx {

// Whether an array is absent or known to be 0 everywhere: a zero point that changes nothing.
bool is_zero(const Array &x);
// Whether numbers can be quantized to a type: integers of up to 16 bits, floats of 4 and 8 bits.
bool is_quantized(ElementType type);
// Returns quotient + zero_point, which broadcasts to it or is absent, in a quantized type. Integers are rounded before
// the sum, to even ones, and are the nearest number that the type has. `is_saturating`: whether floats are so too.
Array quantized(const Array &quotient, const Array &zero_point, ElementType type, bool is_saturating);

}  // namespace bp::import::onnx
