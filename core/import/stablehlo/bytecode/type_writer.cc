#include "core/import/stablehlo/bytecode/type_writer.h"

#include <algorithm>
#include <bit>

#include "core/import/stablehlo/bytecode/code_tables.h"

namespace bp::import::stablehlo::bytecode {
namespace {

using ir::ElementType;

Error is_not_of(Dialect dialect, std::string_view type) {
  return unsupported("{} cannot be stored as a type of dialect '{}'", type, name_of(dialect));
}

}  // namespace

std::string_view name_of(Dialect dialect) {
  return dialect == Dialect::Vhlo ? "vhlo" : "builtin";
}

Error needs(std::string_view what, Version first, Version target) {
  return unsupported("{} needs StableHLO {}, the target version is {}", what, to_string(first), to_string(target));
}

Result<std::uint32_t> TypeWriter::write(const Type &type, Dialect dialect) {
  const ir::Shape &shape = type.shape;
  const bool is_vhlo = dialect == Dialect::Vhlo;
  if (type.is_future) {
    if (target_ < since::future) {
      return needs(to_string(type), since::future, target_);
    }
    return write_tuple(shape.is_tuple() ? shape.elements() : std::span(&shape, 1), vhlo_type::Future, dialect);
  }
  if (shape.is_tuple()) {
    return write_tuple(shape.elements(), is_vhlo ? std::uint64_t{vhlo_type::Tuple} : std::uint64_t{builtin_type::Tuple},
                       dialect);
  }
  if (type.quantization != nullptr) {
    if (!is_vhlo) {
      return is_not_of(dialect, to_string(type));
    }
    BP_ASSIGN(const std::uint32_t element, write_quantized(type));
    return write_array(type, element, dialect);
  }
  if (shape.is_token()) {
    mlir::ByteWriter writer(vhlo_type::Token);
    return is_vhlo ? Result<std::uint32_t>(add(dialect, writer)) : is_not_of(dialect, to_string(type));
  }
  if (shape.element_type() == ElementType::Buffer) {
    if (target_ < since::buffer) {
      return needs(to_string(type), since::buffer, target_);
    }
    if (!is_vhlo) {
      return is_not_of(dialect, to_string(type));
    }
    const ir::Shape &content = shape.elements()[0];
    BP_ASSIGN(const std::uint32_t element, write(content.element_type()));
    mlir::ByteWriter writer(vhlo_type::RankedBuffer);
    writer.signed_numbers(std::span(content.sizes().data(), content.rank()));
    writer.number(element);
    return add(dialect, writer);
  }
  BP_ASSIGN(const std::uint32_t element, write(shape.element_type(), dialect));
  return write_array(type, element, dialect);
}

Result<std::uint32_t> TypeWriter::write(ElementType type, Dialect dialect) {
  return dialect == Dialect::Vhlo ? write_vhlo(type) : write_builtin(type);
}

Result<std::uint32_t> TypeWriter::write_vhlo(ElementType type) {
  if (ir::is_complex(type)) {
    BP_ASSIGN(const std::uint32_t part, write_vhlo(ir::real_part_type(type)));
    mlir::ByteWriter writer(vhlo_type::Complex);
    writer.number(part);
    return add(Dialect::Vhlo, writer);
  }
  const auto row = std::ranges::find(element_codes, type, &ElementCode::type);
  if (row == std::end(element_codes)) {
    return is_not_of(Dialect::Vhlo, element_type_name(type));
  }
  if (target_ < row->first) {
    return needs(element_type_name(type), row->first, target_);
  }
  mlir::ByteWriter writer(row->code);
  return add(Dialect::Vhlo, writer);
}

Result<std::uint32_t> TypeWriter::write_builtin(ElementType type) {
  if (ir::is_complex(type)) {
    BP_ASSIGN(const std::uint32_t part, write_builtin(ir::real_part_type(type)));
    mlir::ByteWriter writer(builtin_type::Complex);
    writer.number(part);
    return add(Dialect::Builtin, writer);
  }
  const auto row = std::ranges::find(builtin_float_codes, type, &BuiltinFloatCode::type);
  if (row != std::end(builtin_float_codes)) {
    mlir::ByteWriter writer(row->code);
    return add(Dialect::Builtin, writer);
  }
  if (type != ElementType::Pred && !ir::is_integer(type)) {
    return is_not_of(Dialect::Builtin, element_type_name(type));
  }
  constexpr std::uint64_t no_sign = 0, is_unsigned = 2;
  const auto width = static_cast<std::uint64_t>(type == ElementType::Pred ? 1 : ir::bit_width(type));
  mlir::ByteWriter writer(builtin_type::Integer);
  writer.number(width << 2 | (ir::is_unsigned(type) ? is_unsigned : no_sign));
  return add(Dialect::Builtin, writer);
}

// Bounds of sizes that are not known are an attribute, #vhlo.type_extensions_v1.
Result<std::uint32_t> TypeWriter::write_array(const Type &type, std::uint32_t element, Dialect dialect) {
  const ir::Shape &shape = type.shape;
  std::vector<std::int64_t> sizes, bounds;
  bool is_bounded = false;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    const bool is_open = shape.is_dynamic(i) || shape.size(i) == ir::unbounded;
    sizes.push_back(is_open ? ir::unbounded : shape.size(i));
    bounds.push_back(is_open ? shape.size(i) : ir::unbounded);
    is_bounded = is_bounded || bounds.back() != ir::unbounded;
  }
  const bool is_vhlo = dialect == Dialect::Vhlo;
  if (!is_bounded) {
    mlir::ByteWriter writer(is_vhlo ? std::uint64_t{vhlo_type::RankedTensor}
                                    : std::uint64_t{builtin_type::RankedTensor});
    writer.signed_numbers(sizes);
    writer.number(element);
    return add(dialect, writer);
  }
  if (!is_vhlo) {
    return is_not_of(dialect, to_string(type));
  }
  mlir::ByteWriter extensions(vhlo_attribute::TypeExtensions);
  extensions.signed_numbers(bounds);
  mlir::ByteWriter writer(vhlo_type::RankedTensorWithEncoding);
  writer.number(file_.attribute(name_of(dialect), extensions.take()));
  writer.signed_numbers(sizes);
  writer.number(element);
  return add(dialect, writer);
}

