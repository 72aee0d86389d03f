// Rewrites calls of LAPACK's routines, which JAX exports for its cpu platform, as the ops and calls that compute the
// same. What they return in `info` is computed from the pivots. Singular values and tridiagonal systems, for which
// there is no op, have expansions of their own.
#include "core/ir/factorization_calls.h"
#include "core/ir/lapack_calls.h"
#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/expansion/cholesky_factor.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::ElementType;
using ir::InstructionId;
using ir::LapackRoutine;
using ir::Opcode;
using ir::Shape;
using enum ir::ComparisonDirection;
using Ids = std::vector<InstructionId>;

// Whether the routine is an op or another call; others have expansions of their own.
bool is_op(LapackRoutine routine) {
  switch (routine) {
    case LapackRoutine::Potrf:
    case LapackRoutine::Trsm:
    case LapackRoutine::Getrf:
    case LapackRoutine::Geqrf:
    case LapackRoutine::Orgqr:
    case LapackRoutine::Syevd: return true;
    default: return false;
  }
}

class LapackExpansion {
 public:
  LapackExpansion(ir::Module &module, ir::Instruction call, const ir::LapackCall &lapack)
      : b_(module, call), lapack_(lapack), operands_(call.operands().begin(), call.operands().end()) {
    if (call.shape().is_tuple()) {
      shapes_.assign(call.shape().elements().begin(), call.shape().elements().end());
    } else {
      shapes_ = {call.shape()};
    }
    for (InstructionId &operand : operands_) {
      operand = b_.with_layout(operand, ir::Layout::descending(b_.shape(operand).rank()));
    }
  }

  // Returns the results, in any layout.
  Ids results() {
    switch (lapack_.routine) {
      case LapackRoutine::Potrf: return potrf();
      case LapackRoutine::Trsm: return trsm();
      case LapackRoutine::Getrf: return getrf();
      case LapackRoutine::Geqrf: return parts_of(b_.custom_call("Qr", {operands_[0]}, row_major_results(2)), 2);
      case LapackRoutine::Orgqr:
        return {b_.custom_call("ProductOfElementaryHouseholderReflectors", {operands_[0], operands_[1]},
                               row_major(shapes_[0]))};
      case LapackRoutine::Syevd: return syevd();
      case LapackRoutine::Gehrd:
      case LapackRoutine::Gesdd:
      case LapackRoutine::Gtsv:
      case LapackRoutine::Sytrd:
      case LapackRoutine::None: break;
    }
    return {};
  }

