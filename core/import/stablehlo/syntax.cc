#include "core/import/stablehlo/syntax.h"

#include <fmt/format.h>

#include <cctype>
#include <limits>

namespace bp::import::stablehlo {
namespace {

std::string shape_name(const Type &type) {
  const ir::Shape &shape = type.shape;
  if (shape.is_token()) {
    return "!stablehlo.token";
  }
  if (shape.is_tuple()) {
    std::string text;
    for (const ir::Shape &element : shape.elements()) {
      text += (text.empty() ? "" : ", ") + shape_name({element});
    }
    return fmt::format("tuple<{}>", text);
  }
  if (shape.element_type() == ir::ElementType::Buffer) {
    const std::string content = shape_name({shape.elements()[0]});
    return "memref" + content.substr(content.find('<'));
  }
  std::string text, bounds;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    bool is_bounded = shape.is_dynamic(i) && shape.size(i) != ir::unbounded;
    text += (shape.is_dynamic(i) ? "?" : fmt::format("{}", shape.size(i))) + "x";
    bounds += (i == 0 ? "" : ", ") + (is_bounded ? fmt::format("{}", shape.size(i)) : "?");
  }
  if (type.quantization != nullptr) {
    const std::int64_t dimension = type.quantization->dimension;
    text += fmt::format("!quant.uniform<{}:{}{}, ...>", element_type_name(shape.element_type()),
                        element_type_name(type.quantization->expressed),
                        dimension < 0 ? std::string() : fmt::format(":{}", dimension));
  } else {
    text += element_type_name(shape.element_type());
  }
  bool has_bounds = bounds.find_first_of("0123456789") != std::string::npos;
  return fmt::format("tensor<{}{}>", text, has_bounds ? fmt::format(", #stablehlo.bounds<{}>", bounds) : "");
}

}  // namespace

std::string element_type_name(ir::ElementType type) {
  std::string name(ir::to_string(type));
  switch (ir::info(type).type_class) {
    case ir::TypeClass::Pred: return "i1";
    case ir::TypeClass::Signed: return fmt::format("i{}", ir::bit_width(type));
    case ir::TypeClass::Unsigned: return fmt::format("ui{}", ir::bit_width(type));
    case ir::TypeClass::Complex: return fmt::format("complex<{}>", ir::to_string(ir::real_part_type(type)));
    case ir::TypeClass::Float:  // f8e4m3fn becomes f8E4M3FN; bf16 stays
      for (std::size_t i = 1; i < name.size() && name[0] == 'f'; ++i) {
        name[i] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[i])));
      }
      return name;
    case ir::TypeClass::Opaque: break;
  }
  return name;
}

bool Type::operator==(const Type &other) const {
  if (is_future != other.is_future || !ir::same(shape, other.shape, ir::CompareLayout::No)) {
    return false;
  }
  if (quantization == nullptr || other.quantization == nullptr) {
    return quantization == other.quantization;
  }
  return *quantization == *other.quantization;
}

std::string to_string(const Type &type) {
  const std::string text = shape_name(type);
  if (!type.is_future) {
    return text;
  }
  return type.shape.is_tuple() ? "!stablehlo.future" + text.substr(text.find('<'))
                               : fmt::format("!stablehlo.future<{}>", text);
}

bool is_scale(ir::ElementType type, double scale) {
  return ir::visit_element_type(type, [&]<class T>() {
    if constexpr (requires { static_cast<double>(T(scale)); }) {
      const double rounded = static_cast<double>(T(scale));
      return rounded > 0 && rounded < std::numeric_limits<double>::infinity();
    } else {
      return false;
    }
  });
}

std::string scales_problem(const Type &type) {
  if (type.quantization == nullptr || type.quantization->dimension < 0) {
    return {};
  }
  const auto dimension = static_cast<std::size_t>(type.quantization->dimension);
  const auto scales = static_cast<std::int64_t>(type.quantization->scales.size());
  const bool is_known = dimension < type.shape.rank() && !type.shape.is_dynamic(dimension);
  if (dimension < type.shape.rank() && (!is_known || type.shape.size(dimension) == scales)) {
    return {};
  }
  return fmt::format("{} scales for dimension {} of {}", scales, dimension, to_string(type));
}

SourceLocation Program::location(std::size_t position) const {
  if (!origins.empty()) {
    const Location *origin = position < origins.size() ? origins[position].get() : nullptr;
    if (origin == nullptr) {
      return {file, 0, 0, {}};
    }
    return {origin->source_file.empty() ? file : origin->source_file,
            static_cast<std::uint32_t>(origin->source_line),
            static_cast<std::uint32_t>(origin->source_column),
            {}};
  }
  SourceLocation location = text::locate(text, position, file);
  location.line += first_line - 1;
  return location;
}

const Attribute *Operation::find(std::string_view attribute, std::string_view pretty_name) const {
  for (const NamedAttribute &entry : attributes) {
    if (entry.name == attribute || (!pretty_name.empty() && entry.name == pretty_name)) {
      entry.is_used = true;
      return &entry.value;
    }
  }
  return nullptr;
}

}  // namespace bp::import::stablehlo
