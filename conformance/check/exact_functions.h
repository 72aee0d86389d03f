// Elementwise arithmetic and functions of real numbers with a hundred decimal digits, by Boost.Multiprecision and
// Boost.Math.
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "core/ir/op.h"

namespace bp::conformance {

using Number = boost::multiprecision::cpp_bin_float_100;

// Arguments must be finite: `Number` represents neither NaN nor infinity here. Outside of a function's domain the
// result is NaN, or Boost throws a std::exception.
struct ExactFunction {
  ir::Opcode opcode;
  Number (*unary)(const Number &x);  // nullptr for a binary function
  Number (*binary)(const Number &x, const Number &y) = nullptr;
};
// Returns nullptr if the op is not such a function.
const ExactFunction *find_exact_function(ir::Opcode opcode);

}  // namespace bp::conformance
