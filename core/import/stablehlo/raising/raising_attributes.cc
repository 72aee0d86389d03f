// Writes the attributes of instructions as those of operations.
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <optional>

#include "core/import/stablehlo/bytecode/vhlo.h"
#include "core/import/stablehlo/raising/raising.h"
#include "core/import/stablehlo/syntax_reader.h"
#include "core/ir/result_accuracy.h"

namespace bp::import::stablehlo {

Attribute integer(std::int64_t value, ir::ElementType type) {
  return {value, 0, type};
}

Attribute integers(std::span<const std::int64_t> values) {
  std::vector<Attribute> list;
  for (const std::int64_t value : values) {
    list.push_back({value});
  }
  return {std::move(list), 0, ir::ElementType::S64};
}

Attribute flags(std::span<const std::int64_t> values) {
  std::vector<Attribute> list;
  for (const std::int64_t value : values) {
    list.push_back({value != 0});
  }
  return {std::move(list), 0, ir::ElementType::Pred};
}

Attribute word(std::string_view text) {
  return {Keyword{text}};
}

Attribute rows_of_two(std::span<const std::int64_t> values) {
  const Type type{ir::Shape::array(ir::ElementType::S64, {static_cast<std::int64_t>(values.size() / 2), 2})};
  ir::Literal literal = ir::Literal::zeros(type.shape).value();
  std::ranges::copy(values, literal.mutable_elements<std::int64_t>().begin());
  return {Elements{type, std::move(literal)}};
}

Result<Attribute> read_mlir_attribute(std::string_view text) {
  SyntaxReader reader(text, {}, 1);
  BP_ASSIGN(Attribute attribute, reader.read_attribute(TypeSuffix::Belongs));
  if (!reader.tokens().at_end()) {
    return reader.tokens().expected("the end of the attribute");
  }
  return attribute;
}

namespace {

// Returns HLO's name of a value as StableHLO's word: HIGHEST for highest, PHILOX for rng_philox.
std::string_view word_of(Raising &raising, ir::Enumeration enumeration, std::int64_t number) {
  std::string text = boost::to_upper_copy(std::string(ir::enumerator_text(enumeration, number)));
  constexpr std::string_view prefix = "RNG_";
  return raising.keep(text.starts_with(prefix) ? text.substr(prefix.size()) : std::move(text));
}

Attribute accuracy_dictionary(const ir::Instruction &instruction) {
  const auto asked =
      ir::parse_result_accuracy(instruction.text(AttributeKey::ResultAccuracy)).value_or(ir::ResultAccuracy());
  constexpr std::string_view modes[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};
  const auto real = [](double value) { return Attribute{value, 0, ir::ElementType::F64}; };
  Dictionary accuracy{{{"atol", real(asked.atol)},
                       {"rtol", real(asked.rtol)},
                       {"ulps", integer(asked.ulps)},
                       {"mode", word(modes[static_cast<std::size_t>(asked.mode)])}}};
  return Attribute{std::move(accuracy)};
}

bool is_of_kind(std::string_view name, bytecode::AttributeKind kind) {
  const bytecode::VhloAttribute *known = bytecode::find_vhlo_attribute(name);
  return known != nullptr && known->kind == kind;
}

Attribute number_of(std::string_view name, std::int64_t value) {
  return integer(value, is_of_kind(name, bytecode::AttributeKind::I32) ? ir::ElementType::S32 : ir::ElementType::S64);
}

// Returns the value of an attribute that is a number, a list of numbers or a word.
Attribute value_of(Raising &raising, const ir::Instruction &instruction, const AttributeRow &row) {
  const ir::AttributeInfo &info = ir::info(row.key);
  switch (info.kind) {
    case ir::AttributeKind::Bool: return {instruction.number(row.key) != 0};
    case ir::AttributeKind::F64: return {instruction.real(row.key), 0, ir::ElementType::F32};
    case ir::AttributeKind::Enum: return word(word_of(raising, info.enumeration, instruction.number(row.key)));
    case ir::AttributeKind::I64List:
      return is_of_kind(row.name, bytecode::AttributeKind::I64) ? integer(instruction.number(row.key))
                                                                : integers(instruction.numbers(row.key));
    default: return number_of(row.name, instruction.number(row.key));
  }
}

// Returns what the absence of an attribute that StableHLO demands means in HLO.
std::optional<Attribute> default_of(const AttributeRow &row) {
  switch (row.key) {
    case AttributeKey::LeftSide:
    case AttributeKey::Lower:
    case AttributeKey::UnitDiagonal: return Attribute{false};
    case AttributeKey::TransposeA: return word("NO_TRANSPOSE");
    default: return {};
  }
}

}  // namespace

Result<Attributes> attributes_of(Raising &raising, const ir::Instruction &instruction, const OperationRow &row) {
  Attributes attributes;
  for (const AttributeRow &attribute : row.attributes) {
    if (instruction.has(attribute.key)) {
      attributes.push_back({attribute.name, value_of(raising, instruction, attribute)});
    } else if (auto value = default_of(attribute)) {
      attributes.push_back({attribute.name, *std::move(value)});
    }
  }
  if (instruction.has(AttributeKey::ResultAccuracy)) {
    attributes.push_back({"result_accuracy", accuracy_dictionary(instruction)});
  }
  return attributes;
}

Result<Attributes> precision_of(Raising &raising, const ir::Instruction &instruction) {
  std::vector<Attribute> list;
  bool is_default = true;
  for (const std::int64_t number : instruction.numbers(AttributeKey::OperandPrecision)) {
    if (static_cast<ir::Precision>(number) == ir::Precision::PackedNibble) {
      return raising.unsupported(instruction, "there is no precision packed_nibble, expected default, high or highest");
    }
    list.push_back(word(word_of(raising, ir::Enumeration::Precision, number)));
    is_default = is_default && number == 0;
  }
  return is_default ? Attributes() : Attributes{{"precision_config", {std::move(list)}}};
}

}  // namespace bp::import::stablehlo
