#include "core/interpreter/factorizations.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "core/interpreter/matrix.h"

namespace bp::interpreter {
namespace {

// Maps column j to beta times a unit vector, as LAPACK's larfg: stores beta, and below it the vector. Returns tau.
template <class W>
W make_reflector(Matrix<W> &a, std::size_t j) {
  double scale = 0;
  for (std::size_t i = j + 1; i < a.rows; ++i) {
    scale = std::max(scale, std::abs(a(i, j)));
  }
  const W alpha = a(j, j);
  double imaginary = 0;
  if constexpr (is_complex_number<W>) {
    imaginary = alpha.imag();
  }
  if (scale == 0 && imaginary == 0) {
    return W(0);
  }
  scale = std::max(scale, std::abs(alpha));
  double sum = 0;
  for (std::size_t i = j; i < a.rows; ++i) {
    const double part = std::abs(a(i, j) / scale);
    sum += part * part;
  }
  const double norm = scale * std::sqrt(sum);
  const double beta = real_part(alpha) < 0 ? norm : -norm;
  for (std::size_t i = j + 1; i < a.rows; ++i) {
    a(i, j) /= alpha - beta;
  }
  a(j, j) = W(beta);
  return (beta - alpha) / beta;
}

// Subtracts tau v v^H from the columns of `matrix` from `first` on; v is column j of `a`, with 1 in row j.
template <class W>
void reflect(const Matrix<W> &a, std::size_t j, W tau, Matrix<W> &matrix, std::size_t first) {
  for (std::size_t c = first; c < matrix.columns; ++c) {
    W sum = matrix(j, c);
    for (std::size_t i = j + 1; i < a.rows; ++i) {
      sum += conjugate(a(i, j)) * matrix(i, c);
    }
    sum *= tau;
    matrix(j, c) -= sum;
    for (std::size_t i = j + 1; i < a.rows; ++i) {
      matrix(i, c) -= a(i, j) * sum;
    }
  }
}

template <class W>
Matrix<W> factor(Matrix<W> &a) {
  Matrix<W> taus(1, std::min(a.rows, a.columns));
  for (std::size_t j = 0; j < taus.columns; ++j) {
    taus(0, j) = make_reflector(a, j);
    reflect(a, j, conjugate(taus(0, j)), a, j + 1);
  }
  return taus;
}

template <class W>
Matrix<W> unit(std::size_t rows, std::size_t columns) {
  Matrix<W> result(rows, columns);
  for (std::size_t i = 0; i < std::min(rows, columns); ++i) {
    result(i, i) = W(1);
  }
  return result;
}

template <class W>
Matrix<W> multiply_reflectors(const Matrix<W> &a, std::span<const W> taus) {
  Matrix<W> q = unit<W>(a.rows, a.columns);
  for (std::size_t j = taus.size(); j-- > 0;) {
    reflect(a, j, taus[j], q, 0);
  }
  return q;
}

// Rotates rows and columns p and q of a Hermitian matrix such that its element (p, q) becomes zero; `v` collects the
// rotations of columns.
template <class W>
void rotate(Matrix<W> &a, Matrix<W> &v, std::size_t p, std::size_t q) {
  const double size = std::abs(a(p, q));
  if (size == 0) {
    return;
  }
  const double tau = (real_part(a(q, q)) - real_part(a(p, p))) / (2 * size);
  const double t = (tau < 0 ? -1 : 1) / (std::abs(tau) + std::hypot(1.0, tau)), c = 1 / std::hypot(1.0, t);
  const W s = t * c * (a(p, q) / size);
  for (Matrix<W> *matrix : {&a, &v}) {
    for (std::size_t i = 0; i < matrix->rows; ++i) {
      const W x = (*matrix)(i, p), y = (*matrix)(i, q);
      (*matrix)(i, p) = c * x - conjugate(s) * y;
      (*matrix)(i, q) = s * x + c * y;
    }
  }
  for (std::size_t i = 0; i < a.columns; ++i) {
    const W x = a(p, i), y = a(q, i);
    a(p, i) = c * x - s * y;
    a(q, i) = conjugate(s) * x + c * y;
  }
  a(p, q) = a(q, p) = W(0);
}

// Returns the eigenvectors in columns; the eigenvalues remain on the diagonal of `a`.
template <class W>
Matrix<W> diagonalize(Matrix<W> &a) {
  constexpr int max_sweeps = 60;  // it takes ten at most, as far as is known
  Matrix<W> v = unit<W>(a.rows, a.rows);
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    double rest = 0, all = 0;
    for (std::size_t p = 0; p < a.rows; ++p) {
      for (std::size_t q = 0; q < a.rows; ++q) {
        (p == q ? all : rest) += std::norm(a(p, q));
      }
    }
    if (!(rest > all * 1e-33)) {
      break;
    }
    for (std::size_t p = 0; p < a.rows; ++p) {
      for (std::size_t q = p + 1; q < a.rows; ++q) {
        rotate(a, v, p, q);
      }
    }
  }
  return v;
}

// Returns the Hermitian matrix of which only one triangle is read.
template <class W>
Matrix<W> from_triangle(const Matrix<W> &a, bool is_lower) {
  Matrix<W> result = a;
  for (std::size_t i = 0; i < a.rows; ++i) {
    result(i, i) = W(real_part(a(i, i)));
    for (std::size_t j = i + 1; j < a.rows; ++j) {
      const W element = is_lower ? conjugate(a(j, i)) : a(i, j);
      result(i, j) = element;
      result(j, i) = conjugate(element);
    }
  }
  return result;
}

Result<Literal> evaluate_qr(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Shape &shape = instruction.shape();
  BP_ASSIGN(Literal packed, evaluator.allocate(shape.elements()[0]));
  BP_ASSIGN(Literal factors, evaluator.allocate(shape.elements()[1]));
  with_field_type(shape.elements()[0].element_type(), [&]<class T>() {
    for (std::size_t n = 0; n < matrix_count(shape.elements()[0]); ++n) {
      Matrix<SumType<T>> a = matrix_at<SumType<T>, T>(operands[0], n);
      store<T>(factors, n, factor(a));
      store<T>(packed, n, a);
    }
  });
  return Literal::tuple({std::move(packed), std::move(factors)});
}

Result<Literal> evaluate_product(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Shape &shape = instruction.shape(), &taus = operands[1].shape();
  const auto count = static_cast<std::size_t>(taus.size(taus.rank() - 1));
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  with_field_type(shape.element_type(), [&]<class T>() {
    using W = SumType<T>;
    for (std::size_t n = 0; n < matrix_count(shape); ++n) {
      std::vector<W> factors;
      for (const T &tau : operands[1].elements<T>().subspan(n * count, count)) {
        factors.push_back(widen<W>(tau));
      }
      store<T>(result, n, multiply_reflectors(matrix_at<W, T>(operands[0], n), std::span<const W>(factors)));
    }
  });
  return result;
}

Result<Literal> evaluate_eigh(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Shape &vector_shape = instruction.shape().elements()[0], &value_shape = instruction.shape().elements()[1];
  const ir::EighOptions options = ir::eigh_options(instruction);
  BP_ASSIGN(Literal vectors, evaluator.allocate(vector_shape));
  BP_ASSIGN(Literal values, evaluator.allocate(value_shape));
  with_field_type(vector_shape.element_type(), [&]<class T>() {
    using W = SumType<T>;
    for (std::size_t n = 0; n < matrix_count(vector_shape); ++n) {
      Matrix<W> a = from_triangle(matrix_at<W, T>(operands[0], n), options.is_lower);
      const Matrix<W> found = diagonalize(a);
      std::vector<std::size_t> order(a.rows);
      std::iota(order.begin(), order.end(), 0);
      if (options.is_sorted) {
        std::ranges::sort(order, {}, [&](std::size_t i) {
          const double value = real_part(a(i, i));
          return std::isnan(value) ? std::tuple(true, 0.0, i) : std::tuple(false, value, i);
        });
      }
      Matrix<W> sorted(a.rows, a.rows);
      Matrix<double> diagonal(1, a.rows);
      for (std::size_t i = 0; i < a.rows; ++i) {
        diagonal(0, i) = real_part(a(order[i], order[i]));
        for (std::size_t row = 0; row < a.rows; ++row) {
          sorted(row, i) = found(row, order[i]);
        }
      }
      store<T>(vectors, n, sorted);
      with_field_type(value_shape.element_type(), [&]<class V>() {
        if constexpr (!is_complex_number<SumType<V>>) {
          store<V>(values, n, diagonal);
        }
      });
    }
  });
  return Literal::tuple({std::move(vectors), std::move(values)});
}

}  // namespace

Result<Literal> evaluate_factorization(Evaluator &evaluator, const Instruction &instruction, Operands operands,
                                       ir::Factorization factorization) {
  switch (factorization) {
    case ir::Factorization::Qr: return evaluate_qr(evaluator, instruction, operands);
    case ir::Factorization::ReflectorProduct: return evaluate_product(evaluator, instruction, operands);
    case ir::Factorization::Eigh: return evaluate_eigh(evaluator, instruction, operands);
    case ir::Factorization::None: break;
  }
  return unsupported("no factorization");
}

}  // namespace bp::interpreter
