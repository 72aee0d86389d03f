#include "core/passes/array_builder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <unordered_map>

#include "core/ir/origin.h"

namespace bp::passes {
namespace {

// Whether an op on a scalar returns the scalar unchanged.
bool keeps_scalar(ir::Instruction i) {
  return i.opcode() == ir::Opcode::Broadcast || i.opcode() == ir::Opcode::Reshape ||
         i.opcode() == ir::Opcode::Transpose;
}

}  // namespace

bool applies_to_arrays(ir::Computation computation) {
  const ir::InstructionId root = computation.root().id();
  return std::ranges::all_of(computation.instructions(), [&](ir::Instruction i) {
    const bool is_known = i.opcode() == ir::Opcode::Parameter || i.opcode() == ir::Opcode::Constant ||
                          i.opcode() == ir::Opcode::BitcastConvert || keeps_scalar(i) || i.is(ir::Trait::Elementwise);
    const bool is_result = i.opcode() == ir::Opcode::Tuple && i.id() == root;
    return (is_result || (is_known && i.shape().is_scalar())) && i.control_predecessors().empty();
  });
}

ir::InstructionId ArrayBuilder::chain(ir::Opcode opcode, Ids operands) {
  Id result = *operands.begin();
  for (const Id *next = operands.begin() + 1; next != operands.end(); ++next) {
    result = add(opcode, {result, *next});
  }
  return result;
}

ir::InstructionId ArrayBuilder::zeros(const ir::Shape &shape) {
  return broadcast(constant(ir::Literal::zeros(ir::Shape::scalar(shape.element_type())).value()), shape);
}

ir::InstructionId ArrayBuilder::splat(double value, Id like) {
  Id scalar = constant(type(like), value);
  return shape(like).is_scalar() ? scalar : broadcast_scalar(scalar, like);
}

ir::InstructionId ArrayBuilder::broadcast_scalar(Id scalar, Id like) {
  return broadcast(scalar, ir::Shape::array(type(scalar), shape(like).sizes()));
}

ir::InstructionId ArrayBuilder::slice(Id operand, std::size_t dimension, std::int64_t begin, std::int64_t end,
                                      std::int64_t stride) {
  std::vector<ir::SliceRange> ranges;
  for (std::int64_t size : shape(operand).sizes()) {
    ranges.push_back({0, size, 1});
  }
  ranges[dimension] = {begin, end, stride};
  return add(ir::Opcode::Slice, {operand}, [&](ir::Module &m, Id id) { m.set_slice_ranges(id, ranges); });
}

ir::InstructionId ArrayBuilder::concatenate(std::span<const Id> parts, std::int64_t dimension) {
  return try_add(ir::Opcode::Concatenate, parts,
                 [&](ir::Module &m, Id id) { m.set_numbers(id, ir::AttributeKey::Dimensions, {dimension}); })
      .value();
}

ir::InstructionId ArrayBuilder::custom_call(std::string_view target, Ids operands, const ir::Shape &result,
                                            std::string_view config) {
  const auto set_attributes = [&](ir::Module &m, Id id) {
    m.set_text(id, ir::AttributeKey::CustomCallTarget, target);
    if (!config.empty()) {
      m.set_text(id, ir::AttributeKey::BackendConfig, config);
    }
  };
  return add(ir::Opcode::CustomCall, operands, set_attributes, {}, result);
}

ir::InstructionId ArrayBuilder::pad(Id operand, Id value, std::span<const ir::PaddingDimension> padding) {
  return add(ir::Opcode::Pad, {operand, value}, [&](ir::Module &m, Id id) { m.set_padding(id, padding); });
}

ir::InstructionId ArrayBuilder::bits(ir::ElementType type, std::uint64_t bits) {
  ir::Literal literal = ir::Literal::zeros(ir::Shape::scalar(type)).value();
  std::memcpy(literal.mutable_bytes().data(), &bits, static_cast<std::size_t>(ir::byte_width(type)));
  return constant(std::move(literal));
}

ir::InstructionId ArrayBuilder::splat_bits(std::uint64_t value, Id like) {
  Id scalar = bits(type(like), value);
  return shape(like).is_scalar() ? scalar : broadcast_scalar(scalar, like);
}

ir::InstructionId ArrayBuilder::reinterpret(Id x, ir::ElementType to) {
  return add(ir::Opcode::BitcastConvert, {x}, [](ir::Module &, Id) {}, {}, ir::Shape::array(to, shape(x).sizes()));
}

ir::InstructionId ArrayBuilder::bitcast_to(Id x, ir::Shape as) {
  return add(ir::Opcode::Bitcast, {x}, [](ir::Module &, Id) {}, {}, as);
}

ir::InstructionId ArrayBuilder::with_layout(Id x, ir::Layout layout) {
  ir::Shape shape = this->shape(x);
  if (shape.layout() == layout) {
    return x;
  }
  shape.set_layout(std::move(layout));
  return add(ir::Opcode::Copy, {x}, [](ir::Module &, Id) {}, {}, shape);
}

ir::InstructionId ArrayBuilder::transpose_in_memory(Id x, Sizes permutation) {
  ir::Layout layout = ir::Layout::descending(0);
  std::vector<std::int64_t> sizes;
  for (std::int64_t d : permutation) {
    layout.minor_to_major.insert(layout.minor_to_major.begin(), d);
    sizes.push_back(shape(x).size(static_cast<std::size_t>(d)));
  }
  return bitcast_to(with_layout(x, std::move(layout)), ir::Shape::array(type(x), sizes));
}

ir::InstructionId ArrayBuilder::conjugate(Id x) {
  if (!ir::is_complex(type(x))) {
    return x;
  }
  Id real = add(ir::Opcode::Real, {x}), imaginary = add(ir::Opcode::Imag, {x});
  return add(ir::Opcode::Complex, {real, add(ir::Opcode::Negate, {imaginary})});
}

ir::InstructionId ArrayBuilder::transpose_matrices(Id x) {
  std::vector<std::int64_t> permutation(shape(x).rank());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation.end()[-1], permutation.end()[-2]);
  return transpose(x, permutation);
}

