#include "core/text/lexer.h"

#include <algorithm>
#include <array>

namespace bp::text {
namespace {

enum Class : std::uint8_t { Blank = 1, Letter = 2, Digit = 4, Inside = 8 };

// Character classes of each byte, so that a byte is looked up once.
constexpr auto classes = [] {
  std::array<std::uint8_t, 256> table{};
  for (char c : {' ', '\t', '\n', '\r', '\f', '\v'}) {
    table[static_cast<unsigned char>(c)] = Blank;
  }
  for (int c = 'a'; c <= 'z'; ++c) {
    table[static_cast<std::size_t>(c)] = Letter | Inside;
    table[static_cast<std::size_t>(c - 'a' + 'A')] = Letter | Inside;
  }
  table['_'] = Letter | Inside;
  for (int c = '0'; c <= '9'; ++c) {
    table[static_cast<std::size_t>(c)] = Digit | Inside;
  }
  table['.'] = table['-'] = Inside;
  return table;
}();

bool is(char c, std::uint8_t mask) {
  return (classes[static_cast<unsigned char>(c)] & mask) != 0;
}

char character_at(std::string_view text, std::size_t i) {
  return i < text.size() ? text[i] : '\0';
}

// A word extends to the last identifier character, but excludes the - of an arrow.
std::size_t end_of_word(std::string_view text, std::size_t i) {
  while (i < text.size() && is(text[i], Inside) && !(text[i] == '-' && character_at(text, i + 1) == '>')) {
    ++i;
  }
  return i;
}

bool begins_number(std::string_view text, std::size_t position) {
  const char c = text[position], following = character_at(text, position + 1);
  const bool is_signed = c == '-' && (is(following, Digit) || following == '.' || following == 'i' || following == 'n');
  return is(c, Digit) || is_signed || (c == '.' && is(following, Digit));
}

std::size_t end_of_number(std::string_view text, std::size_t position) {
  std::size_t end = end_of_word(text, position + 1);
  while (character_at(text, end) == '+' && (text[end - 1] == 'e' || text[end - 1] == 'E')) {
    end = end_of_word(text, end + 1);
  }
  return end;
}

// The kind of a token, and where it ends.
struct End {
  TokenKind kind;
  std::size_t at;
};

End end_of_string(std::string_view text, std::size_t position) {
  std::size_t end = position + 1;
  while (end < text.size() && text[end] != text[position]) {
    end += text[end] == '\\' ? 2 : 1;
  }
  return end < text.size() ? End{TokenKind::String, end + 1} : End{TokenKind::Error, text.size()};
}

// Returns the end of a token that begins with neither a letter nor a number.
End end_of_symbol(std::string_view text, std::size_t position) {
  const char following = character_at(text, position + 1);
  switch (text[position]) {
    case '%': {
      const std::size_t end = end_of_word(text, position + 1);
      return {end == position + 1 ? TokenKind::Character : TokenKind::Name, end};
    }
    case '"':
    case '\'': return end_of_string(text, position);
    case '-':
      if (following == '>') {
        return {TokenKind::Arrow, position + 2};
      }
      break;
    case '<':
      if (following == '=') {
        return {TokenKind::LessEqual, position + 2};
      }
      break;
    case '.':
      if (following == '.' && character_at(text, position + 2) == '.') {
        return {TokenKind::Ellipsis, position + 3};
      }
      break;
    case '/':
      if (following == '*') {
        return {TokenKind::Error, text.size()};
      }
      break;
    default: break;
  }
  return {TokenKind::Character, position + 1};
}

}  // namespace

bool is_identifier_character(char c) {
  return is(c, Inside);
}

std::size_t Lexer::skip_blank(std::size_t position) const {
  const std::string_view text = text_;
  while (position < text.size()) {
    char c = text[position];
    if (is(c, Blank)) {
      ++position;
    } else if (c == '/' && position + 1 < text.size() && text[position + 1] == '/') {
      position = std::min(text.find_first_of("\r\n", position), text.size());
    } else if (c == '/' && position + 1 < text.size() && text[position + 1] == '*') {
      std::size_t end = text.find("*/", position + 2);
      if (end == std::string_view::npos) {
        return position;  // at() reports the error
      }
      position = end + 2;
    } else {
      break;
    }
  }
  return position;
}

Token Lexer::at(std::size_t position) const {
  position = skip_blank(position);
  auto make = [&](End end) {
    return Token{end.kind, static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(end.at)};
  };
  if (position >= text_.size()) {
    return make({TokenKind::End, position});
  }
  if (is(text_[position], Letter)) {
    return make({TokenKind::Identifier, end_of_word(text_, position + 1)});
  }
  if (begins_number(text_, position)) {
    return make({TokenKind::Number, end_of_number(text_, position)});
  }
  return make(end_of_symbol(text_, position));
}

std::string_view Lexer::text(const Token &token) const {
  std::string_view whole = text_.substr(token.begin, token.end - token.begin);
  if (token.kind == TokenKind::String) {
    return whole.substr(1, whole.size() - 2);
  }
  return token.kind == TokenKind::Name ? whole.substr(1) : whole;
}

std::size_t Lexer::end_of_braces(std::size_t position) const {
  std::size_t depth = 0;
  for (std::size_t i = position; i < text_.size(); ++i) {
    switch (text_[i]) {
      case '{': ++depth; break;
      case '}':
        if (--depth == 0) {
          return i + 1;
        }
        break;
      case '"':
        for (++i; i < text_.size() && text_[i] != '"'; ++i) {
          i += text_[i] == '\\' ? 1 : 0;
        }
        break;
      default: break;
    }
  }
  return std::string_view::npos;
}

SourceLocation locate(std::string_view text, std::size_t position, std::string file) {
  position = std::min(position, text.size());
  std::string_view before = text.substr(0, position);
  std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  std::size_t line_end = std::min(text.find('\n', position), text.size());
  SourceLocation location;
  location.file = std::move(file);
  location.line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  location.column = static_cast<std::uint32_t>(position - line_begin) + 1;
  location.line_text = text.substr(line_begin, line_end - line_begin);
  return location;
}

std::string unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  auto digit_value = [](char c) -> unsigned {
    if (c >= '0' && c <= '9') {
      return static_cast<unsigned>(c - '0');
    }
    char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a') + 10 : 16;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    constexpr std::string_view names = "ntrabfv", values = "\n\t\r\a\b\f\v";
    char c = text[++i];
    std::size_t base = c == 'x' || c == 'X' ? 16 : 8;
    std::size_t first = base == 16 ? i + 1 : i, limit = std::min(text.size(), first + (base == 16 ? 2 : 3));
    std::size_t last = first;
    unsigned code = 0;
    while (last < limit && digit_value(text[last]) < base) {
      code = code * static_cast<unsigned>(base) + digit_value(text[last++]);
    }
    if (std::size_t found = names.find(c); found != std::string_view::npos) {
      out += values[found];
    } else if (last != first) {
      out += static_cast<char>(code);
      i = last - 1;
    } else {
      out += c;
    }
  }
  return out;
}

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    switch (c) {
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '"': out += "\\\""; break;
      case '\'': out += "\\'"; break;
      case '\\': out += "\\\\"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) {
          out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
        } else {
          out += c;
        }
    }
  }
  return out;
}

}  // namespace bp::text
