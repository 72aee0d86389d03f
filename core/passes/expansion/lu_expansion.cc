// Rewrites the custom call "LuDecomposition" as a loop over columns: the row with the largest element comes up, the
// column below the pivot is divided by it, and the product of column and row is subtracted from what is left.
//
// The call takes [..., m, n] and returns the factors, of which the diagonal of the lower one is 1 and not stored, with
// which row each row was exchanged, [..., min(m, n)], and the permutation of the rows that this makes, [..., m].
// Source of the semantics: LAPACK's getf2; a column of zeros is not divided.
#include "core/ir/factorization_calls.h"
#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::ElementType;
using ir::InstructionId;
using ir::Opcode;
using enum ir::ComparisonDirection;

// Matrices [..., m, n], with numbers for each as [..., 1, 1].
class PivotRows {
 public:
  PivotRows(ArrayBuilder &builder, InstructionId matrix)
      : b(builder), rows(b.shape(matrix).rank() - 2), columns(rows + 1) {}

  ArrayBuilder &b;
  const std::size_t rows, columns;  // dimensions

  InstructionId row_numbers(InstructionId like) {
    return b.iota(ir::Shape::array(ElementType::S32, b.shape(like).sizes()), static_cast<std::int64_t>(rows));
  }
  // Combines the elements of each column.
  InstructionId reduce_column(InstructionId column, Opcode combiner, InstructionId init) {
    std::vector<std::int64_t> sizes(b.shape(column).sizes().begin(), b.shape(column).sizes().end());
    sizes[rows] = 1;
    const std::int64_t dimension[] = {static_cast<std::int64_t>(rows)};
    const ir::ComputationId combine = ir::add_scalar_computation(b.module(), combiner, b.type(column), "combine");
    return b.reshape(b.reduce(column, init, dimension, combine), std::span<const std::int64_t>(sizes));
  }
  // Returns the number of the first row, from j on, with the largest magnitude; j if there is a NaN. That of a complex
  // number is |real| + |imaginary|, as LAPACK and JAX have it: the rows, and so the results, are the same.
  InstructionId find_pivot(InstructionId column, InstructionId j) {
    InstructionId magnitude = is_complex(b.type(column))
                                  ? b.add(Opcode::Add, {b.add(Opcode::Abs, {b.add(Opcode::Real, {column})}),
                                                        b.add(Opcode::Abs, {b.add(Opcode::Imag, {column})})})
                                  : b.add(Opcode::Abs, {column});
    const InstructionId is_above = b.compare_index(Lt, magnitude, rows, j);
    magnitude = b.select({is_above, b.splat(-1, magnitude), magnitude});
    const InstructionId largest = reduce_column(magnitude, Opcode::Maximum, b.constant(b.type(magnitude), -1));
    const InstructionId number = row_numbers(column);
    const InstructionId is_largest = b.compare(Eq, magnitude, b.broadcast_to(largest, magnitude));
    const std::int64_t count = b.shape(column).size(rows);
    const InstructionId none = b.constant(ElementType::S32, static_cast<double>(count));
    const InstructionId candidates = b.select({is_largest, number, b.broadcast_scalar(none, number)});
    const InstructionId first = reduce_column(candidates, Opcode::Minimum, none);
    return b.select({b.compare(Eq, first, b.broadcast_scalar(none, first)), b.broadcast_scalar(j, first), first});
  }
  // Exchanges row j and, of each matrix, row `pivot`.
  InstructionId exchange(InstructionId matrix, InstructionId j, InstructionId pivot) {
    const InstructionId number = row_numbers(matrix);
    const InstructionId is_pivot = b.compare(Eq, number, b.broadcast_to(pivot, number));
    const InstructionId zero = b.constant(b.type(matrix), 0);
    const InstructionId only = b.select({is_pivot, matrix, b.broadcast_scalar(zero, matrix)});
    const InstructionId pivot_row = reduce_column(only, Opcode::Add, zero);
    const InstructionId row = b.dynamic_slice(matrix, rows, j, 1);
    const InstructionId with_row = b.select({is_pivot, b.broadcast_to(row, matrix), matrix});
    return b.dynamic_update_slice(with_row, pivot_row, rows, j);
  }
};

struct LuFactors {
  InstructionId factors, exchanges, order;  // the latter two as [..., k, 1] and [..., m, 1]
};

LuFactors decompose_lu(ArrayBuilder &b, InstructionId a) {
  PivotRows r(b, a);
  const std::int64_t steps = std::min(b.shape(a).size(r.rows), b.shape(a).size(r.columns));
  std::vector<std::int64_t> sizes(b.shape(a).sizes().begin(), b.shape(a).sizes().end());
  sizes[r.columns] = 1;
  const InstructionId order =
      b.iota(ir::Shape::array(ElementType::S32, sizes), static_cast<std::int64_t>(r.rows));
  const InstructionId exchanges = b.slice(order, r.rows, 0, steps);
  if (steps == 0) {
    return {a, exchanges, order};
  }
  const auto eliminate = [](ArrayBuilder &body, InstructionId j, std::vector<InstructionId> values) {
    PivotRows s(body, values[0]);
    const InstructionId pivot = s.find_pivot(body.dynamic_slice(values[0], s.columns, j, 1), j);
    const InstructionId exchanged = s.exchange(values[0], j, pivot);
    const InstructionId column = body.dynamic_slice(exchanged, s.columns, j, 1);
    InstructionId divisor = body.dynamic_slice(column, s.rows, j, 1);
    divisor = body.select({body.compare(Eq, divisor, body.splat(0, divisor)), body.splat(1, divisor), divisor});
    const InstructionId quotients = body.quotient({column, body.broadcast_to(divisor, column)});
    const InstructionId is_below = body.compare_index(Gt, column, s.rows, j);
    const InstructionId below = body.select({is_below, quotients, body.splat(0, column)});
    InstructionId row = body.dynamic_slice(exchanged, s.rows, j, 1);
    row = body.select({body.compare_index(Gt, row, s.columns, j), row, body.splat(0, row)});
    const InstructionId rest = body.difference({exchanged, body.multiply_matrices(below, row)});
    const InstructionId divided = body.select({is_below, quotients, column});
    return std::vector{body.dynamic_update_slice(rest, divided, s.columns, j),
                       body.dynamic_update_slice(values[1], pivot, s.rows, j), s.exchange(values[2], j, pivot)};
  };
  const std::vector<InstructionId> result = b.loop(steps, {a, exchanges, order}, eliminate);
  return {result[0], result[1], result[2]};
}

}  // namespace

Result<bool> lu_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction call) -> Result<InstructionId> {
    if (ir::factorization_of(call) != ir::Factorization::Lu) {
      return call.id();
    }
    const std::vector<ir::Shape> shapes(call.shape().elements().begin(), call.shape().elements().end());
    ArrayBuilder b(module, call);
    const InstructionId a = b.with_layout(call.operands()[0], ir::Layout::descending(shapes[0].rank()));
    const auto [factors, exchanges, order] = decompose_lu(b, b.cast(a, compute_type(shapes[0].element_type())));
    const InstructionId results[] = {
        b.with_layout(b.cast(factors, shapes[0].element_type()), shapes[0].layout()),
        b.with_layout(b.reshape(exchanges, shapes[1].sizes()), shapes[1].layout()),
        b.with_layout(b.reshape(order, shapes[2].sizes()), shapes[2].layout()),
    };
    return b.tuple(results);
  });
}

}  // namespace bp::passes
