#include "core/import/stablehlo/bytecode/types.h"

#include <algorithm>
#include <bit>
#include <map>

#include "core/import/stablehlo/bytecode/code_tables.h"

namespace bp::import::stablehlo::bytecode {
namespace {

using ir::ElementType;

// Returns Invalid if there is no such integer. Integers without a sign are signed, i1 is pred.
ElementType integer_type(std::uint64_t width, bool is_unsigned) {
  if (width == 1) {
    return ElementType::Pred;
  }
  for (const ir::ElementTypeInfo &row : ir::element_types()) {
    const bool is_same_sign = row.type_class == (is_unsigned ? ir::TypeClass::Unsigned : ir::TypeClass::Signed);
    if (is_same_sign && ir::bit_width(row.type) == static_cast<int>(width)) {
      return row.type;
    }
  }
  return ElementType::Invalid;
}

// Returns what is wrong with a quantized type; empty if nothing is.
std::string problem_of(ElementType storage, const Quantization &type) {
  if (!ir::is_integer(storage) || ir::bit_width(storage) > 32 || !ir::is_floating(type.expressed)) {
    return fmt::format("{} that express {}, expected integers of at most 32 bits that express floats",
                       element_type_name(storage), element_type_name(type.expressed));
  }
  const std::int64_t min = ir::is_signed(storage) ? -(std::int64_t{1} << (ir::bit_width(storage) - 1)) : 0;
  const std::int64_t max = min + (std::int64_t{1} << ir::bit_width(storage)) - 1;
  if (type.storage_min < min || type.storage_max > max || type.storage_min >= type.storage_max) {
    return fmt::format("the stored values {} to {}, expected a range in {} to {}", type.storage_min, type.storage_max,
                       min, max);
  }
  if (type.scales.size() != type.zero_points.size()) {
    return fmt::format("{} scales and {} zero points", type.scales.size(), type.zero_points.size());
  }
  for (std::size_t i = 0; i < type.scales.size(); ++i) {
    if (!is_scale(type.expressed, type.scales[i])) {
      return fmt::format("the scale {}, expected a positive {}", type.scales[i], element_type_name(type.expressed));
    }
    if (type.zero_points[i] < type.storage_min || type.zero_points[i] > type.storage_max) {
      return fmt::format("the zero point {}, expected {} to {} as what is stored", type.zero_points[i],
                         type.storage_min, type.storage_max);
    }
  }
  return {};
}

Type scalar(ElementType type) {
  return Type{ir::Shape::scalar(type)};
}

}  // namespace

Result<Type> TypeReader::read(std::uint32_t index) {
  if (!types_[index]) {
    BP_ASSIGN(Encoding::Item item, encoding_.type(index));
    BP_ASSIGN(Type type, item.dialect == "vhlo"      ? read_vhlo(item)
                         : item.dialect == "builtin" ? read_builtin(item)
                                                     : Result<Type>(encoding_.unknown(item, "type")));
    BP_TRY(item.reader.expect_end("a type"));
    types_[index] = std::move(type);
  }
  return *types_[index];
}

Result<FunctionType> TypeReader::read_function(std::uint32_t index) {
  BP_ASSIGN(Encoding::Item item, encoding_.type(index));
  const bool is_function = (item.dialect == "vhlo" && item.code == vhlo_type::Function) ||
                           (item.dialect == "builtin" && item.code == builtin_type::Function);
  if (!is_function) {
    return item.reader.error("type {} of dialect '{}', expected the type of a function", item.code, item.dialect);
  }
  FunctionType type;
  BP_ASSIGN(type.operands, read_list(item));
  BP_ASSIGN(type.results, read_list(item));
  BP_TRY(item.reader.expect_end("a type"));
  return type;
}

Result<std::string_view> TypeReader::read_word(std::uint32_t index) {
  BP_ASSIGN(Encoding::Item item, encoding_.type(index));
  if (item.dialect == "vhlo" && item.code == vhlo_type::Tf32) {
    return std::string_view("tf32");
  }
  if (item.dialect == "vhlo" && item.code == vhlo_type::None) {
    return std::string_view("none");
  }
  BP_ASSIGN(const Type type, read(index));
  static const auto words = [] {
    std::map<ElementType, std::string> table;
    for (const ir::ElementTypeInfo &row : ir::element_types()) {
      table.emplace(row.type, element_type_name(row.type));
    }
    return table;
  }();
  if (!type.shape.is_scalar()) {
    return item.reader.error("{}, expected an element type", to_string(type));
  }
  return std::string_view(words.at(type.shape.element_type()));
}

Result<Type> TypeReader::read_vhlo(Encoding::Item &item) {
  if (const auto row = std::ranges::find(element_codes, item.code, &ElementCode::code);
      row != std::end(element_codes)) {
    return scalar(row->type);
  }
  switch (item.code) {
    case vhlo_type::Index: return scalar(ElementType::S64);
    case vhlo_type::Complex: return read_complex(item);
    case vhlo_type::RankedTensor: return read_array(item, false);
    case vhlo_type::RankedBuffer: {
      BP_ASSIGN(Type content, read_array(item, false));
      return Type{ir::Shape::buffer(std::move(content.shape))};
    }
    case vhlo_type::RankedTensorWithEncoding: return read_array(item, true);
    case vhlo_type::Token: return Type{ir::Shape::token()};
    case vhlo_type::Tuple:
    case vhlo_type::Future: {
      BP_ASSIGN(Type type, read_tuple(item));
      type.is_future = item.code == vhlo_type::Future;
      if (type.is_future && type.shape.elements().size() == 1) {
        type.shape = ir::Shape(type.shape.elements()[0]);
      }
      return type;
    }
    case vhlo_type::UniformQuantized: return read_quantized(item, false);
    case vhlo_type::UniformQuantizedPerAxis: return read_quantized(item, true);
    case vhlo_type::None: return Type{ir::Shape::tuple({})};
    default: break;
  }
  return encoding_.unknown(item, "type");
}

Result<Type> TypeReader::read_builtin(Encoding::Item &item) {
  for (const BuiltinFloatCode &row : builtin_float_codes) {
    if (row.code == item.code) {
      return scalar(row.type);
    }
  }
  switch (item.code) {
    case builtin_type::Integer: {
      BP_ASSIGN(const std::uint64_t bits, item.reader.number());
      const ElementType type = integer_type(bits >> 2, (bits & 3) == 2);
      if (type == ElementType::Invalid) {
        return item.reader.error("integers of {} bits, expected 1, 2, 4, 8, 16, 32 or 64", bits >> 2);
      }
      return scalar(type);
    }
    case builtin_type::Index: return scalar(ElementType::S64);
    case builtin_type::Complex: return read_complex(item);
    case builtin_type::None: return Type{ir::Shape::tuple({})};
    case builtin_type::RankedTensor: return read_array(item, false);
    case builtin_type::RankedTensorWithEncoding: return read_array(item, true);
    case builtin_type::Tuple: return read_tuple(item);
    default: break;
  }
  return encoding_.unknown(item, "type");
}

Result<Type> TypeReader::read_array(Encoding::Item &item, bool has_encoding_first) {
  std::optional<std::uint32_t> bounds;
  if (has_encoding_first) {
    BP_ASSIGN(bounds, encoding_.attribute_index(item.reader));
  }
  BP_ASSIGN(const std::vector<std::int64_t> sizes, Encoding::read_numbers(item.reader));
  if (sizes.size() > ir::max_rank) {
    return item.reader.error("a tensor of {} dimensions, expected at most {}", sizes.size(), ir::max_rank);
  }
  for (const std::int64_t size : sizes) {
    if (size < 0 && size != ir::unbounded) {
      return item.reader.error("a dimension of size {}", size);
    }
  }
  BP_ASSIGN(const std::uint32_t element, encoding_.type_index(item.reader));
  BP_ASSIGN(Type type, read(element));
  if (!type.shape.is_scalar()) {
    return item.reader.error("{} as the element type of a tensor", to_string(type));
  }
  type.shape = ir::Shape::array(type.shape.element_type(), sizes);
  if (bounds) {
    BP_TRY(read_bounds(item, *bounds, type.shape));
  }
  if (const std::string problem = scales_problem(type); !problem.empty()) {
    return item.reader.error("{}", problem);
  }
  return type;
}

// The bounds of sizes that are not known, #vhlo.type_extensions_v1.
Status TypeReader::read_bounds(Encoding::Item &item, std::uint32_t attribute, ir::Shape &shape) {
  BP_ASSIGN(Encoding::Item extensions, encoding_.attribute(attribute));
  if (extensions.dialect != "vhlo" || extensions.code != vhlo_attribute::TypeExtensions) {
    return encoding_.unknown(extensions, "encoding of a tensor: attribute");
  }
  BP_ASSIGN(const std::vector<std::int64_t> bounds, Encoding::read_numbers(extensions.reader));
  if (bounds.size() != shape.rank()) {
    return item.reader.error("{} bounds for {} dimensions", bounds.size(), shape.rank());
  }
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (bounds[i] == ir::unbounded) {
      continue;
    }
    if (shape.size(i) != ir::unbounded || bounds[i] < 0) {
      return item.reader.error("the bound {} of dimension {} of {}", bounds[i], i, to_string(Type{shape}));
    }
    shape.set_size(i, bounds[i]);
  }
  return {};
}

