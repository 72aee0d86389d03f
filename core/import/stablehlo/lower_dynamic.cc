// Operations with sizes as operands. They become static operations if the sizes are constant or given by the result's
// type.
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string.hpp>

#include "core/import/stablehlo/lowering.h"

namespace bp::import::stablehlo {
namespace {

Result<Integers> known(Lowering &lowering, const Operation &operation, std::size_t operand, std::string_view what) {
  const auto &numbers = lowering.known_integers(lowering.operand(operation, operand));
  if (!numbers) {
    return lowering.not_known(operation, fmt::format("the {} are not known", what),
                              lowering.operand(operation, operand));
  }
  return *numbers;
}

}  // namespace

Result<Shape> Lowering::result_of_sizes(const Operation &operation, std::uint32_t index, std::size_t sizes_operand) {
  Shape result = result_shape(operation, index);
  if (result.is_static()) {
    return result;
  }
  const InstructionId sizes_value = operand(operation, sizes_operand);
  const auto &sizes = known_integers(sizes_value);
  if (!sizes) {
    return not_known(operation, "the sizes of the result are not known", sizes_value);
  }
  if (sizes->size() != result.rank() || std::ranges::any_of(*sizes, [](std::int64_t size) { return size < 0; })) {
    return error(operation, fmt::format("{}: the sizes are {}, expected {} numbers of at least 0", operation.name,
                                        fmt::join(*sizes, ","), result.rank()));
  }
  return Shape::array(result.element_type(), *sizes);
}

Result<Values> lower_dynamic_broadcast_in_dim(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 2, 2));
  BP_ASSIGN(Integers dimensions, lowering.integers(operation, "broadcast_dimensions", "dims"));
  for (std::string_view hint : {"known_expanding_dimensions", "known_nonexpanding_dimensions"}) {
    operation.find(hint);
  }
  BP_ASSIGN(Shape result, lowering.result_of_sizes(operation, 0, 1));
  BP_ASSIGN(InstructionId id,
            broadcast_in_dim(lowering, operation, lowering.operand(operation, 0), result, std::move(dimensions)));
  return Values{id};
}

Result<Values> lower_dynamic_reshape(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 2, 2));
  BP_ASSIGN(Shape result, lowering.result_of_sizes(operation, 0, 1));
  InstructionId operands[] = {lowering.operand(operation, 0)};
  BP_ASSIGN(InstructionId id, lowering.add(operation, Opcode::Reshape, result, operands));
  return Values{id};
}

Result<Values> lower_dynamic_iota(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  BP_ASSIGN(std::int64_t dimension, lowering.integer(operation, "iota_dimension", "dim"));
  BP_ASSIGN(Shape result, lowering.result_of_sizes(operation, 0, 0));
  BP_ASSIGN(InstructionId id,
            lowering.add(operation, Opcode::Iota, result, {}, [&](ir::Module &m, InstructionId added) {
              m.set_number(added, AttributeKey::IotaDimension, dimension);
            }));
  return Values{id};
}

Result<Values> lower_dynamic_pad(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 5, 5));
  BP_ASSIGN(Integers low, known(lowering, operation, 2, "low paddings"));
  BP_ASSIGN(Integers high, known(lowering, operation, 3, "high paddings"));
  BP_ASSIGN(Integers interior, known(lowering, operation, 4, "interior paddings"));
  if (high.size() != low.size() || interior.size() != low.size()) {
    return lowering.error(
        operation, fmt::format("{} low, {} high and {} interior paddings", low.size(), high.size(), interior.size()));
  }
  std::vector<ir::PaddingDimension> padding;
  for (std::size_t i = 0; i < low.size(); ++i) {
    padding.push_back({low[i], high[i], interior[i]});
  }
  Values operands = lowering.operands(operation);
  operands.resize(2);
  BP_ASSIGN(InstructionId id, lowering.add(operation, Opcode::Pad, lowering.result_shape(operation), operands,
                                           [&](ir::Module &m, InstructionId added) { m.set_padding(added, padding); }));
  return Values{id};
}

