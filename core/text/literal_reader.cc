#include "core/text/literal_reader.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "core/text/float_format.h"
#include "core/text/shape_reader.h"

namespace bp::text {
namespace {

using ir::ElementType;
using ir::Literal;
using ir::Shape;

template <class T>
constexpr bool is_narrow_int = false;
template <int bits, bool is_signed>
constexpr bool is_narrow_int<ir::NarrowInt<bits, is_signed>> = true;
template <class T>
constexpr bool is_std_complex = false;
template <class T>
constexpr bool is_std_complex<std::complex<T>> = true;

// --- One value of each kind of type ---

// Wide: a type that holds every value from `low` to `high`.
template <class Wide>
Result<Wide> read_integer_value(TokenReader &reader, ElementType type, Wide low, Wide high) {
  if (!reader.is(TokenKind::Number)) {
    return reader.error("expected an integer ({}), found {}", ir::to_string(type), reader.found());
  }
  std::string_view digits = reader.text();
  Wide value{};
  auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  bool is_integer = digits.find_first_not_of("0123456789", digits[0] == '-' ? 1 : 0) == std::string_view::npos;
  if (!is_integer) {
    return reader.error("expected an integer ({}), found {}", ir::to_string(type), reader.found());
  }
  if (code != std::errc() || value < low || value > high) {
    return reader.error("{} is out of the range of {}", digits, ir::to_string(type));
  }
  reader.advance();
  return value;
}

template <class T>
Result<T> read_integer_value(TokenReader &reader, ElementType type) {
  using Wide = std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>;
  if constexpr (is_narrow_int<T>) {
    constexpr Wide low = T::is_signed ? -(Wide{1} << (T::bits - 1)) : 0;
    constexpr Wide high = (Wide{1} << (T::is_signed ? T::bits - 1 : T::bits)) - 1;
    BP_ASSIGN(const Wide value, read_integer_value<Wide>(reader, type, low, high));
    return T(value);
  } else {
    BP_ASSIGN(const Wide value,
              read_integer_value<Wide>(reader, type, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    return static_cast<T>(value);
  }
}

Result<bool> read_pred_value(TokenReader &reader) {
  if (reader.is(TokenKind::Number) && (reader.text() == "0" || reader.text() == "1")) {
    return reader.text(reader.take()) == "1";
  }
  if (reader.is_word("true") || reader.is_word("false")) {
    return reader.text(reader.take()) == "true";
  }
  return reader.expected("true, false, 0 or 1");
}

// Reads nan, -nan, nan(0x7f): the payload is the mantissa; without a payload, only the quiet bit is set.
template <class T>
Result<T> read_nan(TokenReader &reader, ElementType type) {
  using Bits = typename FloatTraits<T>::Bits;
  constexpr ir::FloatFormat format = FloatTraits<T>::format;
  std::size_t begin = reader.token().begin;
  bool negative = reader.text()[0] == '-';
  if (format.specials == ir::Specials::Finite) {
    return reader.error("{} has no NaN", ir::to_string(type));
  }
  reader.advance();
  std::uint64_t payload = quiet_payload(format);
  bool has_payload = reader.accept('(');
  if (has_payload) {
    std::string_view digits = reader.text();
    const char *end = digits.data() + digits.size();
    bool is_hex = reader.is(TokenKind::Number) && digits.size() > 2 && digits[0] == '0' && (digits[1] | 0x20) == 'x';
    auto parsed = is_hex ? std::from_chars(digits.data() + 2, end, payload, 16) : std::from_chars_result{};
    if (!is_hex || parsed.ptr != end) {
      return reader.expected("the hexadecimal payload of a NaN");
    }
    if (parsed.ec != std::errc() || payload == 0 || payload >> format.mantissa_bits != 0) {
      return reader.error("the payload {} does not fit into the NaN of {}", reader.text(), ir::to_string(type));
    }
    reader.advance();
    BP_TRY(reader.expect(')', "after the payload of a NaN"));
  }
  if constexpr (format.specials == ir::Specials::Ieee) {
    std::uint64_t exponent = ((std::uint64_t{1} << format.exponent_bits) - 1) << format.mantissa_bits;
    std::uint64_t sign = negative ? std::uint64_t{1} << (format.exponent_bits + format.mantissa_bits) : 0;
    return std::bit_cast<T>(static_cast<Bits>(sign | exponent | payload));
  } else {
    T value(std::numeric_limits<double>::quiet_NaN());
    if constexpr (format.specials == ir::Specials::FiniteNan) {
      value.bits = static_cast<Bits>(value.bits | (negative ? 1u << (format.width() - 1) : 0u));
    }
    if (has_payload || (negative && format.specials != ir::Specials::FiniteNan)) {
      return reader.error_at(begin, "{} has a single NaN, written nan", ir::to_string(type));
    }
    return value;
  }
}

// Converts in one step if from_chars can: rounding twice could give a neighbouring value.
template <class Wide>
bool parse_real(std::string_view digits, Wide &value) {
  const char *end = digits.data() + digits.size();
  auto [stop, code] = std::from_chars(digits.data(), end, value);
  if (code == std::errc::result_out_of_range) {
    std::string copy(digits);  // strtod distinguishes overflow from underflow
    if constexpr (std::is_same_v<Wide, float>) {
      value = std::strtof(copy.c_str(), nullptr);
    } else {
      value = std::strtod(copy.c_str(), nullptr);
    }
    return stop == end;
  }
  return code == std::errc() && stop == end;
}

template <class T>
Result<T> read_float_value(TokenReader &reader, ElementType type) {
  constexpr ir::FloatFormat format = FloatTraits<T>::format;
  std::string_view digits = reader.text();
  bool is_number = reader.is(TokenKind::Number);
  if ((is_number || reader.is(TokenKind::Identifier)) && (digits == "nan" || digits == "-nan")) {
    return read_nan<T>(reader, type);
  }
  bool is_infinity = (is_number && digits == "-inf") || (!is_number && reader.is_word("inf"));
  if (is_infinity) {
    if (format.specials != ir::Specials::Ieee) {
      return reader.error("{} has no infinity", ir::to_string(type));
    }
    double infinity = std::numeric_limits<double>::infinity();
    reader.advance();
    return T(digits[0] == '-' ? -infinity : infinity);
  }
  using Wide = std::conditional_t<std::is_same_v<T, float>, float, double>;
  Wide wide = 0;
  if (!is_number || !parse_real(digits, wide)) {
    return reader.error("expected a number ({}), found {}", ir::to_string(type), reader.found());
  }
  T value(wide);
  double stored = static_cast<double>(value);
  bool in_range = std::isfinite(stored);
  if constexpr (format.specials == ir::Specials::Finite) {
    double largest = static_cast<double>(T(std::numeric_limits<double>::max()));
    in_range = std::abs(static_cast<double>(wide)) <= largest;
  } else if constexpr (format.specials == ir::Specials::Scale) {
    in_range = in_range && wide > 0;
  }
  if (!in_range) {
    return reader.error("{} is out of the range of {}", digits, ir::to_string(type));
  }
  reader.advance();
  return value;
}

template <class T>
Result<T> read_value(TokenReader &reader, ElementType type) {
  if constexpr (std::is_same_v<T, bool>) {
    return read_pred_value(reader);
  } else if constexpr (is_narrow_int<T> || std::is_integral_v<T>) {
    return read_integer_value<T>(reader, type);
  } else if constexpr (is_std_complex<T>) {
    using Part = typename T::value_type;
    ElementType part_type = ir::real_part_type(type);
    BP_TRY(reader.expect('(', "before a complex number"));
    BP_ASSIGN(Part real, read_float_value<Part>(reader, part_type));
    BP_TRY(reader.expect(',', "between the parts of a complex number"));
    BP_ASSIGN(Part imaginary, read_float_value<Part>(reader, part_type));
    BP_TRY(reader.expect(')', "after a complex number"));
    return T(real, imaginary);
  } else {
    return read_float_value<T>(reader, type);
  }
}

// Reads one value and stores it. Arrays are read by way of this pointer, so that code for each type is made only for
// values.
using ReadElement = Status (*)(TokenReader &reader, ElementType type, std::byte *element);

template <class T>
Status read_element(TokenReader &reader, ElementType type, std::byte *element) {
  BP_ASSIGN(const T value, read_value<T>(reader, type));
  std::memcpy(element, &value, sizeof value);
  return {};
}

ReadElement element_reader(ElementType type) {
  return ir::visit_element_type(type, []<class T>() -> ReadElement { return read_element<T>; });
}

// --- Arrays ---

constexpr std::int64_t open_size = -1;  // of a dimension of which nothing was read yet

// The address and the type of the next element of an array, and the sizes within its bounds.
struct ArraySink {
  std::byte *next;
  ReadElement read;
  std::vector<std::int64_t> sizes;       // by dimension
  std::vector<std::size_t> stride = {};  // by dimension, and of an element: bytes

  ArraySink(Literal &literal, std::vector<std::int64_t> of_dimensions)
      : next(literal.mutable_bytes().data()),
        read(element_reader(literal.shape().element_type())),
        sizes(std::move(of_dimensions)) {
    const Shape &shape = literal.shape();
    stride.assign(shape.rank() + 1, static_cast<std::size_t>(ir::byte_width(shape.element_type())));
    for (std::size_t d = shape.rank(); d-- > 0;) {
      stride[d] = stride[d + 1] * static_cast<std::size_t>(shape.size(d));
    }
  }
};

Status read_elements(TokenReader &reader, const Shape &shape, std::size_t dimension, ArraySink &sink) {
  if (dimension == shape.rank()) {
    BP_TRY(sink.read(reader, shape.element_type(), sink.next));
    sink.next += sink.stride[dimension];
    return {};
  }
  std::byte *const first = sink.next;
  std::size_t begin = reader.token().begin;
  BP_TRY(reader.expect('{', fmt::format("before dimension {} of the literal of {}", dimension, to_string(shape))));
  std::int64_t count = 0;
  auto item = [&]() -> Status {
    const std::int64_t most = sink.sizes[dimension] == open_size ? shape.size(dimension) : sink.sizes[dimension];
    if (++count > most) {
      return reader.error("more than {} elements in dimension {} of the literal of {}", most, dimension,
                          to_string(shape));
    }
    return read_elements(reader, shape, dimension + 1, sink);
  };
  BP_TRY(reader.read_list('}', "a literal", item));
  const bool is_empty = std::ranges::find(sink.sizes, 0) != sink.sizes.end();
  std::int64_t &size = sink.sizes[dimension];
  size = size == open_size ? count : size;
  if (count != size && !(count == 0 && is_empty)) {
    return reader.error_at(begin, "{} elements in dimension {} of the literal of {}, expected {}", count, dimension,
                           to_string(shape), size);
  }
  sink.next = first + sink.stride[dimension];
  return {};
}

// Reads "size 3:" or "sizes 3x4:" before a literal, if it is there. Returns the size of each dimension.
Result<std::vector<std::int64_t>> read_run_time_sizes(TokenReader &reader, const Shape &shape) {
  std::vector<std::int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    sizes[d] = shape.is_dynamic(d) ? open_size : sizes[d];
  }
  if (!reader.is(TokenKind::Identifier) || (reader.text() != "size" && reader.text() != "sizes")) {
    return sizes;
  }
  reader.advance();
  const auto expected = [&] {
    return reader.error("expected sizes within {}, such as {}:, found {}", to_string(shape),
                        fmt::join(shape.sizes(), "x"), reader.found());
  };
  std::string_view left = reader.text();
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    std::int64_t size = 0;
    const auto [stop, code] = std::from_chars(left.data(), left.data() + left.size(), size);
    left.remove_prefix(static_cast<std::size_t>(stop - left.data()));
    const bool is_separated = d + 1 == sizes.size() ? left.empty() : left.starts_with('x');
    const bool is_within = shape.is_dynamic(d) ? size >= 0 && size <= shape.size(d) : size == shape.size(d);
    if (code != std::errc() || !is_separated || !is_within) {
      return expected();
    }
    sizes[d] = size;
    left.remove_prefix(left.empty() ? 0 : 1);
  }
  if (sizes.empty()) {
    return expected();
  }
  reader.advance();
  BP_TRY(reader.expect(':', "after the sizes of a literal"));
  return sizes;
}

void set_run_time_sizes(Literal &literal, std::span<const std::int64_t> sizes) {
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] != open_size && sizes[d] != literal.shape().size(d)) {
      literal.set_dynamic_size(d, sizes[d]);
    }
  }
}

