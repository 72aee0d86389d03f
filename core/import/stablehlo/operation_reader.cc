// Reads one operation: its results, its generic form, and the pretty form that most operations share.
#include <algorithm>

#include "core/import/stablehlo/operations.h"
#include "core/import/stablehlo/program_reader.h"

namespace bp::import::stablehlo {

// Reads %a:2, %b = name ... loc(...).
Status ProgramReader::read_operation(Region &region) {
  result_names_.clear();
  std::vector<ResultName> names;
  if (tokens_.is(TokenKind::Name)) {
    do {
      ResultName result{{}, tokens_.token().begin, 1};
      if (!tokens_.is(TokenKind::Name)) {
        return tokens_.expected("the name of a result");
      }
      result.name = tokens_.text(tokens_.take());
      if (tokens_.accept(':')) {
        std::size_t begin = tokens_.token().begin;
        BP_ASSIGN(std::int64_t count, tokens_.read_integer("the number of results"));
        if (count < 1 || count > std::int64_t{1} << 20) {
          return tokens_.error_at(begin, "%{} names {} results, expected at least 1", result.name, count);
        }
        result.count = static_cast<std::uint32_t>(count);
      }
      names.push_back(result);
    } while (tokens_.accept(','));
    BP_TRY(tokens_.expect('=', "after the names of results"));
  }
  bool is_generic = tokens_.is(TokenKind::String);
  if (!is_generic && !tokens_.is(TokenKind::Identifier)) {
    return tokens_.expected("an operation");
  }
  std::size_t position = tokens_.token().begin + (is_generic ? 1 : 0);
  std::string_view name = tokens_.text(tokens_.take());
  constexpr std::pair<std::string_view, std::string_view> short_names[] = {
      {"return", "func.return"}, {"call", "func.call"}, {"module", "builtin.module"}};
  for (const auto &[short_name, full_name] : short_names) {
    name = name == short_name ? full_name : name;
  }
  Operation operation = begin_operation(name, position);
  if (find_row(name) == nullptr) {
    const std::string_view reason = reason_to_refuse(name);
    return Error(ErrorCode::Unsupported, reason.empty()
                                             ? fmt::format("unknown operation {}{}", name, did_you_mean(name))
                                             : fmt::format("{} is not supported: {}", name, reason))
        .at(tokens_.location(position));
  }
  operation.result_name = names.empty() ? std::string_view() : names[0].name;
  BP_TRY(is_generic ? read_generic(operation) : read_pretty(operation));
  BP_ASSIGN(operation.location, read_optional_location());

  std::uint32_t count = 0;
  for (const ResultName &result : names) {
    BP_TRY(define_name(result.name, result.position, operation.result(count), result.count));
    count += result.count;
  }
  if (!names.empty() && count != operation.result_count) {
    return tokens_.error_at(names[0].position, "{} has {} result{}, but {} {} named", name, operation.result_count,
                            operation.result_count == 1 ? "" : "s", count, count == 1 ? "is" : "are");
  }
  region.operations.push_back(std::move(operation));
  return {};
}

// Reads "name"(%a, %b) <{properties}> ({regions}) {attributes} : (types) -> types.
Status ProgramReader::read_generic(Operation &operation) {
  BP_TRY(read_operands(operation));
  auto add_all = [&]() -> Status {
    BP_ASSIGN(Dictionary attributes, read_dictionary());
    for (NamedAttribute &entry : attributes.entries) {
      add_attribute(operation, entry.name, std::move(entry.value));
    }
    return {};
  };
  if (tokens_.accept('<')) {
    BP_TRY(add_all());
    BP_TRY(tokens_.expect('>', "after the properties of an operation"));
  }
  BP_TRY(read_optional_regions(operation));
  if (tokens_.is('{')) {
    BP_TRY(add_all());
  }
  if (!tokens_.is(':')) {
    return tokens_.expected("':' and the type of the operation");
  }
  return read_signature(operation);
}

Status ProgramReader::read_pretty(Operation &operation) {
  if (auto form = find_form(operation.name)) {
    return (this->**form)(operation);
  }
  return read_default(operation);
}

// Reads operands and named attributes, in parentheses or not, then {attributes} and the type.
Status ProgramReader::read_default(Operation &operation) {
  BP_TRY(read_items(operation));
  BP_TRY(read_optional_attributes(operation));
  return read_optional_signature(operation);
}

// --- Parts of forms ---

void ProgramReader::add_attribute(Operation &operation, std::string_view name, Attribute attribute) {
  operation.attributes.push_back({name, std::move(attribute)});
}

Status ProgramReader::read_operand(Operation &operation) {
  BP_ASSIGN(ValueId id, use());
  operation.operands.push_back(id);
  return {};
}

Status ProgramReader::read_operands(Operation &operation) {
  BP_TRY(tokens_.expect('(', "before the operands"));
  return tokens_.read_list(')', "the operands", [&] { return read_operand(operation); });
}

// Reads ({ regions }).
Status ProgramReader::read_optional_regions(Operation &operation) {
  const bool is_isolated = operation.name == "func.func" || operation.name == "builtin.module";
  if (!tokens_.accept('(')) {
    return {};
  }
  return tokens_.read_list(')', "the regions of an operation", [&]() -> Status {
    BP_ASSIGN(Region region, read_region({}, is_isolated ? Isolated::Yes : Isolated::No));
    operation.regions.push_back(std::move(region));
    return {};
  });
}

Status ProgramReader::read_items(Operation &operation) {
  if (tokens_.accept('(')) {
    return tokens_.read_list(')', "the operands", [&] { return read_item(operation); });
  }
  if (!tokens_.is(TokenKind::Name) && !tokens_.is(TokenKind::Identifier)) {
    return {};
  }
  if (tokens_.is(TokenKind::Identifier) && !tokens_.is_following('=')) {
    return {};  // the next operation, or a location
  }
  do {
    BP_TRY(read_item(operation));
  } while (tokens_.accept(','));
  return {};
}

Status ProgramReader::read_item(Operation &operation) {
  if (tokens_.is(TokenKind::Name)) {
    return read_operand(operation);
  }
  if (!tokens_.is(TokenKind::Identifier)) {
    return tokens_.expected("an operand or an attribute");
  }
  return read_value_of(operation, tokens_.text(tokens_.take()));
}

// Reads "= value" after a name. Two lists may form a pair: [0] x [1].
Status ProgramReader::read_value_of(Operation &operation, std::string_view name) {
  std::size_t begin = tokens_.token().begin;
  BP_TRY(tokens_.expect('=', "after the name of an attribute"));
  BP_ASSIGN(Attribute value, read_attribute(TypeSuffix::Not));
  if (tokens_.accept_word("x")) {
    BP_ASSIGN(Attribute second, read_attribute(TypeSuffix::Not));
    std::vector<Attribute> pair;
    pair.push_back(std::move(value));
    pair.push_back(std::move(second));
    value = {std::move(pair), begin};
  }
  if (std::ranges::find(operation.attributes, name, &NamedAttribute::name) != operation.attributes.end()) {
    return tokens_.error_at(begin, "attribute '{}' is given twice", name);
  }
  add_attribute(operation, name, std::move(value));
  return {};
}

Status ProgramReader::read_optional_attributes(Operation &operation) {
  if (!tokens_.is('{')) {
    return {};
  }
  BP_ASSIGN(Dictionary attributes, read_dictionary());
  for (NamedAttribute &entry : attributes.entries) {
    if (std::ranges::find(operation.attributes, entry.name, &NamedAttribute::name) != operation.attributes.end()) {
      return tokens_.error_at(entry.value.position, "attribute '{}' is given twice", entry.name);
    }
    add_attribute(operation, entry.name, std::move(entry.value));
  }
  return {};
}

Status ProgramReader::read_optional_signature(Operation &operation) {
  if (tokens_.is(':')) {
    return read_signature(operation);
  }
  const OperationRow &row = *find_row(operation.name);
  if (row.results == ShortResults::None && operation.operands.empty()) {
    return define_results(operation, {});
  }
  if (row.results == ShortResults::SameAsOperands && operation.operands.empty()) {
    return define_results(operation, {});
  }
  return tokens_.expected(fmt::format("':' and the type of {}", operation.name));
}

// Reads ": (T, T) -> T", or a short form without the result or without the parentheses, such as ": T".
Status ProgramReader::read_signature(Operation &operation) {
  BP_TRY(tokens_.expect(':', "before the type of an operation"));
  std::size_t begin = tokens_.token().begin;
  std::vector<Type> operands;
  bool has_parentheses = tokens_.is('(');
  do {
    BP_ASSIGN(std::vector<Type> types, read_type_list());
    operands.insert(operands.end(), std::make_move_iterator(types.begin()), std::make_move_iterator(types.end()));
  } while (!has_parentheses && tokens_.accept(','));
  bool has_results = tokens_.is(TokenKind::Arrow);
  ShortResults form = find_row(operation.name)->results;
  if (has_results || form == ShortResults::None) {
    if (operands.size() == 1 && !has_parentheses && !has_results) {
      operands.resize(operation.operands.size(), Type(operands[0]));  // one type for all operands
    }
    if (operands.size() != operation.operands.size()) {
      return tokens_.error_at(begin, "{} operand types for {} operands", operands.size(), operation.operands.size());
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (const Type &actual = program_.type(operation.operands[i]); actual != operands[i]) {
        return tokens_.error_at(begin, "operand {} is written as {}, but its type is {}", i, to_string(operands[i]),
                                to_string(actual));
      }
    }
  }
  if (has_results) {
    tokens_.advance();
    BP_ASSIGN(std::vector<Type> results, read_type_list());
    return define_results(operation, std::move(results));
  }
  switch (form) {
    case ShortResults::None: return define_results(operation, {});
    case ShortResults::SameAsOperands: return define_results(operation, std::move(operands));
    case ShortResults::Last: break;
  }
  if (operands.empty()) {
    return tokens_.expected("'->' and the types of the results");
  }
  return define_results(operation, {std::move(operands.back())});
}

}  // namespace bp::import::stablehlo
