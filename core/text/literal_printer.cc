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
  // NaN: prints sign and payload if the format has them.
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

// Appends the elements within the run-time sizes; `row` is the row's index in the array of the bounds.
template <class T>
void append_elements(std::string &out, const ir::Literal &literal, std::size_t dimension, std::int64_t row,
                     std::span<const T> elements) {
  const Shape &shape = literal.shape();
  if (dimension == shape.rank()) {
    append(out, elements[static_cast<std::size_t>(row)]);
    return;
  }
  bool is_innermost = dimension + 1 == shape.rank();
  out += is_innermost ? "{" : "{ ";
  for (std::int64_t i = 0; i < literal.dynamic_size(dimension); ++i) {
    out += i == 0 ? "" : ", ";
    append_elements(out, literal, dimension + 1, row * shape.size(dimension) + i, elements);
  }
  out += is_innermost ? "}" : " }";
}

// Appends "size 3: " or "sizes 3x4: " if there are run-time sizes.
void append_sizes(std::string &out, const ir::Literal &literal) {
  if (literal.shape().is_static()) {
    return;
  }
  std::vector<std::int64_t> sizes;
  for (std::size_t d = 0; d < literal.shape().rank(); ++d) {
    sizes.push_back(literal.dynamic_size(d));
  }
  out += fmt::format("{} {}: ", sizes.size() == 1 ? "size" : "sizes", fmt::join(sizes, "x"));
}

}  // namespace

void append_literal(std::string &out, const ir::Literal &literal, std::int64_t max_elements,
                    std::vector<ir::Literal> *elided, PrintSizes sizes) {
  const Shape &shape = literal.shape();
  if (shape.is_tuple()) {
    out += '(';
    for (std::size_t i = 0; i < literal.tuple_elements().size(); ++i) {
      out += i == 0 ? " " : ", ";
      append_literal(out, literal.tuple_elements()[i], max_elements, elided, sizes);
    }
    out += " )";
    return;
  }
  if (!shape.is_array()) {
    out += "token";
    return;
  }
  if (sizes == PrintSizes::Yes) {
    append_sizes(out, literal);
  }
  std::int64_t count = 1;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    count *= literal.dynamic_size(d);
  }
  if (shape.rank() != 0 && count > max_elements) {
    out += "{...}";
    if (elided != nullptr) {
      elided->push_back(literal);
    }
    return;
  }
  if (count == 0) {
    out += "{}";  // regardless of the number of empty rows
    return;
  }
  ir::visit_element_type(shape.element_type(),
                         [&]<class T>() { append_elements<T>(out, literal, 0, 0, literal.elements<T>()); });
}

}  // namespace bp::text