// Fills with small numbers, so that computations on them stay finite and indices stay near 0.
template <class T>
void fill(std::span<T> out, std::uint64_t seed) {
  std::uint64_t state = seed;
  for (T &element : out) {
    state += 0x9e3779b97f4a7c15;  // splitmix64
    std::uint64_t bits = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    bits ^= bits >> 31;
    double real = static_cast<double>(bits >> 40) * 0x1p-24;
    if constexpr (std::is_same_v<T, bool>) {
      element = (bits & 1) != 0;
    } else if constexpr (is_narrow_int<T> || std::is_integral_v<T>) {
      element = T(static_cast<std::int64_t>(bits & 7));
    } else {
      element = T(static_cast<float>(real));
    }
  }
}

bool is_elided(const TokenReader &reader) {
  return reader.is('{') && reader.following().kind == TokenKind::Ellipsis;
}

void warn(TokenReader &reader, std::size_t begin, LiteralContext &context, std::string_view warning) {
  if (context.warnings != nullptr) {
    LineColumn start = reader.line_column(begin);
    context.warnings->push_back(fmt::format("{}:{}:{}: {}", reader.file(), start.line, start.column, warning));
  }
}

// Returns zeros for elements that the text does not contain; their total size per text is limited.
Result<Literal> zeros_beyond_text(TokenReader &reader, std::size_t begin, const Shape &shape, std::string_view kind,
                                  LiteralContext &context) {
  std::int64_t bytes = shape.element_count() > context.elided_bytes_left
                           ? std::numeric_limits<std::int64_t>::max()
                           : shape.element_count() * ir::byte_width(shape.element_type());
  if (bytes > context.elided_bytes_left) {
    return reader.error_at(begin, "{} literal of shape {} is larger than the {} bytes left for elided literals", kind,
                           to_string(shape), context.elided_bytes_left);
  }
  context.elided_bytes_left -= bytes;
  return Literal::zeros(shape);
}

