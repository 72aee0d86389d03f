// Rewrites LAPACK's gehrd and sytrd as a loop over columns: a reflector leaves one element below the diagonal, and is
// applied from both sides. A Hermitian matrix becomes tridiagonal by the same. From an upper triangle, sytrd begins
// with the last column, which is the first one of the matrix with its rows and columns in reverse order.
#include <array>

#include "core/ir/lapack_calls.h"
#include "core/passes/expand.h"
#include "core/passes/expansion/reflectors.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::InstructionId;
using ir::Opcode;
using ir::Shape;
using enum ir::ComparisonDirection;
using Ids = std::vector<InstructionId>;

struct HessenbergForm {
  InstructionId matrix, taus;  // with the vectors of the reflectors below the first subdiagonal; [..., 1, n - 1]
};

HessenbergForm reduce_to_hessenberg_form(ArrayBuilder &b, InstructionId a) {
  const std::size_t rank = b.shape(a).rank();
  const std::int64_t steps = b.shape(a).size(rank - 1) - 1;
  const InstructionId taus = b.splat(0, b.slice(b.slice(a, rank - 2, 0, 1), rank - 1, 0, steps));
  const auto reduce_column = [](ArrayBuilder &body, InstructionId j, Ids values) {
    Reflectors r(body, values[0]);
    const InstructionId pivot_row = body.sum({j, body.constant(ir::ElementType::S32, 1)});
    const InstructionId column = body.dynamic_slice(values[0], r.columns, j, 1);
    const Reflector h = make_reflector(r, column, pivot_row);
    // a H, H^H a: the columns up to j have zeros where v is not zero, but for column j.
    const InstructionId products = body.multiply_matrices(values[0], h.v);
    const InstructionId adjoint = body.adjoint(h.v);
    const InstructionId row = body.product({body.broadcast_to(h.tau, adjoint), adjoint});
    const InstructionId right = body.difference({values[0], body.multiply_matrices(products, row)});
    const InstructionId both = r.reflect(right, h.v, body.conjugate(h.tau));
    const InstructionId later = body.compare_index(Gt, values[0], r.columns, j);
    InstructionId matrix = body.select({later, both, values[0]});
    InstructionId stored = body.select({body.compare_index(Gt, column, r.rows, pivot_row), h.v, column});
    const InstructionId is_pivot = body.compare_index(Eq, column, r.rows, pivot_row);
    stored = body.select({is_pivot, body.broadcast_to(h.beta, column), stored});
    matrix = body.dynamic_update_slice(matrix, stored, r.columns, j);
    return Ids{matrix, body.dynamic_update_slice(values[1], h.tau, r.columns, j)};
  };
  const Ids result = b.loop(steps, {a, taus}, reduce_column);
  return {result[0], result[1]};
}

class HessenbergExpansion {
 public:
  HessenbergExpansion(ir::Module &module, ir::Instruction call, const ir::LapackCall &lapack)
      : b_(module, call), lapack_(lapack), shapes_(call.shape().elements().begin(), call.shape().elements().end()) {
    a_ = b_.with_layout(call.operands()[0], ir::Layout::descending(shapes_[0].rank()));
    rows_ = shapes_[0].rank() - 2;
  }

  InstructionId run() {
    Ids results = lapack_.routine == ir::LapackRoutine::Gehrd ? gehrd() : sytrd();
    results.push_back(b_.zeros(Shape::array(ir::ElementType::S32, shapes_.back().sizes())));
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i] = b_.with_layout(b_.reshape(results[i], shapes_[i].sizes()), shapes_[i].layout());
    }
    return b_.tuple(results);
  }

 private:
  Ids gehrd() {
    const HessenbergForm form = reduce_to_hessenberg_form(b_, a_);
    return {form.matrix, form.taus};
  }

  Ids sytrd() {
    const InstructionId a = turn(a_);
    const InstructionId row = b_.indices(a, rows_), column = b_.indices(a, rows_ + 1);
    const InstructionId is_diagonal = b_.compare(Eq, row, column), is_lower = b_.compare(Gt, row, column);
    InstructionId hermitian = b_.select({is_lower, a, b_.adjoint(a)});
    hermitian = b_.select({is_diagonal, b_.cast(b_.real(a), b_.type(a)), hermitian});
    const HessenbergForm form = reduce_to_hessenberg_form(b_, hermitian);
    const InstructionId matrix = b_.select({b_.compare(Ge, row, column), form.matrix, a});
    const std::int64_t n = b_.shape(a).size(rows_);
    const InstructionId below = b_.slice(b_.slice(form.matrix, rows_, 1, n), rows_ + 1, 0, n - 1);
    Ids results{turn(matrix), turn(b_.real(b_.diagonal(form.matrix))), turn(b_.real(b_.diagonal(below)))};
    results.push_back(turn(form.taus));
    return results;
  }

  // Returns the array with its rows and columns in reverse order if LAPACK begins with the last column.
  InstructionId turn(InstructionId x) {
    if (lapack_.is_lower) {
      return x;
    }
    const std::array dimensions{static_cast<std::int64_t>(rows_), static_cast<std::int64_t>(rows_) + 1};
    return b_.add(Opcode::Reverse, {x}, [&](ir::Module &m, InstructionId id) {
      m.set_numbers(id, ir::AttributeKey::Dimensions, dimensions);
    });
  }

  ArrayBuilder b_;
  const ir::LapackCall &lapack_;
  std::vector<Shape> shapes_;
  InstructionId a_ = ir::no_instruction;
  std::size_t rows_ = 0;  // dimension
};

}  // namespace

Result<bool> hessenberg_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction call) -> Result<InstructionId> {
    const ir::LapackCall lapack = ir::lapack_call_of(call);
    if (lapack.routine != ir::LapackRoutine::Gehrd && lapack.routine != ir::LapackRoutine::Sytrd) {
      return call.id();
    }
    return HessenbergExpansion(module, call, lapack).run();
  });
}

}  // namespace bp::passes
