// Reads a text with one token of lookahead and has the small readers that all grammars share. Errors point at the
// current token and tell what was found and what was expected.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/text/lexer.h"

namespace bp::text {

// Line and column of a byte, counted from 1.
struct LineColumn {
  std::uint32_t line = 0, column = 0;
};

class TokenReader {
 public:
  // `first_line`: line of the file at which the text begins.
  TokenReader(std::string_view text, std::string file, std::uint32_t first_line = 1)
      : lexer_(text), file_(std::move(file)), first_line_(first_line) {
    go_to(0);
  }

  const Token &token() const { return token_; }
  std::string_view text() const { return lexer_.text(token_); }
  std::string_view text(const Token &token) const { return lexer_.text(token); }
  std::string_view source() const { return lexer_.source(); }
  const std::string &file() const { return file_; }

  void advance() {
    previous_end_ = token_.end;
    token_ = lexer_.at(token_.end);
  }
  Token take() {
    Token taken = token_;
    advance();
    return taken;
  }
  // Continues at the given offset; the bytes before it are ignored.
  void go_to(std::size_t position) {
    token_ = lexer_.at(position);
    previous_end_ = position;
  }

  bool at_end() const { return token_.kind == TokenKind::End; }
  bool is(TokenKind kind) const { return token_.kind == kind; }
  bool is(char c) const { return token_.kind == TokenKind::Character && source()[token_.begin] == c; }
  bool is_word(std::string_view word) const { return token_.kind == TokenKind::Identifier && text() == word; }
  // Returns the byte right after the current token; 0 at the end.
  char following_character() const { return token_.end < source().size() ? source()[token_.end] : '\0'; }
  // Returns the token after the current one.
  Token following() const { return lexer_.at(token_.end); }
  bool is_following(char c) const {
    Token next = following();
    return next.kind == TokenKind::Character && source()[next.begin] == c;
  }

  bool accept(char c) {
    bool found = is(c);
    if (found) {
      advance();
    }
    return found;
  }
  bool accept_word(std::string_view word) {
    bool found = is_word(word);
    if (found) {
      advance();
    }
    return found;
  }
  // `where` completes the message: "expected ')' after the operands".
  Status expect(char c, std::string_view where = {});
  Status expect(TokenKind kind, std::string_view what);
  Status expect_word(std::string_view word);

  Result<std::int64_t> read_integer(std::string_view what);
  Result<bool> read_bool(std::string_view what);
  Result<double> read_real(std::string_view what);
  Result<std::string> read_string(std::string_view what);           // unescaped
  Result<std::string_view> read_identifier(std::string_view what);  // or a %name
  // Reads {1,2,3}; the list may be empty.
  Result<std::vector<std::int64_t>> read_integers(std::string_view what);
  // Reads item (',' item)* and `close`; the list may be empty.
  template <std::invocable Item>
  Status read_list(char close, std::string_view what, Item &&item);
  // Reads a balanced group in any brackets, or one other token. Returns its canonical text.
  Result<std::string> read_balanced(std::string_view what);
  // Reads a raw {...} of JSON, verbatim.
  Result<std::string_view> read_raw_braces(std::string_view what);

  // Returns the source text from `begin` to the end of the last token taken, with canonical blanks and without
  // comments.
  std::string canonical_since(std::size_t begin) const;

  // Returns line and column of an offset. Fast if called with ascending offsets: counts lines from the last call on.
  LineColumn line_column(std::size_t position);

  // Returns the description of the current token for messages: 'foo', "end of the text".
  std::string found() const { return describe(token_); }
  std::string describe(const Token &token) const;

  template <class... Args>
  Error error(fmt::format_string<Args...> format, Args &&...args) const {
    return error_at(token_.begin, format, std::forward<Args>(args)...);
  }
  template <class... Args>
  Error error_at(std::size_t position, fmt::format_string<Args...> format, Args &&...args) const {
    return Error(ErrorCode::InvalidInput, fmt::format(format, std::forward<Args>(args)...)).at(location(position));
  }
  SourceLocation location(std::size_t position) const;
  Error expected(std::string_view what) const { return error("expected {}, found {}", what, found()); }

  // Limits nesting, so that no input overflows the stack here or in code that traverses the result.
  static constexpr int max_depth = 128;
  class Nesting {
   public:
    explicit Nesting(TokenReader &reader) : reader_(reader) { ++reader_.depth_; }
    ~Nesting() { --reader_.depth_; }
    Nesting(const Nesting &) = delete;
    Nesting &operator=(const Nesting &) = delete;
    Status check() const;

   private:
    TokenReader &reader_;
  };

 private:
  Lexer lexer_;
  std::string file_;
  std::uint32_t first_line_;
  Token token_;
  std::size_t previous_end_ = 0;  // end of the last token taken
  int depth_ = 0;
  // State of line_column(), which has counted lines up to here.
  std::size_t counted_ = 0, line_begin_ = 0;
  std::uint32_t line_ = 1;
};

template <std::invocable Item>
Status TokenReader::read_list(char close, std::string_view what, Item &&item) {
  if (accept(close)) {
    return {};
  }
  while (true) {
    BP_TRY(item());
    if (accept(close)) {
      return {};
    }
    if (!accept(',')) {
      return error("expected ',' or '{}' in {}, found {}", close, what, found());
    }
  }
}

}  // namespace bp::text
