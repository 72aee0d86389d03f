// Rewrites cholesky as a loop that computes one column of the factor per iteration:
//   c = a(:, j) - sum over k < j of l(:, k) conj(l(j, k)); l(j, j) = sqrt(c(j)); l(i, j) = c(i) / l(j, j) for i > j.
// Columns of l that are not known yet are zero, and so are the elements above the diagonal. A matrix that is not
// positive definite gives NaNs. The upper factor is the adjoint of the lower factor of the adjoint.
#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::InstructionId;

// Returns the lower factor of one matrix or many. Reads only their lower triangles.
InstructionId factor(ArrayBuilder &b, InstructionId a) {
  const std::size_t row_dimension = b.shape(a).rank() - 2, column_dimension = row_dimension + 1;
  const auto add_column = [&](ArrayBuilder &body, InstructionId j, std::vector<InstructionId> values) {
    const auto [l, a] = std::pair(values[0], values[1]);
    InstructionId row = body.dynamic_slice(l, row_dimension, j, 1);
    InstructionId sum = body.multiply_matrices(l, body.transpose_matrices(body.conjugate(row)));
    InstructionId column = body.difference({body.dynamic_slice(a, column_dimension, j, 1), sum});
    InstructionId pivot = body.dynamic_slice(column, row_dimension, j, 1);
    if (ir::is_complex(body.type(pivot))) {
      pivot = body.add(ir::Opcode::Real, {pivot});
    }
    pivot = body.cast(body.add(ir::Opcode::Sqrt, {pivot}), body.type(column));
    pivot = body.broadcast_to(pivot, column);
    using enum ir::ComparisonDirection;
    InstructionId below = body.quotient({column, pivot});
    below = body.select({body.compare_index(Gt, column, row_dimension, j), below, body.splat(0, column)});
    column = body.select({body.compare_index(Eq, column, row_dimension, j), pivot, below});
    return std::vector{body.dynamic_update_slice(l, column, column_dimension, j), a};
  };
  return b.loop(b.shape(a).size(row_dimension), {b.splat(0, a), a}, add_column)[0];
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
    const auto adjoint = [&](InstructionId x) { return b.transpose_matrices(b.conjugate(x)); };
    InstructionId l = factor(b, lower ? a : adjoint(a));
    return b.cast(lower ? l : adjoint(l), type);
  });
}

}  // namespace bp::passes
