// Arrays that are normalized over some of their dimensions.
#pragma once

#include "core/import/array/array.h"

namespace bp::import::array {

Array squared(const Array &x);

// The mean and the variance over some dimensions, which stay with size 1.
struct Moments {
  Array mean, variance;
};

Moments moments(const Array &x, Span dimensions);

// Returns softmax over some dimensions, in the type of x; it is computed in compute_type().
Array softmax_over(const Array &x, Span dimensions);
// Returns the logarithm of softmax, in the type of x, which is one to compute in.
Array log_softmax_over(const Array &x, Span dimensions);

}  // namespace bp::import::array
