// Reads dense<...> : tensor<...>: nested lists, one value for all elements, or "0x..." with the bytes, low byte first.
#include <charconv>
#include <cmath>

#include "core/import/stablehlo/syntax_reader.h"

namespace bp::import::stablehlo {
namespace {

using ir::ElementType;
using ir::Literal;
using ir::Shape;

template <class T>
constexpr bool is_narrow_integer = requires { T::is_signed; };
template <class T>
constexpr bool is_complex = requires { typename T::value_type; };

// Width and sign follow from the element type; a signless iN also accepts values that fit into uiN.
template <class T>
Result<T> read_integer(TokenReader &tokens, ElementType type) {
  std::string_view digits = tokens.text();
  int bits = ir::bit_width(type);
  if (!tokens.is(TokenKind::Number) && !tokens.is_word("true") && !tokens.is_word("false")) {
    return tokens.error("expected an integer ({}), found {}", element_type_name(type), tokens.found());
  }
  bool is_negative = digits[0] == '-';
  std::uint64_t magnitude = 0;
  if (tokens.is(TokenKind::Number)) {
    std::string_view rest = digits.substr(is_negative ? 1 : 0);
    bool is_hexadecimal = rest.starts_with("0x");
    rest.remove_prefix(is_hexadecimal ? 2 : 0);
    auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), magnitude, is_hexadecimal ? 16 : 10);
    if (end != rest.data() + rest.size() || rest.empty()) {
      return tokens.error("expected an integer ({}), found {}", element_type_name(type), tokens.found());
    }
    std::uint64_t all_ones = ~std::uint64_t{0} >> (64 - bits);
    bool is_below = is_negative && (ir::is_unsigned(type) ? magnitude != 0 : magnitude > all_ones / 2 + 1);
    if (code != std::errc() || is_below || (!is_negative && magnitude > all_ones)) {
      return tokens.error("{} is out of the range of {}", digits, element_type_name(type));
    }
  } else {
    magnitude = digits == "true" ? 1 : 0;
  }
  tokens.advance();
  std::uint64_t value = is_negative ? 0 - magnitude : magnitude;
  if constexpr (is_narrow_integer<T>) {
    return T(static_cast<std::int64_t>(value));
  } else {
    return static_cast<T>(value);
  }
}

Result<bool> read_pred(TokenReader &tokens) {
  std::string_view word = tokens.text();
  if (tokens.is_word("true") || tokens.is_word("false")) {
    tokens.advance();
    return word == "true";
  }
  if (tokens.is(TokenKind::Number) && (word == "0" || word == "1" || word == "-1")) {
    tokens.advance();
    return word != "0";
  }
  return tokens.expected("true, false, 0 or 1");
}

// Converts through double, as MLIR does, or reads the bits in hexadecimal.
template <class T>
Result<T> read_float(TokenReader &tokens, ElementType type) {
  std::string_view digits = tokens.text();
  if (tokens.is(TokenKind::Number) && digits.starts_with("0x")) {
    std::uint64_t bits = 0;
    auto [end, code] = std::from_chars(digits.data() + 2, digits.data() + digits.size(), bits, 16);
    bool fits = code == std::errc() && (ir::bit_width(type) == 64 || bits >> ir::bit_width(type) == 0);
    if (end != digits.data() + digits.size() || !fits) {
      return tokens.error("expected the {} bits of an element ({}), found {}", ir::bit_width(type),
                          element_type_name(type), tokens.found());
    }
    tokens.advance();
    if constexpr (std::is_same_v<T, double>) {
      return std::bit_cast<double>(bits);
    } else if constexpr (std::is_same_v<T, float>) {
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    } else {
      return T::from_bits(static_cast<typename T::Bits>(bits));
    }
  }
  if (!tokens.is(TokenKind::Number)) {
    return tokens.error("expected a number ({}), found {}", element_type_name(type), tokens.found());
  }
  BP_ASSIGN(double value, tokens.read_real("a number"));
  return T(value);
}

template <class T>
Result<T> read_element(TokenReader &tokens, ElementType type) {
  if constexpr (std::is_same_v<T, bool>) {
    return read_pred(tokens);
  } else if constexpr (is_narrow_integer<T> || std::is_integral_v<T>) {
    return read_integer<T>(tokens, type);
  } else if constexpr (is_complex<T>) {
    using Part = typename T::value_type;
    ElementType part = ir::real_part_type(type);
    BP_TRY(tokens.expect('(', "before a complex number"));
    BP_ASSIGN(Part real, read_float<Part>(tokens, part));
    BP_TRY(tokens.expect(',', "between the parts of a complex number"));
    BP_ASSIGN(Part imaginary, read_float<Part>(tokens, part));
    BP_TRY(tokens.expect(')', "after a complex number"));
    return T(real, imaginary);
  } else {
    return read_float<T>(tokens, type);
  }
}

