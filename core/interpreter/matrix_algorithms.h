// Algorithms on one matrix of wide values: factorizations, solutions of systems, eigenvalues.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/interpreter/matrix.h"

namespace bp::interpreter {

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

// The magnitude by which LAPACK and JAX choose pivots: that of a complex number is |real| + |imaginary|.
inline double pivot_magnitude(double value) {
  return std::abs(value);
}
inline double pivot_magnitude(std::complex<double> value) {
  return std::abs(value.real()) + std::abs(value.imag());
}

// Decomposes a matrix, in its place, into a lower factor with a diagonal of 1, which is not stored, and an upper one.
// Rows are exchanged such that the largest pivot comes first. Returns with which row each row was exchanged.
template <class W>
std::vector<std::size_t> decompose(Matrix<W> &a) {
  std::vector<std::size_t> exchanges;
  for (std::size_t j = 0; j < std::min(a.rows, a.columns); ++j) {
    std::size_t pivot = j;
    for (std::size_t i = j + 1; i < a.rows; ++i) {
      if (pivot_magnitude(a(i, j)) > pivot_magnitude(a(pivot, j))) {
        pivot = i;
      }
    }
    exchanges.push_back(pivot);
    for (std::size_t c = 0; c < a.columns && pivot != j; ++c) {
      std::swap(a(j, c), a(pivot, c));
    }
    for (std::size_t i = j + 1; i < a.rows && a(j, j) != W(0); ++i) {
      a(i, j) /= a(j, j);
      for (std::size_t c = j + 1; c < a.columns; ++c) {
        a(i, c) -= a(i, j) * a(j, c);
      }
    }
  }
  return exchanges;
}

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
  // The vector is made of scaled numbers, because small ones have few bits.
  const W scaled_alpha = alpha / scale;
  const double beta = real_part(alpha) < 0 ? std::sqrt(sum) : -std::sqrt(sum);
  for (std::size_t i = j + 1; i < a.rows; ++i) {
    a(i, j) = a(i, j) / scale / (scaled_alpha - beta);
  }
  a(j, j) = W(beta * scale);
  return (beta - scaled_alpha) / beta;
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

// Makes a matrix zero below its first subdiagonal, as LAPACK's gehrd: replaces it by q^H a q, with the vectors of the
// reflectors, whose product q is, below that. Returns their factors.
template <class W>
Matrix<W> reduce_to_hessenberg(Matrix<W> &a) {
  Matrix<W> taus(1, a.rows - 1);
  for (std::size_t j = 0; j + 1 < a.rows; ++j) {
    Matrix<W> v(a.rows - j - 1, 1);
    for (std::size_t i = 0; i < v.rows; ++i) {
      v(i, 0) = a(j + 1 + i, j);
    }
    const W tau = taus(0, j) = make_reflector(v, 0);
    for (std::size_t i = 0; i < v.rows; ++i) {
      a(j + 1 + i, j) = v(i, 0);
    }
    v(0, 0) = W(1);
    for (std::size_t r = 0; r < a.rows; ++r) {  // a H
      W sum = W(0);
      for (std::size_t i = 0; i < v.rows; ++i) {
        sum += a(r, j + 1 + i) * v(i, 0);
      }
      for (std::size_t i = 0; i < v.rows; ++i) {
        a(r, j + 1 + i) -= sum * tau * conjugate(v(i, 0));
      }
    }
    for (std::size_t c = j + 1; c < a.columns; ++c) {  // H^H a
      W sum = W(0);
      for (std::size_t i = 0; i < v.rows; ++i) {
        sum += conjugate(v(i, 0)) * a(j + 1 + i, c);
      }
      for (std::size_t i = 0; i < v.rows; ++i) {
        a(j + 1 + i, c) -= conjugate(tau) * sum * v(i, 0);
      }
    }
  }
  return taus;
}

// Returns the matrix with its rows and columns in reverse order.
template <class W>
Matrix<W> reversed(const Matrix<W> &a) {
  Matrix<W> result = a;
  std::ranges::reverse(result.elements);
  return result;
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

template <class W>
bool is_finite(const Matrix<W> &a) {
  return std::ranges::all_of(a.elements, [](const W &x) { return x - x == W(0); });
}

// Returns the eigenvectors in columns; the eigenvalues remain on the diagonal of `a`. All are NaN if an
// element is not finite.
template <class W>
Matrix<W> diagonalize(Matrix<W> &a) {
  if (!is_finite(a)) {
    std::ranges::fill(a.elements, W(std::numeric_limits<double>::quiet_NaN()));
    return a;
  }
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

// Returns the eigenvectors, in columns, in ascending order of the eigenvalues, which `a` has on its diagonal.
template <class W>
std::pair<Matrix<W>, Matrix<double>> sorted_by_values(const Matrix<W> &vectors, const Matrix<W> &a, bool is_sorted) {
  std::vector<std::size_t> order(a.rows);
  std::iota(order.begin(), order.end(), 0);
  if (is_sorted) {
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
      sorted(row, i) = vectors(row, order[i]);
    }
  }
  return {std::move(sorted), std::move(diagonal)};
}

// Singular values in descending order, with u [m, m] and v [n, n], of which a = u s v^H.
template <class W>
struct SingularValues {
  std::vector<double> s;
  Matrix<W> u, v;
};

// Rotates columns of a matrix that is not wide until they are orthogonal (M. Hestenes, 1958). The rotations are
// collected in `v`.
template <class W>
void orthogonalize(Matrix<W> &a, Matrix<W> &v) {
  constexpr int max_sweeps = 60;
  bool is_done = false;
  for (int sweep = 0; sweep < max_sweeps && !is_done; ++sweep) {
    is_done = true;
    for (std::size_t p = 0; p < a.columns; ++p) {
      for (std::size_t q = p + 1; q < a.columns; ++q) {
        double pp = 0, qq = 0;
        W pq = W(0);
        for (std::size_t i = 0; i < a.rows; ++i) {
          pp += std::norm(a(i, p));
          qq += std::norm(a(i, q));
          pq += conjugate(a(i, p)) * a(i, q);
        }
        const double size = std::abs(pq);
        if (!(size > 1e-15 * std::sqrt(pp) * std::sqrt(qq))) {
          continue;
        }
        is_done = false;
        const double tau = (qq - pp) / (2 * size);
        const double t = (tau < 0 ? -1 : 1) / (std::abs(tau) + std::hypot(1.0, tau)), c = 1 / std::hypot(1.0, t);
        const W s = t * c * (pq / size);
        for (Matrix<W> *matrix : {&a, &v}) {
          for (std::size_t i = 0; i < matrix->rows; ++i) {
            const W x = (*matrix)(i, p), y = (*matrix)(i, q);
            (*matrix)(i, p) = c * x - conjugate(s) * y;
            (*matrix)(i, q) = s * x + c * y;
          }
        }
      }
    }
  }
}

template <class W>
SingularValues<W> singular_values(Matrix<W> a) {
  if (!is_finite(a)) {
    std::ranges::fill(a.elements, W(std::numeric_limits<double>::quiet_NaN()));
  }
  if (a.rows < a.columns) {
    SingularValues<W> result = singular_values(adjoint(a));
    std::swap(result.u, result.v);
    return result;
  }
  Matrix<W> v = unit<W>(a.columns, a.columns);
  orthogonalize(a, v);
  std::vector<double> norms(a.columns);
  for (std::size_t j = 0; j < a.columns; ++j) {
    for (std::size_t i = 0; i < a.rows; ++i) {
      norms[j] = std::hypot(norms[j], std::abs(a(i, j)));
    }
  }
  std::vector<std::size_t> order(a.columns);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t j) { return norms[j]; });
  // The columns are those of u, times the singular values; reflectors complete u where those are zero.
  SingularValues<W> result{{}, Matrix<W>(a.rows, a.rows), Matrix<W>(a.columns, a.columns)};
  Matrix<W> wide(a.rows, a.rows);
  for (std::size_t j = 0; j < a.columns; ++j) {
    for (std::size_t i = 0; i < a.rows; ++i) {
      wide(i, j) = a(i, order[j]);
    }
    for (std::size_t i = 0; i < a.columns; ++i) {
      result.v(i, j) = v(i, order[j]);
    }
  }
  const Matrix<W> taus = factor(wide);
  result.u = multiply_reflectors(wide, std::span<const W>(taus.elements));
  for (std::size_t j = 0; j < a.columns; ++j) {
    const double value = real_part(wide(j, j));
    result.s.push_back(std::abs(value));
    for (std::size_t i = 0; i < a.rows && value < 0; ++i) {
      result.u(i, j) = -result.u(i, j);
    }
  }
  // Equal ones differ by rounding. A stable sort bears NaNs, which squares that overflow may leave.
  std::ranges::stable_sort(result.s, std::greater());
  return result;
}

