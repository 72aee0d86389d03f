// cholesky and triangular-solve, one matrix after the other, in the sum type.
#include <algorithm>
#include <limits>

#include "core/interpreter/matrix_algorithms.h"

namespace bp::interpreter {

using ir::AttributeKey;

// The other triangle of the result is zero.
Result<Literal> evaluate_cholesky(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  bool lower = instruction.number(AttributeKey::Lower) != 0;
  BP_ASSIGN(Literal result, evaluator.allocate(instruction.shape()));
  with_field_type(instruction.shape().element_type(), [&]<class T>() {
    for (std::size_t n = 0; n < matrix_count(instruction.shape()); ++n) {
      Matrix<SumType<T>> a = matrix_at<SumType<T>, T>(operands[0], n);
      Matrix<SumType<T>> l = cholesky(lower ? a : adjoint(a));
      if (l.rows > 0 && !(real_part(l(l.rows - 1, l.rows - 1)) > 0)) {  // XLA's expander returns NaNs alone
        std::ranges::fill(l.elements, SumType<T>(std::numeric_limits<double>::quiet_NaN()));
      }
      store<T>(result, n, lower ? l : adjoint(l));
    }
  });
  return result;
}

// Solves op(a) x = b, or x op(a) = b, which is op(a)^T x^T = b^T.
Result<Literal> evaluate_triangular_solve(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  bool left = instruction.number(AttributeKey::LeftSide) != 0,
       unit = instruction.number(AttributeKey::UnitDiagonal) != 0;
  auto transpose = instruction.enumerator(AttributeKey::TransposeA, ir::Transpose::NoTranspose);
  BP_ASSIGN(Literal result, evaluator.allocate(instruction.shape()));
  with_field_type(instruction.shape().element_type(), [&]<class T>() {
    using W = SumType<T>;
    for (std::size_t n = 0; n < matrix_count(instruction.shape()); ++n) {
      bool lower = instruction.number(AttributeKey::Lower) != 0;
      Matrix<W> a = matrix_at<W, T>(operands[0], n), b = matrix_at<W, T>(operands[1], n);
      if (transpose != ir::Transpose::NoTranspose) {
        a = transpose == ir::Transpose::Adjoint ? adjoint(a) : transposed(a);
        lower = !lower;
      }
      if (!left) {
        a = transposed(a);
        b = transposed(b);
        lower = !lower;
      }
      solve(a, lower, unit, b);
      store<T>(result, n, left ? b : transposed(b));
    }
  });
  return result;
}

}  // namespace bp::interpreter
