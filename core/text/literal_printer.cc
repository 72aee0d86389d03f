#include "core/text/literal_printer.h"

#include <charconv>

#include "core/text/float_format.h"

namespace bp::text {
namespace {

using ir::Shape;

void append(std::string &out, std::int64_t value) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}
void append(std::string &out, std::uint64_t value) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}
void append(std::string &out, bool value) {
  out += value ? "true" : "false";
}
template <int bits, bool is_signed>
void append(std::string &out, ir::NarrowInt<bits, is_signed> value) {
  append(out, static_cast<std::int64_t>(value));
}
template <class T>
  requires std::is_integral_v<T>
void append(std::string &out, T value) {
  append(out, static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(value));
}

template <class T>
void append_float(std::string &out, T value) {
  constexpr ir::FloatFormat format = FloatTraits<T>::format;
  auto wide = static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(value);
  if (!std::isnan(wide)) {
    char digits[48];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, wide).ptr);
    return;
  }
  // NaN: sign and payload where the format has them.
  std::uint64_t bits = std::bit_cast<typename FloatTraits<T>::Bits>(value);
  bool has_sign = format.specials == ir::Specials::Ieee || format.specials == ir::Specials::FiniteNan;
  out += has_sign && (bits >> (format.width() - 1)) != 0 ? "-nan" : "nan";
  std::uint64_t payload = bits & ((std::uint64_t{1} << format.mantissa_bits) - 1);
  if (format.specials == ir::Specials::Ieee && payload != quiet_payload(format)) {
    out += fmt::format("(0x{:x})", payload);
  }
}
void append(std::string &out, float value) {
  append_float(out, value);
}
void append(std::string &out, double value) {
  append_float(out, value);
}
template <ir::FloatFormat format>
void append(std::string &out, ir::NarrowFloat<format> value) {
  append_float(out, value);
}
template <class T>
void append(std::string &out, std::complex<T> value) {
  out += '(';
  append(out, value.real());
  out += ", ";
  append(out, value.imag());
  out += ')';
}

template <class T>
void append_elements(std::string &out, const Shape &shape, std::size_t dimension, std::span<const T> elements,
                     std::size_t &next) {
  if (dimension == shape.rank()) {
    append(out, elements[next++]);
    return;
  }
  bool is_innermost = dimension + 1 == shape.rank();
  out += is_innermost ? "{" : "{ ";
  for (std::int64_t i = 0; i < shape.size(dimension); ++i) {
    out += i == 0 ? "" : ", ";
    append_elements(out, shape, dimension + 1, elements, next);
  }
  out += is_innermost ? "}" : " }";
}

}  // namespace

void append_literal(std::string &out, const ir::Literal &literal, const PrintOptions &options) {
  const Shape &shape = literal.shape();
  if (shape.is_tuple()) {
    out += '(';
    for (std::size_t i = 0; i < literal.tuple_elements().size(); ++i) {
      out += i == 0 ? " " : ", ";
      append_literal(out, literal.tuple_elements()[i], options);
    }
    out += " )";
    return;
  }
  if (!shape.is_array()) {
    out += "token";
    return;
  }
  if (shape.rank() != 0 && shape.element_count() > options.max_literal_elements) {
    out += "{...}";
    return;
  }
  if (shape.element_count() == 0) {
    out += "{}";  // however many empty rows there are
    return;
  }
  ir::visit_element_type(shape.element_type(), [&]<class T>() {
    std::size_t next = 0;
    append_elements<T>(out, shape, 0, literal.elements<T>(), next);
  });
}

std::string print(const ir::Literal &literal, const PrintOptions &options) {
  std::string out;
  append_literal(out, literal, options);
  return out;
}

}  // namespace bp::text
