#include "core/import/stablehlo/mlir_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/text/lexer.h"

namespace bp::import::stablehlo {
namespace {

// Tensors of more elements are written as their bytes.
constexpr std::int64_t max_written = 64;

// A real number has a point: 1.0, 1.0e-05. Returns an empty text for numbers that have no digits.
std::string digits(double value, bool is_f32) {
  if (!std::isfinite(value)) {
    return {};
  }
  std::string text = is_f32 ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  if (text.find('.') == std::string::npos) {
    text.insert(std::min(text.find('e'), text.size()), ".0");
  }
  return text;
}

// The bits of an element, as 0x7FC00000.
template <class T>
std::string bits_of(const T &element) {
  std::string text = "0x";
  const std::span<const std::byte> bytes = std::as_bytes(std::span(&element, 1));
  for (std::size_t i = bytes.size(); i-- > 0;) {
    text += fmt::format("{:02X}", static_cast<unsigned>(bytes[i]));
  }
  return text;
}

template <class T>
std::string element_text(const T &element) {
  if constexpr (std::is_same_v<T, bool>) {
    return element ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return fmt::format("{}", element);
  } else if constexpr (requires { T::is_signed; }) {
    return fmt::format("{}", static_cast<std::int64_t>(element));
  } else if constexpr (requires { typename T::value_type; }) {
    return fmt::format("({}, {})", element_text(element.real()), element_text(element.imag()));
  } else {
    const std::string text = digits(static_cast<double>(element), std::is_same_v<T, float>);
    return text.empty() ? bits_of(element) : text;
  }
}

template <class T>
std::string nested(std::span<const T> elements, std::span<const std::int64_t> sizes) {
  if (sizes.empty()) {
    return element_text(elements[0]);
  }
  const auto count = static_cast<std::size_t>(sizes[0]);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t part = elements.size() / count;
    text += (i == 0 ? "" : ", ") + nested(elements.subspan(i * part, part), sizes.subspan(1));
  }
  return "[" + text + "]";
}

// Whether all elements, of which there is at least one, have the same bits.
bool are_equal(const ir::Literal &literal) {
  const std::span<const std::byte> bytes = literal.bytes();
  const auto width = static_cast<std::size_t>(ir::byte_width(literal.shape().element_type()));
  return std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(width), bytes.end(), bytes.begin());
}

std::string values_text(const ir::Literal &literal) {
  const ir::Shape &shape = literal.shape();
  if (shape.element_count() == 0) {
    return {};
  }
  if (are_equal(literal)) {
    return ir::visit_element_type(shape.element_type(),
                                  [&]<class T>() { return element_text(literal.elements<T>()[0]); });
  }
  const bool are_bytes = ir::bit_width(shape.element_type()) >= 8;
  if (shape.element_count() > max_written && are_bytes) {
    std::string bytes;
    for (const std::byte byte : literal.bytes()) {
      fmt::format_to(std::back_inserter(bytes), "{:02X}", static_cast<unsigned>(byte));
    }
    return fmt::format("\"0x{}\"", bytes);
  }
  return ir::visit_element_type(shape.element_type(), [&]<class T>() {
    return nested(literal.elements<T>(), std::span(shape.sizes().data(), shape.rank()));
  });
}

std::string quantized_name(const Type &type) {
  const Quantization &quantization = *type.quantization;
  std::string scales;
  for (std::size_t i = 0; i < quantization.scales.size(); ++i) {
    scales +=
        fmt::format("{}{}:{}", i == 0 ? "" : ", ", digits(quantization.scales[i], false), quantization.zero_points[i]);
  }
  const std::string storage = element_type_name(type.shape.element_type());
  const bool is_per_axis = quantization.dimension >= 0;
  return fmt::format("!quant.uniform<{}<{}:{}>:{}{}, {}>", storage.starts_with("ui") ? storage.substr(1) : storage,
                     quantization.storage_min, quantization.storage_max, element_type_name(quantization.expressed),
                     is_per_axis ? fmt::format(":{}", quantization.dimension) : std::string(),
                     is_per_axis ? fmt::format("{{{}}}", scales) : scales);
}

std::string list_of_types(std::span<const Type> types) {
  std::string text;
  for (const Type &type : types) {
    text += (text.empty() ? "" : ", ") + mlir_text(type);
  }
  return text;
}

