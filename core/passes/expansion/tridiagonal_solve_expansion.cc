// Rewrites the solution of tridiagonal systems by LAPACK's gtsv as two loops over rows. The first eliminates what is
// below the main diagonal: it exchanges a row with the next if that has the larger element, by which a second diagonal
// above the main one comes in. The second substitutes backwards.
//
// The call takes the diagonals below, of and above the main one, [..., n] each, and b, [..., n, k].
#include "core/ir/lapack_calls.h"
#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::InstructionId;
using ir::Opcode;
using ir::Shape;
using enum ir::ComparisonDirection;
using Ids = std::vector<InstructionId>;

// Diagonals and their second one above, as columns [..., n, 1], and b.
enum SystemPart : std::size_t { Below, Main, Above, Second, RightSide, system_part_count };

Ids eliminate_row(ArrayBuilder &b, InstructionId i, Ids parts) {
  const std::size_t rows = b.shape(parts[Main]).rank() - 2;
  const InstructionId next = b.sum({i, b.constant(ir::ElementType::S32, 1)});
  const auto at = [&](SystemPart part, InstructionId row) { return b.dynamic_slice(parts[part], rows, row, 1); };
  // Row i from the main diagonal on, and the next one, which begins there too.
  const InstructionId zero = b.splat(0, at(Main, i));
  const Ids row{at(Main, i), at(Above, i), zero, at(RightSide, i)};
  const Ids next_row{at(Below, next), at(Main, next), at(Above, next), at(RightSide, next)};
  const InstructionId size = b.add(Opcode::Abs, {row[0]}), next_size = b.add(Opcode::Abs, {next_row[0]});
  const InstructionId is_exchanged = b.compare(Lt, size, next_size);
  Ids upper, lower;
  for (std::size_t c = 0; c < row.size(); ++c) {
    const InstructionId flag = b.broadcast_to(is_exchanged, row[c]);
    upper.push_back(b.select({flag, next_row[c], row[c]}));
    lower.push_back(b.select({flag, row[c], next_row[c]}));
  }
  const InstructionId is_zero = b.compare(Eq, upper[0], zero);
  const InstructionId divisor = b.select({is_zero, b.splat(1, zero), upper[0]});
  const InstructionId factor = b.select({is_zero, zero, b.quotient({lower[0], divisor})});
  for (std::size_t c = 1; c < row.size(); ++c) {
    lower[c] = b.difference({lower[c], b.product({b.broadcast_to(factor, upper[c]), upper[c]})});
  }
  const auto put = [&](SystemPart part, InstructionId value, InstructionId place) {
    parts[part] = b.dynamic_update_slice(parts[part], value, rows, place);
  };
  put(Main, upper[0], i);
  put(Above, upper[1], i);
  put(Second, upper[2], i);
  put(RightSide, upper[3], i);
  put(Main, lower[1], next);
  put(Above, lower[2], next);
  put(RightSide, lower[3], next);
  return parts;
}

// Replaces row n - 1 - iteration of the right side, which has two rows of zeros at its end, by the solution.
Ids substitute_row(ArrayBuilder &b, InstructionId iteration, Ids parts) {
  const std::size_t rows = b.shape(parts[Main]).rank() - 2;
  const auto number = [&](std::int64_t n) { return b.constant(ir::ElementType::S32, static_cast<double>(n)); };
  const InstructionId i = b.difference({number(b.shape(parts[Main]).size(rows) - 1), iteration});
  InstructionId rest = b.dynamic_slice(parts[RightSide], rows, i, 1);
  for (const auto &[part, distance] : {std::pair(Above, 1), {Second, 2}}) {
    const InstructionId solved = b.dynamic_slice(parts[RightSide], rows, b.sum({i, number(distance)}), 1);
    const InstructionId factor = b.dynamic_slice(parts[part], rows, i, 1);
    rest = b.difference({rest, b.product({b.broadcast_to(factor, solved), solved})});
  }
  const InstructionId divisor = b.dynamic_slice(parts[Main], rows, i, 1);
  const InstructionId solution = b.quotient({rest, b.broadcast_to(divisor, rest)});
  parts[RightSide] = b.dynamic_update_slice(parts[RightSide], solution, rows, i);
  return parts;
}

