// Rewrites singular value decompositions by LAPACK's gesdd as sweeps of Jacobi's rotations, which make the columns of
// the matrix orthogonal (M. Hestenes, 1958); the rotations, collected, are v. The columns are then those of u, times
// the singular values: a QR factorization divides them by these, and completes u where they are zero or missing.
// A matrix with more columns than rows is decomposed as its adjoint.
#include <tuple>

#include "core/ir/lapack_calls.h"
#include "core/passes/expand.h"
#include "core/passes/expansion/jacobi_rotations.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::InstructionId;
using ir::Opcode;
using ir::Shape;
using enum ir::ComparisonDirection;
using Ids = std::vector<InstructionId>;

// The halves of the columns of the matrix, and of those of v.
enum ColumnPart : std::size_t { LeftHalf, RightHalf, LeftOfV, RightOfV, column_part_count };

class SingularValueFactors {
 public:
  // `a`: [..., m, n], m >= n.
  SingularValueFactors(ArrayBuilder &builder, InstructionId a)
      : b(builder), r(builder, a), m(b.shape(a).size(r.rows)), n(b.shape(a).size(r.columns)) {
    decompose(a);
  }

  InstructionId u, s, v;  // [..., m, m], [..., 1, n] and [..., n, n]

 private:
  void decompose(InstructionId a) {
    const InstructionId largest = largest_magnitude(b, a);
    const InstructionId scale = b.select({b.compare(Eq, largest, b.splat(0, largest)), b.splat(1, largest), largest});
    a = b.quotient({a, b.broadcast_to(b.cast(scale, b.type(a)), a)});  // its squares do not overflow
    auto [columns, vectors] = orthogonalize(a);
    InstructionId squares = sums(b.product({b.conjugate(columns), columns}));
    InstructionId *matrices[] = {&columns, &vectors};
    InstructionId keys = b.real(squares);
    sort_columns(b, keys, Gt, matrices);
    v = vectors;
    // The diagonal of the upper factor is real.
    const Shape packed = Shape::array(b.type(columns), b.shape(columns).sizes());
    std::vector<std::int64_t> sizes(packed.sizes().begin(), packed.sizes().end() - 1);
    sizes.back() = n;
    const InstructionId qr =
        b.custom_call("Qr", {columns}, Shape::tuple({packed, Shape::array(packed.element_type(), std::span(sizes))}));
    const InstructionId factors = b.get_tuple_element(qr, 0);
    const InstructionId values = b.real(b.diagonal(n == m ? factors : b.slice(factors, r.rows, 0, n)));
    std::vector<std::int64_t> square(packed.sizes().begin(), packed.sizes().end());
    square.back() = m;
    const InstructionId q =
        b.custom_call("ProductOfElementaryHouseholderReflectors", {widen(factors, m), b.get_tuple_element(qr, 1)},
                      Shape::array(packed.element_type(), std::span(square)));
    const InstructionId minus = b.splat(-1, values), one = b.splat(1, values);
    const InstructionId signs = b.select({b.compare(Lt, values, b.splat(0, values)), minus, one});
    u = r.times(widen(b.cast(signs, b.type(q)), m, 1), q);
    s = b.product({b.product({signs, values}), b.broadcast_to(scale, values)});
    s = b.get_tuple_element(b.sort_with_positions(s, r.columns, Gt), 0);  // equal ones differ by rounding
  }

