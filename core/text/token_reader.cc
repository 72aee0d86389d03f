#include "core/text/token_reader.h"

#include <charconv>
#include <cstdlib>

namespace bp::text {
namespace {

char closing(char open) {
  switch (open) {
    case '{': return '}';
    case '[': return ']';
    case '(': return ')';
    default: return '\0';
  }
}

}  // namespace

std::string TokenReader::describe(const Token &token) const {
  constexpr std::size_t max_shown = 40;
  if (token.kind == TokenKind::End) {
    return "the end of the text";
  }
  if (token.kind == TokenKind::Error) {
    return source()[token.begin] == '/' ? "a comment that is not closed" : "a string that is not closed";
  }
  std::string_view whole = source().substr(token.begin, token.end - token.begin);
  std::string shown;
  for (char c : whole.substr(0, max_shown)) {
    bool printable = static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f;
    shown += printable ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return fmt::format("'{}{}'", shown, whole.size() > max_shown ? "..." : "");
}

Status TokenReader::expect(char c, std::string_view where) {
  if (!accept(c)) {
    return error("expected '{}'{}{}, found {}", c, where.empty() ? "" : " ", where, found());
  }
  return {};
}

Status TokenReader::expect(TokenKind kind, std::string_view what) {
  if (!is(kind)) {
    return expected(what);
  }
  advance();
  return {};
}

Status TokenReader::expect_word(std::string_view word) {
  if (!accept_word(word)) {
    return error("expected '{}', found {}", word, found());
  }
  return {};
}

Result<std::int64_t> TokenReader::read_integer(std::string_view what) {
  if (!is(TokenKind::Number)) {
    return expected(what);
  }
  std::string_view digits = text();
  std::int64_t value = 0;
  auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code == std::errc::result_out_of_range) {
    return error("expected {}, found {}, which does not fit into 64 bits", what, found());
  }
  if (code != std::errc() || end != digits.data() + digits.size()) {
    return expected(what);
  }
  advance();
  return value;
}

Result<bool> TokenReader::read_bool(std::string_view what) {
  if (accept_word("true")) {
    return true;
  }
  if (accept_word("false")) {
    return false;
  }
  return error("expected {} (true or false), found {}", what, found());
}

Result<double> TokenReader::read_real(std::string_view what) {
  if (!is(TokenKind::Number) && !is_word("inf") && !is_word("nan")) {
    return expected(what);
  }
  std::string_view digits = text();
  double value = 0;
  auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code == std::errc::result_out_of_range) {
    value = std::strtod(std::string(digits).c_str(), nullptr);  // rounds to 0 or infinity
  } else if (code != std::errc() || end != digits.data() + digits.size()) {
    return expected(what);
  }
  advance();
  return value;
}

Result<std::string> TokenReader::read_string(std::string_view what) {
  if (!is(TokenKind::String)) {
    return expected(what);
  }
  std::string_view inside = text();
  std::string value = inside.find('\\') == std::string_view::npos ? std::string(inside) : unescape(inside);
  advance();
  return value;
}

Result<std::string_view> TokenReader::read_identifier(std::string_view what) {
  if (!is(TokenKind::Identifier) && !is(TokenKind::Name)) {
    return expected(what);
  }
  return text(take());
}

Result<std::vector<std::int64_t>> TokenReader::read_integers(std::string_view what) {
  std::vector<std::int64_t> values;
  if (!accept('{')) {
    return error("expected '{{' before {}, found {}", what, found());
  }
  BP_TRY(read_list('}', what, [&]() -> Status {
    BP_ASSIGN(std::int64_t value, read_integer("an integer"));
    values.push_back(value);
    return {};
  }));
  return values;
}

Result<std::string> TokenReader::read_balanced(std::string_view what) {
  std::size_t begin = token_.begin;
  std::string open;  // the expected closing brackets
  do {
    if (at_end() || is(TokenKind::Error)) {
      return open.empty() ? expected(what) : error("expected '{}' to close {}, found {}", open.back(), what, found());
    }
    if (is(TokenKind::Character)) {
      char c = source()[token_.begin];
      if (char close = closing(c); close != '\0') {
        open += close;
      } else if (c == '}' || c == ']' || c == ')') {
        if (open.empty() || open.back() != c) {
          return open.empty() ? expected(what) : error("expected '{}' in {}, found {}", open.back(), what, found());
        }
        open.pop_back();
      }
    }
    advance();
  } while (!open.empty());
  return canonical_since(begin);
}

Result<std::string_view> TokenReader::read_raw_braces(std::string_view what) {
  if (!is('{')) {
    return error("expected '{{' before {}, found {}", what, found());
  }
  std::size_t begin = token_.begin, end = lexer_.end_of_braces(begin);
  if (end == std::string_view::npos) {
    return error("{} is not closed: expected '}}' before the end of the text", what);
  }
  go_to(end);
  return source().substr(begin, end - begin);
}

std::string TokenReader::canonical_since(std::size_t begin) const {
  std::string out;
  std::size_t last_end = begin;
  for (Token token = lexer_.at(begin); token.begin < previous_end_ && token.kind != TokenKind::End;
       token = lexer_.at(token.end)) {
    // Blanks become one blank, and none next to separators.
    constexpr std::string_view none_after = ",{[(=", none_before = ",}])=";
    bool was_apart = last_end != token.begin;
    if (was_apart && !out.empty() && none_after.find(out.back()) == std::string_view::npos &&
        none_before.find(source()[token.begin]) == std::string_view::npos) {
      out += ' ';
    }
    out += source().substr(token.begin, token.end - token.begin);
    last_end = token.end;
  }
  return out;
}

SourceLocation TokenReader::location(std::size_t position) const {
  SourceLocation location = locate(source(), position, file_);
  location.line += first_line_ - 1;
  return location;
}

LineColumn TokenReader::line_column(std::size_t position) {
  if (position < counted_) {
    counted_ = line_begin_ = 0;
    line_ = 1;
  }
  std::string_view before = source().substr(0, position);  // a search must not continue to the end of the text
  for (std::size_t found; (found = before.find('\n', counted_)) != std::string_view::npos; counted_ = line_begin_) {
    line_begin_ = found + 1;
    ++line_;
  }
  counted_ = position;
  return {line_ + first_line_ - 1, static_cast<std::uint32_t>(position - line_begin_) + 1};
}

Status TokenReader::Nesting::check() const {
  if (reader_.depth_ > max_depth) {
    return reader_.error("nested more than {} deep", max_depth);
  }
  return {};
}

}  // namespace bp::text
