// cholesky and triangular-solve, one matrix after the other, in the sum type.
#include <cmath>

#include "core/interpreter/matrix.h"

namespace bp::interpreter {
namespace {

using ir::AttributeKey;

// Row by row: l(i,j) = (a(i,j) - sum l(i,k) conj(l(j,k))) / l(j,j), and the square root of the numerator on the
// diagonal. A matrix that is not positive definite gives NaNs. Reads only the lower triangle.
template <class W>
Matrix<W> cholesky(const Matrix<W> &a) {
  Matrix<W> l(a.rows, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      W sum = a(i, j);
      for (std::size_t k = 0; k < j; ++k) {
        sum -= l(i, k) * conjugate(l(j, k));
      }
      l(i, j) = i == j ? W(std::sqrt(real_part(sum))) : sum / real_part(l(j, j));
    }
  }
  return l;
}

template <class W>
Matrix<W> transposed(const Matrix<W> &a) {
  Matrix<W> result(a.columns, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < a.columns; ++j) {
      result(j, i) = a(i, j);
    }
  }
  return result;
}

// Solves a x = b by substitution, forwards if a is lower triangular, else backwards. Replaces b by x.
template <class W>
void solve(const Matrix<W> &a, bool lower, bool unit_diagonal, Matrix<W> &b) {
  for (std::size_t step = 0; step < a.rows; ++step) {
    std::size_t i = lower ? step : a.rows - 1 - step;
    std::size_t begin = lower ? 0 : i + 1, end = lower ? i : a.rows;
    for (std::size_t c = 0; c < b.columns; ++c) {
      W sum = b(i, c);
      for (std::size_t k = begin; k < end; ++k) {
        sum -= a(i, k) * b(k, c);
      }
      b(i, c) = unit_diagonal ? sum : sum / a(i, i);
    }
  }
}

}  // namespace

// The other triangle of the result is zero.
Result<Literal> evaluate_cholesky(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  bool lower = instruction.number(AttributeKey::Lower) != 0;
  BP_ASSIGN(Literal result, evaluator.allocate(instruction.shape()));
  with_field_type(instruction.shape().element_type(), [&]<class T>() {
    for (std::size_t n = 0; n < matrix_count(instruction.shape()); ++n) {
      Matrix<SumType<T>> a = matrix_at<SumType<T>, T>(operands[0], n);
      Matrix<SumType<T>> l = cholesky(lower ? a : adjoint(a));
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
