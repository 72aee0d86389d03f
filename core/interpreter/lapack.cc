#include "core/interpreter/lapack.h"

#include "core/interpreter/matrix_algorithms.h"

namespace bp::interpreter {
namespace {

using ir::LapackRoutine;

// One call: reads matrices of the operands, and writes those of the results.
class Call {
 public:
  Call(const ir::LapackCall &call, Operands operands, std::vector<Literal> &results)
      : call_(call), operands_(operands), results_(results) {}

  template <class T>
  void run() {
    const Shape &first = results_[call_.routine == LapackRoutine::Gtsv ? 3 : 0].shape();
    for (n_ = 0; n_ < matrix_count(first); ++n_) {
      routine<T>();
    }
  }

 private:
  template <class T>
  void routine() {
    using W = SumType<T>;
    switch (call_.routine) {
      case LapackRoutine::Potrf: return potrf<T>(matrix_at<W, T>(operands_[0], n_));
      case LapackRoutine::Trsm: return trsm<T>(matrix_at<W, T>(operands_[0], n_), matrix_at<W, T>(operands_[1], n_));
      case LapackRoutine::Getrf: return getrf<T>(matrix_at<W, T>(operands_[0], n_));
      case LapackRoutine::Geqrf: {
        Matrix<W> a = matrix_at<W, T>(operands_[0], n_);
        store<T>(results_[1], n_, factor(a));
        return store<T>(results_[0], n_, a);
      }
      case LapackRoutine::Orgqr: {
        const std::vector<W> taus = vector_at<W, T>(1);
        const Matrix<W> a = matrix_at<W, T>(operands_[0], n_);
        return store<T>(results_[0], n_, multiply_reflectors(a, std::span<const W>(taus)));
      }
      case LapackRoutine::Syevd: {
        Matrix<W> a = from_triangle(matrix_at<W, T>(operands_[0], n_), call_.is_lower);
        const Matrix<W> found = diagonalize(a);
        const auto [vectors, values] = sorted_by_values(found, a, true);
        store<T>(results_[0], n_, vectors);
        return store_real(1, values.elements);
      }
      case LapackRoutine::Gesdd: return gesdd<T>(matrix_at<W, T>(operands_[0], n_));
      case LapackRoutine::Gehrd: {
        Matrix<W> a = matrix_at<W, T>(operands_[0], n_);
        store<T>(results_[1], n_, reduce_to_hessenberg(a));
        store<T>(results_[0], n_, a);
        return store_info(2, 0);
      }
      case LapackRoutine::Sytrd: return sytrd<T>(matrix_at<W, T>(operands_[0], n_));
      case LapackRoutine::Gtsv: return gtsv<T>();
      case LapackRoutine::None: break;
    }
  }

  // The other triangle remains.
  template <class T, class W>
  void potrf(Matrix<W> a) {
    const Matrix<W> l = cholesky(call_.is_lower ? a : adjoint(a));
    const Matrix<W> factor = call_.is_lower ? l : adjoint(l);
    std::int32_t stop = 0;
    for (std::size_t i = 0; i < a.rows; ++i) {
      stop = stop == 0 && !(real_part(l(i, i)) > 0) ? static_cast<std::int32_t>(i + 1) : stop;
      for (std::size_t j = 0; j < a.columns; ++j) {
        const bool is_in_triangle = call_.is_lower ? j <= i : j >= i;
        a(i, j) = is_in_triangle ? factor(i, j) : a(i, j);
      }
    }
    store<T>(results_[0], n_, a);
    store_info(1, stop);
  }

  template <class T, class W>
  void trsm(Matrix<W> a, Matrix<W> b) {
    bool lower = call_.is_lower;
    if (call_.transpose != ir::Transpose::NoTranspose) {
      a = call_.transpose == ir::Transpose::Adjoint ? adjoint(a) : transposed(a);
      lower = !lower;
    }
    if (!call_.is_left) {
      a = transposed(a);
      b = transposed(b);
      lower = !lower;
    }
    solve(a, lower, call_.has_unit_diagonal, b);
    store<T>(results_[0], n_, call_.is_left ? b : transposed(b));
  }

  template <class T, class W>
  void getrf(Matrix<W> a) {
    const std::vector<std::size_t> exchanges = decompose(a);
    std::int32_t stop = 0;
    for (std::size_t j = 0; j < exchanges.size(); ++j) {
      const auto number = static_cast<std::int32_t>(j + 1);
      results_[1].mutable_elements<std::int32_t>()[n_ * exchanges.size() + j] =
          static_cast<std::int32_t>(exchanges[j] + 1);
      stop = stop == 0 && a(j, j) == W(0) ? number : stop;
    }
    store<T>(results_[0], n_, a);
    store_info(2, stop);
  }