// Returns the next of the values that the caller has for elided literals.
Result<Literal> take_elided(TokenReader &reader, std::size_t begin, const Shape &shape, LiteralContext &context) {
  if (context.next_elided == context.elided->size()) {
    return reader.error_at(begin, "an elided literal of shape {}, but only {} values were given", to_string(shape),
                           context.elided->size());
  }
  const Literal &literal = (*context.elided)[context.next_elided++];
  if (!same(literal.shape(), shape, ir::CompareLayout::No)) {
    return reader.error_at(begin, "the value of an elided literal has shape {}, expected {}",
                           to_string(literal.shape()), to_string(shape));
  }
  return literal;
}

Result<Literal> read_elided(TokenReader &reader, const Shape &shape, LiteralContext &context) {
  std::size_t begin = reader.token().begin;
  reader.advance();
  reader.advance();
  BP_TRY(reader.expect('}', "after '...' of an elided literal"));
  if (context.elided != nullptr) {
    return take_elided(reader, begin, shape, context);
  }
  BP_ASSIGN(Literal literal, zeros_beyond_text(reader, begin, shape, "an elided", context));
  ir::visit_element_type(shape.element_type(), [&]<class T>() { fill(literal.mutable_elements<T>(), context.seed); });
  ++context.seed;
  warn(reader, begin, context,
       fmt::format("the literal of {} is elided: it is filled from seed {}", to_string(shape), context.seed - 1));
  return literal;
}

