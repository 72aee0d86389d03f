// Rewrites the custom calls "Qr" and "ProductOfElementaryHouseholderReflectors" as loops over columns, one reflector
// per iteration. Both have the forms of LAPACK: geqrf returns r above the diagonal, the vectors v of the reflectors
// below it (v(j) = 1 is not stored), and their factors tau; orgqr multiplies H(0) H(1) ..., H = I - tau v v^H.
// Source of the semantics: LAPACK's larfg, geqr2 and org2r.
#include "core/ir/factorization_calls.h"
#include "core/passes/expand.h"
#include "core/passes/expansion/reflectors.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::InstructionId;
using ir::Opcode;
using enum ir::ComparisonDirection;

// Returns the factored matrices and, as [..., 1, k], the factors tau.
std::pair<InstructionId, InstructionId> factor(ArrayBuilder &b, InstructionId a) {
  const std::size_t rank = b.shape(a).rank();
  const std::int64_t steps = std::min(b.shape(a).size(rank - 2), b.shape(a).size(rank - 1));
  const InstructionId taus = b.splat(0, b.slice(b.slice(a, rank - 2, 0, 1), rank - 1, 0, steps));
  const auto add_column = [&](ArrayBuilder &body, InstructionId j, std::vector<InstructionId> values) {
    Reflectors r(body, values[0]);
    const InstructionId column = body.dynamic_slice(values[0], r.columns, j, 1);
    const Reflector h = make_reflector(r, column, j);
    const InstructionId reflected = r.reflect(values[0], h.v, body.conjugate(h.tau));
    const InstructionId later = body.compare_index(Gt, values[0], r.columns, j);
    InstructionId matrix = body.select({later, reflected, values[0]});
    InstructionId stored = body.select({body.compare_index(Gt, column, r.rows, j), h.v, column});
    stored = body.select({body.compare_index(Eq, column, r.rows, j), body.broadcast_to(h.beta, column), stored});
    matrix = body.dynamic_update_slice(matrix, stored, r.columns, j);
    return std::vector{matrix, body.dynamic_update_slice(values[1], h.tau, r.columns, j)};
  };
  const std::vector<InstructionId> result = b.loop(steps, {a, taus}, add_column);
  return {result[0], result[1]};
}

// Returns the first columns of the product of all reflectors, which lie in the columns of `a`; `taus`: [..., 1, k].
InstructionId multiply_reflectors(ArrayBuilder &b, InstructionId a, InstructionId taus) {
  const std::size_t rank = b.shape(a).rank();
  const std::int64_t steps = b.shape(taus).size(rank - 1);
  const InstructionId unit = b.select({b.is_diagonal(a), b.splat(1, a), b.splat(0, a)});
  const auto reflect = [&](ArrayBuilder &body, InstructionId iteration, std::vector<InstructionId> values) {
    Reflectors r(body, values[0]);
    const InstructionId j =
        body.difference({body.constant(ir::ElementType::S32, static_cast<double>(steps - 1)), iteration});
    const InstructionId v = r.vector(body.dynamic_slice(values[1], r.columns, j, 1), j);
    values[0] = r.reflect(values[0], v, body.dynamic_slice(values[2], r.columns, j, 1));
    return values;
  };
  return b.loop(steps, {unit, a, taus}, reflect)[0];
}

// Returns [..., k] as [..., 1, k], and back.
InstructionId with_row(ArrayBuilder &b, InstructionId x) {
  std::vector<std::int64_t> sizes(b.shape(x).sizes().begin(), b.shape(x).sizes().end());
  sizes.insert(sizes.end() - 1, 1);
  return b.reshape(x, std::span<const std::int64_t>(sizes));
}
InstructionId without_row(ArrayBuilder &b, InstructionId x) {
  std::vector<std::int64_t> sizes(b.shape(x).sizes().begin(), b.shape(x).sizes().end());
  sizes.erase(sizes.end() - 2);
  return b.reshape(x, std::span<const std::int64_t>(sizes));
}

}  // namespace

Result<bool> qr_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction call) -> Result<InstructionId> {
    const ir::Factorization factorization = ir::factorization_of(call);
    const ir::Shape shape = call.shape();
    if (factorization == ir::Factorization::Qr) {
      ArrayBuilder b(module, call);
      const ir::ElementType type = call.operand(0).shape().element_type();
      const InstructionId a = b.with_layout(call.operands()[0], ir::Layout::descending(call.operand(0).shape().rank()));
      const auto [packed, taus] = factor(b, b.cast(a, compute_type(type)));
      const InstructionId results[] = {b.with_layout(b.cast(packed, type), shape.elements()[0].layout()),
                                       b.with_layout(b.cast(without_row(b, taus), type), shape.elements()[1].layout())};
      return b.tuple(results);
    }
    if (factorization == ir::Factorization::ReflectorProduct) {
      ArrayBuilder b(module, call);
      const ir::ElementType type = shape.element_type();
      const InstructionId a = b.with_layout(call.operands()[0], ir::Layout::descending(shape.rank()));
      const InstructionId taus = b.with_layout(call.operands()[1], ir::Layout::descending(shape.rank() - 1));
      const InstructionId q =
          multiply_reflectors(b, b.cast(a, compute_type(type)), with_row(b, b.cast(taus, compute_type(type))));
      return b.with_layout(b.cast(q, type), shape.layout());
    }
    return call.id();
  });
}

}  // namespace bp::passes