Result<std::uint32_t> TypeWriter::write_tuple(std::span<const ir::Shape> elements, std::uint64_t code,
                                              Dialect dialect) {
  if (code == vhlo_type::Future && dialect != Dialect::Vhlo) {
    return is_not_of(dialect, "a future");
  }
  std::vector<Type> types;
  for (const ir::Shape &element : elements) {
    types.push_back({element});
  }
  mlir::ByteWriter writer(code);
  BP_TRY(write_list(types, dialect, writer));
  return add(dialect, writer);
}

// Returns the element type. What is stored has no sign of its own: a flag tells it.
Result<std::uint32_t> TypeWriter::write_quantized(const Type &type) {
  const Quantization &quantization = *type.quantization;
  const bool is_per_axis = quantization.dimension >= 0;
  if (is_per_axis && target_ < since::quantized_per_axis) {
    return needs(to_string(type), since::quantized_per_axis, target_);
  }
  const ElementType stored = type.shape.element_type();
  const auto same_width = std::ranges::find_if(element_codes, [&](const ElementCode &row) {
    return ir::is_signed(row.type) && ir::is_integer(row.type) && ir::bit_width(row.type) == ir::bit_width(stored);
  });
  if (same_width == std::end(element_codes)) {
    return is_not_of(Dialect::Vhlo, to_string(type));
  }
  BP_ASSIGN(const std::uint32_t storage, write_vhlo(same_width->type));
  BP_ASSIGN(const std::uint32_t expressed, write_vhlo(quantization.expressed));
  mlir::ByteWriter writer(is_per_axis ? vhlo_type::UniformQuantizedPerAxis : vhlo_type::UniformQuantized);
  writer.number(ir::is_signed(stored) ? 1 : 0);
  writer.number(storage);
  writer.number(expressed);
  const auto write_scale = [&](double scale) { writer.signed_number(std::bit_cast<std::int64_t>(scale)); };
  if (is_per_axis) {
    writer.number(static_cast<std::uint64_t>(quantization.dimension));
  } else {
    write_scale(quantization.scales[0]);
    writer.signed_number(quantization.zero_points[0]);
  }
  writer.signed_number(quantization.storage_min);
  writer.signed_number(quantization.storage_max);
  if (is_per_axis) {
    writer.number(quantization.scales.size());
    std::ranges::for_each(quantization.scales, write_scale);
    writer.signed_numbers(quantization.zero_points);
  }
  return add(Dialect::Vhlo, writer);
}

Result<std::uint32_t> TypeWriter::write(const FunctionType &type, Dialect dialect) {
  mlir::ByteWriter writer(dialect == Dialect::Vhlo ? std::uint64_t{vhlo_type::Function}
                                                   : std::uint64_t{builtin_type::Function});
  BP_TRY(write_list(type.operands, dialect, writer));
  BP_TRY(write_list(type.results, dialect, writer));
  return add(dialect, writer);
}

Status TypeWriter::write_list(std::span<const Type> types, Dialect dialect, mlir::ByteWriter &writer) {
  writer.number(types.size());
  for (const Type &type : types) {
    BP_ASSIGN(const std::uint32_t index, write(type, dialect));
    writer.number(index);
  }
  return {};
}

Result<std::uint32_t> TypeWriter::write_of_indices(const Type &type) {
  mlir::ByteWriter writer(vhlo_type::Index);
  return write_array(type, add(Dialect::Vhlo, writer), Dialect::Vhlo);
}

Result<std::optional<std::uint32_t>> TypeWriter::write_word(std::string_view word, Dialect dialect) {
  const bool is_vhlo = dialect == Dialect::Vhlo;
  for (const auto &[name, code, first] :
       {std::tuple("tf32", vhlo_type::Tf32, since::tf32), std::tuple("none", vhlo_type::None, since::none_type)}) {
    if (word == name && is_vhlo) {
      if (target_ < first) {
        return needs(fmt::format("the type {}", word), first, target_);
      }
      mlir::ByteWriter writer(code);
      return std::optional(add(dialect, writer));
    }
  }
  if (word == "none" || word == "index") {
    mlir::ByteWriter writer(word == "none" ? std::uint64_t{builtin_type::None}
                            : is_vhlo      ? std::uint64_t{vhlo_type::Index}
                                           : std::uint64_t{builtin_type::Index});
    return std::optional(add(dialect, writer));
  }
  for (const ir::ElementTypeInfo &row : ir::element_types()) {
    if (element_type_name(row.type) == word) {
      BP_ASSIGN(const std::uint32_t type, write(row.type, dialect));
      return std::optional(type);
    }
  }
  return std::optional<std::uint32_t>();
}

}  // namespace bp::import::stablehlo::bytecode
