// Polynomial approximations of functions, fitted when they are constructed, so that no tables of coefficients are
// needed.
#pragma once

#include <functional>
#include <vector>

#include "core/passes/array_builder.h"

namespace bp::passes {

// Approximates a function of t in [-1, 1] by a sum of Chebyshev polynomials up to a degree, by interpolation. The error
// of a smooth function decreases geometrically with the degree. Deterministic.
class Polynomial {
 public:
  Polynomial(const std::function<double(double)> &function, int degree);

  // Returns the value at t, whose elements all lie in [-1, 1], by Clenshaw's recurrence, with three ops per degree.
  ir::InstructionId at(ArrayBuilder &b, ir::InstructionId t) const;

 private:
  std::vector<double> coefficients_;
};

}  // namespace bp::passes