// Returns where, counted from 1, a main diagonal, [..., n, 1], has its first zero; 0 if it has none.
InstructionId first_zero(ArrayBuilder &b, InstructionId main, const Shape &result) {
  const std::size_t rows = b.shape(main).rank() - 2;
  const auto dimension = static_cast<std::int64_t>(rows);
  const InstructionId index = b.iota(Shape::array(ir::ElementType::S32, b.shape(main).sizes()), dimension);
  const InstructionId none = b.constant(ir::ElementType::S32, static_cast<double>(b.shape(main).size(rows)));
  const InstructionId zeros = b.compare(Eq, main, b.splat(0, main));
  const InstructionId candidates = b.select({zeros, index, b.broadcast_scalar(none, index)});
  const std::int64_t dimensions[] = {dimension, dimension + 1};
  const ir::ComputationId minimum =
      ir::add_scalar_computation(b.module(), Opcode::Minimum, ir::ElementType::S32, "first");
  const InstructionId first = b.reshape(b.reduce(candidates, none, dimensions, minimum), result.sizes());
  const InstructionId is_none = b.compare(Eq, first, b.splat(static_cast<double>(b.shape(main).size(rows)), first));
  return b.select({is_none, b.splat(0, first), b.sum({first, b.splat(1, first)})});
}

// Returns the array with `count` elements more at the end or the beginning of a dimension.
InstructionId lengthen(ArrayBuilder &b, InstructionId x, std::size_t dimension, std::int64_t low, std::int64_t high) {
  std::vector<ir::PaddingDimension> padding(b.shape(x).rank());
  padding[dimension].low = low;
  padding[dimension].high = high;
  return b.pad(x, b.constant(b.type(x), 0), padding);
}

}  // namespace

Result<bool> tridiagonal_solve_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction call) -> Result<InstructionId> {
    if (ir::lapack_call_of(call).routine != ir::LapackRoutine::Gtsv) {
      return call.id();
    }
    const std::vector<Shape> shapes(call.shape().elements().begin(), call.shape().elements().end());
    const std::vector<InstructionId> operands(call.operands().begin(), call.operands().end());
    const std::size_t rows = shapes[0].rank() - 1;
    const std::int64_t n = shapes[0].size(rows);
    ArrayBuilder b(module, call);
    Ids parts(system_part_count);
    std::vector<std::int64_t> column(shapes[0].sizes().begin(), shapes[0].sizes().end());
    column.push_back(1);
    for (const SystemPart part : {Below, Main, Above}) {
      const InstructionId diagonal = b.with_layout(operands[part], ir::Layout::descending(shapes[0].rank()));
      parts[part] = b.reshape(diagonal, std::span<const std::int64_t>(column));
    }
    parts[Above] = lengthen(b, b.slice(parts[Above], rows, 0, n - 1), rows, 0, 1);  // the last one is not read
    parts[Second] = b.splat(0, parts[Main]);
    parts[RightSide] = b.with_layout(operands[3], ir::Layout::descending(shapes[3].rank()));
    parts = b.loop(n - 1, parts, eliminate_row);
    parts[RightSide] = lengthen(b, parts[RightSide], rows, 0, 2);
    parts = b.loop(n, parts, substitute_row);
    // As LAPACK leaves it: the second diagonal in place of the one below, of which element 0 is not used.
    parts[Below] = lengthen(b, b.slice(parts[Second], rows, 0, n - 1), rows, 1, 0);
    Ids results;
    for (const SystemPart part : {Below, Main, Above}) {
      results.push_back(b.reshape(parts[part], shapes[part].sizes()));
    }
    results.push_back(b.slice(parts[RightSide], rows, 0, n));
    results.push_back(first_zero(b, parts[Main], shapes[4]));
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i] = b.with_layout(results[i], shapes[i].layout());
    }
    return b.tuple(results);
  });
}

}  // namespace bp::passes