ir::InstructionId ArrayBuilder::indices(Id like, std::size_t dimension) {
  return iota(ir::Shape::array(ir::ElementType::S32, shape(like).sizes()), static_cast<std::int64_t>(dimension));
}

ir::InstructionId ArrayBuilder::is_diagonal(Id like) {
  const std::size_t columns = shape(like).rank() - 1;
  const Id row = indices(like, columns - 1), column = indices(like, columns);
  return compare(ir::ComparisonDirection::Eq, row, column);
}

ir::InstructionId ArrayBuilder::diagonal(Id matrices) {
  const Id only = select({is_diagonal(matrices), matrices, splat(0, matrices)});
  const Id ones = splat(1, slice(only, shape(only).rank() - 2, 0, 1));
  return multiply_matrices(ones, only);
}

ir::InstructionId ArrayBuilder::compare_index(ir::ComparisonDirection direction, Id like, std::size_t dimension,
                                              Id scalar) {
  Id index = iota(ir::Shape::array(type(scalar), shape(like).sizes()), static_cast<std::int64_t>(dimension));
  return compare(direction, index, broadcast_scalar(scalar, index));
}

ir::InstructionId ArrayBuilder::broadcast_to(Id x, Id like) {
  std::vector<std::int64_t> sizes, dimensions;
  for (std::size_t d = 0; d < shape(x).rank(); ++d) {
    if (shape(x).size(d) == shape(like).size(d)) {
      sizes.push_back(shape(x).size(d));
      dimensions.push_back(static_cast<std::int64_t>(d));
    }
  }
  ir::Shape result = ir::Shape::array(type(x), shape(like).sizes());
  return broadcast(reshape(x, sizes), result, dimensions);
}

std::vector<ir::InstructionId> ArrayBuilder::starts(Id operand, std::size_t dimension, Id start) {
  std::vector<Id> result(shape(operand).rank(), constant(type(start), 0));
  result[dimension] = start;
  return result;
}

ir::InstructionId ArrayBuilder::dynamic_slice(Id operand, std::size_t dimension, Id start, std::int64_t size) {
  std::vector<std::int64_t> sizes(shape(operand).sizes().begin(), shape(operand).sizes().end());
  sizes[dimension] = size;
  return dynamic_slice(operand, starts(operand, dimension, start), sizes);
}

ir::InstructionId ArrayBuilder::dynamic_slice(Id operand, std::span<const Id> starts, Sizes sizes) {
  std::vector<Id> operands{operand};
  std::ranges::copy(starts, std::back_inserter(operands));
  return try_add(ir::Opcode::DynamicSlice, operands,
                 [&](ir::Module &m, Id id) { m.set_numbers(id, ir::AttributeKey::DynamicSliceSizes, sizes); })
      .value();
}

ir::InstructionId ArrayBuilder::dynamic_update_slice(Id operand, Id update, std::span<const Id> starts) {
  std::vector<Id> operands{operand, update};
  std::ranges::copy(starts, std::back_inserter(operands));
  return try_add(ir::Opcode::DynamicUpdateSlice, operands, [](ir::Module &, Id) {}).value();
}

ir::InstructionId ArrayBuilder::sort_with_positions(Id values, std::size_t dimension, ir::ComparisonDirection before) {
  const ir::Shape element = ir::Shape::scalar(type(values)), position = ir::Shape::scalar(ir::ElementType::S32);
  const std::string_view name = before == ir::ComparisonDirection::Gt ? "greater" : "less";
  ir::ComputationId comparator = module().add_computation(fmt::format("{}.{}", name, to_string(type(values))));
  Builder b(module(), comparator);
  const Id first = b.parameter(element), second = b.parameter(element);
  b.parameter(position);
  b.parameter(position);
  const Id is_before = b.compare(before, first, second);
  if (ir::is_floating(type(values))) {
    module().set_number(is_before, ir::AttributeKey::ComparisonType,
                        static_cast<std::int64_t>(ir::ComparisonType::TotalOrder));
  }
  module().set_root(comparator, is_before);
  const Id positions =
      iota(ir::Shape::array(ir::ElementType::S32, shape(values).sizes()), static_cast<std::int64_t>(dimension));
  const auto set = [&](ir::Module &m, Id id) {
    m.set_numbers(id, ir::AttributeKey::Dimensions, {static_cast<std::int64_t>(dimension)});
    m.set_number(id, ir::AttributeKey::IsStable, 1);
  };
  return add(ir::Opcode::Sort, {values, positions}, set, std::span(&comparator, 1));
}

