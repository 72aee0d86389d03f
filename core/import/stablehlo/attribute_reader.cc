// Reads attributes of the builtin kinds and of StableHLO: #stablehlo.gather<...>, #stablehlo<precision HIGH>.
// Attributes of other dialects are kept as text.
#include <charconv>

#include "core/import/stablehlo/syntax_reader.h"

namespace bp::import::stablehlo {
namespace {

bool is_own_dialect(std::string_view name) {
  std::string_view dialect = name.substr(0, name.find('.'));
  return dialect == "stablehlo" || dialect == "chlo" || dialect == "mhlo";
}

}  // namespace

SyntaxReader::SyntaxReader(std::string_view text, std::string file, std::uint32_t first_line)
    : tokens_(text, std::move(file), first_line), alias_uses_left_(text.size() + 1) {
  find_aliases();
}

// --- Aliases ---

void SyntaxReader::find_aliases() {
  std::string_view source = tokens_.source();
  for (std::size_t line = 0; line < source.size();) {
    std::size_t end = std::min(source.find('\n', line), source.size());
    std::size_t begin = source.find_first_not_of(" \t\r", line);
    if (begin < end && (source[begin] == '#' || source[begin] == '!')) {
      std::size_t name_end = begin + 1;
      while (name_end < end && text::is_identifier_character(source[name_end])) {
        ++name_end;
      }
      std::size_t equals = source.find_first_not_of(" \t", name_end);
      if (equals < end && source[equals] == '=') {
        aliases_.emplace(source.substr(begin, name_end - begin), equals + 1);
      }
    }
    line = end + 1;
  }
}

Result<std::size_t> SyntaxReader::enter_alias(std::size_t begin) {
  std::string_view name = tokens_.source().substr(begin, tokens_.token().end - begin);
  auto found = aliases_.find(name);
  if (found == aliases_.end()) {
    return tokens_.error_at(begin, "unknown {} {}", name[0] == '!' ? "type" : "attribute", name);
  }
  if (alias_uses_left_-- == 0) {
    return tokens_.error_at(begin, "aliases that stand for aliases are used too often");
  }
  tokens_.advance();
  std::size_t end = tokens_.token().begin;
  tokens_.go_to(found->second);
  return end;
}

Status SyntaxReader::skip_alias_definition() {
  bool is_type = tokens_.is('!');
  tokens_.advance();
  BP_TRY(tokens_.read_identifier("the name of an alias"));
  BP_TRY(tokens_.expect('=', "after the name of an alias"));
  if (is_type) {
    BP_TRY(read_type_list());
  } else if (tokens_.is_word("loc")) {
    BP_TRY(read_optional_location());
  } else {
    BP_TRY(read_attribute(TypeSuffix::Belongs));
  }
  return {};
}

// --- Attributes ---

Result<Attribute> SyntaxReader::read_attribute(TypeSuffix suffix) {
  TokenReader::Nesting nesting(tokens_);
  BP_TRY(nesting.check());
  Attribute attribute;
  attribute.position = tokens_.token().begin;
  switch (tokens_.token().kind) {
    case TokenKind::String: {
      BP_ASSIGN(attribute.value, read_string("a string"));
      BP_TRY(skip_type_suffix(suffix));
      return attribute;
    }
    case TokenKind::Number: return read_number(suffix);
    case TokenKind::Identifier: return read_word();
    default: break;
  }
  if (tokens_.accept('[')) {
    std::vector<Attribute> items;
    BP_TRY(tokens_.read_list(']', "a list", [&]() -> Status {
      BP_ASSIGN(Attribute item, read_attribute(TypeSuffix::Belongs));
      items.push_back(std::move(item));
      return {};
    }));
    attribute.value = std::move(items);
    return attribute;
  }
  if (tokens_.is('{')) {
    BP_ASSIGN(attribute.value, read_dictionary());
    return attribute;
  }
  if (tokens_.is('@')) {
    BP_ASSIGN(std::string name, read_symbol("a symbol"));
    attribute.value = Symbol{std::move(name)};
    return attribute;
  }
  if (tokens_.is('#')) {
    return read_dialect_attribute(suffix);
  }
  if (tokens_.is('<')) {
    BP_ASSIGN(attribute.value, read_struct());
    return attribute;
  }
  const std::size_t inside = tokens_.token().end;
  if (tokens_.is('(') && inside < tokens_.source().size() && std::isdigit(tokens_.source()[inside]) != 0) {
    BP_TRY(tokens_.read_balanced("the part of an axis"));  // (1)2
    BP_TRY(tokens_.read_integer("the size of the part of an axis"));
    attribute.value = OpaqueText{tokens_.canonical_since(attribute.position)};
    return attribute;
  }
  if (tokens_.is('!') || tokens_.is('(')) {
    bool is_function = tokens_.is('(');
    BP_ASSIGN(std::vector<Type> types, read_type_list());
    if (is_function) {
      BP_TRY(tokens_.expect(TokenKind::Arrow, "'->' after the types of the operands"));
      BP_ASSIGN(std::vector<Type> results, read_type_list());
      attribute.value = FunctionType{std::move(types), std::move(results)};
    } else {
      attribute.value = std::move(types[0]);
    }
    return attribute;
  }
  return tokens_.expected("the value of an attribute");
}

Result<Attribute> SyntaxReader::read_number(TypeSuffix suffix) {
  Attribute attribute;
  attribute.position = tokens_.token().begin;
  std::string_view digits = tokens_.text();
  bool is_hexadecimal = digits.starts_with("0x");
  bool is_real = !is_hexadecimal && digits.find_first_of(".eE") != std::string_view::npos;
  if (is_hexadecimal) {
    std::uint64_t bits = 0;
    auto [end, code] = std::from_chars(digits.data() + 2, digits.data() + digits.size(), bits, 16);
    if (code != std::errc() || end != digits.data() + digits.size()) {
      return tokens_.expected("a hexadecimal number of at most 64 bits");
    }
    attribute.value = std::bit_cast<std::int64_t>(bits);
    tokens_.advance();
  } else if (is_real) {
    BP_ASSIGN(attribute.value, tokens_.read_real("a number"));
  } else {
    BP_ASSIGN(attribute.value, tokens_.read_integer("an integer"));
  }
  if (suffix == TypeSuffix::Belongs && tokens_.accept(':')) {
    const std::size_t begin = tokens_.token().begin;
    BP_ASSIGN(Type type, read_type());
    ir::ElementType element = type.shape.element_type();
    attribute.type = element;
    if (!is_hexadecimal && is_real != ir::is_floating(element)) {
      return tokens_.error_at(begin, "{} as the type of {}, expected {}", to_string(type), digits,
                              is_real ? "floats" : "integers");
    }
    if (is_hexadecimal && (element == ir::ElementType::F32 || element == ir::ElementType::F64)) {
      auto bits = std::bit_cast<std::uint64_t>(std::get<std::int64_t>(attribute.value));
      attribute.value = element == ir::ElementType::F64
                            ? std::bit_cast<double>(bits)
                            : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    }
  }
  return attribute;
}

Result<Attribute> SyntaxReader::read_word() {
  Attribute attribute;
  attribute.position = tokens_.token().begin;
  std::string_view word = tokens_.text();
  if (word == "true" || word == "false") {
    tokens_.advance();
    attribute.value = word == "true";
    return attribute;
  }
  if (word == "unit") {
    tokens_.advance();
    return attribute;
  }
  if (word == "loc") {
    BP_TRY(read_optional_location());
    return attribute;
  }
  if (!tokens_.is_following('<')) {
    tokens_.advance();
    attribute.value = Keyword{word};
    return attribute;
  }
  if (word == "dense") {
    BP_ASSIGN(attribute.value, read_dense());
  } else if (word == "array") {
    return read_typed_array();
  } else if (word == "tensor" || word == "tuple" || word == "complex") {
    BP_ASSIGN(attribute.value, read_type());
  } else if (word == "dense_resource" || word == "sparse") {
    return Error(ErrorCode::Unsupported, fmt::format("a {} literal: expected dense<...>, with the values in the text",
                                                     word == "sparse" ? "sparse" : "dense_resource"))
        .at(tokens_.location(attribute.position));
  } else {
    tokens_.advance();
    BP_TRY(skip_angle_brackets(word));
    attribute.value = OpaqueText{tokens_.canonical_since(attribute.position)};
  }
  return attribute;
}

// Reads array<i64: 1, 2>, array<i1: true>, array<f32: 1.0>; the current token must be 'array'.
Result<Attribute> SyntaxReader::read_typed_array() {
  Attribute attribute;
  attribute.position = tokens_.token().begin;
  tokens_.advance();
  BP_TRY(tokens_.expect('<', "after 'array'"));
  BP_ASSIGN(const Type type, read_type());
  attribute.type = type.shape.element_type();
  std::vector<Attribute> items;
  if (tokens_.accept(':')) {
    BP_TRY(tokens_.read_list('>', "an array", [&]() -> Status {
      BP_ASSIGN(Attribute item, read_attribute(TypeSuffix::Not));
      items.push_back(std::move(item));
      return {};
    }));
  } else {
    BP_TRY(tokens_.expect('>', "after the type of an empty array"));
  }
  attribute.value = std::move(items);
  return attribute;
}

Result<Attribute> SyntaxReader::read_dialect_attribute(TypeSuffix suffix) {
  Attribute attribute;
  attribute.position = tokens_.token().begin;
  tokens_.advance();
  std::string_view name = tokens_.text();
  bool is_name = tokens_.is(TokenKind::Identifier);
  if (is_name && tokens_.is_following('<')) {
    tokens_.advance();
    if (is_own_dialect(name)) {
      BP_ASSIGN(attribute.value, read_struct());
      if (auto *word = std::get_if<Keyword>(&attribute.value); word != nullptr && !name.starts_with("stablehlo")) {
        word->enumeration = {};
      }
    } else {
      BP_TRY(skip_angle_brackets(name));
      attribute.value = OpaqueText{tokens_.canonical_since(attribute.position)};
    }
    return attribute;
  }
  if (!is_name) {
    return tokens_.expected("the name of an attribute after '#'");
  }
  BP_ASSIGN(std::size_t end, enter_alias(attribute.position));
  BP_ASSIGN(attribute, read_attribute(suffix));
  tokens_.go_to(end);
  return attribute;
}

// Reads the brackets after #stablehlo.gather or #stablehlo: entries, a word, or dimension numbers of convolutions,
// optionally preceded by the name of the attribute.
Result<Attribute::Value> SyntaxReader::read_struct() {
  TokenReader::Nesting nesting(tokens_);
  BP_TRY(nesting.check());
  BP_TRY(tokens_.expect('<', "before the fields of an attribute"));
  std::string_view name;
  while (tokens_.is(TokenKind::Identifier)) {
    if (tokens_.is_following('=') || tokens_.is_following(',')) {
      break;
    }
    if (tokens_.is_following('>')) {
      Keyword word{tokens_.text(tokens_.take()), name};
      tokens_.advance();
      return Attribute::Value(word);
    }
    name = tokens_.text(tokens_.take());
    if (tokens_.is('<')) {
      BP_ASSIGN(Attribute::Value inside, read_struct());
      if (auto *word = std::get_if<Keyword>(&inside)) {
        word->enumeration = name;
      }
      BP_TRY(tokens_.expect('>', "after an attribute"));
      return inside;
    }
  }
  if (tokens_.is('[')) {
    BP_ASSIGN(Dictionary dimensions, read_convolution_dimensions());
    BP_TRY(tokens_.expect('>', "after the dimensions of a convolution"));
    return Attribute::Value(std::move(dimensions));
  }
  BP_ASSIGN(std::vector<NamedAttribute> entries, read_entries('>', TypeSuffix::Not));
  return Attribute::Value(Dictionary{std::move(entries)});
}

Result<Dictionary> SyntaxReader::read_dictionary() {
  BP_TRY(tokens_.expect('{', "before a dictionary"));
  BP_ASSIGN(std::vector<NamedAttribute> entries, read_entries('}', TypeSuffix::Belongs));
  return Dictionary{std::move(entries)};
}

Result<std::vector<NamedAttribute>> SyntaxReader::read_entries(char close, TypeSuffix suffix) {
  std::vector<NamedAttribute> entries;
  BP_TRY(tokens_.read_list(close, "attributes", [&]() -> Status {
    std::size_t begin = tokens_.token().begin;
    std::string_view name = tokens_.text();
    if (!tokens_.is(TokenKind::Identifier) && !tokens_.is(TokenKind::String)) {
      return tokens_.expected("the name of an attribute");
    }
    tokens_.advance();
    NamedAttribute entry{name, {{}, begin}};
    for (const NamedAttribute &other : entries) {
      if (other.name == name) {
        return tokens_.error_at(begin, "attribute '{}' is given twice", name);
      }
    }
    if (tokens_.accept('=')) {
      BP_ASSIGN(entry.value, read_attribute(suffix));
    }
    entries.push_back(std::move(entry));
    return {};
  }));
  return entries;
}

Result<Dictionary> SyntaxReader::read_convolution_dimensions() {
  struct Part {
    std::string_view first, second;  // letters, and the names of the dimensions they label
    std::string_view first_name, second_name, spatial_name;
  };
  constexpr Part parts[] = {
      {"b", "f", "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions"},
      {"i", "o", "kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions"},
      {"b", "f", "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions"}};
  Dictionary result;
  std::size_t number = 0;
  for (const Part &part : parts) {
    std::size_t begin = tokens_.token().begin;
    if (number == 1) {
      BP_TRY(tokens_.expect_word("x"));
    } else if (number == 2) {
      BP_TRY(tokens_.expect(TokenKind::Arrow, "'->' before the dimensions of the result"));
    }
    ++number;
    BP_TRY(tokens_.expect('[', "before the dimensions of a convolution"));
    std::int64_t first = -1, second = -1, position = 0;
    std::vector<std::int64_t> spatial;  // position of each spatial dimension, by its number
    BP_TRY(tokens_.read_list(']', "the dimensions of a convolution", [&]() -> Status {
      std::size_t at = tokens_.token().begin;
      std::int64_t *place = nullptr;
      if (tokens_.accept_word(part.first)) {
        place = &first;
      } else if (tokens_.accept_word(part.second)) {
        place = &second;
      } else if (tokens_.accept('?')) {
        ++position;
        return {};
      } else {
        BP_ASSIGN(std::int64_t which, tokens_.read_integer(fmt::format("{}, {} or the number of a spatial dimension",
                                                                       part.first, part.second)));
        if (which < 0 || which >= static_cast<std::int64_t>(ir::max_rank)) {
          return tokens_.error_at(at, "the spatial dimension {}, expected 0 to {}", which, ir::max_rank - 1);
        }
        spatial.resize(std::max(spatial.size(), static_cast<std::size_t>(which) + 1), -1);
        place = &spatial[static_cast<std::size_t>(which)];
      }
      if (*place != -1) {
        return tokens_.error_at(at, "a dimension of a convolution is given twice");
      }
      *place = position++;
      return {};
    }));
    if (first == -1 || second == -1 || std::ranges::find(spatial, -1) != spatial.end()) {
      return tokens_.error_at(begin, "the dimensions of a convolution lack one of {}, {}, 0, 1, ...", part.first,
                              part.second);
    }
    std::vector<Attribute> items;
    for (std::int64_t dimension : spatial) {
      items.push_back({dimension, begin});
    }
    result.entries.push_back({part.first_name, {first, begin}});
    result.entries.push_back({part.second_name, {second, begin}});
    result.entries.push_back({part.spatial_name, {std::move(items), begin}});
  }
  return result;
}

Result<std::string> SyntaxReader::read_string(std::string_view what) {
  if (!tokens_.is(TokenKind::String)) {
    return tokens_.expected(what);
  }
  std::string_view text = tokens_.text(tokens_.take());
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    unsigned byte = 0;
    const char *digits = text.data() + i + 1;
    bool has_two = i + 2 < text.size();
    if (has_two && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      result += static_cast<char>(byte);
      i += 2;
    } else {
      char c = text[++i];
      result += c == 'n' ? '\n' : c == 't' ? '\t' : c;
    }
  }
  return result;
}

