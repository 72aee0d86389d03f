// Splits HLO text into tokens. A token is a view into the text: the lexer neither copies nor converts anything.
// Everything that looks like a number is one token, such as 12, -1.5e+3, 3x3, 0_1x2_2 and 01bf: only the reader of a
// value knows which of these forms is allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace bp::text {

enum class TokenKind : std::uint8_t {
  End,         // end of the text
  Identifier,  // add, f32, b01f_01io, nan, ENTRY, max-pool.2
  Name,        // %add.1: its text() excludes the %
  Number,      // starts with a digit, or with - followed by a digit, a dot, inf or nan
  String,      // "..." or '...': its text() is what is between the quotes, with escapes
  Arrow,       // ->
  LessEqual,   // <=
  Ellipsis,    // ...
  Character,   // any other single character: ( ) [ ] { } , = : # * ? < > ~ ...
  Error,       // an unterminated string or comment
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::uint32_t begin = 0, end = 0;  // offsets in the text, including quotes and %
};

class Lexer {
 public:
  // The text must outlive the lexer and be shorter than max_size.
  explicit Lexer(std::string_view text) : text_(text) {}
  static constexpr std::size_t max_size = std::size_t{1} << 31;

  // Returns the first token at or after `position`, skipping white space and comments.
  Token at(std::size_t position) const;

  std::string_view source() const { return text_; }
  // Returns the text of a token: of a String without its quotes, of a Name without its %.
  std::string_view text(const Token &token) const;
  // Returns the end of the balanced {...} that begins at `position`, ignoring braces in strings; npos if it is not
  // closed. Used to skip raw JSON.
  std::size_t end_of_braces(std::size_t position) const;

 private:
  std::size_t skip_blank(std::size_t position) const;

  std::string_view text_;
};

// Returns the location of the byte at `position`, with the text of its line.
SourceLocation locate(std::string_view text, std::size_t position, std::string file);

// Whether the character may occur inside an identifier.
bool is_identifier_character(char c);

// Conversion of C escapes:
//  \t \" \' \\ \r \a \b \f \v \? \123 \xff.
std::string unescape(std::string_view text);
std::string escape(std::string_view text);

}  // namespace bp::text