namespace {

// Returns the sizes of a slice, which are added to the starts to get the limits; nothing if they are not known.
std::optional<Integers> slice_sizes(Lowering &lowering, const Operation &operation) {
  const InstructionId starts = lowering.operand(operation, 1);
  const ir::Instruction limits = lowering.module().instruction(lowering.operand(operation, 2));
  if (limits.opcode() != Opcode::Add || std::ranges::find(limits.operands(), starts) == limits.operands().end()) {
    return {};
  }
  return lowering.known_integers(limits.operands()[limits.operands()[0] == starts ? 1 : 0]);
}

// Lowers a slice of known sizes at unknown starts, which JAX writes for an element of an array in a loop.
Result<Values> slice_of_sizes(Lowering &lowering, const Operation &operation, const Integers &sizes) {
  const InstructionId starts = lowering.operand(operation, 1);
  const ir::ElementType type = lowering.shape(starts).element_type();
  Values operands{lowering.operand(operation, 0)};
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const auto place = static_cast<std::int64_t>(d);
    const ir::SliceRange range[] = {{place, place + 1, 1}};
    BP_ASSIGN(const InstructionId element,
              lowering.add(operation, Opcode::Slice, Shape::array(type, {1}), std::array{starts},
                           [&](ir::Module &m, InstructionId added) { m.set_slice_ranges(added, range); }));
    BP_ASSIGN(operands.emplace_back(),
              lowering.add(operation, Opcode::Reshape, Shape::scalar(type), std::array{element}));
  }
  BP_ASSIGN(InstructionId id, lowering.add(operation, Opcode::DynamicSlice, lowering.result_shape(operation), operands,
                                           [&](ir::Module &m, InstructionId added) {
                                             m.set_numbers(added, AttributeKey::DynamicSliceSizes, sizes);
                                           }));
  return Values{id};
}

}  // namespace

Result<Values> lower_real_dynamic_slice(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 4, 4));
  if (!lowering.known_integers(lowering.operand(operation, 1))) {
    const auto sizes = slice_sizes(lowering, operation);
    const auto &strides = lowering.known_integers(lowering.operand(operation, 3));
    if (sizes && strides && std::ranges::all_of(*strides, [](std::int64_t stride) { return stride == 1; })) {
      return slice_of_sizes(lowering, operation, *sizes);
    }
  }
  BP_ASSIGN(Integers starts, known(lowering, operation, 1, "starts"));
  BP_ASSIGN(Integers limits, known(lowering, operation, 2, "limits"));
  BP_ASSIGN(Integers strides, known(lowering, operation, 3, "strides"));
  if (limits.size() != starts.size() || strides.size() != starts.size()) {
    return lowering.error(operation, fmt::format("{} starts, {} limits and {} strides of a slice", starts.size(),
                                                 limits.size(), strides.size()));
  }
  std::vector<ir::SliceRange> ranges;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    ranges.push_back({starts[i], limits[i], strides[i]});
  }
  InstructionId operands[] = {lowering.operand(operation, 0)};
  BP_ASSIGN(InstructionId id,
            lowering.add(operation, Opcode::Slice, lowering.result_shape(operation), operands,
                         [&](ir::Module &m, InstructionId added) { m.set_slice_ranges(added, ranges); }));
  return Values{id};
}

// Lowers the size of a static dimension to a constant.
Result<Values> lower_get_dimension_size(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  BP_ASSIGN(std::int64_t dimension, lowering.integer(operation, "dimension", "dim"));
  const Shape operand = lowering.shape(lowering.operand(operation, 0));
  if (!operand.is_array() || dimension < 0 || dimension >= static_cast<std::int64_t>(operand.rank())) {
    return lowering.error(operation, fmt::format("dimension {} is not one of {}", dimension, to_string(Type{operand})));
  }
  auto index = static_cast<std::size_t>(dimension);
  if (!operand.is_dynamic(index)) {
    auto size = static_cast<std::int32_t>(std::min<std::int64_t>(operand.size(index), INT32_MAX));
    BP_ASSIGN(InstructionId id, lowering.constant(operation, ir::Literal::scalar(ir::ElementType::S32, size)));
    return Values{id};
  }
  BP_ASSIGN(InstructionId id, lowering.add(operation, Opcode::GetDimensionSize, lowering.result_shapes(operation),
                                           lowering.operands(operation), [&](ir::Module &m, InstructionId added) {
                                             m.set_number(added, AttributeKey::Dimensions, dimension);
                                           }));
  return Values{id};
}

