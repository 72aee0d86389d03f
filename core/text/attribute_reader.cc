#include "core/text/attribute_reader.h"

#include <algorithm>

#include "core/base/suggestion.h"
#include "core/text/shape_reader.h"
#include "core/text/sharding_reader.h"
#include "core/text/window_reader.h"

namespace bp::text {
namespace {

using ir::AttributeKey;
using ir::AttributeKind;

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char &c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return lower;
}

std::string names_of(ir::Enumeration enumeration) {
  std::string names;
  for (std::int64_t number = 0; number < 32; ++number) {
    if (std::string_view name = ir::enumerator_text(enumeration, number); !name.empty()) {
      names += names.empty() ? "" : ", ";
      names += name;
    }
  }
  return names;
}

Result<std::int64_t> read_enumerator(TokenReader &reader, ir::Enumeration enumeration) {
  if (reader.is(TokenKind::Identifier)) {
    auto number = ir::enumerator_number(enumeration, reader.text());
    if (!number) {
      number = ir::enumerator_number(enumeration, lower_case(reader.text()));  // HIGHEST
    }
    if (number) {
      reader.advance();
      return *number;
    }
  }
  return reader.error("expected one of {}, found {}", names_of(enumeration), reader.found());
}

// Reads { {0}: (1, {}), ... }, encoded as described in attributes.def.
Result<std::vector<std::int64_t>> read_aliasing(TokenReader &reader) {
  std::vector<std::int64_t> numbers;
  auto append = [&](const std::vector<std::int64_t> &index) {
    numbers.push_back(static_cast<std::int64_t>(index.size()));
    numbers.insert(numbers.end(), index.begin(), index.end());
  };
  BP_TRY(reader.expect('{', "before the aliasing"));
  BP_TRY(reader.read_list('}', "the aliasing", [&]() -> Status {
    BP_ASSIGN(auto output, read_index(reader));
    append(output);
    BP_TRY(reader.expect(':', "after the index of an output"));
    BP_TRY(reader.expect('(', "before an operand"));
    BP_ASSIGN(std::int64_t operand, reader.read_integer("the number of an operand"));
    numbers.push_back(operand);
    std::vector<std::int64_t> operand_index;
    if (reader.accept(',')) {
      BP_ASSIGN(operand_index, read_index(reader));
    }
    append(operand_index);
    return reader.expect(')', "after an operand");
  }));
  return numbers;
}

Result<std::vector<std::int64_t>> read_pairs(TokenReader &reader) {
  std::vector<std::int64_t> numbers;
  BP_TRY(reader.expect('{', "before pairs"));
  BP_TRY(reader.read_list('}', "pairs", [&]() -> Status {
    std::size_t begin = reader.token().begin;
    BP_ASSIGN(auto pair, reader.read_integers("a pair"));
    if (pair.size() != 2) {
      return reader.error_at(begin, "expected a pair such as {{0,1}}, found {} numbers", pair.size());
    }
    numbers.insert(numbers.end(), pair.begin(), pair.end());
    return {};
  }));
  return numbers;
}

// Reads {{1,2},{3,4}}; returns each list preceded by its length.
Result<std::vector<std::int64_t>> read_lists(TokenReader &reader, std::string_view what) {
  std::vector<std::int64_t> numbers;
  BP_TRY(reader.expect('{', fmt::format("before {}", what)));
  BP_TRY(reader.read_list('}', what, [&]() -> Status {
    BP_ASSIGN(auto list, reader.read_integers(what));
    numbers.push_back(static_cast<std::int64_t>(list.size()));
    numbers.insert(numbers.end(), list.begin(), list.end());
    return {};
  }));
  return numbers;
}

Result<std::string> read_shape_text(TokenReader &reader) {
  BP_ASSIGN(ir::Shape shape, read_shape(reader));
  return to_string(shape, ir::PrintLayout::Always);
}

// Reads {shape, shape}.
Result<std::string> read_shapes_text(TokenReader &reader) {
  std::string text;
  BP_TRY(reader.expect('{', "before shapes"));
  BP_TRY(reader.read_list('}', "shapes", [&]() -> Status {
    BP_ASSIGN(std::string shape, read_shape_text(reader));
    text += text.empty() ? shape : ", " + shape;
    return {};
  }));
  return "{" + text + "}";
}

Result<std::string> read_text(TokenReader &reader, AttributeKey key) {
  switch (key) {
    case AttributeKey::Sharding: return read_sharding(reader);
    case AttributeKey::ReplicaGroups: return read_device_groups(reader);
    case AttributeKey::FrontendAttributes: return read_frontend_attributes(reader);
    case AttributeKey::ParameterReplication: return read_bools(reader);
    case AttributeKey::OutfeedShape: return read_shape_text(reader);
    case AttributeKey::OperandLayoutConstraints: return read_shapes_text(reader);
    default: break;
  }
  if (!reader.is('{')) {
    return reader.error("expected '{{' before the value of '{}', found {}", ir::to_string(key), reader.found());
  }
  return reader.read_balanced(fmt::format("the value of '{}'", ir::to_string(key)));
}

Result<std::string> read_string(TokenReader &reader, AttributeKey key) {
  // A backend configuration may be JSON, which is kept verbatim.
  if (key == AttributeKey::BackendConfig && reader.is('{')) {
    BP_ASSIGN(std::string_view raw, reader.read_raw_braces("a backend configuration"));
    return std::string(raw);
  }
  return reader.read_string(ir::to_string(key));
}

Result<std::vector<std::int64_t>> read_enumerators(TokenReader &reader, const ir::AttributeInfo &info) {
  std::vector<std::int64_t> values;
  BP_TRY(reader.expect('{', fmt::format("before {}", info.text)));
  BP_TRY(reader.read_list('}', info.text, [&]() -> Status {
    BP_ASSIGN(std::int64_t value, read_enumerator(reader, info.enumeration));
    values.push_back(value);
    return {};
  }));
  return values;
}

Result<std::int64_t> read_number(TokenReader &reader, const ir::AttributeInfo &info) {
  switch (info.kind) {
    case AttributeKind::Bool: {
      BP_ASSIGN(bool value, reader.read_bool(info.text));
      return value ? 1 : 0;
    }
    case AttributeKind::I64: return reader.read_integer(info.text);
    default: return read_enumerator(reader, info.enumeration);
  }
}

Result<std::vector<std::int64_t>> read_numbers(TokenReader &reader, const ir::AttributeInfo &info) {
  switch (info.kind) {
    case AttributeKind::I64List: return reader.read_integers(info.text);
    case AttributeKind::I64Lists: return read_lists(reader, info.text);
    case AttributeKind::EnumList: return read_enumerators(reader, info);
    case AttributeKind::DimLabels: return read_dim_labels(reader);
    case AttributeKind::Pairs: return read_pairs(reader);
    default: return read_aliasing(reader);
  }
}

}  // namespace