Result<std::string> SyntaxReader::read_symbol(std::string_view what) {
  if (!tokens_.accept('@')) {
    return tokens_.expected(what);
  }
  if (tokens_.is(TokenKind::String)) {
    return read_string(what);
  }
  const std::string_view source = tokens_.source();
  const std::size_t begin = tokens_.token().begin;
  std::size_t end = begin;
  while (end < source.size() && (text::is_identifier_character(source[end]) || source[end] == '$')) {
    ++end;
  }
  if (end == begin) {
    return tokens_.expected("a name after '@'");
  }
  tokens_.go_to(end);
  return std::string(source.substr(begin, end - begin));
}

Status SyntaxReader::skip_type_suffix(TypeSuffix suffix) {
  if (suffix == TypeSuffix::Belongs && tokens_.accept(':')) {
    BP_TRY(read_type());
  }
  return {};
}

Status SyntaxReader::skip_angle_brackets(std::string_view what) {
  std::size_t begin = tokens_.token().begin;
  std::size_t depth = 0;
  if (!tokens_.is('<')) {
    return tokens_.expected(fmt::format("'<' before {}", what));
  }
  do {
    if (tokens_.at_end() || tokens_.is(TokenKind::Error)) {
      return tokens_.error_at(begin, "{} is not closed: expected '>' before the end of the text", what);
    }
    depth += tokens_.is('<') ? 1 : 0;
    depth -= tokens_.is('>') ? 1 : 0;
    tokens_.advance();
  } while (depth != 0);
  return {};
}