namespace {

// Operands: arrays, an initial value for each, then sizes, strides, base dilations, dilations and paddings of the
// windows.
Result<Values> lower_dynamic_reduce_window(Lowering &lowering, const Operation &operation) {
  constexpr std::array names = {"window sizes", "window strides", "base dilations", "window dilations", "paddings"};
  BP_TRY(lowering.expect_operands(operation, 2 + names.size(), 1 << 20));
  Values operands = lowering.operands(operation);
  const std::size_t arrays = operands.size() - names.size(), rank = lowering.shape(operands[0]).rank();
  std::array<Integers, names.size()> numbers;
  for (std::size_t i = 0; i < names.size(); ++i) {
    BP_ASSIGN(numbers[i], known(lowering, operation, arrays + i, names[i]));
    if (const std::size_t expected = i + 1 == names.size() ? 2 * rank : rank; numbers[i].size() != expected) {
      return lowering.error(operation, fmt::format("{} {}, expected {}", numbers[i].size(), names[i], expected));
    }
  }
  operands.resize(arrays);
  const auto &[sizes, strides, lhs_dilations, rhs_dilations, padding] = numbers;
  std::vector<ir::WindowDimension> window;
  for (std::size_t d = 0; d < rank; ++d) {
    window.push_back({sizes[d], strides[d], padding[2 * d], padding[2 * d + 1], lhs_dilations[d], rhs_dilations[d], 0});
  }
  const Attribute *callees = operation.find("called_computations");
  const auto *list = callees == nullptr ? nullptr : callees->get<std::vector<Attribute>>();
  if (list == nullptr || list->size() != 1) {
    return lowering.error(operation, "expected called_computations with one function, as in [@f]");
  }
  BP_ASSIGN(const ComputationId reducer, lowering.embedded_function(operation, list->front()));
  BP_ASSIGN(InstructionId id,
            lowering.add(
                operation, Opcode::ReduceWindow, lowering.result_shapes(operation), operands,
                [&](ir::Module &m, InstructionId added) { m.set_window(added, window); }, std::array{reducer}));
  return lowering.results(operation, id);
}

// Operands: a state, and the sizes of the array of bits.
Result<Values> lower_dynamic_rng_bit_generator(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 2, 2));
  BP_ASSIGN(std::string algorithm, lowering.word(operation, "rng_algorithm"));
  const auto number = ir::enumerator_number(ir::Enumeration::RngAlgorithm, "rng_" + boost::to_lower_copy(algorithm));
  if (!number || operation.result_count != 2) {
    return lowering.error(operation, fmt::format("algorithm {} and {} results, expected DEFAULT, THREE_FRY or PHILOX, "
                                                 "and a state and bits",
                                                 algorithm, operation.result_count));
  }
  BP_ASSIGN(const Integers sizes, known(lowering, operation, 1, "sizes of the result"));
  const InstructionId operands[] = {lowering.operand(operation, 0)};
  const Shape bits = Shape::array(lowering.result_shape(operation, 1).element_type(), sizes);
  BP_ASSIGN(InstructionId id,
            lowering.add(
                operation, Opcode::RngBitGenerator, Shape::tuple({lowering.shape(operands[0]), bits}), operands,
                [&](ir::Module &m, InstructionId added) { m.set_number(added, AttributeKey::RngAlgorithm, *number); }));
  return lowering.results(operation, id);
}

// Operands: an array, and the number of largest elements of each row.
Result<Values> lower_dynamic_top_k(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 2, 2));
  BP_ASSIGN(const Integers k, known(lowering, operation, 1, "numbers of elements"));
  if (k.size() != 1) {
    return lowering.error(operation, fmt::format("{} numbers of elements, expected one", k.size()));
  }
  const InstructionId operands[] = {lowering.operand(operation, 0)};
  BP_ASSIGN(InstructionId id,
            lowering.add(operation, Opcode::TopK, lowering.result_shapes(operation), operands,
                         [&](ir::Module &m, InstructionId added) { m.set_numbers(added, AttributeKey::K, k); }));
  return lowering.results(operation, id);
}

}  // namespace

Result<std::optional<Values>> lower_dynamic_call(Lowering &lowering, const Operation &operation,
                                                 std::string_view target) {
  constexpr std::pair<std::string_view, Result<Values> (*)(Lowering &, const Operation &)> targets[] = {
      {"stablehlo.dynamic_reduce_window", lower_dynamic_reduce_window},
      {"stablehlo.dynamic_rng_bit_generator", lower_dynamic_rng_bit_generator},
      {"stablehlo.dynamic_top_k", lower_dynamic_top_k}};
  const auto found = std::ranges::find(targets, target, [](const auto &row) { return row.first; });
  if (found == std::end(targets)) {
    return std::optional<Values>();
  }
  for (std::string_view ignored : {"has_side_effect", "api_version", "backend_config"}) {
    operation.find(ignored);
  }
  BP_ASSIGN(Values values, found->second(lowering, operation));
  return std::optional(std::move(values));
}

}  // namespace bp::import::stablehlo
