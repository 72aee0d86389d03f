// The determinants of matrices.
#include "core/import/onnx/lower.h"

namespace bp::import::onnx {

// The product of the diagonal of the LU decomposition, and the sign of its exchanges of rows.
Values lower_det(const Node &node) {
  const Array x = node.input(0);
  const std::int64_t size = x.size(-1);
  if (x.rank() < 2 || x.size(-2) != size) {
    return node.fail("the operand is {}, expected square matrices", ir::to_string(x.shape()));
  }
  GraphBuilder &builder = node.builder();
  const Array wide = convert(x, compute_type(x.type()));
  const auto rank = static_cast<std::int64_t>(x.rank());
  Integers vectors = x.sizes();
  vectors.pop_back();
  if (x.count() == 0) {
    vectors.pop_back();
    return {builder.filled(x.type(), vectors, 1)};
  }
  const Shape rows = Shape::array(ElementType::S32, vectors);
  const auto set_target = [](ir::Module &m, ir::InstructionId id) {
    m.set_text(id, ir::AttributeKey::CustomCallTarget, "LuDecomposition");
  };
  const Array factors =
      builder.add(Opcode::CustomCall, {wide}, set_target, {}, Shape::tuple({wide.shape(), rows, rows}));
  const Array upper = builder.element(factors, 0), exchanges = builder.element(factors, 1);
  const Array is_diagonal = indices_along(x, rank - 2) == indices_along(x, rank - 1);
  const Integers last = {rank - 1}, row = {rank - 2};
  const Array diagonal = reduce_sum(select(is_diagonal, upper, 0), last, KeepSizes::No);
  const Array is_exchanged = exchanges != indices_along(exchanges, rank - 2);
  return {convert(reduce_product(select(is_exchanged, -diagonal, diagonal), row, KeepSizes::No), x.type())};
}

}  // namespace bp::import::onnx
