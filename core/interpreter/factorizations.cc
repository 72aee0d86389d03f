#include "core/interpreter/factorizations.h"

#include "core/interpreter/matrix_algorithms.h"

namespace bp::interpreter {
namespace {

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
      const auto [sorted, diagonal] = sorted_by_values(found, a, options.is_sorted);
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

Result<Literal> evaluate_lu(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Shape &shape = instruction.shape();
  BP_ASSIGN(Literal factors, evaluator.allocate(shape.elements()[0]));
  BP_ASSIGN(Literal exchanges, evaluator.allocate(shape.elements()[1]));
  BP_ASSIGN(Literal permutation, evaluator.allocate(shape.elements()[2]));
  with_field_type(shape.elements()[0].element_type(), [&]<class T>() {
    for (std::size_t n = 0; n < matrix_count(shape.elements()[0]); ++n) {
      Matrix<SumType<T>> a = matrix_at<SumType<T>, T>(operands[0], n);
      const std::vector<std::size_t> rows = decompose(a);
      store<T>(factors, n, a);
      const auto order = permutation.mutable_elements<std::int32_t>().subspan(n * a.rows, a.rows);
      std::iota(order.begin(), order.end(), 0);
      for (std::size_t j = 0; j < rows.size(); ++j) {
        exchanges.mutable_elements<std::int32_t>()[n * rows.size() + j] = static_cast<std::int32_t>(rows[j]);
        std::swap(order[j], order[rows[j]]);
      }
    }
  });
  return Literal::tuple({std::move(factors), std::move(exchanges), std::move(permutation)});
}

}  // namespace

Result<Literal> evaluate_factorization(Evaluator &evaluator, const Instruction &instruction, Operands operands,
                                       ir::Factorization factorization) {
  switch (factorization) {
    case ir::Factorization::Qr: return evaluate_qr(evaluator, instruction, operands);
    case ir::Factorization::ReflectorProduct: return evaluate_product(evaluator, instruction, operands);
    case ir::Factorization::Lu: return evaluate_lu(evaluator, instruction, operands);
    case ir::Factorization::Eigh: return evaluate_eigh(evaluator, instruction, operands);
    case ir::Factorization::None: break;
  }
  return unsupported("no factorization");
}

}  // namespace bp::interpreter
