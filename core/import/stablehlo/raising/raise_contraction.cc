// Dots and convolutions.
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>

#include "core/import/stablehlo/raising/raising.h"

namespace bp::import::stablehlo {
namespace {

Dictionary dot_dimensions(const ir::Instruction &instruction) {
  constexpr std::pair<std::string_view, AttributeKey> lists[] = {
      {"lhs_batching_dimensions", AttributeKey::LhsBatchDims},
      {"rhs_batching_dimensions", AttributeKey::RhsBatchDims},
      {"lhs_contracting_dimensions", AttributeKey::LhsContractingDims},
      {"rhs_contracting_dimensions", AttributeKey::RhsContractingDims}};
  Dictionary dimensions;
  for (const auto &[name, key] : lists) {
    dimensions.entries.push_back({name, integers(instruction.numbers(key))});
  }
  return dimensions;
}

// Reads the name of an algorithm, dot_bf16_bf16_f32_x3: types of operands and accumulator, number of operations.
Result<Attribute> algorithm_of(Raising &raising, const ir::Instruction &instruction) {
  std::string name(ir::enumerator_text(ir::Enumeration::Algorithm, instruction.number(AttributeKey::Algorithm)));
  const bool is_fast = name.ends_with("_fast_accum");
  boost::erase_tail(name, is_fast ? static_cast<int>(std::string_view("_fast_accum").size()) : 0);
  boost::replace_all(name, "any_f8", "any");
  std::vector<std::string> parts;
  boost::split(parts, name, boost::is_any_of("_"));
  const std::int64_t operations = parts.size() == 5 ? std::stoll(parts[4].substr(1)) : 1;
  std::string types[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const ir::ElementType type = instruction.operand(i).shape().element_type();
    types[i] = parts[i + 1] == "any" ? element_type_name(type) : parts[i + 1];
    if (parts[i + 1] == "any" && !types[i].starts_with("f8")) {
      return raising.unsupported(
          instruction, fmt::format("its algorithm is for operands of f8, expected none of {}", ir::to_string(type)));
    }
  }
  const auto type = [&](std::string text) { return word(raising.keep(std::move(text))); };
  return Attribute{Dictionary{{{"lhs_precision_type", type(types[0])},
                               {"rhs_precision_type", type(types[1])},
                               {"accumulation_type", type(parts[3])},
                               {"lhs_component_count", integer(1)},
                               {"rhs_component_count", integer(1)},
                               {"num_primitive_operations", integer(operations)},
                               {"allow_imprecise_accumulation", {is_fast}}}}};
}

}  // namespace

Result<ValueIds> raise_dot(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  BP_ASSIGN(Attributes attributes, precision_of(raising, instruction));
  attributes.push_back({"dot_dimension_numbers", {dot_dimensions(instruction)}});
  if (instruction.number(AttributeKey::Algorithm) != 0) {
    BP_ASSIGN(Attribute algorithm, algorithm_of(raising, instruction));
    attributes.push_back({"algorithm", std::move(algorithm)});
  }
  return raise_as(raising, instruction, row.operation, std::move(attributes));
}

Result<ValueIds> raise_ragged_dot(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  BP_ASSIGN(Attributes attributes, precision_of(raising, instruction));
  Dictionary dimensions = dot_dimensions(instruction);
  dimensions.entries.push_back({"lhs_ragged_dimensions", integers(instruction.numbers(AttributeKey::LhsRaggedDims))});
  dimensions.entries.push_back({"rhs_group_dimensions", integers(instruction.numbers(AttributeKey::RhsGroupDims))});
  attributes.push_back({"ragged_dot_dimension_numbers", {std::move(dimensions)}});
  return raise_as(raising, instruction, row.operation, std::move(attributes));
}

namespace {

Dictionary convolution_dimensions(const ir::Instruction &instruction) {
  const ir::ConvolutionDimensions numbers = instruction.convolution_dimensions();
  return Dictionary{{{"input_batch_dimension", integer(numbers.lhs_batch)},
                     {"input_feature_dimension", integer(numbers.lhs_feature)},
                     {"input_spatial_dimensions", integers(numbers.lhs_spatial)},
                     {"kernel_input_feature_dimension", integer(numbers.rhs_input_feature)},
                     {"kernel_output_feature_dimension", integer(numbers.rhs_output_feature)},
                     {"kernel_spatial_dimensions", integers(numbers.rhs_spatial)},
                     {"output_batch_dimension", integer(numbers.output_batch)},
                     {"output_feature_dimension", integer(numbers.output_feature)},
                     {"output_spatial_dimensions", integers(numbers.output_spatial)}}};
}

}  // namespace

Result<ValueIds> raise_convolution(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  if (instruction.operand_count() != 2) {
    return raising.unsupported(
        instruction, fmt::format("{} of {} operands, expected two", row.operation, instruction.operand_count()));
  }
  std::vector<std::int64_t> strides, padding, lhs_dilation, rhs_dilation, reversal;
  for (const ir::WindowDimension &window : instruction.window()) {
    strides.push_back(window.stride);
    padding.insert(padding.end(), {window.pad_low, window.pad_high});
    lhs_dilation.push_back(window.lhs_dilate);
    rhs_dilation.push_back(window.rhs_dilate);
    reversal.push_back(window.reversal);
  }
  BP_ASSIGN(Attributes attributes, precision_of(raising, instruction));
  const std::pair<std::string_view, Attribute> others[] = {
      {"window_strides", integers(strides)},
      {"padding", rows_of_two(padding)},
      {"lhs_dilation", integers(lhs_dilation)},
      {"rhs_dilation", integers(rhs_dilation)},
      {"window_reversal", flags(reversal)},
      {"dimension_numbers", {convolution_dimensions(instruction)}},
      {"feature_group_count", integer(instruction.number(AttributeKey::FeatureGroupCount, 1))},
      {"batch_group_count", integer(instruction.number(AttributeKey::BatchGroupCount, 1))}};
  for (const auto &[name, value] : others) {
    attributes.push_back({name, value});
  }
  return raise_as(raising, instruction, row.operation, std::move(attributes));
}

}  // namespace bp::import::stablehlo
