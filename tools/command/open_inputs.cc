#include "tools/command/open_inputs.h"

#include <algorithm>

#include "core/base/files.h"
#include "core/import/stablehlo/literal_integers.h"
#include "core/text/lexer.h"
#include "core/text/parser.h"

namespace bp::command {
namespace {

// Returns the sizes of a literal of this rank, as its first elements have them: 2 and 3 for {{1, 2, 3}, {4, 5, 6}}.
std::vector<std::int64_t> sizes_of(std::string_view text, std::size_t rank) {
  std::vector<std::int64_t> sizes(rank, 0);
  std::vector<bool> is_counted(rank, false);  // the first group of braces of this depth has ended
  const text::Lexer lexer(text);
  std::size_t depth = 0;
  bool follows_element = false;
  const auto add_element = [&](std::size_t at) {
    if (at > 0 && at <= rank && !is_counted[at - 1]) {
      ++sizes[at - 1];
    }
  };
  for (text::Token token = lexer.at(0); token.kind != text::TokenKind::End && token.kind != text::TokenKind::Error;
       token = lexer.at(token.end)) {
    const std::string_view word = lexer.text(token);
    if (word == "{") {
      add_element(depth++);
      follows_element = false;
    } else if (word == "}" && depth > 0) {
      if (depth <= rank) {
        is_counted[depth - 1] = true;
      }
      --depth;
      follows_element = true;
    } else if (word == ",") {
      follows_element = false;
    } else if (!follows_element) {
      add_element(depth);
      follows_element = true;
    }
  }
  return sizes;
}

bool has_given(const std::vector<ParameterIntegers> &given, std::size_t number, const std::string &name) {
  return std::ranges::any_of(given, [&](const ParameterIntegers &one) {
    return one.parameter == std::to_string(number) || one.parameter == name || one.parameter == "%" + name;
  });
}

}  // namespace

Status take_from_inputs(const std::string &model, const std::vector<std::string> &inputs, ReadOptions &reading) {
  BP_ASSIGN(const std::string text, read_file(model));
  const auto parameters = parse_parameters(text, model);
  if (!parameters.ok() || parameters->size() != inputs.size()) {
    return {};
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto &[name, written] = (*parameters)[i];
    if (!written.is_array()) {
      continue;
    }
    BP_ASSIGN(const std::string content, read_file(inputs[i]));
    const std::vector<std::int64_t> sizes = sizes_of(content, written.rank());
    if (!written.is_static() && reading.parameter_shapes.empty() && !has_given(reading.parameter_sizes, i, name)) {
      reading.parameter_sizes.push_back({std::to_string(i), sizes});
    }
    const auto literal = text::parse_literal(content, ir::Shape::array(written.element_type(), sizes), inputs[i]);
    auto elements = literal.ok() ? import::stablehlo::size_integers(*literal) : std::nullopt;
    if (elements) {
      reading.parameter_values.push_back({std::to_string(i), *std::move(elements)});
    }
  }
  return {};
}

}  // namespace bp::command