  // LAPACK destroys the operand; here it remains.
  template <class T, class W>
  void gesdd(const Matrix<W> &a) {
    const SingularValues<W> found = singular_values(a);
    const Shape &u = results_[2].shape(), &v = results_[3].shape();
    store<T>(results_[0], n_, a);
    store_real(1, found.s);
    store<T>(results_[2], n_, first_columns(found.u, u.size(u.rank() - 1)));
    store<T>(results_[3], n_, adjoint(first_columns(found.v, v.size(v.rank() - 2))));
  }

  // From the upper triangle, LAPACK begins with the last column: the same on reversed rows and columns.
  template <class T, class W>
  void sytrd(const Matrix<W> &a) {
    const auto turn = [&](const Matrix<W> &x) { return call_.is_lower ? x : reversed(x); };
    Matrix<W> form = from_triangle(turn(a), true);
    const Matrix<W> taus = reduce_to_hessenberg(form);
    Matrix<W> result = turn(a), diagonal(1, a.rows), beside(1, a.rows - 1);
    for (std::size_t i = 0; i < a.rows; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        result(i, j) = form(i, j);
      }
      diagonal(0, i) = form(i, i);
      if (i > 0) {
        beside(0, i - 1) = form(i, i - 1);
      }
    }
    store<T>(results_[0], n_, turn(result));
    store_real(1, real_parts(turn(diagonal)));
    store_real(2, real_parts(turn(beside)));
    store<T>(results_[3], n_, turn(taus));
    store_info(4, 0);
  }

  template <class W>
  static std::vector<double> real_parts(const Matrix<W> &a) {
    std::vector<double> parts;
    for (const W &x : a.elements) {
      parts.push_back(real_part(x));
    }
    return parts;
  }

  template <class T>
  void gtsv() {
    using W = SumType<T>;
    Diagonals<W> a{vector_at<W, T>(0), vector_at<W, T>(1), vector_at<W, T>(2)};
    Matrix<W> b = matrix_at<W, T>(operands_[3], n_);
    solve_tridiagonal(a, b);
    std::int32_t stop = 0;
    for (std::size_t i = 0; i < a.main.size(); ++i) {
      stop = stop == 0 && a.main[i] == W(0) ? static_cast<std::int32_t>(i + 1) : stop;
    }
    std::size_t result = 0;
    for (const std::vector<W> *diagonal : {&a.below, &a.main, &a.above}) {
      Matrix<W> row(1, diagonal->size());
      row.elements = *diagonal;
      store<T>(results_[result++], n_, row);
    }
    store<T>(results_[3], n_, b);
    store_info(4, stop);
  }

  template <class W>
  static Matrix<W> first_columns(const Matrix<W> &a, std::int64_t count) {
    Matrix<W> result(a.rows, static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < result.rows; ++i) {
      for (std::size_t j = 0; j < result.columns; ++j) {
        result(i, j) = a(i, j);
      }
    }
    return result;
  }

  template <class W, class T>
  std::vector<W> vector_at(std::size_t operand) const {
    const Literal &vectors = operands_[operand];
    const auto size = static_cast<std::size_t>(vectors.shape().sizes().back());
    std::vector<W> vector;
    for (const T &x : vectors.elements<T>().subspan(n_ * size, size)) {
      vector.push_back(widen<W>(x));
    }
    return vector;
  }
  void store_real(std::size_t result, const std::vector<double> &values) {
    Matrix<double> row(1, values.size());
    row.elements = values;
    if (results_[result].shape().element_type() == ElementType::F32) {
      store<float>(results_[result], n_, row);
    } else {
      store<double>(results_[result], n_, row);
    }
  }
  void store_info(std::size_t result, std::int32_t value) {
    results_[result].mutable_elements<std::int32_t>()[n_] = value;
  }

  const ir::LapackCall &call_;
  Operands operands_;
  std::vector<Literal> &results_;
  std::size_t n_ = 0;  // number of the matrix
};

}  // namespace

Result<Literal> evaluate_lapack_call(Evaluator &evaluator, const Instruction &instruction, Operands operands,
                                     const ir::LapackCall &call) {
  const Shape shape = instruction.shape();
  std::vector<Literal> results;
  for (const Shape &part : shape.is_tuple() ? shape.elements() : std::span(&shape, 1)) {
    BP_ASSIGN(Literal result, evaluator.allocate(part));
    results.push_back(std::move(result));
  }
  with_field_type(operands[0].shape().element_type(), [&]<class T>() { Call(call, operands, results).run<T>(); });
  return shape.is_tuple() ? Literal::tuple(std::move(results)) : std::move(results[0]);
}

}  // namespace bp::interpreter
