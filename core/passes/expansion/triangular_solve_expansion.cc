// Rewrites triangular-solve as a loop of substitution, one row of the result per iteration:
//   x(i) = (b(i) - sum over j of a(i, j) x(j)) / a(i, i), over the j of the triangle.
// Rows of x that are not known yet are zero. All other forms are reduced to this one by transposing matrices.
#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::InstructionId;

// Solves a x = right, for one matrix or many.
InstructionId solve(ArrayBuilder &b, InstructionId a, InstructionId right, bool lower, bool has_unit_diagonal) {
  const std::size_t row_dimension = b.shape(a).rank() - 2, column_dimension = row_dimension + 1;
  const std::int64_t rows = b.shape(a).size(row_dimension);
  const auto substitute = [&](ArrayBuilder &body, InstructionId iteration, std::vector<InstructionId> values) {
    InstructionId row = iteration;
    if (!lower) {
      row = body.difference({body.constant(ir::ElementType::S32, static_cast<double>(rows - 1)), iteration});
    }
    InstructionId factors = body.dynamic_slice(values[1], row_dimension, row, 1);
    using enum ir::ComparisonDirection;
    InstructionId in_triangle = body.compare_index(lower ? Lt : Gt, factors, column_dimension, row);
    InstructionId others = body.select({in_triangle, factors, body.splat(0, factors)});
    InstructionId sum = body.multiply_matrices(others, values[0]);
    InstructionId x = body.difference({body.dynamic_slice(values[2], row_dimension, row, 1), sum});
    if (!has_unit_diagonal) {
      InstructionId diagonal = body.dynamic_slice(factors, column_dimension, row, 1);
      x = body.quotient({x, body.broadcast_to(diagonal, x)});
    }
    values[0] = body.dynamic_update_slice(values[0], x, row_dimension, row);
    return values;
  };
  return b.loop(rows, {b.splat(0, right), a, right}, substitute)[0];
}

}  // namespace

Result<bool> triangular_solve_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction instruction) -> Result<InstructionId> {
    if (instruction.opcode() != ir::Opcode::TriangularSolve || instruction.shape().element_count() == 0) {
      return instruction.id();
    }
    const ir::ElementType type = instruction.shape().element_type();
    const bool left = instruction.number(AttributeKey::LeftSide) != 0;
    bool lower = instruction.number(AttributeKey::Lower) != 0;
    const auto transpose = instruction.enumerator(AttributeKey::TransposeA, ir::Transpose::NoTranspose);
    ArrayBuilder b(module, instruction);
    InstructionId a = b.cast(instruction.operands()[0], compute_type(type));
    InstructionId right = b.cast(instruction.operands()[1], compute_type(type));
    if (transpose == ir::Transpose::Adjoint) {
      a = b.conjugate(a);
    }
    // x op(a) = b is op(a)^T x^T = b^T.
    if ((transpose != ir::Transpose::NoTranspose) != !left) {
      a = b.transpose_matrices(a);
      lower = !lower;
    }
    if (!left) {
      right = b.transpose_matrices(right);
    }
    InstructionId x = solve(b, a, right, lower, instruction.number(AttributeKey::UnitDiagonal) != 0);
    return b.cast(left ? x : b.transpose_matrices(x), type);
  });
}

}  // namespace bp::passes