Status read_attribute(TokenReader &reader, ir::Module &module, ir::InstructionId id, AttributeKey key) {
  const ir::AttributeInfo &info = ir::info(key);
  switch (info.kind) {
    case AttributeKind::Bool:
    case AttributeKind::I64:
    case AttributeKind::Enum: {
      BP_ASSIGN(std::int64_t value, read_number(reader, info));
      module.set_number(id, key, value);
      return {};
    }
    case AttributeKind::I64List:
    case AttributeKind::I64Lists:
    case AttributeKind::EnumList:
    case AttributeKind::DimLabels:
    case AttributeKind::Pairs:
    case AttributeKind::Aliasing: {
      BP_ASSIGN(auto values, read_numbers(reader, info));
      module.set_numbers(id, key, values);
      return {};
    }
    case AttributeKind::F64: {
      BP_ASSIGN(double value, reader.read_real(info.text));
      module.set_real(id, key, value);
      return {};
    }
    case AttributeKind::String:
    case AttributeKind::Text: {
      BP_ASSIGN(std::string value,
                info.kind == AttributeKind::String ? read_string(reader, key) : read_text(reader, key));
      module.set_text(id, key, value);
      return {};
    }
    case AttributeKind::SliceRanges: {
      BP_ASSIGN(auto ranges, read_slice_ranges(reader));
      module.set_slice_ranges(id, ranges);
      return {};
    }
    case AttributeKind::Padding: {
      BP_ASSIGN(auto padding, read_padding(reader));
      module.set_padding(id, padding);
      return {};
    }
    case AttributeKind::Window: {
      BP_ASSIGN(auto window, read_window(reader));
      module.set_window(id, window);
      return {};
    }
    case AttributeKind::Computation:
    case AttributeKind::Computations:
    case AttributeKind::Literal: break;
  }
  BP_CHECK(!"an attribute with a value of its own");
  return {};
}

