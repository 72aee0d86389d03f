// Rewrites dot as a product of matrices [batch, rows, depth] [batch, depth, columns], whose operands are copied into
// this order. If the device does not run even that with elements of this type, it becomes a loop over the depth, each
// iteration of which adds the product of a column and a row, in f64 if the device has it.
#include <array>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/index_vectors.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::ElementType;
using ir::Opcode;
using Id = ir::InstructionId;
using Numbers = std::vector<std::int64_t>;

struct Side {
  Numbers batch, contracting, free;
  Side(ir::Instruction dot, std::size_t operand, AttributeKey batch_key, AttributeKey contracting_key)
      : batch(numbers_of(dot, batch_key)), contracting(numbers_of(dot, contracting_key)) {
    Numbers listed = batch;
    listed.insert(listed.end(), contracting.begin(), contracting.end());
    free = dimensions_except(dot.operand(operand).shape().rank(), listed);
  }
};

bool is_identity(const Numbers &order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<std::int64_t>(i)) {
      return false;
    }
  }
  return true;
}

// Returns the array with three dimensions: the three groups of dimensions in this order.
Id matrices(ArrayBuilder &b, Id x, const Numbers &first, const Numbers &second, const Numbers &third) {
  Numbers order = first, sizes;
  order.insert(order.end(), second.begin(), second.end());
  order.insert(order.end(), third.begin(), third.end());
  for (const Numbers *group : {&first, &second, &third}) {
    sizes.push_back(ir::product(sizes_of(b.shape(x).sizes(), *group)));
  }
  const Id ordered = is_identity(order) ? x : b.transpose_in_memory(x, order);
  return b.bitcast_to(ordered, ir::Shape::array(b.type(x), sizes));
}

Id product_of_matrices(ArrayBuilder &b, Id lhs, Id rhs, ir::Instruction original) {
  const Id product = b.multiply_matrices(lhs, rhs);
  for (AttributeKey key : {AttributeKey::OperandPrecision, AttributeKey::Algorithm}) {
    if (original.has(key)) {
      b.module().set_numbers(product, key, numbers_of(original, key));
    }
  }
  return product;
}

// Sums in another type, which has more digits.
Id sum_of_outer_products(ArrayBuilder &b, Id lhs, Id rhs, ElementType sum_type) {
  const std::int64_t batch = b.shape(lhs).size(0), rows = b.shape(lhs).size(1), depth = b.shape(lhs).size(2),
                     columns = b.shape(rhs).size(2);
  const ir::Shape result = ir::Shape::array(sum_type, {batch, rows, columns});
  const auto add = [&](ArrayBuilder &body, Id k, std::vector<Id> values) {
    const auto stretched = [&](Id part, Numbers dimensions, std::int64_t size) {
      return body.broadcast(body.cast(body.reshape(part, {batch, size}), sum_type), result, dimensions);
    };
    const Id column = stretched(body.dynamic_slice(values[1], 2, k, 1), {0, 1}, rows);
    const Id row = stretched(body.dynamic_slice(values[2], 1, k, 1), {0, 2}, columns);
    return std::vector{body.sum({values[0], body.product({column, row})}), values[1], values[2]};
  };
  return b.cast(b.loop(depth, {b.zeros(result), lhs, rhs}, add)[0], b.type(lhs));
}

bool is_canonical(ir::Instruction dot, const Side &lhs, const Side &rhs) {
  const auto last = static_cast<std::int64_t>(lhs.batch.size());
  return is_identity(lhs.batch) && lhs.batch == rhs.batch && lhs.free == Numbers{last} &&
         lhs.contracting == Numbers{last + 1} && rhs.contracting == Numbers{last} && rhs.free == Numbers{last + 1} &&
         is_plain(dot);
}

}  // namespace

Result<bool> dot_expansion(ir::Module &module, const PassContext &context) {
  return expand_outside_functions(module, context, [&](ir::Instruction dot) -> Result<Id> {
    if (dot.opcode() != Opcode::Dot || !is_plain(dot)) {
      return dot.id();
    }
    const ElementType type = dot.shape().element_type();
    if (dot.operand(0).shape().element_type() != type || dot.operand(1).shape().element_type() != type) {
      return dot.id();  // contraction-upcast runs before
    }
    const Side lhs(dot, 0, AttributeKey::LhsBatchDims, AttributeKey::LhsContractingDims);
    const Side rhs(dot, 1, AttributeKey::RhsBatchDims, AttributeKey::RhsContractingDims);
    const ir::Shape shape = dot.shape();
    const Id x = dot.operands()[0], y = dot.operands()[1];
    ArrayBuilder b(module, dot);
    if (dot.operand(0).shape().element_count() == 0) {
      return b.zeros(shape);  // empty sums
    }
    const Id left = matrices(b, x, lhs.batch, lhs.free, lhs.contracting);
    const Id right = matrices(b, y, rhs.batch, rhs.contracting, rhs.free);
    const ElementType sum_type = type == ElementType::F32 && context.has_f64 ? ElementType::F64 : type;
    const Id product = is_canonical(dot, lhs, rhs) ? sum_of_outer_products(b, left, right, sum_type)
                                                   : product_of_matrices(b, left, right, dot);
    return b.bitcast_to(product, shape);
  });
}

}  // namespace bp::passes