template <class T>
Status read_list(TokenReader &tokens, const Shape &shape, std::size_t dimension, std::span<T> out, std::size_t &next) {
  if (dimension == shape.rank()) {
    BP_ASSIGN(out[next], read_element<T>(tokens, shape.element_type()));
    ++next;
    return {};
  }
  std::size_t begin = tokens.token().begin;
  BP_TRY(tokens.expect('[', fmt::format("before dimension {} of {}", dimension, to_string(Type{shape}))));
  std::int64_t count = 0;
  auto item = [&]() -> Status {
    if (++count > shape.size(dimension)) {
      return tokens.error("more than {} elements in dimension {} of {}", shape.size(dimension), dimension,
                          to_string(Type{shape}));
    }
    return read_list(tokens, shape, dimension + 1, out, next);
  };
  BP_TRY(tokens.read_list(']', "a literal", item));
  if (count != shape.size(dimension)) {
    return tokens.error_at(begin, "{} elements in dimension {} of {}, expected {}", count, dimension,
                           to_string(Type{shape}), shape.size(dimension));
  }
  return {};
}

int hexadecimal_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  int lower = c | 0x20;
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Narrow integers are stored sign-extended.
void extend_signs(Literal &literal) {
  ir::visit_element_type(literal.shape().element_type(), [&]<class T>() {
    if constexpr (is_narrow_integer<T>) {
      for (T &element : literal.mutable_elements<T>()) {
        element = T(static_cast<std::int64_t>(element.value));
      }
    } else if constexpr (std::is_same_v<T, bool>) {
      for (std::byte &element : literal.mutable_bytes()) {
        element = element == std::byte{0} ? element : std::byte{1};
      }
    }
  });
}

}  // namespace

// The type comes after the values, which depend on it: the brackets are skipped first.
Result<Elements> SyntaxReader::read_dense() {
  std::size_t begin = tokens_.token().begin;
  tokens_.advance();
  BP_TRY(tokens_.expect('<', "after 'dense'"));
  std::size_t inside = tokens_.token().begin;
  std::size_t end = tokens_.is(TokenKind::String) ? tokens_.token().end : tokens_.source().find('>', inside);
  if (end == std::string_view::npos) {
    return tokens_.error_at(begin, "a literal is not closed: expected '>' before the end of the text");
  }
  tokens_.go_to(end);
  BP_TRY(tokens_.expect('>', "after a literal"));
  BP_TRY(tokens_.expect(':', "before the type of a literal"));
  BP_ASSIGN(Type type, read_type());
  if (!type.shape.is_array() || !type.shape.is_static()) {
    return tokens_.error_at(begin, "a literal of type {}, expected a tensor of known sizes", to_string(type));
  }
  std::size_t after = tokens_.token().begin;
  tokens_.go_to(inside);
  BP_ASSIGN(Literal literal, read_elements(type.shape));
  if (tokens_.token().begin < end) {
    return tokens_.expected("'>' after a literal");
  }
  tokens_.go_to(after);
  return Elements{std::move(type), std::move(literal)};
}

Result<Literal> SyntaxReader::read_elements(const Shape &shape) {
  if (tokens_.is(TokenKind::String)) {
    return read_hexadecimal(shape);
  }
  if (tokens_.is('>')) {
    if (shape.element_count() != 0) {
      return tokens_.error("no values for the {} elements of {}", shape.element_count(), to_string(Type{shape}));
    }
    return Literal::zeros(shape);
  }
  bool is_splat = !tokens_.is('[');
  Shape held = is_splat ? Shape::scalar(shape.element_type()) : shape;
  // Each element takes at least one character: a literal larger than the remaining text is not allocated.
  auto left = static_cast<std::int64_t>(tokens_.source().size() - tokens_.token().begin);
  if (held.element_count() > left) {
    return tokens_.error("the text ends before the {} elements of {}", held.element_count(), to_string(Type{shape}));
  }
  BP_ASSIGN(Literal literal, Literal::zeros(held));
  BP_TRY(ir::visit_element_type(shape.element_type(), [&]<class T>() -> Status {
    std::size_t next = 0;
    return read_list<T>(tokens_, held, 0, literal.mutable_elements<T>(), next);
  }));
  return literal;
}

Result<Literal> SyntaxReader::read_hexadecimal(const Shape &shape) {
  std::string_view digits = tokens_.text();
  if (!digits.starts_with("0x") || digits.size() % 2 != 0) {
    return tokens_.expected("a string of whole bytes in hexadecimal that begins with 0x");
  }
  digits.remove_prefix(2);
  auto found = static_cast<std::int64_t>(digits.size() / 2);
  auto width = static_cast<std::int64_t>(ir::byte_width(shape.element_type()));
  std::int64_t count = shape.element_count();
  bool is_bits = shape.element_type() == ElementType::Pred && found != count && found == count / 8 + (count % 8 != 0);
  bool is_splat = !is_bits && found == width && count != 1;
  if (!is_bits && !is_splat && (count > found || count * width != found)) {
    return tokens_.error("{} bytes for the {} elements of {}, expected {} each", found, count, to_string(Type{shape}),
                         width);
  }
  auto byte = [&](std::size_t i) {
    return hexadecimal_value(digits[2 * i]) * 16 + hexadecimal_value(digits[2 * i + 1]);
  };
  BP_ASSIGN(Literal literal, Literal::zeros(is_splat ? Shape::scalar(shape.element_type()) : shape));
  auto bytes = literal.mutable_bytes();
  if (std::size_t bad = digits.find_first_not_of("0123456789abcdefABCDEF"); bad != std::string_view::npos) {
    return tokens_.error("'{}' in a string of hexadecimal digits", digits.substr(bad, 1));
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(is_bits ? (byte(i / 8) >> (i % 8)) & 1 : byte(i));
  }
  extend_signs(literal);
  tokens_.advance();
  return literal;
}

}  // namespace bp::import::stablehlo