Result<Literal> read_first_element(TokenReader &reader, const Shape &shape, LiteralContext &context) {
  std::size_t begin = reader.token().begin;
  if (shape.element_count() == 0) {
    return reader.error("a value for {}, which has no elements, expected '{{'", to_string(shape));
  }
  BP_ASSIGN(Literal literal, zeros_beyond_text(reader, begin, shape, "a", context));
  BP_TRY(element_reader(shape.element_type())(reader, shape.element_type(), literal.mutable_bytes().data()));
  if (std::ranges::any_of(literal.bytes(), [](std::byte byte) { return byte != std::byte(0); })) {
    warn(reader, begin, context,
         fmt::format("a single value for {} is its first element, as in XLA: the others are zero", to_string(shape)));
  }
  return literal;
}

Result<Literal> read_array(TokenReader &reader, const Shape &shape, LiteralContext &context) {
  if (!shape.is_static()) {
    for (std::size_t i = 0; i < shape.rank(); ++i) {
      if (shape.size(i) == ir::unbounded) {
        return reader.error("a literal of shape {}, whose dimension {} has no bound", to_string(shape), i);
      }
    }
  }
  std::vector<std::int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
  if (context.has_run_time_sizes) {
    BP_ASSIGN(sizes, read_run_time_sizes(reader, shape));
  }
  if (is_elided(reader)) {
    BP_ASSIGN(Literal literal, read_elided(reader, shape, context));
    set_run_time_sizes(literal, sizes);
    return literal;
  }
  if (context.has_run_time_sizes && !shape.is_static()) {
    BP_ASSIGN(Literal literal, zeros_beyond_text(reader, reader.token().begin, shape, "a", context));
    ArraySink sink(literal, std::move(sizes));
    BP_TRY(read_elements(reader, shape, 0, sink));
    set_run_time_sizes(literal, sink.sizes);
    return literal;
  }
  // Each element takes at least one byte of text: an array that is larger than the remaining text is not allocated,
  // unless it is small.
  constexpr std::size_t small = 1024;
  std::size_t left = reader.source().size() - reader.token().begin;
  if (shape.element_count() > static_cast<std::int64_t>(std::max(left, small))) {
    return reader.error("the text ends before the {} elements of a literal of shape {}", shape.element_count(),
                        to_string(shape));
  }
  BP_ASSIGN(Literal literal, Literal::zeros(shape));
  ArraySink sink(literal, std::move(sizes));
  BP_TRY(read_elements(reader, shape, 0, sink));
  return literal;
}

}  // namespace

