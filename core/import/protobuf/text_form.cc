#include "core/import/protobuf/text_form.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace bp::import::protobuf {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_octal(char c) {
  return c >= '0' && c <= '7';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Returns the value of a hexadecimal digit; -1 if it is none.
int hexadecimal(char c) {
  if (is_digit(c)) {
    return c - '0';
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

void append_utf8(std::string &text, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | code >> 6);
    byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  } else {
    byte(0xf0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3f));
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  }
}

}  // namespace

void TextReader::advance() {
  if (text_[at_++] == '\n') {
    ++line_;
    column_ = 1;
  } else {
    ++column_;
  }
}

void TextReader::skip_space() {
  while (!at_end()) {
    const char c = peek();
    if (c == '#') {
      while (!at_end() && peek() != '\n') {
        advance();
      }
    } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
      advance();
    } else {
      return;
    }
  }
}

bool TextReader::take(char c) {
  skip_space();
  if (at_end() || peek() != c) {
    return false;
  }
  advance();
  return true;
}

std::string TextReader::found() const {
  if (at_end()) {
    return "the end of the text";
  }
  const char c = peek();
  return c >= ' ' && c <= '~' ? fmt::format("'{}'", c) : fmt::format("the byte {}", static_cast<unsigned char>(c));
}

std::string_view TextReader::take_identifier() {
  const std::size_t begin = at_;
  while (!at_end() && (is_letter(peek()) || (at_ > begin && is_digit(peek())))) {
    advance();
  }
  return text_.substr(begin, at_ - begin);
}

Result<std::string_view> TextReader::field_name() {
  if (peek() != '[') {
    const std::string_view name = take_identifier();
    if (name.empty()) {
      return error("found {}, expected the name of a field", found());
    }
    return name;
  }
  advance();  // an extension: [package.name]
  skip_space();
  const std::size_t begin = at_;
  while (!at_end() && (is_letter(peek()) || is_digit(peek()) || peek() == '.' || peek() == '/' || peek() == '-')) {
    advance();
  }
  const std::string_view name = text_.substr(begin, at_ - begin);
  if (name.empty() || !take(']')) {
    return error("found {}, expected the name of an extension, such as [package.name]", found());
  }
  return name;
}

Status TextReader::escape(std::string &result) {
  if (at_end()) {
    return error("the text ends in a string");
  }
  const char c = peek();
  constexpr std::string_view simple = "abfnrtv\\'\"?", meaning = "\a\b\f\n\r\t\v\\'\"?";
  if (const std::size_t which = simple.find(c); which != std::string_view::npos) {
    advance();
    result += meaning[which];
    return {};
  }
  std::uint32_t code = 0;
  if (is_octal(c)) {
    for (int i = 0; i < 3 && is_octal(peek()); ++i) {
      code = code * 8 + static_cast<std::uint32_t>(peek() - '0');
      advance();
    }
    if (code > 0xff) {
      return error("an escape has the value {}, expected at most 255", code);
    }
    result += static_cast<char>(code);
    return {};
  }
  const int least = c == 'u' ? 4 : c == 'U' ? 8 : 1, most = c == 'x' || c == 'X' ? 2 : least;
  if (c != 'x' && c != 'X' && c != 'u' && c != 'U') {
    return error("found {} after a backslash, expected n, t, x, an octal digit or another escape", found());
  }
  advance();
  int digits = 0;
  for (; digits < most && hexadecimal(peek()) >= 0; ++digits) {
    code = code * 16 + static_cast<std::uint32_t>(hexadecimal(peek()));
    advance();
  }
  if (digits < least) {
    return error("found {}, expected a hexadecimal digit of an escape", found());
  }
  if (most == 2) {
    result += static_cast<char>(code);
  } else if (code > 0x10ffff) {
    return error("an escape names the character {}, expected at most 1114111", code);
  } else {
    append_utf8(result, code);
  }
  return {};
}

Status TextReader::string(std::string &result) {
  // Strings that follow each other are one.
  while (!at_end() && (peek() == '"' || peek() == '\'')) {
    const char quote = peek();
    advance();
    while (peek() != quote || at_end()) {
      if (at_end() || peek() == '\n') {
        return error("a string is not closed, expected {}", quote);
      }
      if (peek() == '\\') {
        advance();
        BP_TRY(escape(result));
      } else {
        result += peek();
        advance();
      }
    }
    advance();
    skip_space();
  }
  return {};
}

