// Polynomials that stand for functions, fitted when they are asked for: no tables of coefficients.
#pragma once

#include <functional>
#include <vector>

#include "core/passes/array_builder.h"

namespace bp::passes {

// The function of t in [-1, 1] as a sum of Chebyshev polynomials up to a degree, by interpolation: the error of a smooth
// function falls geometrically with the degree. Deterministic.
class Polynomial {
 public:
  Polynomial(const std::function<double(double)> &function, int degree);

  // Its value at t, of which all elements lie in [-1, 1]; by Clenshaw's recurrence, three ops for each degree.
  ir::InstructionId at(ArrayBuilder &b, ir::InstructionId t) const;

 private:
  std::vector<double> coefficients_;
};

}  // namespace bp::passes
