// Writes the attributes of instructions as those of operations.
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <optional>

#include "core/import/stablehlo/bytecode/vhlo.h"
#include "core/import/stablehlo/raising/raising.h"
#include "core/import/stablehlo/syntax_reader.h"

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

// Reads {tolerance={atol=0.5,rtol=0,ulps=2}} or {mode=highest}.
Result<Attribute> accuracy_of(Raising &raising, const ir::Instruction &instruction) {
  const std::string_view text = instruction.text(AttributeKey::ResultAccuracy);
  double atol = 0, rtol = 0;
  std::int64_t ulps = 0;
  std::string_view mode = "TOLERANCE";
  text::TokenReader reader(text, {});
  BP_TRY(reader.expect('{'));
  if (reader.accept_word("mode")) {
    BP_TRY(reader.expect('='));
    BP_ASSIGN(const std::string_view name, reader.read_identifier("a mode"));
    mode = raising.keep(boost::to_upper_copy(std::string(name)));
  } else {
    BP_TRY(reader.expect_word("tolerance"));
    BP_TRY(reader.expect('='));
    BP_TRY(reader.expect('{'));
    BP_TRY(reader.read_list('}', "a tolerance", [&]() -> Status {
      BP_ASSIGN(const std::string_view name, reader.read_identifier("atol, rtol or ulps"));
      BP_TRY(reader.expect('='));
      if (name == "ulps") {
        BP_ASSIGN(ulps, reader.read_integer(name));
      } else {
        BP_ASSIGN(const double value, reader.read_real(name));
        (name == "atol" ? atol : rtol) = value;
      }
      return {};
    }));
  }
  const auto real = [](double value) { return Attribute{value, 0, ir::ElementType::F64}; };
  Dictionary accuracy{{{"atol", real(atol)}, {"rtol", real(rtol)}, {"ulps", integer(ulps)}, {"mode", word(mode)}}};
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
    BP_ASSIGN(Attribute accuracy, accuracy_of(raising, instruction));
    attributes.push_back({"result_accuracy", std::move(accuracy)});
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