Status TextReader::number(Event &event, bool is_negative) {
  const std::size_t begin = at_;
  const bool has_prefix = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
  if (has_prefix) {
    advance();
    advance();
  }
  bool is_real = false;
  while (is_digit(peek()) || (has_prefix && hexadecimal(peek()) >= 0) ||
         (!has_prefix && (peek() == '.' || peek() == 'e' || peek() == 'E'))) {
    const char c = peek();
    is_real = is_real || (!has_prefix && !is_digit(c));
    advance();
    if (!has_prefix && (c == 'e' || c == 'E') && (peek() == '+' || peek() == '-')) {
      advance();
    }
  }
  const std::string_view digits = text_.substr(begin + (has_prefix ? 2 : 0), at_ - begin - (has_prefix ? 2 : 0));
  if (!has_prefix && (peek() == 'f' || peek() == 'F')) {
    is_real = true;
    advance();
  }
  const char *end = digits.data() + digits.size();
  if (!is_real) {
    const bool is_octal_number = !has_prefix && digits.size() > 1 && digits[0] == '0';
    std::uint64_t value = 0;
    const auto [stop, problem] = std::from_chars(digits.data(), end, value, has_prefix ? 16 : is_octal_number ? 8 : 10);
    if (stop == end && problem == std::errc() && value <= std::uint64_t{1} << 63) {
      event.real = is_negative ? -static_cast<double>(value) : static_cast<double>(value);
      const bool fits = value < std::uint64_t{1} << 63 || is_negative;
      event.kind = fits ? Event::Kind::Integer : Event::Kind::Real;
      event.integer = fits ? static_cast<std::int64_t>(is_negative ? std::uint64_t{0} - value : value) : 0;
    } else if (problem != std::errc::result_out_of_range && (stop != end || problem != std::errc())) {
      return error("\"{}\" is no number", text_.substr(begin, at_ - begin));
    } else {
      is_real = true;
    }
  }
  if (is_real && !has_prefix) {
    double value = 0;
    const auto [stop, problem] = std::from_chars(digits.data(), end, value);
    if (stop != end || (problem != std::errc() && problem != std::errc::result_out_of_range)) {
      return error("\"{}\" is no number", text_.substr(begin, at_ - begin));
    }
    if (problem == std::errc::result_out_of_range) {
      // Too large, or too small: which of them, the exponent says.
      const std::size_t exponent = digits.find_first_of("eE");
      const bool is_small =
          exponent != std::string_view::npos && digits.substr(exponent).find('-') != std::string::npos;
      value = is_small ? 0 : HUGE_VAL;
    }
    event.kind = Event::Kind::Real;
    event.real = is_negative ? -value : value;
  } else if (is_real) {
    return error("\"{}\" has more than 64 bits", text_.substr(begin, at_ - begin));
  }
  if (is_letter(peek()) || is_digit(peek())) {
    return error("found {} after a number, expected the next field", found());
  }
  return {};
}

Status TextReader::value(Event &event) {
  skip_space();
  if (peek() == '{' || peek() == '<') {
    if (open_.size() >= max_depth) {
      return error("messages are nested more than {} deep", max_depth);
    }
    open_.push_back({peek() == '{' ? '}' : '>', list_});
    list_ = {};
    advance();
    event.kind = Event::Kind::Message;
    return {};
  }
  if (peek() == '"' || peek() == '\'') {
    event.kind = Event::Kind::Text;
    return string(event.text);
  }
  const bool is_negative = take('-');
  skip_space();
  if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) {
    return number(event, is_negative);
  }
  if (!is_letter(peek())) {
    return error("found {}, expected the value of the field {}", found(), event.name);
  }
  const std::string_view name = take_identifier();
  const bool is_infinity = name == "inf" || name == "infinity" || name == "Infinity" || name == "INF";
  if (is_infinity || name == "nan" || name == "NaN") {
    event.kind = Event::Kind::Real;
    event.real = is_infinity ? HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
    event.real = is_negative ? -event.real : event.real;
    return {};
  }
  if (is_negative) {
    return error("found - before the name {}, expected a number", name);
  }
  event.kind = Event::Kind::Name;
  event.text = name;
  return {};
}

Result<TextReader::Event> TextReader::next() {
  Event event;
  for (;;) {
    skip_space();
    if (list_.is_open) {
      if (take(']')) {
        list_.is_open = false;
        continue;
      }
      if (list_.has_elements && !take(',')) {
        return error("found {}, expected ',' or ']' in the list of the field {}", found(), list_.name);
      }
      skip_space();
      list_.has_elements = true;
      event.name = list_.name;
    } else if (take(',') || take(';')) {
      continue;
    }
    event.line = line_;
    event.column = column_;
    if (list_.is_open) {
      break;
    }
    if (at_end()) {
      if (!open_.empty()) {
        return error("the text ends in a message, expected '{}'", open_.back().closer);
      }
      return event;
    }
    if (!open_.empty() && take(open_.back().closer)) {
      list_ = open_.back().list;
      open_.pop_back();
      event.kind = Event::Kind::MessageEnd;
      return event;
    }
    BP_ASSIGN(event.name, field_name());
    skip_space();
    const bool has_colon = take(':');
    skip_space();
    if (!has_colon && peek() != '{' && peek() != '<') {
      return error("found {}, expected ':' and the value of the field {}, or '{{'", found(), event.name);
    }
    if (!has_colon || !take('[')) {
      break;
    }
    list_ = {true, false, event.name};
  }
  BP_TRY(value(event));
  return event;
}

Status TextReader::skip_message() {
  const std::size_t depth = open_.size();
  while (open_.size() >= depth) {
    BP_ASSIGN(const Event event, next());
    if (event.kind == Event::Kind::End) {
      break;  // of a message that was not open
    }
  }
  return {};
}

}  // namespace bp::import::protobuf
