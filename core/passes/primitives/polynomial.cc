#include "core/passes/primitives/polynomial.h"

#include <cmath>
#include <numbers>

namespace bp::passes {

Polynomial::Polynomial(const std::function<double(double)> &function, int degree) {
  const int count = degree + 1;
  std::vector<double> values;
  for (int i = 0; i < count; ++i) {
    values.push_back(function(std::cos(std::numbers::pi * (i + 0.5) / count)));
  }
  for (int n = 0; n < count; ++n) {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
      sum += values[static_cast<std::size_t>(i)] * std::cos(std::numbers::pi * n * (i + 0.5) / count);
    }
    coefficients_.push_back(sum * (n == 0 ? 1 : 2) / count);
  }
}

ir::InstructionId Polynomial::at(ArrayBuilder &b, ir::InstructionId t) const {
  const ir::InstructionId twice = b.sum({t, t});
  ir::InstructionId next = b.splat(coefficients_.back(), t), after = b.splat(0, t);
  for (std::size_t n = coefficients_.size() - 1; n-- > 1;) {
    const ir::InstructionId higher =
        b.sum({b.difference({b.product({twice, next}), after}), b.splat(coefficients_[n], t)});
    after = next;
    next = higher;
  }
  return b.sum({b.difference({b.product({t, next}), after}), b.splat(coefficients_[0], t)});
}

}  // namespace bp::passes
