// Instructions that become one or a few operations: names of values, elementwise, data movement, random numbers.
#include <fmt/format.h>

#include <algorithm>
#include <boost/range/irange.hpp>
#include <numeric>

#include "core/import/stablehlo/raising/raising.h"

namespace bp::import::stablehlo {

Result<ValueIds> raise_as_target(Raising &raising, const ir::Instruction &instruction, Attributes attributes) {
  const std::string_view target = target_of(instruction.opcode());
  if (target.empty()) {
    return raising.unsupported(instruction, "bytecode has no such operation, but text does; expected --emit=stablehlo");
  }
  BP_ASSIGN(std::vector<Type> results, raising.types_of(instruction.shape()));
  Attributes call{{"call_target_name", {std::string(target)}},
                  {"mhlo.attributes", {Dictionary{std::move(attributes)}}},
                  {"mhlo.version", integer(1)}};
  return raising.add(
      Draft{"stablehlo.custom_call", raising.operands(instruction), std::move(results), std::move(call)});
}

Result<ValueIds> raise_as(Raising &raising, const ir::Instruction &instruction, std::string_view operation,
                          Attributes attributes) {
  if (raising.form() == RaisedForm::Bytecode && operation.starts_with("chlo.")) {
    return raise_as_target(raising, instruction, std::move(attributes));
  }
  Draft draft{operation, raising.operands(instruction), {}, std::move(attributes)};
  BP_ASSIGN(draft.results, raising.types_of(instruction.shape()));
  for (std::size_t i = 0; i < instruction.calls().size(); ++i) {
    BP_ASSIGN(Region region, raising.region(instruction.called(i)));
    draft.regions.push_back(std::move(region));
  }
  return raising.add(std::move(draft));
}

// --- Values that only get other names ---

Result<ValueIds> raise_operand(Raising &raising, const ir::Instruction &instruction, const RaisingRow &) {
  return raising.operand(instruction, 0);
}

// Parameters are arguments of the region already.
Result<ValueIds> raise_parameter(Raising &raising, const ir::Instruction &instruction, const RaisingRow &) {
  return raising.values(instruction);
}

Result<ValueIds> raise_tuple(Raising &raising, const ir::Instruction &instruction, const RaisingRow &) {
  return raising.operands(instruction);
}

Result<ValueIds> raise_get_tuple_element(Raising &raising, const ir::Instruction &instruction, const RaisingRow &) {
  const ValueIds &all = raising.operand(instruction, 0);
  const std::int64_t index[] = {instruction.tuple_index()};
  const std::size_t first = first_leaf(instruction.operand(0).shape(), index);
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  return ValueIds(begin, begin + static_cast<std::ptrdiff_t>(leaf_count(instruction.shape())));
}

// A barrier orders the value after the token.
Result<ValueIds> raise_add_dependency(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  const ValueIds operands = raising.operands(instruction);
  std::vector<Type> results;
  for (const ValueId operand : operands) {
    results.push_back(raising.type(operand));
  }
  ValueIds values = raising.add(Draft{row.operation, operands, std::move(results)});
  values.resize(raising.operand(instruction, 0).size());
  return values;
}

Result<ValueIds> raise_optimization_barrier(Raising &raising, const ir::Instruction &instruction,
                                            const RaisingRow &row) {
  return raising.operands(instruction).empty() ? Result<ValueIds>(ValueIds())
                                               : raise_as(raising, instruction, row.operation, {});
}

// --- Elementwise ---

// StableHLO's abs has no unsigned integers, which it would not change.
Result<ValueIds> raise_abs(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  return ir::is_unsigned(instruction.shape().element_type()) ? Result<ValueIds>(raising.operand(instruction, 0))
                                                             : raise_as(raising, instruction, row.operation, {});
}

namespace {

// Returns a tensor of the type with 1 in all elements.
Result<ValueId> ones(Raising &raising, const Type &type) {
  BP_ASSIGN(ir::Literal literal, ir::Literal::zeros(ir::Shape::scalar(type.shape.element_type())));
  ir::visit_element_type(type.shape.element_type(), [&]<class T>() { literal.mutable_elements<T>()[0] = T(1.0F); });
  const ValueId scalar = raising.constant(std::move(literal));
  if (type.shape.is_scalar()) {
    return scalar;
  }
  return raising.add("stablehlo.broadcast_in_dim", {scalar}, type, {{"broadcast_dimensions", integers({})}});
}

}  // namespace

// StableHLO's sign has no unsigned integers, of which 1 is the largest sign.
Result<ValueIds> raise_sign(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  if (!ir::is_unsigned(instruction.shape().element_type())) {
    return raise_as(raising, instruction, row.operation, {});
  }
  BP_ASSIGN(const Type type, raising.type_of(instruction.shape()));
  BP_ASSIGN(const ValueId one, ones(raising, type));
  return ValueIds{raising.add("stablehlo.minimum", {raising.operand(instruction, 0)[0], one}, type)};
}

// XLA knows no custom call for it: in bytecode it is the angle of the point (1, x).
Result<ValueIds> raise_atan(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  if (raising.form() == RaisedForm::Text) {
    return raise_as(raising, instruction, row.operation, {});
  }
  BP_ASSIGN(const Type type, raising.type_of(instruction.shape()));
  BP_ASSIGN(const ValueId one, ones(raising, type));
  return ValueIds{raising.add("stablehlo.atan2", {raising.operand(instruction, 0)[0], one}, type)};
}

Result<ValueIds> raise_select(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  if (instruction.shape().is_tuple()) {
    return raising.unsupported(instruction, "stablehlo.select has no tuples, expected a select for each array");
  }
  return raise_as(raising, instruction, row.operation, {});
}

// A pred takes a byte in HLO, and an i1 a bit in StableHLO: converts through ui8.
Result<ValueIds> raise_bitcast_convert(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  using enum ir::ElementType;
  const ir::ElementType from = instruction.operand(0).shape().element_type(), to = instruction.shape().element_type();
  if ((from == Pred) == (to == Pred)) {
    return raise_as(raising, instruction, row.operation, {});
  }
  const bool is_from_pred = from == Pred;
  if (ir::bit_width(is_from_pred ? to : from) != 8) {
    return raising.unsupported(instruction, "an i1 has one bit, expected a type of 8 bits on the other side of pred");
  }
  BP_ASSIGN(const Type result, raising.type_of(instruction.shape()));
  Type bytes = result;
  bytes.shape.set_element_type(U8);
  ValueId value = raising.operand(instruction, 0)[0];
  if (is_from_pred) {
    value = raising.add("stablehlo.convert", {value}, bytes);
    return ValueIds{to == U8 ? value : raising.add(row.operation, {value}, result)};
  }
  if (from != U8) {
    value = raising.add(row.operation, {value}, bytes);
  }
  return ValueIds{raising.add("stablehlo.convert", {value}, result)};
}

// --- Data movement ---

// Adds a constant for each array of the literal.
static Status add_constants(Raising &raising, const ir::Instruction &instruction, const ir::Literal &literal,
                            ValueIds &values) {
  if (literal.shape().is_tuple()) {
    for (const ir::Literal &element : literal.tuple_elements()) {
      BP_TRY(add_constants(raising, instruction, element, values));
    }
    return {};
  }
  BP_TRY(raising.type_of(literal.shape()));
  if (!literal.shape().is_array() || !literal.shape().is_static()) {
    return raising.unsupported(instruction, fmt::format("there is no constant of {}, expected an array of known sizes",
                                                        ir::to_string(literal.shape())));
  }
  values.push_back(raising.constant(literal));
  return {};
}

Result<ValueIds> raise_constant(Raising &raising, const ir::Instruction &instruction, const RaisingRow &) {
  ValueIds values;
  BP_TRY(add_constants(raising, instruction, instruction.literal(), values));
  return values;
}

Result<ValueIds> raise_broadcast(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  return raise_as(raising, instruction, row.operation, {{"broadcast_dimensions", integers(instruction.dimensions())}});
}

Result<ValueIds> raise_slice(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  std::vector<std::int64_t> starts, limits, strides;
  for (const ir::SliceRange &range : instruction.slice_ranges()) {
    starts.push_back(range.start);
    limits.push_back(range.limit);
    strides.push_back(range.stride);
  }
  return raise_as(
      raising, instruction, row.operation,
      {{"start_indices", integers(starts)}, {"limit_indices", integers(limits)}, {"strides", integers(strides)}});
}

Result<ValueIds> raise_pad(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  std::vector<std::int64_t> low, high, interior;
  for (const ir::PaddingDimension &padding : instruction.padding()) {
    low.push_back(padding.low);
    high.push_back(padding.high);
    interior.push_back(padding.interior);
  }
  return raise_as(raising, instruction, row.operation,
                  {{"edge_padding_low", integers(low)},
                   {"edge_padding_high", integers(high)},
                   {"interior_padding", integers(interior)}});
}

// The starts may be one vector in HLO, and are scalars in StableHLO.
Result<ValueIds> raise_dynamic_slice(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  BP_ASSIGN(Attributes attributes, attributes_of(raising, instruction, *find_row(row.operation)));
  const std::size_t first = instruction.opcode() == Opcode::DynamicSlice ? 1 : 2;
  if (instruction.operand_count() != first + 1 || instruction.operand(first).shape().rank() != 1) {
    return raise_as(raising, instruction, row.operation, std::move(attributes));
  }
  ValueIds operands = raising.operands(instruction);
  const ValueId starts = operands.back();
  operands.pop_back();
  const ir::Shape vector = raising.type(starts).shape;
  for (std::int64_t i = 0; i < vector.size(0); ++i) {
    const std::int64_t begin[] = {i}, end[] = {i + 1}, stride[] = {1};
    const ValueId part = raising.add(
        "stablehlo.slice", {starts}, Type{ir::Shape::array(vector.element_type(), {1})},
        {{"start_indices", integers(begin)}, {"limit_indices", integers(end)}, {"strides", integers(stride)}});
    operands.push_back(raising.reshape(part, {}));
  }
  BP_ASSIGN(Type result, raising.type_of(instruction.shape()));
  return ValueIds{raising.add(row.operation, std::move(operands), std::move(result), std::move(attributes))};
}

namespace {

// Returns the dimensions from the slowest to the fastest in memory.
std::vector<std::int64_t> major_to_minor(const ir::Shape &shape) {
  const auto &order = shape.layout().minor_to_major;
  return {order.rbegin(), order.rend()};
}

bool is_dense(const ir::Shape &shape) {
  return shape.is_array() && shape.layout().tiles.empty() && shape.layout().element_bits == 0 &&
         shape.layout().minor_to_major.size() == shape.rank();
}

}  // namespace

namespace {

// Returns the real and imaginary parts of a vector as the columns of a matrix.
ValueId parts_of(Raising &raising, ValueId vector, ir::ElementType part) {
  const std::int64_t count = raising.type(vector).shape.size(0);
  const std::int64_t column[] = {count, 1};
  ValueIds columns;
  for (const std::string_view name : {"stablehlo.real", "stablehlo.imag"}) {
    columns.push_back(raising.reshape(raising.add(name, {vector}, Type{ir::Shape::array(part, {count})}), column));
  }
  return raising.add("stablehlo.concatenate", std::move(columns), Type{ir::Shape::array(part, {count, 2})},
                     {{"dimension", integer(1)}});
}

// The inverse of parts_of().
ValueId from_parts(Raising &raising, ValueId matrix, ir::ElementType type) {
  const ir::Shape shape = raising.type(matrix).shape;
  const std::int64_t count = shape.size(0), vector[] = {count};
  ValueIds parts;
  for (std::int64_t i = 0; i < 2; ++i) {
    const std::int64_t starts[] = {0, i}, limits[] = {count, i + 1}, strides[] = {1, 1};
    const ValueId column = raising.add(
        "stablehlo.slice", {matrix}, Type{ir::Shape::array(shape.element_type(), {count, 1})},
        {{"start_indices", integers(starts)}, {"limit_indices", integers(limits)}, {"strides", integers(strides)}});
    parts.push_back(raising.reshape(column, vector));
  }
  return raising.add("stablehlo.complex", std::move(parts), Type{ir::Shape::array(type, {count})});
}

// Whether bytes of one type can be elements of the other: StableHLO has complex numbers of their own parts alone, and
// elements of less than a byte take one in HLO.
bool is_same_memory(ir::ElementType from, ir::ElementType to) {
  const auto is_plain = [](ir::ElementType type) {
    return ir::bit_width(type) >= 8 && type != ir::ElementType::Pred && !ir::is_complex(type);
  };
  return from == to || (is_plain(from) && is_plain(to)) || (ir::is_complex(from) && to == ir::real_part_type(from)) ||
         (ir::is_complex(to) && from == ir::real_part_type(to));
}

// Returns the bytes of a value as a value of another type, of the sizes.
ValueId in_type(Raising &raising, ValueId value, ir::ElementType to, const std::vector<std::int64_t> &sizes) {
  const ir::Shape from = raising.type(value).shape;
  const std::int64_t own = from.element_count(), count = ir::product(sizes);
  const std::int64_t most = std::min(own, count);
  const std::vector<std::int64_t> vector{most}, narrow{most, most == 0 ? 1 : std::max(own, count) / most};
  const bool is_narrowed = own <= count;
  value = raising.reshape(value, is_narrowed || own == count ? vector : narrow);
  if (ir::is_complex(from.element_type())) {
    value = parts_of(raising, value, to);
  } else if (ir::is_complex(to)) {
    value = from_parts(raising, value, to);
  } else {
    value = raising.add("stablehlo.bitcast_convert", {value},
                        Type{ir::Shape::array(to, is_narrowed && own != count ? narrow : vector)});
  }
  return raising.reshape(value, sizes);
}

}  // namespace

// The elements in the order of memory, under other dimensions: a transpose to that order, a reshape, and a transpose
// from the order of the result.
Result<ValueIds> raise_bitcast(Raising &raising, const ir::Instruction &instruction, const RaisingRow &) {
  const ir::Shape &from = instruction.operand(0).shape(), &to = instruction.shape();
  if (!is_dense(from) || !is_dense(to) || !is_same_memory(from.element_type(), to.element_type()) ||
      from.byte_size() != to.byte_size()) {
    return raising.unsupported(instruction, fmt::format("there is no operation from {} to {}, expected layouts without "
                                                        "tiles, and elements that are parts of the others",
                                                        ir::to_string(from, ir::PrintLayout::Always),
                                                        ir::to_string(to, ir::PrintLayout::Always)));
  }
  const std::vector<std::int64_t> order = major_to_minor(to);
  std::vector<std::int64_t> stored, back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    stored.push_back(to.size(static_cast<std::size_t>(order[i])));
    back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  }
  ValueId value = raising.transpose(raising.operand(instruction, 0)[0], major_to_minor(from));
  BP_TRY(raising.type_of(to));
  value = from.element_type() == to.element_type() ? raising.reshape(value, stored)
                                                   : in_type(raising, value, to.element_type(), stored);
  return ValueIds{raising.transpose(value, back)};
}

