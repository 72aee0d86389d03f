// The elementwise arithmetic and functions of reals in a hundred digits, by Boost.Multiprecision and Boost.Math.
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "core/ir/op.h"

namespace bp::conformance {

using Number = boost::multiprecision::cpp_bin_float_100;

// NaN and infinities have no digits: arguments are finite. Outside of a function's domain the result is NaN, or Boost
// throws a std::exception.
struct ExactFunction {
  ir::Opcode opcode;
  Number (*unary)(const Number &x);  // null for a binary function
  Number (*binary)(const Number &x, const Number &y) = nullptr;
};
// Null if the op is no such function.
const ExactFunction *find_exact_function(ir::Opcode opcode);

}  // namespace bp::conformance
