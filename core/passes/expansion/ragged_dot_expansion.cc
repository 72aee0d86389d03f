// Rewrites ragged-dot as a loop over the groups; each is a dot in which everything outside the group is masked:
//   a free ragged dimension         rows of the group are taken from the product with the group's own rhs
//   a contracting ragged dimension  both operands are zero outside the group, and the product is the group's result
// With a ragged batch dimension, ragged-dot is an ordinary dot. The beginning of the group is carried from iteration to
// iteration; negative or too large sizes are clamped.
#include <algorithm>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::InstructionId;
using Dimensions = std::vector<std::int64_t>;

bool contains(const Dimensions &list, std::int64_t d) {
  return std::ranges::find(list, d) != list.end();
}

class RaggedDot {
 public:
  RaggedDot(ir::Module &module, ir::Instruction original)
      : original_(original),
        b_(module, original),
        lhs_batch_(numbers(AttributeKey::LhsBatchDims)),
        rhs_batch_(numbers(AttributeKey::RhsBatchDims)),
        lhs_contracting_(numbers(AttributeKey::LhsContractingDims)),
        rhs_contracting_(numbers(AttributeKey::RhsContractingDims)),
        ragged_(numbers(AttributeKey::LhsRaggedDims)[0]),
        length_(original.operand(0).shape().size(static_cast<std::size_t>(ragged_))),
        groups_(original.operand(2).shape().sizes().back()),
        shape_(original.shape()) {}

  InstructionId expand() {
    const auto operands = original_.operands();
    if (contains(lhs_batch_, ragged_)) {
      return dot(b_, operands[0], operands[1], rhs_batch_, rhs_contracting_);
    }
    // One beginning for all, or one for each index of the dimensions before the ragged one.
    ir::Shape begins = original_.operand(2).shape();
    Dimensions sizes(begins.sizes().begin(), begins.sizes().end() - 1);
    begins = ir::Shape::array(ir::ElementType::S32, sizes);
    std::vector<InstructionId> values(operands.begin(), operands.end());
    values[2] = b_.cast(values[2], ir::ElementType::S32);
    values.push_back(b_.zeros(begins));
    values.push_back(b_.zeros(shape_));
    const bool contracts = contains(lhs_contracting_, ragged_);
    return b_.loop(groups_, values, [&](ArrayBuilder &b, InstructionId group, std::vector<InstructionId> now) {
      const InstructionId end = end_of_group(b, now[2], now[3], group);
      now[4] = contracts ? contracted(b, now, end, group) : taken(b, now, end, group);
      now[3] = end;
      return now;
    })[4];
  }

 private:
  Dimensions numbers(AttributeKey key) const { return {original_.numbers(key).begin(), original_.numbers(key).end()}; }

  InstructionId dot(ArrayBuilder &b, InstructionId lhs, InstructionId rhs, const Dimensions &rhs_batch,
                    const Dimensions &rhs_contracting) const {
    const auto set_attributes = [&](ir::Module &m, InstructionId id) {
      m.set_numbers(id, AttributeKey::LhsBatchDims, lhs_batch_);
      m.set_numbers(id, AttributeKey::RhsBatchDims, rhs_batch);
      m.set_numbers(id, AttributeKey::LhsContractingDims, lhs_contracting_);
      m.set_numbers(id, AttributeKey::RhsContractingDims, rhs_contracting);
    };
    const InstructionId product = b.add(ir::Opcode::Dot, {lhs, rhs}, set_attributes);
    ir::Shape shape = b.shape(product);
    shape.set_element_type(shape_.element_type());
    b.module().set_shape(product, shape);
    return product;
  }

  InstructionId end_of_group(ArrayBuilder &b, InstructionId group_sizes, InstructionId begin,
                             InstructionId group) const {
    const ir::Shape begins = b.shape(begin);
    InstructionId size = b.dynamic_slice(group_sizes, begins.rank(), group, 1);
    size = b.reshape(size, begins.sizes());
    const InstructionId rest = b.difference({b.splat(static_cast<double>(length_), begin), begin});
    return b.sum({begin, b.add(ir::Opcode::Clamp, {b.splat(0, begin), size, rest})});
  }