// The sizes become one vector.
Result<ValueIds> raise_dynamic_reshape(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  BP_ASSIGN(const Type result, raising.type_of(instruction.shape()));
  ValueIds sizes;
  for (std::size_t i = 1; i < instruction.operand_count(); ++i) {
    constexpr std::int64_t one[] = {1};
    sizes.push_back(raising.reshape(raising.operand(instruction, i)[0], one));
  }
  const auto count = static_cast<std::int64_t>(sizes.size());
  const Type vector{ir::Shape::array(ir::ElementType::S32, {count})};
  const ValueId all = raising.add("stablehlo.concatenate", std::move(sizes), vector, {{"dimension", integer(0)}});
  return ValueIds{raising.add(row.operation, {raising.operand(instruction, 0)[0], all}, result)};
}

// --- Gathers and scatters ---

namespace {

struct ListName {
  std::string_view name;
  AttributeKey key;
};

// Adds #stablehlo.gather<...> or #stablehlo.scatter<...>, and the flags.
Attributes indexing(const ir::Instruction &instruction, std::string_view name, std::span<const ListName> lists) {
  Dictionary dimensions;
  for (const ListName &list : lists) {
    dimensions.entries.push_back({list.name, integers(instruction.numbers(list.key))});
  }
  dimensions.entries.push_back({"index_vector_dim", integer(instruction.number(AttributeKey::IndexVectorDim))});
  Attributes attributes{{name, {std::move(dimensions)}}};
  if (instruction.number(AttributeKey::IndicesAreSorted) != 0) {
    attributes.push_back({"indices_are_sorted", {true}});
  }
  if (instruction.number(AttributeKey::UniqueIndices) != 0) {
    attributes.push_back({"unique_indices", {true}});
  }
  return attributes;
}

}  // namespace