Result<Type> TypeReader::read_complex(Encoding::Item &item) {
  BP_ASSIGN(const ElementType part, read_element(item));
  if (part != ElementType::F32 && part != ElementType::F64) {
    return item.reader.error("complex numbers of {}, expected f32 or f64", element_type_name(part));
  }
  return scalar(part == ElementType::F32 ? ElementType::C64 : ElementType::C128);
}

Result<Type> TypeReader::read_tuple(Encoding::Item &item) {
  BP_ASSIGN(std::vector<Type> types, read_list(item));
  std::vector<ir::Shape> elements;
  for (Type &type : types) {
    if (type.quantization != nullptr) {
      return Error(ErrorCode::Unsupported, fmt::format("byte {}: a tuple of quantized tensors", item.reader.offset()));
    }
    elements.push_back(std::move(type.shape));
  }
  return Type{ir::Shape::tuple(std::move(elements))};
}

Result<Type> TypeReader::read_quantized(Encoding::Item &item, bool is_per_axis) {
  auto quantization = std::make_shared<Quantization>();
  BP_ASSIGN(const std::uint64_t flags, item.reader.number());
  BP_ASSIGN(ElementType storage, read_element(item));
  BP_ASSIGN(quantization->expressed, read_element(item));
  if ((flags & 1) == 0 && ir::is_signed(storage)) {
    storage = integer_type(static_cast<std::uint64_t>(ir::bit_width(storage)), true);
  }
  const auto read_scale = [&]() -> Status {
    BP_ASSIGN(const std::int64_t bits, item.reader.signed_number());
    const auto scale = std::bit_cast<double>(bits);
    quantization->scales.push_back(scale);
    return {};
  };
  const auto read_zero_point = [&]() -> Status {
    BP_ASSIGN(const std::int64_t zero_point, item.reader.signed_number());
    quantization->zero_points.push_back(zero_point);
    return {};
  };
  if (is_per_axis) {
    BP_ASSIGN(const std::uint64_t dimension, item.reader.number());
    quantization->dimension = static_cast<std::int64_t>(std::min<std::uint64_t>(dimension, ir::max_rank));
  } else {
    BP_TRY(read_scale());
    BP_TRY(read_zero_point());
  }
  BP_ASSIGN(quantization->storage_min, item.reader.signed_number());
  BP_ASSIGN(quantization->storage_max, item.reader.signed_number());
  if (is_per_axis) {
    BP_TRY(Encoding::read_list(item.reader, read_scale));
    BP_TRY(Encoding::read_list(item.reader, read_zero_point));
  }
  if (const std::string problem = problem_of(storage, *quantization); !problem.empty()) {
    return item.reader.error("{}", problem);
  }
  return Type{ir::Shape::scalar(storage), std::move(quantization)};
}

Result<ElementType> TypeReader::read_element(Encoding::Item &item) {
  BP_ASSIGN(const std::uint32_t index, encoding_.type_index(item.reader));
  BP_ASSIGN(const Type type, read(index));
  if (!type.shape.is_scalar() || type.quantization != nullptr) {
    return item.reader.error("{}, expected an element type", to_string(type));
  }
  return type.shape.element_type();
}

Result<std::vector<Type>> TypeReader::read_list(Encoding::Item &item) {
  std::vector<Type> types;
  BP_TRY(Encoding::read_list(item.reader, [&]() -> Status {
    BP_ASSIGN(const std::uint32_t index, encoding_.type_index(item.reader));
    BP_ASSIGN(Type type, read(index));
    types.push_back(std::move(type));
    return {};
  }));
  return types;
}

}  // namespace bp::import::stablehlo::bytecode
