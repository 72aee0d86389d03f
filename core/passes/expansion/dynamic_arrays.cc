#include "core/passes/expansion/dynamic_arrays.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/passes/rewrite.h"

namespace bp::passes {

using ir::ComparisonDirection;
using ir::ElementType;
using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

namespace {

using OperandIds = std::vector<InstructionId>;

bool is_static(const RunTimeSizes &sizes) {
  return std::ranges::all_of(sizes, [](InstructionId size) { return size == ir::no_instruction; });
}

// Returns x within its size in a dimension, and `other` outside.
InstructionId filled(ArrayBuilder &b, InstructionId x, std::size_t d, InstructionId size, InstructionId other) {
  if (size == ir::no_instruction) {
    return x;
  }
  const InstructionId exists = b.compare_index(ComparisonDirection::Lt, x, d, size);
  return b.select({exists, x, other});
}
InstructionId filled(ArrayBuilder &b, InstructionId x, const RunTimeSizes &sizes, InstructionId other) {
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    x = filled(b, x, d, sizes[d], other);
  }
  return x;
}

InstructionId cloned(ArrayBuilder &b, Instruction i, std::span<const InstructionId> operands) {
  const std::vector<ir::ComputationId> calls(i.calls().begin(), i.calls().end());
  const InstructionId id = b.module().clone_instruction(b.computation(), i, operands, calls);
  Shape shape = i.shape();
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    shape.set_dynamic(d, false);
  }
  b.module().set_shape(id, shape);
  return id;
}

// Elements outside the run-time sizes become the identity element, which does not change the result.
InstructionId reduced(ArrayBuilder &b, Instruction i, OperandIds operands, const RunTimeSizes &from) {
  const InstructionId neutral = b.splat(*identity_of(i.called(0), b.type(operands[0])), operands[0]);
  for (std::size_t d = 0; d < from.size(); ++d) {
    const bool meets = i.opcode() == Opcode::Reduce
                           ? std::ranges::find(i.dimensions(), static_cast<std::int64_t>(d)) != i.dimensions().end()
                           : d < i.window().size() && (i.window()[d].size != 1 || i.window()[d].pad_high > 0);
    operands[0] = meets ? filled(b, operands[0], d, from[d], neutral) : operands[0];
  }
  return cloned(b, i, operands);
}

// Elements outside the run-time sizes become zero in both operands: only one of them would not do, because the other
// could have infinities there.
InstructionId contracted(ArrayBuilder &b, Instruction i, OperandIds operands, const std::vector<RunTimeSizes> &from) {
  const bool is_dot = i.opcode() == Opcode::Dot;
  for (std::size_t n : {0, 1}) {
    std::vector<std::int64_t> summed;
    if (is_dot) {
      const auto list = i.numbers(n == 0 ? ir::AttributeKey::LhsContractingDims : ir::AttributeKey::RhsContractingDims);
      summed.assign(list.begin(), list.end());
    } else {
      const ir::ConvolutionDimensions dims = i.convolution_dimensions();
      summed = {n == 0 ? dims.lhs_feature : dims.rhs_input_feature};
    }
    for (std::int64_t d : summed) {
      const InstructionId size = from[n][static_cast<std::size_t>(d)];
      if (size != ir::no_instruction) {
        operands[n] = filled(b, operands[n], static_cast<std::size_t>(d), size, b.zeros(Shape(b.shape(operands[n]))));
      }
    }
  }
  return cloned(b, i, operands);
}

// Writes the parts one after the other: each overwrites the elements outside the size of the part before.
InstructionId joined(ArrayBuilder &b, Instruction i, const OperandIds &operands,
                     const std::vector<RunTimeSizes> &from) {
  const auto d = static_cast<std::size_t>(i.dimensions()[0]);
  InstructionId result = b.zeros(Shape::array(i.shape().element_type(), i.shape().sizes()));
  InstructionId end = b.constant(ElementType::S32, 0);
  for (std::size_t n = 0; n < operands.size(); ++n) {
    result = b.dynamic_update_slice(result, operands[n], d, end);
    const auto bound = static_cast<double>(b.shape(operands[n]).size(d));
    end = b.sum({end, from[n][d] != ir::no_instruction ? from[n][d] : b.constant(ElementType::S32, bound)});
  }
  return result;
}