Result<Literal> read_literal(TokenReader &reader, const Shape &shape, LiteralContext &context) {
  TokenReader::Nesting nesting(reader);
  BP_TRY(nesting.check());
  // An element of a tuple may repeat its shape.
  if (reader.is(TokenKind::Identifier) && is_shape_ahead(reader)) {
    std::size_t begin = reader.token().begin;
    BP_ASSIGN(Shape written, read_shape(reader));
    if (!same(written, shape, ir::CompareLayout::No)) {
      return reader.error_at(begin, "a literal of shape {} where {} is expected", to_string(written), to_string(shape));
    }
  }
  if (shape.is_array()) {
    return read_array(reader, shape, context);
  }
  if (shape.is_token()) {
    reader.accept_word("token");
    return Literal::token();
  }
  if (!shape.is_tuple()) {
    return reader.error("a literal cannot have the shape {}", to_string(shape));
  }
  std::size_t begin = reader.token().begin;
  BP_TRY(reader.expect('(', "before the literal of a tuple"));
  std::vector<Literal> elements;
  BP_TRY(reader.read_list(')', "the literal of a tuple", [&]() -> Status {
    if (elements.size() == shape.elements().size()) {
      return reader.error("more than {} elements in the literal of {}", elements.size(), to_string(shape));
    }
    BP_ASSIGN(Literal element, read_literal(reader, shape.elements()[elements.size()], context));
    elements.push_back(std::move(element));
    return {};
  }));
  if (elements.size() != shape.elements().size()) {
    return reader.error_at(begin, "{} elements in the literal of {}, expected {}", elements.size(), to_string(shape),
                           shape.elements().size());
  }
  return Literal::tuple(std::move(elements));
}

Result<Literal> read_constant(TokenReader &reader, const Shape &shape, LiteralContext &context) {
  const bool is_single = reader.is(TokenKind::Number) || (reader.is('(') && ir::is_complex(shape.element_type())) ||
                         (reader.is(TokenKind::Identifier) && !is_shape_ahead(reader));
  return shape.is_array() && shape.rank() != 0 && is_single ? read_first_element(reader, shape, context)
                                                            : read_literal(reader, shape, context);
}

}  // namespace bp::text