bool is_bare(std::string_view name) {
  return !name.empty() && (std::isalpha(static_cast<unsigned char>(name[0])) != 0 || name[0] == '_') &&
         std::ranges::all_of(name,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '$'; });
}

struct Writer {
  ir::ElementType type;  // of the number, or of the list's numbers

  std::string number_type(std::string_view if_unknown) const {
    return type == ir::ElementType::Invalid ? std::string(if_unknown) : element_type_name(type);
  }

  std::string operator()(std::monostate) const { return "unit"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{} : {}", value, number_type("i64")); }
  std::string operator()(double value) const {
    const std::string text = digits(value, type == ir::ElementType::F32);
    const std::string bits = type == ir::ElementType::F32 ? bits_of(static_cast<float>(value)) : bits_of(value);
    return fmt::format("{} : {}", text.empty() ? bits : text, number_type("f64"));
  }
  std::string operator()(const std::string &value) const { return mlir_string(value); }
  std::string operator()(const Keyword &value) const {
    return value.enumeration.empty() ? std::string(value.text)
                                     : fmt::format("#stablehlo<{} {}>", value.enumeration, value.text);
  }
  std::string operator()(const Symbol &value) const { return mlir_symbol(value.name); }
  std::string operator()(const Type &value) const { return mlir_text(value); }
  std::string operator()(const OpaqueText &value) const { return value.text; }
  std::string operator()(const FunctionType &value) const { return mlir_text(value); }
  std::string operator()(const Elements &value) const { return mlir_text(value); }
  std::string operator()(const std::vector<Attribute> &list) const {
    std::string text;
    for (const Attribute &item : list) {
      const std::string written = mlir_text(item);
      const bool is_number = type != ir::ElementType::Invalid;
      text += (text.empty() ? "" : ", ") + (is_number ? written.substr(0, written.find(" : ")) : written);
    }
    if (type == ir::ElementType::Invalid) {
      return "[" + text + "]";
    }
    return fmt::format("array<{}{}{}>", element_type_name(type), text.empty() ? "" : ": ", text);
  }
  std::string operator()(const Dictionary &dictionary) const {
    std::string text;
    std::vector<NamedAttribute> entries = dictionary.entries;
    std::ranges::sort(entries, {}, &NamedAttribute::name);
    for (const NamedAttribute &entry : entries) {
      const bool is_unit = entry.value.get<std::monostate>() != nullptr;
      text += fmt::format("{}{}{}", text.empty() ? "" : ", ", mlir_name(entry.name),
                          is_unit ? std::string() : " = " + mlir_text(entry.value));
    }
    return "{" + text + "}";
  }
};

}  // namespace

std::string mlir_text(const Type &type) {
  const std::string text = to_string(type);
  if (type.quantization == nullptr) {
    return text;
  }
  const std::size_t begin = text.find("!quant"), end = text.find('>', begin);
  return text.substr(0, begin) + quantized_name(type) + text.substr(end + 1);
}

std::string mlir_text(const FunctionType &type) {
  const bool is_bare_result = type.results.size() == 1;
  const std::string results = list_of_types(type.results);
  return fmt::format("({}) -> {}", list_of_types(type.operands), is_bare_result ? results : "(" + results + ")");
}

std::string mlir_text(const Elements &elements, std::string_view element) {
  std::string type = to_string(elements.type);
  if (!element.empty()) {
    const std::size_t begin = type.find_last_of("<x") + 1;
    type = type.substr(0, begin) + std::string(element) + ">";
  }
  return fmt::format("dense<{}> : {}", values_text(elements.literal), type);
}

std::string mlir_text(const Attribute &attribute) {
  return std::visit(Writer{attribute.type}, attribute.value);
}

std::string mlir_symbol(std::string_view name) {
  return "@" + mlir_name(name);
}

std::string mlir_name(std::string_view name) {
  return is_bare(name) ? std::string(name) : mlir_string(name);
}

std::string mlir_string(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || byte < 0x20 || byte >= 0x7f) {
      fmt::format_to(std::back_inserter(escaped), "\\{:02X}", byte);
    } else {
      escaped += c;
    }
  }
  return "\"" + escaped + "\"";
}

}  // namespace bp::import::stablehlo
