#include "core/ir/factorization_calls.h"

#include <algorithm>

namespace bp::ir {
namespace {

bool is_matrix(const Shape &shape) {
  const bool is_number = shape.is_array() && (is_floating(shape.element_type()) || is_complex(shape.element_type()));
  return is_number && shape.rank() >= 2 && shape.is_static();
}

// Whether `vectors` has a vector of this size for each matrix.
bool is_vector_of(const Shape &vectors, const Shape &matrices, std::int64_t size) {
  return vectors.is_array() && vectors.is_static() && vectors.rank() + 1 == matrices.rank() &&
         std::ranges::equal(vectors.sizes().first(vectors.rank() - 1), matrices.sizes().first(vectors.rank() - 1)) &&
         vectors.size(vectors.rank() - 1) == size;
}

// Whether the results are a matrix like `a` and a vector of this size.
bool are_results(const Shape &results, const Shape &a, std::int64_t size) {
  return results.is_tuple() && results.elements().size() == 2 && same(results.elements()[0], a, CompareLayout::No) &&
         is_vector_of(results.elements()[1], a, size);
}

// Whether the results are those of an LU decomposition: a matrix like `a`, exchanges and a permutation of its rows.
bool are_factors_and_exchanges(const Shape &results, const Shape &a) {
  if (!results.is_tuple() || results.elements().size() != 3) {
    return false;
  }
  const std::int64_t rows = a.size(a.rank() - 2), columns = a.size(a.rank() - 1);
  const Shape &factors = results.elements()[0], &exchanges = results.elements()[1], &order = results.elements()[2];
  return same(factors, a, CompareLayout::No) && is_vector_of(exchanges, a, std::min(rows, columns)) &&
         exchanges.element_type() == ElementType::S32 && is_vector_of(order, a, rows) &&
         order.element_type() == ElementType::S32;
}

}  // namespace

Factorization factorization_of(const Instruction &instruction) {
  if (instruction.opcode() != Opcode::CustomCall || instruction.operands().empty() ||
      !is_matrix(instruction.operand(0).shape())) {
    return Factorization::None;
  }
  const std::string_view target = instruction.text(AttributeKey::CustomCallTarget);
  const Shape &a = instruction.operand(0).shape();
  const std::int64_t rows = a.size(a.rank() - 2), columns = a.size(a.rank() - 1);
  const std::size_t operands = instruction.operands().size();
  if (target == "LuDecomposition" && operands == 1 && are_factors_and_exchanges(instruction.shape(), a)) {
    return Factorization::Lu;
  }
  if (a.element_count() == 0) {
    return Factorization::None;
  }
  if (target == "Qr" && operands == 1 && are_results(instruction.shape(), a, std::min(rows, columns)) &&
      instruction.shape().elements()[1].element_type() == a.element_type()) {
    return Factorization::Qr;
  }
  if (target == "Eigh" && operands == 1 && rows == columns && are_results(instruction.shape(), a, rows) &&
      !is_complex(instruction.shape().elements()[1].element_type())) {
    return Factorization::Eigh;
  }
  if (target == "ProductOfElementaryHouseholderReflectors" && operands == 2) {
    const Shape &taus = instruction.operand(1).shape();
    const std::int64_t count = taus.is_array() && taus.rank() != 0 ? taus.size(taus.rank() - 1) : 0;
    const bool fits = count >= 1 && count <= std::min(rows, columns) && is_vector_of(taus, a, count);
    if (fits && taus.element_type() == a.element_type() && same(instruction.shape(), a, CompareLayout::No)) {
      return Factorization::ReflectorProduct;
    }
  }
  return Factorization::None;
}

EighOptions eigh_options(const Instruction &instruction) {
  const std::string_view config = instruction.text(AttributeKey::BackendConfig);
  return {!config.starts_with('0'), config.size() < 3 || config[2] != '0'};
}

}  // namespace bp::ir