ir::InstructionId ArrayBuilder::multiply_matrices(Id lhs, Id rhs) {
  const auto rank = static_cast<std::int64_t>(shape(lhs).rank());
  std::vector<std::int64_t> batch(static_cast<std::size_t>(rank - 2));
  std::iota(batch.begin(), batch.end(), 0);
  return add(ir::Opcode::Dot, {lhs, rhs}, [&](ir::Module &m, Id id) {
    m.set_numbers(id, ir::AttributeKey::LhsBatchDims, batch);
    m.set_numbers(id, ir::AttributeKey::RhsBatchDims, batch);
    m.set_numbers(id, ir::AttributeKey::LhsContractingDims, {rank - 1});
    m.set_numbers(id, ir::AttributeKey::RhsContractingDims, {rank - 2});
  });
}

std::vector<ir::InstructionId> ArrayBuilder::apply_to_arrays(ir::Computation computation, std::span<const Id> arguments,
                                                             Sizes sizes) {
  if (!applies_to_arrays(computation)) {
    return {};
  }
  std::unordered_map<Id, Id> arrays;
  const auto order = computation.instruction_ids();
  for (Id scalar : std::vector(order.begin(), order.end())) {
    const ir::Instruction i = module().instruction(scalar);
    if (i.opcode() == ir::Opcode::Tuple) {
      continue;
    }
    const ir::Shape shape = ir::Shape::array(i.shape().element_type(), sizes);
    if (i.opcode() == ir::Opcode::Parameter) {
      arrays[scalar] = cast(arguments[static_cast<std::size_t>(i.parameter_number())], i.shape().element_type());
    } else if (i.opcode() == ir::Opcode::Constant) {
      arrays[scalar] = broadcast(constant(i.literal()), shape);
    } else if (keeps_scalar(i)) {
      arrays[scalar] = arrays[i.operands()[0]];
    } else {
      std::vector<Id> operands;
      for (Id operand : i.operands()) {
        operands.push_back(arrays[operand]);
      }
      arrays[scalar] = module().clone_instruction(this->computation(), i, operands, {});
      module().set_shape(arrays[scalar], shape);
      ir::mark_cluster(module(), {&arrays[scalar], 1}, ir::cluster_mark(original_));
    }
  }
  const ir::Instruction root = module().instruction(computation.root().id());
  std::vector<Id> results;
  if (root.opcode() == ir::Opcode::Tuple) {
    for (Id element : root.operands()) {
      results.push_back(arrays[element]);
    }
  } else {
    results.push_back(arrays[root.id()]);
  }
  return results;
}

std::vector<ir::InstructionId> ArrayBuilder::row_of_starts(Id starts, Id row) {
  const std::int64_t count = shape(starts).size(1);
  Id all = reshape(dynamic_slice(starts, 0, row, 1), {count});
  std::vector<Id> scalars;
  for (std::int64_t d = 0; d < count; ++d) {
    scalars.push_back(element(all, d));
  }
  return scalars;
}

std::vector<ir::InstructionId> ArrayBuilder::loop(std::int64_t iterations, std::vector<Id> values, const Body &body) {
  values.insert(values.begin(), constant(ir::ElementType::S32, 0));
  Id before = tuple(values);
  const ir::Shape state = shape(before);
  const std::string name(original_.name());
  ArrayBuilder condition(module(), original_, module().add_computation(name + ".condition"));
  Id iteration = condition.get_tuple_element(condition.parameter(state), 0);
  Id limit = condition.constant(ir::ElementType::S32, static_cast<double>(iterations));
  condition.finish(condition.compare(ir::ComparisonDirection::Lt, iteration, limit));

  ArrayBuilder inner(module(), original_, module().add_computation(name + ".body"));
  const auto elements = [&](ArrayBuilder &b, Id whole) {
    std::vector<Id> parts;
    for (std::size_t i = 0; i < values.size(); ++i) {
      parts.push_back(b.get_tuple_element(whole, static_cast<std::int64_t>(i)));
    }
    return parts;
  };
  std::vector<Id> parts = elements(inner, inner.parameter(state));
  iteration = parts[0];
  std::vector<Id> next = body(inner, iteration, {parts.begin() + 1, parts.end()});
  next.insert(next.begin(), inner.sum({iteration, inner.constant(ir::ElementType::S32, 1)}));
  inner.finish(inner.tuple(next));

  Id after = add(
      ir::Opcode::While, {before}, [](ir::Module &, Id) {}, std::array{condition.computation(), inner.computation()});
  parts = elements(*this, after);
  return {parts.begin() + 1, parts.end()};
}

}  // namespace bp::passes