// Reverses the whole array, which moves its elements to the end, and then moves them to the beginning.
InstructionId reversed(ArrayBuilder &b, Instruction i, const OperandIds &operands, const RunTimeSizes &from) {
  InstructionId result = cloned(b, i, operands);
  for (std::int64_t dimension : i.dimensions()) {
    const auto d = static_cast<std::size_t>(dimension);
    if (from[d] != ir::no_instruction) {
      const std::int64_t bound = b.shape(result).size(d);
      std::vector<ir::PaddingDimension> padding(from.size());
      padding[d].high = bound;
      const InstructionId begin = b.difference({b.constant(ElementType::S32, static_cast<double>(bound)), from[d]});
      const InstructionId longer = b.pad(result, b.zeros(Shape::scalar(b.type(result))), padding);
      result = b.dynamic_slice(longer, d, begin, bound);
    }
  }
  return result;
}

// Copies a comparison and adds two parameters: whether each of the two values is outside the run-time sizes.
ir::ComputationId in_bounds_first(ir::Module &module, ir::ComputationId comparison) {
  const ir::ComputationId result = module.add_computation(std::string(module.computation(comparison).name()));
  ir::Builder b(module, result);
  std::vector<InstructionId> parameters;
  for (std::size_t n = 0; n < module.computation(comparison).parameter_count(); ++n) {
    parameters.push_back(b.parameter(Shape(module.computation(comparison).parameter(n).shape())));
  }
  const InstructionId lhs = b.parameter(Shape::scalar(ElementType::Pred));
  const InstructionId rhs = b.parameter(Shape::scalar(ElementType::Pred));
  const InstructionId before = copy_body(module, comparison, result, parameters);
  const InstructionId differ = b.add(Opcode::Xor, {lhs, rhs});
  b.finish(b.add(Opcode::Select, {differ, rhs, before}));
  return result;
}

// Sorts with an additional operand, whether an element exists, which the comparison looks at first.
InstructionId sorted(ArrayBuilder &b, Instruction i, OperandIds operands, const RunTimeSizes &from) {
  const auto d = static_cast<std::size_t>(i.dimensions()[0]);
  const std::size_t count = operands.size();
  std::vector<ir::ComputationId> calls(i.calls().begin(), i.calls().end());
  if (from[d] != ir::no_instruction) {
    operands.push_back(b.compare_index(ComparisonDirection::Ge, operands[0], d, from[d]));
    calls[0] = in_bounds_first(b.module(), calls[0]);
  }
  std::vector<Shape> shapes;
  for (InstructionId operand : operands) {
    shapes.push_back(Shape::array(b.type(operand), b.shape(operand).sizes()));
  }
  const InstructionId sort = b.module().clone_instruction(b.computation(), i, operands, calls);
  b.module().set_shape(sort, operands.size() == 1 ? shapes[0] : Shape::tuple(shapes));
  if (operands.size() == count) {
    return sort;
  }
  std::vector<InstructionId> results;
  for (std::size_t n = 0; n < count; ++n) {
    results.push_back(b.get_tuple_element(sort, static_cast<std::int64_t>(n)));
  }
  return count == 1 ? results[0] : b.tuple(results);
}

// Replaces indices outside the run-time sizes by invalid ones.
InstructionId scattered(ArrayBuilder &b, Instruction i, OperandIds operands, const std::vector<RunTimeSizes> &from) {
  const std::size_t n = operands.size() / 2;
  if (is_static(from[n])) {
    return cloned(b, i, operands);
  }
  const ElementType type = b.type(operands[n]);
  operands[n] = ir::is_signed(type) ? operands[n] : b.cast(operands[n], ElementType::S64);
  operands[n] = filled(b, operands[n], from[n], b.splat(-1, operands[n]));
  const InstructionId result = cloned(b, i, operands);
  b.module().set_number(result, ir::AttributeKey::IndicesAreSorted, 0);
  return result;
}