Result<ValueIds> raise_gather(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  constexpr ListName lists[] = {{"offset_dims", AttributeKey::OffsetDims},
                                {"collapsed_slice_dims", AttributeKey::CollapsedSliceDims},
                                {"operand_batching_dims", AttributeKey::OperandBatchingDims},
                                {"start_indices_batching_dims", AttributeKey::StartIndicesBatchingDims},
                                {"start_index_map", AttributeKey::StartIndexMap}};
  Attributes attributes = indexing(instruction, "dimension_numbers", lists);
  attributes.push_back({"slice_sizes", integers(instruction.numbers(AttributeKey::SliceSizes))});
  return raise_as(raising, instruction, row.operation, std::move(attributes));
}

Result<ValueIds> raise_scatter(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  constexpr ListName lists[] = {{"update_window_dims", AttributeKey::UpdateWindowDims},
                                {"inserted_window_dims", AttributeKey::InsertedWindowDims},
                                {"input_batching_dims", AttributeKey::InputBatchingDims},
                                {"scatter_indices_batching_dims", AttributeKey::ScatterIndicesBatchingDims},
                                {"scatter_dims_to_operand_dims", AttributeKey::ScatterDimsToOperandDims}};
  return raise_as(raising, instruction, row.operation, indexing(instruction, "scatter_dimension_numbers", lists));
}

// --- Random numbers ---

// The third operand states the sizes of the result again.
Result<ValueIds> raise_rng(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  const ir::Shape &shape = instruction.shape();
  if (instruction.operand_count() != 2) {
    return raising.unsupported(
        instruction, fmt::format("stablehlo.rng of {} parameters, expected two", instruction.operand_count()));
  }
  BP_ASSIGN(Attributes attributes, attributes_of(raising, instruction, *find_row(row.operation)));
  BP_ASSIGN(ir::Literal sizes,
            ir::Literal::zeros(ir::Shape::array(ir::ElementType::S64, {static_cast<std::int64_t>(shape.rank())})));
  std::ranges::copy(shape.sizes(), sizes.mutable_elements<std::int64_t>().begin());
  const ValueId third = raising.constant(std::move(sizes));
  ValueIds operands = raising.operands(instruction);
  operands.push_back(third);
  BP_ASSIGN(Type result, raising.type_of(shape));
  return ValueIds{raising.add(row.operation, std::move(operands), std::move(result), std::move(attributes))};
}

}  // namespace bp::import::stablehlo