// --- Locations ---

Result<std::shared_ptr<const Location>> SyntaxReader::read_optional_location() {
  if (!tokens_.is_word("loc") || !tokens_.is_following('(')) {
    return std::shared_ptr<const Location>();
  }
  tokens_.advance();
  tokens_.advance();
  BP_ASSIGN(std::shared_ptr<const Location> result, read_location());
  BP_TRY(tokens_.expect(')', "after a location"));
  return *result == Location{} ? nullptr : result;
}

// Reads a location. An #alias is read once and then shared.
Result<std::shared_ptr<const Location>> SyntaxReader::read_location() {
  TokenReader::Nesting nesting(tokens_);
  BP_TRY(nesting.check());
  if (!tokens_.is('#')) {
    BP_ASSIGN(Location location, read_location_parts());
    return std::shared_ptr<const Location>(std::make_shared<Location>(std::move(location)));
  }
  std::size_t begin = tokens_.token().begin;
  tokens_.advance();
  std::string_view name = tokens_.source().substr(begin, tokens_.token().end - begin);
  if (auto found = locations_.find(name); found != locations_.end()) {
    tokens_.advance();
    return found->second;
  }
  BP_ASSIGN(std::size_t end, enter_alias(begin));
  BP_TRY(tokens_.expect_word("loc"));
  BP_TRY(tokens_.expect('(', "after 'loc'"));
  BP_ASSIGN(std::shared_ptr<const Location> location, read_location());
  tokens_.go_to(end);
  locations_.emplace(name, location);
  return location;
}