// Returns the elements that a dynamic update slice is about to overwrite.
InstructionId replaced(ArrayBuilder &b, const OperandIds &operands) {
  std::vector<InstructionId> starts(operands.begin() + 2, operands.end());
  const Shape first = b.shape(starts[0]);
  if (first.rank() == 1) {
    const InstructionId vector = starts[0];
    starts.clear();
    for (std::int64_t k = 0; k < first.size(0); ++k) {
      starts.push_back(b.element(vector, k));
    }
  }
  const Shape update = b.shape(operands[1]);
  return b.dynamic_slice(operands[0], starts, update.sizes());
}

// Numbers the existing elements in order, and reads each from its index in the operand.
InstructionId reshaped(ArrayBuilder &b, Instruction i, const OperandIds &operands, const RunTimeSizes &from,
                       const RunTimeSizes &sizes) {
  const Shape result = Shape::array(ElementType::S32, i.shape().sizes());
  const Shape operand = b.shape(operands[0]);
  if (operand.element_count() == 0) {
    return b.zeros(Shape::array(operand.element_type(), result.sizes()));
  }
  if (i.opcode() == Opcode::Reshape && without_ones(operand.sizes()) == without_ones(result.sizes())) {
    return b.ir::Builder::reshape(operands[0], result.sizes());
  }
  InstructionId number = b.zeros(result), stride = b.constant(ElementType::S32, 1);
  for (std::size_t d = sizes.size(); d-- > 0;) {
    const InstructionId at = b.iota(result, static_cast<std::int64_t>(d));
    number = b.sum({number, b.product({at, b.broadcast_scalar(stride, at)})});
    const auto bound = static_cast<double>(result.size(d));
    stride = b.product({stride, sizes[d] != ir::no_instruction ? sizes[d] : b.constant(ElementType::S32, bound)});
  }
  InstructionId place = b.zeros(result);
  std::int64_t step = 1;
  for (std::size_t d = operand.rank(); d-- > 0;) {
    const InstructionId bound = b.constant(ElementType::S32, static_cast<double>(operand.size(d)));
    const InstructionId size =
        b.add(Opcode::Maximum, {from[d] == ir::no_instruction ? bound : from[d], b.constant(ElementType::S32, 1)});
    const InstructionId sizes_here = b.broadcast_scalar(size, number);
    const InstructionId at = b.add(Opcode::Remainder, {number, sizes_here});
    number = b.quotient({number, sizes_here});
    place = b.sum({place, b.product({at, b.splat(static_cast<double>(step), at)})});
    step *= operand.size(d);
  }
  const InstructionId flat = b.ir::Builder::reshape(operands[0], std::array{operand.element_count()});
  return b.add(Opcode::Gather, {flat, place}, [&](ir::Module &m, InstructionId id) {
    m.set_numbers(id, ir::AttributeKey::OffsetDims, std::span<const std::int64_t>());
    m.set_numbers(id, ir::AttributeKey::CollapsedSliceDims, {0});
    m.set_numbers(id, ir::AttributeKey::StartIndexMap, {0});
    m.set_number(id, ir::AttributeKey::IndexVectorDim, static_cast<std::int64_t>(result.rank()));
    m.set_numbers(id, ir::AttributeKey::SliceSizes, {1});
  });
}

// Repeats a single element along a dynamic dimension where the other operand has more elements.
InstructionId stretched(ArrayBuilder &b, InstructionId x, const RunTimeSizes &own, const RunTimeSizes &other) {
  for (std::size_t d = 0; d < own.size() && d < other.size(); ++d) {
    if (own[d] != ir::no_instruction && other[d] != ir::no_instruction && own[d] != other[d] &&
        b.shape(x).size(d) > 1) {
      const InstructionId is_one = b.compare(ComparisonDirection::Eq, own[d], b.constant(ElementType::S32, 1));
      const InstructionId repeated = b.broadcast_to(b.slice(x, d, 0, 1), x);
      x = b.select({b.broadcast(is_one, Shape::array(ElementType::Pred, b.shape(x).sizes())), repeated, x});
    }
  }
  return x;
}

