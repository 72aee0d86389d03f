// Rewrites cholesky as a loop that computes one column of the factor per iteration:
//   c = a(:, j) - sum over k < j of l(:, k) conj(l(j, k)); l(j, j) = sqrt(c(j)); l(i, j) = c(i) / l(j, j) for i > j.
// Columns of l that are not known yet are zero, and so are the elements above the diagonal. A matrix that is not
// positive definite gives NaNs alone. The upper factor is the adjoint of the lower factor of the adjoint.
#include <limits>

#include "core/passes/expand.h"
#include "core/passes/expansion/cholesky_factor.h"
#include "core/passes/pass.h"

namespace bp::passes {

using ir::InstructionId;

InstructionId cholesky_factor(ArrayBuilder &b, InstructionId a) {
  const std::size_t row_dimension = b.shape(a).rank() - 2, column_dimension = row_dimension + 1;
  const auto add_column = [&](ArrayBuilder &body, InstructionId j, std::vector<InstructionId> values) {
    const auto [l, a] = std::pair(values[0], values[1]);
    InstructionId row = body.dynamic_slice(l, row_dimension, j, 1);
    InstructionId sum = body.multiply_matrices(l, body.transpose_matrices(body.conjugate(row)));
    InstructionId column = body.difference({body.dynamic_slice(a, column_dimension, j, 1), sum});
    InstructionId pivot = body.dynamic_slice(column, row_dimension, j, 1);
    pivot = body.cast(body.add(ir::Opcode::Sqrt, {body.real(pivot)}), body.type(column));
    pivot = body.broadcast_to(pivot, column);
    using enum ir::ComparisonDirection;
    InstructionId below = body.quotient({column, pivot});
    below = body.select({body.compare_index(Gt, column, row_dimension, j), below, body.splat(0, column)});
    column = body.select({body.compare_index(Eq, column, row_dimension, j), pivot, below});
    return std::vector{body.dynamic_update_slice(l, column, column_dimension, j), a};
  };
  return b.loop(b.shape(a).size(row_dimension), {b.splat(0, a), a}, add_column)[0];
}

namespace {

// Returns NaNs for each factor whose last pivot is not positive: it is NaN if an earlier one was negative.
InstructionId only_if_complete(ArrayBuilder &b, InstructionId l) {
  const std::size_t columns = b.shape(l).rank() - 1;
  const std::int64_t n = b.shape(l).size(columns);
  const InstructionId last = b.real(b.slice(b.slice(l, columns - 1, n - 1, n), columns, n - 1, n));
  const InstructionId is_complete = b.compare(ir::ComparisonDirection::Gt, last, b.splat(0, last));
  return b.select({b.broadcast_to(is_complete, l), l, b.splat(std::numeric_limits<double>::quiet_NaN(), l)});
}

}  // namespace

Result<bool> cholesky_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction instruction) -> Result<InstructionId> {
    if (instruction.opcode() != ir::Opcode::Cholesky || instruction.shape().element_count() == 0) {
      return instruction.id();
    }
    const ir::ElementType type = instruction.shape().element_type();
    const bool lower = instruction.number(ir::AttributeKey::Lower) != 0;
    ArrayBuilder b(module, instruction);
    InstructionId a = b.cast(instruction.operands()[0], compute_type(type));
    const InstructionId l = only_if_complete(b, cholesky_factor(b, lower ? a : b.adjoint(a)));
    return b.cast(lower ? l : b.adjoint(l), type);
  });
}

}  // namespace bp::passes