Result<ir::Metadata> read_metadata(TokenReader &reader) {
  struct TextField {
    std::string_view name;
    std::string ir::Metadata::*member;
  };
  struct NumberField {
    std::string_view name;
    std::int64_t ir::Metadata::*member;
  };
  using ir::Metadata;
  static constexpr TextField texts[] = {
      {"op_type", &Metadata::op_type}, {"op_name", &Metadata::op_name}, {"source_file", &Metadata::source_file}};
  static constexpr NumberField numbers[] = {{"source_line", &Metadata::source_line},
                                            {"source_end_line", &Metadata::source_end_line},
                                            {"source_column", &Metadata::source_column},
                                            {"source_end_column", &Metadata::source_end_column},
                                            {"stack_frame_id", &Metadata::stack_frame_id}};
  static constexpr std::string_view kept_as_text[] = {"profile_type",    "deduplicated_name",
                                                      "scheduling_name", "metadata_payload",
                                                      "preserve_layout", "size_of_generated_code_in_bytes",
                                                      "profile_info",    "size_of_memory_working_set_in_bytes"};
  Metadata metadata;
  BP_TRY(reader.expect('{', "before metadata"));
  while (!reader.accept('}')) {
    std::size_t begin = reader.token().begin;
    BP_ASSIGN(std::string_view name, reader.read_identifier("a field of metadata"));
    BP_TRY(reader.expect('=', "after the name of a field of metadata"));
    auto named = [&](const auto &field) { return field.name == name; };
    if (auto text = std::ranges::find_if(texts, named); text != std::end(texts)) {
      BP_ASSIGN(metadata.*text->member, reader.read_string(name));
    } else if (auto number = std::ranges::find_if(numbers, named); number != std::end(numbers)) {
      BP_ASSIGN(metadata.*number->member, reader.read_integer(name));
    } else if (std::ranges::find(kept_as_text, name) != std::end(kept_as_text)) {
      BP_ASSIGN(std::string value, reader.read_balanced(name));
      metadata.rest += fmt::format("{}{}={}", metadata.rest.empty() ? "" : " ", name, value);
    } else {
      std::vector<std::string_view> known(std::begin(kept_as_text), std::end(kept_as_text));
      std::ranges::transform(texts, std::back_inserter(known), &TextField::name);
      std::ranges::transform(numbers, std::back_inserter(known), &NumberField::name);
      return reader.error_at(begin, "metadata has no field '{}'{}", name, suggestion(name, known));
    }
    reader.accept(',');
  }
  return metadata;
}

Result<std::string> read_frontend_attributes(TokenReader &reader) {
  std::string text;
  BP_TRY(reader.expect('{', "before frontend attributes"));
  BP_TRY(reader.read_list('}', "frontend attributes", [&]() -> Status {
    BP_ASSIGN(std::string_view name, reader.read_identifier("the name of a frontend attribute"));
    BP_TRY(reader.expect('=', "after the name of a frontend attribute"));
    text += fmt::format("{}{}=", text.empty() ? "" : ",", name);
    if (reader.is('{')) {
      BP_ASSIGN(std::string_view raw, reader.read_raw_braces("a frontend attribute"));
      text += raw;
    } else {
      BP_ASSIGN(std::string value, reader.read_string("a string or '{'"));
      text += '"' + escape(value) + '"';
    }
    return {};
  }));
  return "{" + text + "}";
}

Result<std::string> read_bools(TokenReader &reader) {
  if (!reader.accept('{')) {
    BP_ASSIGN(bool value, reader.read_bool("a value"));
    return std::string(value ? "true" : "false");
  }
  std::string text;
  BP_TRY(reader.read_list('}', "a list of bools", [&]() -> Status {
    BP_ASSIGN(bool value, reader.read_bool("a value"));
    text += text.empty() ? "" : ",";
    text += value ? "true" : "false";
    return {};
  }));
  return "{" + text + "}";
}

Result<std::vector<std::int64_t>> read_index(TokenReader &reader) {
  std::size_t begin = reader.token().begin;
  BP_ASSIGN(auto index, reader.read_integers("the index of a part of a shape"));
  for (std::int64_t i : index) {
    if (i < 0) {
      return reader.error_at(begin, "{} in the index of a part of a shape, expected at least 0", i);
    }
  }
  return index;
}

}  // namespace bp::text
