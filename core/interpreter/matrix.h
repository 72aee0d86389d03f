// Matrices of wide values, for linear algebra.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "core/interpreter/strided_copy.h"

namespace bp::interpreter {

template <class W>
W conjugate(W x) {
  if constexpr (is_complex_number<W>) {
    return std::conj(x);
  } else {
    return x;
  }
}
template <class W>
double real_part(W x) {
  if constexpr (is_complex_number<W>) {
    return x.real();
  } else {
    return x;
  }
}

// A matrix of wide values.
template <class W>
struct Matrix {
  std::size_t rows, columns;
  std::vector<W> elements;

  Matrix(std::size_t r, std::size_t c) : rows(r), columns(c), elements(r * c) {}
  W &operator()(std::size_t r, std::size_t c) { return elements[r * columns + c]; }
  const W &operator()(std::size_t r, std::size_t c) const { return elements[r * columns + c]; }
};

template <class W, class T>
Matrix<W> matrix_at(const Literal &literal, std::size_t number) {
  std::span<const std::int64_t> sizes = literal.shape().sizes().last(2);
  Matrix<W> matrix(static_cast<std::size_t>(sizes[0]), static_cast<std::size_t>(sizes[1]));
  const T *from = literal.elements<T>().data() + number * matrix.elements.size();
  for (std::size_t i = 0; i < matrix.elements.size(); ++i) {
    matrix.elements[i] = widen<W>(from[i]);
  }
  return matrix;
}

template <class W>
Matrix<W> adjoint(const Matrix<W> &a) {
  Matrix<W> result(a.columns, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < a.columns; ++j) {
      result(j, i) = conjugate(a(i, j));
    }
  }
  return result;
}

// Calls body<T>() for element types that have square roots and quotients.
template <class Body>
void with_field_type(ElementType type, Body &&body) {
  ir::visit_element_type(type, [&]<class T>() {
    if constexpr (!std::is_integral_v<WideType<T>>) {
      body.template operator()<T>();
    }
  });
}

template <class T, class W>
void store(Literal &literal, std::size_t number, const Matrix<W> &matrix) {
  T *to = literal.mutable_elements<T>().data() + number * matrix.elements.size();
  for (std::size_t i = 0; i < matrix.elements.size(); ++i) {
    to[i] = narrow<T>(matrix.elements[i]);
  }
}

inline std::size_t matrix_count(const Shape &shape) {
  return static_cast<std::size_t>(ir::product(shape.sizes().first(shape.rank() - 2)));
}

}  // namespace bp::interpreter
