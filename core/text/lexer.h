// Cuts HLO text into tokens. A token is a view into the text: nothing is copied and nothing is converted here.
// What looks like a number is one token, from 12 over -1.5e+3 to 3x3, 0_1x2_2 and 01bf: only the reader of a value
// knows which of these it may be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace bp::text {

enum class TokenKind : std::uint8_t {
  End,         // of the text
  Identifier,  // add, f32, b01f_01io, nan, ENTRY, max-pool.2
  Name,        // %add.1: text() of it is without the %
  Number,      // starts with a digit, or with - and a digit, a dot, inf or nan
  String,      // "..." or '...': text() of it is what is between the quotes, escapes and all
  Arrow,       // ->
  LessEqual,   // <=
  Ellipsis,    // ...
  Character,   // any other single character: ( ) [ ] { } , = : # * ? < > ~ ...
  Error,       // an open string or comment
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::uint32_t begin = 0, end = 0;  // in the text, quotes and % included
};

class Lexer {
 public:
  // The text must outlive the lexer and be shorter than max_size.
  explicit Lexer(std::string_view text) : text_(text) {}
  static constexpr std::size_t max_size = std::size_t{1} << 31;

  // The first token at or after `position`, past white space and comments.
  Token at(std::size_t position) const;

  std::string_view source() const { return text_; }
  // Of a String without its quotes, of a Name without its %.
  std::string_view text(const Token &token) const;
  // The end of a balanced {...} that begins at `position`, braces in strings aside; npos if it is not closed. This is
  // how raw JSON is passed over.
  std::size_t end_of_braces(std::size_t position) const;

 private:
  std::size_t skip_blank(std::size_t position) const;

  std::string_view text_;
};

// The place of a byte of a text, with the line it is in.
SourceLocation locate(std::string_view text, std::size_t position, std::string file);

// Whether the character may be inside an identifier.
bool is_identifier_character(char c);

// C escapes: \n \t \" \' \\ \r \a \b \f \v \? \123 \xff.
std::string unescape(std::string_view text);
std::string escape(std::string_view text);

}  // namespace bp::text