InstructionId updated(ArrayBuilder &b, Instruction i, OperandIds operands, const std::vector<RunTimeSizes> &own) {
  if (!is_static(own[1])) {
    operands[1] = filled(b, operands[1], own[1], replaced(b, operands));
  }
  return cloned(b, i, operands);
}

InstructionId padded(ArrayBuilder &b, Instruction i, OperandIds operands, const RunTimeSizes &from) {
  if (!is_static(from)) {
    operands[0] = filled(b, operands[0], from, b.broadcast_scalar(operands[1], operands[0]));
  }
  return cloned(b, i, operands);
}

InstructionId elementwise(ArrayBuilder &b, Instruction i, const OperandIds &operands,
                          const std::vector<RunTimeSizes> &own) {
  if (!i.is(ir::Trait::Elementwise) || operands.size() != 2) {
    return cloned(b, i, operands);
  }
  const InstructionId lhs = stretched(b, operands[0], own[0], own[1]);
  return cloned(b, i, std::array{lhs, stretched(b, operands[1], own[1], own[0])});
}

struct Limits {
  std::optional<double> least, largest;  // none: floats without infinities
};

// Returns the limits of a type's values. The nearest double stands for the largest integer of 64 bits, of which a
// constant of that type makes the integer itself.
Limits limits_of(ElementType type) {
  const int bits = ir::bit_width(type);
  if (ir::is_floating(type)) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return bits >= 16 ? Limits{-infinity, infinity} : Limits{};
  }
  if (ir::is_signed(type)) {
    return {-std::ldexp(1, bits - 1), std::ldexp(1, bits - 1) - 1};
  }
  return {0, type == ElementType::Pred ? 1 : std::ldexp(1, bits) - 1};
}

}  // namespace

std::optional<double> identity_of(ir::Computation reducer, ElementType type) {
  const Instruction root = reducer.root();
  if (reducer.parameter_count() != 2 || root.operand_count() != 2 || root.operand(0).opcode() != Opcode::Parameter ||
      root.operand(1).opcode() != Opcode::Parameter || root.operands()[0] == root.operands()[1] ||
      ir::is_complex(type)) {
    return std::nullopt;
  }
  const bool has_zero = type != ElementType::F8E8M0FNU;
  const auto [least, largest] = limits_of(type);
  switch (root.opcode()) {
    case Opcode::Add: return has_zero ? std::optional(ir::is_floating(type) ? -0.0 : 0.0) : std::nullopt;
    case Opcode::Multiply: return 1;
    case Opcode::Maximum: return least;
    case Opcode::Minimum: return largest;
    case Opcode::Or: return 0;
    case Opcode::And: return type == ElementType::Pred ? std::optional(1.0) : std::nullopt;
    default: return std::nullopt;
  }
}

InstructionId on_bounds(ArrayBuilder &b, Instruction i, const std::vector<RunTimeSizes> &own,
                        const std::vector<RunTimeSizes> &from, const RunTimeSizes &sizes) {
  const OperandIds operands(i.operands().begin(), i.operands().end());
  switch (i.opcode()) {
    case Opcode::SetDimensionSize: return b.reshape(operands[0], i.shape().sizes());  // same elements, other type
    case Opcode::Reshape:
    case Opcode::DynamicReshape: return reshaped(b, i, operands, own[0], sizes);
    case Opcode::Concatenate:
      return sizes[static_cast<std::size_t>(i.dimensions()[0])] == ir::no_instruction ? cloned(b, i, operands)
                                                                                      : joined(b, i, operands, own);
    case Opcode::Reverse: return reversed(b, i, operands, own[0]);
    case Opcode::Sort: return sorted(b, i, operands, from[0]);
    case Opcode::Scatter: return scattered(b, i, operands, from);
    case Opcode::DynamicUpdateSlice: return updated(b, i, operands, own);
    case Opcode::Pad: return padded(b, i, operands, own[0]);
    case Opcode::Reduce:
    case Opcode::ReduceWindow: return reduced(b, i, operands, from[0]);
    case Opcode::Dot:
    case Opcode::Convolution: return contracted(b, i, operands, from);
    default: return elementwise(b, i, operands, own);
  }
}

}  // namespace bp::passes