// The diagonals of one matrix: below(i) is left of above(i); below(0) and the last of above are not read.
template <class W>
struct Diagonals {
  std::vector<W> below, main, above;
};

// Solves a system by elimination with exchanges of neighbouring rows, as LAPACK's gtsv. Replaces b by the solution, and
// the diagonals by those of the upper factor: main, above, and, in below(2) and later, the second above.
template <class W>
void solve_tridiagonal(Diagonals<W> &a, Matrix<W> &b) {
  const std::size_t n = a.main.size();
  a.above[n - 1] = W(0);
  std::vector<W> second(n);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    if (std::abs(a.main[i]) < std::abs(a.below[i + 1])) {
      std::swap(a.main[i], a.below[i + 1]);
      std::swap(a.above[i], a.main[i + 1]);
      second[i] = std::exchange(a.above[i + 1], W(0));
      for (std::size_t c = 0; c < b.columns; ++c) {
        std::swap(b(i, c), b(i + 1, c));
      }
    }
    const W factor = a.main[i] == W(0) ? W(0) : a.below[i + 1] / a.main[i];
    a.main[i + 1] -= factor * a.above[i];
    a.above[i + 1] -= factor * second[i];
    for (std::size_t c = 0; c < b.columns; ++c) {
      b(i + 1, c) -= factor * b(i, c);
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t c = 0; c < b.columns; ++c) {
      W sum = b(i, c);
      sum -= i + 1 < n ? a.above[i] * b(i + 1, c) : W(0);
      sum -= i + 2 < n ? second[i] * b(i + 2, c) : W(0);
      b(i, c) = sum / a.main[i];
    }
    a.below[i] = i == 0 ? W(0) : second[i - 1];
  }
}

}  // namespace bp::interpreter