  // Returns the matrix times v, whose columns are orthogonal, and v.
  IdPair orthogonalize(InstructionId a) {
    const std::int64_t even = n + n % 2, half = even / 2;
    const Shape square = Shape::array(b.type(a), b.shape(b.slice(a, r.rows, 0, n)).sizes());
    const InstructionId zeros = b.zeros(square);
    const InstructionId unit = b.select({b.is_diagonal(zeros), b.splat(1, zeros), zeros});
    // Another column of zeros is not rotated.
    Ids parts(column_part_count);
    std::tie(parts[LeftHalf], parts[RightHalf]) = halves(widen(a, even), half);
    std::tie(parts[LeftOfV], parts[RightOfV]) = halves(widen(unit, even), half);
    parts = b.loop(round_count(b.type(a), even), parts,
                   [](ArrayBuilder &body, InstructionId, Ids values) { return rotate(body, values); });
    const auto dimension = static_cast<std::int64_t>(r.columns);
    const InstructionId columns = b.concatenate({parts[LeftHalf], parts[RightHalf]}, dimension);
    const InstructionId vectors = b.concatenate({parts[LeftOfV], parts[RightOfV]}, dimension);
    return {b.slice(columns, r.columns, 0, n), b.slice(vectors, r.columns, 0, n)};
  }

  static Ids rotate(ArrayBuilder &body, Ids parts) {
    Rotations rotations(body, parts[LeftHalf]);
    const auto sum = [&](InstructionId x, InstructionId y) {
      const InstructionId products = body.product({body.conjugate(x), y});
      const InstructionId ones = body.splat(1, body.slice(body.transpose_matrices(products), rotations.rows, 0, 1));
      return body.multiply_matrices(ones, products);
    };
    const InstructionId pp = body.real(sum(parts[LeftHalf], parts[LeftHalf]));
    const InstructionId qq = body.real(sum(parts[RightHalf], parts[RightHalf]));
    const Angles angles = angles_of(rotations, pp, qq, sum(parts[LeftHalf], parts[RightHalf]));
    for (const auto &[left, right] : {std::pair(LeftHalf, RightHalf), {LeftOfV, RightOfV}}) {
      std::tie(parts[left], parts[right]) = rotate_columns(rotations, angles, parts[left], parts[right]);
      std::tie(parts[left], parts[right]) = move_on(body, parts[left], parts[right], rotations.columns);
    }
    return parts;
  }

  IdPair halves(InstructionId a, std::int64_t half) {
    return {b.slice(a, r.columns, 0, half), b.slice(a, r.columns, half, 2 * half)};
  }
  // Returns the sums of the columns, [..., 1, n].
  InstructionId sums(InstructionId a) {
    const InstructionId ones = b.splat(1, b.slice(b.transpose_matrices(a), r.rows, 0, 1));
    return b.multiply_matrices(ones, a);
  }
  // Returns the matrix with more columns, all of `value`.
  InstructionId widen(InstructionId a, std::int64_t columns, double value = 0) {
    std::vector<ir::PaddingDimension> padding(b.shape(a).rank());
    padding[r.columns].high = columns - b.shape(a).size(r.columns);
    return padding[r.columns].high == 0 ? a : b.pad(a, b.constant(b.type(a), value), padding);
  }

  ArrayBuilder &b;
  Rotations r;
  const std::int64_t m, n;
};

}  // namespace

Result<bool> svd_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction call) -> Result<InstructionId> {
    if (ir::lapack_call_of(call).routine != ir::LapackRoutine::Gesdd) {
      return call.id();
    }
    const std::vector<Shape> shapes(call.shape().elements().begin(), call.shape().elements().end());
    const std::size_t rows = shapes[0].rank() - 2, columns = rows + 1;
    const bool is_wide = shapes[0].size(rows) < shapes[0].size(columns);
    ArrayBuilder b(module, call);
    const InstructionId a = b.with_layout(call.operands()[0], ir::Layout::descending(shapes[0].rank()));
    const SingularValueFactors found(b, is_wide ? b.adjoint(a) : a);
    const InstructionId u = is_wide ? found.v : found.u, v = is_wide ? found.u : found.v;
    Ids results{
        a,
        b.reshape(found.s, shapes[1].sizes()),
        b.slice(u, columns, 0, shapes[2].size(columns)),
        b.adjoint(b.slice(v, columns, 0, shapes[3].size(rows))),
        b.zeros(Shape::array(ir::ElementType::S32, shapes[4].sizes())),
    };
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i] = b.with_layout(results[i], shapes[i].layout());
    }
    return b.tuple(results);
  });
}

}  // namespace bp::passes