  InstructionId in_layouts(Ids results) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i] = b_.with_layout(results[i], shapes_[i].layout());
    }
    return results.size() == 1 ? results[0] : b_.tuple(results);
  }

 private:
  Ids potrf() {
    const InstructionId a = operands_[0];
    const InstructionId factor =
        lapack_.is_lower ? cholesky_factor(b_, a) : b_.adjoint(cholesky_factor(b_, b_.adjoint(a)));
    const InstructionId row = indices(a, 2), column = indices(a, 1);
    const InstructionId is_in_triangle = b_.compare(lapack_.is_lower ? Ge : Le, row, column);
    const InstructionId pivots = b_.real(diagonal(factor));
    const InstructionId is_positive = b_.compare(Gt, pivots, b_.splat(0, pivots));
    const InstructionId stop = first(b_.add(Opcode::Not, {is_positive}));
    return {b_.select({is_in_triangle, factor, a}), stop};
  }

  Ids trsm() {
    return {b_.add(Opcode::TriangularSolve, {operands_[0], operands_[1]}, [&](ir::Module &m, InstructionId id) {
      m.set_number(id, AttributeKey::LeftSide, lapack_.is_left ? 1 : 0);
      m.set_number(id, AttributeKey::Lower, lapack_.is_lower ? 1 : 0);
      m.set_number(id, AttributeKey::UnitDiagonal, lapack_.has_unit_diagonal ? 1 : 0);
      m.set_number(id, AttributeKey::TransposeA, static_cast<std::int64_t>(lapack_.transpose));
    })};
  }

  Ids getrf() {
    std::vector<std::int64_t> order(shapes_[0].sizes().begin(), shapes_[0].sizes().end() - 1);
    const Shape result =
        Shape::tuple({row_major(shapes_[0]), row_major(shapes_[1]), Shape::array(ElementType::S32, std::span(order))});
    const Ids parts = parts_of(b_.custom_call("LuDecomposition", {operands_[0]}, result), 2);
    const InstructionId pivots = diagonal(parts[0]);
    return {parts[0], b_.sum({parts[1], b_.splat(1, parts[1])}), first(b_.compare(Eq, pivots, b_.splat(0, pivots)))};
  }

  Ids syevd() {
    const std::string_view config = lapack_.is_lower ? "1,1,100,1e-6" : "0,1,100,1e-6";
    Ids results = parts_of(b_.custom_call("Eigh", {operands_[0]}, row_major_results(2), config), 2);
    results.push_back(b_.zeros(row_major(shapes_[2])));
    return results;
  }

  static Shape row_major(const Shape &shape) { return Shape::array(shape.element_type(), shape.sizes()); }
  Shape row_major_results(std::size_t count) const {
    std::vector<Shape> elements;
    for (std::size_t i = 0; i < count; ++i) {
      elements.push_back(row_major(shapes_[i]));
    }
    return Shape::tuple(elements);
  }
  Ids parts_of(InstructionId tuple, std::size_t count) {
    Ids parts;
    for (std::size_t i = 0; i < count; ++i) {
      parts.push_back(b_.get_tuple_element(tuple, static_cast<std::int64_t>(i)));
    }
    return parts;
  }
  // Returns the index of each element along a dimension, counted from the last, which is 1.
  InstructionId indices(InstructionId like, std::size_t from_last) {
    return b_.indices(like, b_.shape(like).rank() - from_last);
  }
  // Combines the elements along a dimension, counted from the last.
  InstructionId reduce(InstructionId x, std::int64_t from_last, Opcode combiner, double init) {
    const std::int64_t dimension[] = {static_cast<std::int64_t>(b_.shape(x).rank()) - from_last};
    const ir::ComputationId combine = ir::add_scalar_computation(b_.module(), combiner, b_.type(x), "combine");
    return b_.reduce(x, b_.constant(b_.type(x), init), dimension, combine);
  }
  // Returns the diagonals, [..., min(m, n)].
  InstructionId diagonal(InstructionId a) {
    const InstructionId sums = reduce(b_.select({b_.is_diagonal(a), a, b_.splat(0, a)}), 2, Opcode::Add, 0);
    const std::size_t last = b_.shape(sums).rank() - 1;
    const std::int64_t rows = b_.shape(a).size(last), columns = b_.shape(a).size(last + 1);
    return columns <= rows ? sums : b_.slice(sums, last, 0, rows);
  }
  // Returns where, counted from 1, the flags have the first that is true; 0 if none is.
  InstructionId first(InstructionId flags) {
    const auto none = static_cast<double>(b_.shape(flags).sizes().back()) + 1;
    const InstructionId index = indices(flags, 1);
    const InstructionId number = b_.sum({index, b_.splat(1, index)});
    const InstructionId found = reduce(b_.select({flags, number, b_.splat(none, number)}), 1, Opcode::Minimum, none);
    return b_.select({b_.compare(Eq, found, b_.splat(none, found)), b_.splat(0, found), found});
  }

  ArrayBuilder b_;
  const ir::LapackCall &lapack_;
  Ids operands_;
  std::vector<Shape> shapes_;
};

}  // namespace

Result<bool> lapack_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction call) -> Result<InstructionId> {
    const ir::LapackCall lapack = ir::lapack_call_of(call);
    if (!is_op(lapack.routine)) {
      return call.id();
    }
    LapackExpansion expansion(module, call, lapack);
    return expansion.in_layouts(expansion.results());
  });
}

}  // namespace bp::passes