// Reads unknown, "file":1:2 to 3:4, "name"(location), callsite(location at location), fused<...>[location, ...].
Result<Location> SyntaxReader::read_location_parts() {
  Location location;
  if (tokens_.accept_word("unknown")) {
    return location;
  }
  if (tokens_.accept_word("callsite")) {
    BP_TRY(tokens_.expect('(', "after 'callsite'"));
    BP_ASSIGN(auto callee, read_location());
    BP_TRY(tokens_.expect_word("at"));
    BP_TRY(read_location());
    BP_TRY(tokens_.expect(')', "after a location"));
    return *callee;
  }
  if (tokens_.accept_word("fused")) {
    if (tokens_.is('<')) {
      BP_TRY(skip_angle_brackets("the metadata of a location"));
    }
    BP_TRY(tokens_.expect('[', "before fused locations"));
    BP_TRY(tokens_.read_list(']', "fused locations", [&]() -> Status {
      BP_ASSIGN(auto part, read_location());
      if (location == Location{}) {
        location = *part;
      }
      return {};
    }));
    return location;
  }
  BP_ASSIGN(std::string name, read_string("a location"));
  if (tokens_.accept(':')) {
    location.source_file = std::move(name);
    BP_ASSIGN(location.source_line, tokens_.read_integer("a line"));
    BP_TRY(tokens_.expect(':', "after a line"));
    BP_ASSIGN(location.source_column, tokens_.read_integer("a column"));
    if (tokens_.accept_word("to")) {
      location.source_end_line = location.source_line;
      if (tokens_.is(TokenKind::Number)) {
        BP_ASSIGN(location.source_end_line, tokens_.read_integer("a line"));
      }
      BP_TRY(tokens_.expect(':', "before the last column"));
      BP_ASSIGN(location.source_end_column, tokens_.read_integer("a column"));
    }
    return location;
  }
  if (tokens_.accept('(')) {
    BP_ASSIGN(auto inner, read_location());
    location = *inner;
    BP_TRY(tokens_.expect(')', "after a location"));
  }
  location.op_name = std::move(name);
  return location;
}

}  // namespace bp::import::stablehlo
