// Builds arithmetic and movement of whole arrays in the place of one instruction.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/ir/builder.h"

namespace bp::passes {

// Whether a computation of scalars does nothing but elementwise ops: see ArrayBuilder::apply_to_arrays().
bool applies_to_arrays(ir::Computation computation);

// What narrow floats are computed in.
inline ir::ElementType compute_type(ir::ElementType type) {
  return ir::is_floating(type) && ir::bit_width(type) < 32 ? ir::ElementType::F32 : type;
}

// Arithmetic and movement of whole arrays, in the place of one instruction. Operands come as lists, whose elements C++
// evaluates in order: so the instructions have the same order everywhere.
class ArrayBuilder : public ir::Builder {
 public:
  using Id = ir::InstructionId;
  using Ids = std::initializer_list<Id>;
  using Sizes = std::span<const std::int64_t>;

  ArrayBuilder(ir::Module &module, ir::Instruction original) : ArrayBuilder(module, original, original.parent().id()) {}
  // In another computation than the original's.
  ArrayBuilder(ir::Module &module, ir::Instruction original, ir::ComputationId computation)
      : Builder(module, computation), original_(original) {
    stand_in_for(original);
  }

  ir::ElementType type(Id id) const { return shape(id).element_type(); }

  Id sum(Ids terms) { return chain(ir::Opcode::Add, terms); }
  Id difference(Ids operands) { return add(ir::Opcode::Subtract, operands); }
  Id product(Ids factors) { return chain(ir::Opcode::Multiply, factors); }
  Id quotient(Ids operands) { return add(ir::Opcode::Divide, operands); }
  Id bit_and(Ids operands) { return chain(ir::Opcode::And, operands); }
  Id bit_or(Ids operands) { return chain(ir::Opcode::Or, operands); }
  Id exclusive_or(Ids operands) { return chain(ir::Opcode::Xor, operands); }
  Id select(Ids operands) { return add(ir::Opcode::Select, operands); }
  Id shift_left(Id x, int bits) { return add(ir::Opcode::ShiftLeft, {x, splat(bits, x)}); }
  Id shift_right(Id x, int bits) { return add(ir::Opcode::ShiftRightLogical, {x, splat(bits, x)}); }

  // A number, or a scalar, in the shape and type of another value.
  Id splat(double value, Id like);
  Id spread(Id scalar, Id like);

  // A number of these bits, as a scalar and in the shape and type of another value; the type has a whole number of bytes.
  Id bits(ir::ElementType type, std::uint64_t bits);
  Id splat_bits(std::uint64_t bits, Id like);
  // The same bits as another type of the same width; the same bytes in another shape, both row-major.
  Id reinterpret(Id x, ir::ElementType type);
  Id seen_as(Id x, ir::Shape shape);
  // The same value in another layout; itself if it has that.
  Id laid_out(Id x, ir::Layout layout);

  // Of bytes that are 0, also where the type has no zero.
  Id zeros(const ir::Shape &shape);
  // Of complex numbers; others stay.
  Id conjugate(Id x);
  // The same with the last two dimensions exchanged.
  Id transpose_matrices(Id x);
  // The same value in another type.
  Id cast(Id x, ir::ElementType to) { return type(x) == to ? x : convert(x, to); }
  // Compares the index of each element along a dimension with a scalar s32[]: pred of the same sizes.
  Id compare_index(ir::ComparisonDirection direction, Id like, std::size_t dimension, Id scalar);
  // A value whose size is 1 in some dimensions, repeated along these to fill the sizes of another.
  Id stretch(Id x, Id like);
  // As transpose(), by a copy in another order and a new name for its bytes. Of row-major arrays.
  Id transpose_in_memory(Id x, Sizes permutation);

  // The elements [begin, end) along a dimension.
  Id slice(Id operand, std::size_t dimension, std::int64_t begin, std::int64_t end, std::int64_t stride = 1);
  Id pad(Id operand, Id value, std::span<const ir::PaddingDimension> padding);
  Id concatenate(std::span<const Id> parts, std::int64_t dimension);
  Id concatenate(Ids parts, std::int64_t dimension) {
    return concatenate(std::span(parts.begin(), parts.size()), dimension);
  }
  // `size` elements along a dimension, from a start given by a scalar, and the operand with such a part replaced.
  Id dynamic_slice(Id operand, std::size_t dimension, Id start, std::int64_t size);
  Id dynamic_update_slice(Id operand, Id update, std::size_t dimension, Id start) {
    return dynamic_update_slice(operand, update, starts(operand, dimension, start));
  }
  // With a start for each dimension.
  Id dynamic_slice(Id operand, std::span<const Id> starts, Sizes sizes);
  Id dynamic_update_slice(Id operand, Id update, std::span<const Id> starts);
  // Values along a dimension such that `before` holds of each and those after it, floats in total order, and where each
  // came from, s32: a tuple. Equal values stay in order.
  Id sort_with_positions(Id values, std::size_t dimension, ir::ComparisonDirection before);
  // Products of matrices in the last two dimensions, for all indices before them.
  Id multiply_matrices(Id lhs, Id rhs);

  using ir::Builder::reshape;
  Id reshape(Id operand, std::initializer_list<std::int64_t> sizes) {
    return ir::Builder::reshape(operand, Sizes(sizes.begin(), sizes.size()));
  }
  // Element i of a vector, as a scalar.
  Id element(Id vector, std::int64_t i) { return reshape(slice(vector, 0, i, i + 1), {}); }

  // What a computation of scalars does to them, done to arrays of these sizes: its root, or the elements of that. Empty
  // if it does more than elementwise ops. Arguments of other types are converted.
  std::vector<Id> apply_to_arrays(ir::Computation computation, std::span<const Id> arguments, Sizes sizes);
  // The rows of a matrix of starts, such as gather makes of its indices: one scalar for each dimension.
  std::vector<Id> row_of_starts(Id starts, Id row);

  // Values by round of a loop: body(expansion of the body, s32[] round, values before) gives those after. Rounds count
  // from 0. In the body there are only the values: what else it needs goes through them.
  using Body = std::function<std::vector<Id>(ArrayBuilder &, Id round, std::vector<Id> values)>;
  std::vector<Id> loop(std::int64_t rounds, std::vector<Id> values, const Body &body);

 private:
  Id chain(ir::Opcode opcode, Ids operands);
  std::vector<Id> starts(Id operand, std::size_t dimension, Id start);

  ir::Instruction original_;
};

}  // namespace bp::passes
