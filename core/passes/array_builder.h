// Builder for arithmetic on whole arrays and for their movement, in place of one instruction.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/ir/builder.h"

namespace bp::passes {

// Whether a computation of scalars consists of elementwise ops only; see ArrayBuilder::apply_to_arrays().
bool applies_to_arrays(ir::Computation computation);

// Returns the type in which values of `type` are computed: f32 for narrow floats, else `type` itself.
inline ir::ElementType compute_type(ir::ElementType type) {
  return ir::is_floating(type) && ir::bit_width(type) < 32 ? ir::ElementType::F32 : type;
}

// Adds arithmetic on whole arrays and their movement, in place of one instruction. Operands are passed as initializer
// lists, whose elements C++ evaluates in order, so the order of the instructions does not depend on the compiler.
class ArrayBuilder : public ir::Builder {
 public:
  using Id = ir::InstructionId;
  using Ids = std::initializer_list<Id>;
  using Sizes = std::span<const std::int64_t>;

  ArrayBuilder(ir::Module &module, ir::Instruction original) : ArrayBuilder(module, original, original.parent().id()) {}
  // Adds to another computation than that of `original`.
  ArrayBuilder(ir::Module &module, ir::Instruction original, ir::ComputationId computation)
      : Builder(module, computation), original_(original) {
    copy_origin_from(original);
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

  // Return a number, or a scalar, in the shape and type of another value.
  Id splat(double value, Id like);
  Id broadcast_scalar(Id scalar, Id like);

  // Return the number with these bits, as a scalar, or in the shape and type of another value. The type has a whole
  // number of bytes.
  Id bits(ir::ElementType type, std::uint64_t bits);
  Id splat_bits(std::uint64_t bits, Id like);
  // Return the same bits as another type of the same width, or the same bytes in another shape; both arrays are
  // row-major.
  Id reinterpret(Id x, ir::ElementType type);
  Id bitcast_to(Id x, ir::Shape shape);
  // Returns the same value in another layout; `x` itself if it already has that layout.
  Id with_layout(Id x, ir::Layout layout);

  // Returns an array whose bytes are all 0, also for types that have no zero.
  Id zeros(const ir::Shape &shape);
  // Returns the complex conjugate; `x` itself if it is not complex.
  Id conjugate(Id x);
  // Returns the real parts; `x` itself if it is not complex.
  Id real(Id x) { return ir::is_complex(type(x)) ? add(ir::Opcode::Real, {x}) : x; }
  // Return `x` with its last two dimensions exchanged, and the complex conjugate of that.
  Id transpose_matrices(Id x);
  Id adjoint(Id x) { return transpose_matrices(conjugate(x)); }
  // Returns the index (s32) that each element of another value has along a dimension.
  Id indices(Id like, std::size_t dimension);
  // Returns which elements are on the diagonals of the matrices in the last two dimensions.
  Id is_diagonal(Id like);
  // Returns the diagonals of square matrices, [..., 1, k].
  Id diagonal(Id matrices);
  // Returns the same value in another type.
  Id cast(Id x, ir::ElementType to) { return type(x) == to ? x : convert(x, to); }
  // Compares the index of each element along a dimension with a scalar s32[]; returns a pred array of the sizes of
  // `like`.
  Id compare_index(ir::ComparisonDirection direction, Id like, std::size_t dimension, Id scalar);
  // Repeats a value along those of its dimensions that have size 1, to the sizes of another value.
  Id broadcast_to(Id x, Id like);
  // Computes the same as transpose(), by a copy into another layout and a bitcast. For row-major arrays.
  Id transpose_in_memory(Id x, Sizes permutation);

  // Returns the elements [begin, end) along a dimension.
  Id slice(Id operand, std::size_t dimension, std::int64_t begin, std::int64_t end, std::int64_t stride = 1);
  Id pad(Id operand, Id value, std::span<const ir::PaddingDimension> padding);
  Id concatenate(std::span<const Id> parts, std::int64_t dimension);
  Id concatenate(Ids parts, std::int64_t dimension) {
    return concatenate(std::span(parts.begin(), parts.size()), dimension);
  }
  // Return `size` elements along a dimension, from a start given by a scalar, and the operand with that part replaced.
  Id dynamic_slice(Id operand, std::size_t dimension, Id start, std::int64_t size);
  Id dynamic_update_slice(Id operand, Id update, std::size_t dimension, Id start) {
    return dynamic_update_slice(operand, update, starts(operand, dimension, start));
  }
  // The same with one start per dimension.
  Id dynamic_slice(Id operand, std::span<const Id> starts, Sizes sizes);
  Id dynamic_update_slice(Id operand, Id update, std::span<const Id> starts);
  // Sorts values along a dimension such that `before` holds between each value and those after it; floats are compared
  // in total order. The sort is stable. Returns a tuple of the sorted values and of the indices (s32) that they had
  // before.
  Id sort_with_positions(Id values, std::size_t dimension, ir::ComparisonDirection before);
  // Multiplies matrices in the last two dimensions, for all indices of the other dimensions.
  Id multiply_matrices(Id lhs, Id rhs);

  // Calls a function by its name; see core/ir/factorization_calls.h.
  Id custom_call(std::string_view target, Ids operands, const ir::Shape &result, std::string_view config = {});

  using ir::Builder::reshape;
  Id reshape(Id operand, std::initializer_list<std::int64_t> sizes) {
    return ir::Builder::reshape(operand, Sizes(sizes.begin(), sizes.size()));
  }
  // Returns element i of a vector, as a scalar.
  Id element(Id vector, std::int64_t i) { return reshape(slice(vector, 0, i, i + 1), {}); }

  // Applies a computation on scalars to arrays of these sizes. Returns its root, or the elements of the root if that is
  // a tuple; nothing if the computation has other than elementwise ops. Arguments of other types are converted.
  std::vector<Id> apply_to_arrays(ir::Computation computation, std::span<const Id> arguments, Sizes sizes);
  // Returns one row of a matrix of start indices, such as gather computes from its indices: one scalar per dimension.
  std::vector<Id> row_of_starts(Id starts, Id row);

  // Adds a loop: body(builder of the body, s32[] iteration, values before the iteration) returns the values after it.
  // Iterations count from 0. The body can use only these values: whatever else it needs has to be among them.
  using Body = std::function<std::vector<Id>(ArrayBuilder &, Id iteration, std::vector<Id> values)>;
  std::vector<Id> loop(std::int64_t iterations, std::vector<Id> values, const Body &body);

 private:
  Id chain(ir::Opcode opcode, Ids operands);
  std::vector<Id> starts(Id operand, std::size_t dimension, Id start);

  ir::Instruction original_;
};

}  // namespace bp::passes