  // Returns which indices along a dimension are in the group; begin and end have the dimensions of `prefix`.
  InstructionId in_group(ArrayBuilder &b, InstructionId like, std::int64_t dimension, const Dimensions &prefix,
                         InstructionId begin, InstructionId end) const {
    const ir::Shape indices = ir::Shape::array(ir::ElementType::S32, b.shape(like).sizes());
    const auto spread = [&](InstructionId bound) {
      return b.broadcast(bound, indices, b.shape(bound).is_scalar() ? Dimensions() : prefix);
    };
    const InstructionId index = b.iota(indices, dimension);
    const InstructionId from = b.compare(ir::ComparisonDirection::Ge, index, spread(begin));
    return b.bit_and({from, b.compare(ir::ComparisonDirection::Lt, index, spread(end))});
  }
  InstructionId only_group(ArrayBuilder &b, InstructionId x, std::int64_t dimension, const Dimensions &prefix,
                           InstructionId begin, InstructionId end) const {
    return b.select({in_group(b, x, dimension, prefix, begin, end), x, b.splat(0, x)});
  }

  InstructionId contracted(ArrayBuilder &b, std::span<const InstructionId> now, InstructionId end,
                           InstructionId group) const {
    const auto place =
        static_cast<std::size_t>(std::ranges::find(lhs_contracting_, ragged_) - lhs_contracting_.begin());
    const auto prefix = [&](Dimensions batch, const Dimensions &contracting) {
      batch.insert(batch.end(), contracting.begin(), contracting.begin() + static_cast<std::ptrdiff_t>(place));
      return batch;
    };
    const InstructionId lhs = only_group(b, now[0], ragged_, prefix(lhs_batch_, lhs_contracting_), now[3], end);
    const InstructionId rhs =
        only_group(b, now[1], rhs_contracting_[place], prefix(rhs_batch_, rhs_contracting_), now[3], end);
    const InstructionId product = dot(b, lhs, rhs, rhs_batch_, rhs_contracting_);
    Dimensions sizes(shape_.sizes().begin(), shape_.sizes().end());
    sizes[0] = 1;
    return b.dynamic_update_slice(now[4], b.reshape(product, sizes), 0, group);
  }

  InstructionId taken(ArrayBuilder &b, std::span<const InstructionId> now, InstructionId end,
                      InstructionId group) const {
    const std::int64_t group_dimension = numbers(AttributeKey::RhsGroupDims)[0];
    const ir::Shape shape = b.shape(now[1]);
    Dimensions sizes(shape.sizes().begin(), shape.sizes().end());
    sizes.erase(sizes.begin() + group_dimension);
    InstructionId rhs = b.dynamic_slice(now[1], static_cast<std::size_t>(group_dimension), group, 1);
    rhs = b.reshape(rhs, sizes);
    const auto without_groups = [&](Dimensions dimensions) {
      for (std::int64_t &d : dimensions) {
        d -= d > group_dimension ? 1 : 0;
      }
      return dimensions;
    };
    const InstructionId product = dot(b, now[0], rhs, without_groups(rhs_batch_), without_groups(rhs_contracting_));
    // Order in the result: batch dimensions, free dimensions before the ragged one, ragged dimension.
    Dimensions prefix;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(b.shape(now[0]).rank()); ++d) {
      if (contains(lhs_batch_, d) || (d < ragged_ && !contains(lhs_contracting_, d))) {
        prefix.push_back(static_cast<std::int64_t>(prefix.size()));
      }
    }
    const auto place = static_cast<std::int64_t>(prefix.size());
    return b.select({in_group(b, product, place, prefix, now[3], end), product, now[4]});
  }

  ir::Instruction original_;
  ArrayBuilder b_;
  Dimensions lhs_batch_, rhs_batch_, lhs_contracting_, rhs_contracting_;
  std::int64_t ragged_, length_, groups_;
  ir::Shape shape_;
};

}  // namespace

Result<bool> ragged_dot_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction instruction) -> Result<InstructionId> {
    if (instruction.opcode() != ir::Opcode::RaggedDot) {
      return instruction.id();
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const ir::Shape &shape = instruction.operand(i).shape();
      if (shape.element_count() == 0) {
        return instruction.id();
      }
    }
    return RaggedDot(module, instruction).expand();
  });
}

}  // namespace bp::passes
