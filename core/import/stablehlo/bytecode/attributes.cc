#include "core/import/stablehlo/bytecode/attributes.h"

#include <algorithm>
#include <bit>
#include <set>

#include "core/import/stablehlo/bytecode/code_tables.h"
#include "core/import/stablehlo/bytecode/literals.h"
#include "core/import/stablehlo/bytecode/shardings.h"
#include "core/import/stablehlo/bytecode/stored_attributes.h"
#include "core/text/lexer.h"

namespace bp::import::stablehlo::bytecode {

Result<Attribute> AttributeReader::read(std::uint32_t index, std::size_t position) {
  BP_ASSIGN(Encoding::Item item, encoding_.attribute(index));
  Attribute attribute;
  attribute.position = position_ = position;
  type_ = ir::ElementType::Invalid;
  if (item.dialect == "vhlo") {
    BP_ASSIGN(attribute.value, read_vhlo(item));
  } else if (item.dialect == "builtin") {
    BP_ASSIGN(attribute.value, read_builtin(item));
  } else if (item.dialect == "sdy") {
    BP_ASSIGN(std::string text, read_sharding(encoding_, item));
    attribute.value = OpaqueText{std::move(text)};
  } else {
    return encoding_.unknown(item, "attribute");
  }
  attribute.type = std::exchange(type_, ir::ElementType::Invalid);
  BP_TRY(item.reader.expect_end("an attribute"));
  return attribute;
}

Result<Dictionary> AttributeReader::read_dictionary(std::uint32_t index, std::size_t position) {
  BP_ASSIGN(Attribute attribute, read(index, position));
  if (attribute.get<Dictionary>() == nullptr) {
    return invalid_input("attribute {} is {}, expected a dictionary", index, to_string(attribute));
  }
  return std::get<Dictionary>(std::move(attribute.value));
}

Result<Attribute::Value> AttributeReader::read_vhlo(Encoding::Item &item) {
  mlir::ByteReader &reader = item.reader;
  for (const Words &row : enumerations) {
    if (row.code == item.code) {
      BP_ASSIGN(const std::uint64_t value, reader.number());
      if (value >= row.words.size() || row.words[value].empty()) {
        return encoding_.unknown(item, fmt::format("value {} of attribute", value));
      }
      return Attribute::Value(Keyword{row.words[value], row.name});
    }
  }
  switch (item.code) {
    case vhlo_attribute::Array: return read_list(reader);
    case vhlo_attribute::Boolean: {
      BP_ASSIGN(const std::uint64_t value, reader.number());
      return Attribute::Value(value != 0);
    }
    case vhlo_attribute::CustomCallApiVersion: {
      BP_ASSIGN(const std::uint64_t value, reader.number());
      type_ = ir::ElementType::S32;
      return Attribute::Value(static_cast<std::int64_t>(value));
    }
    case vhlo_attribute::Dictionary: return read_entries(reader);
    case vhlo_attribute::Float: return read_real(reader);
    case vhlo_attribute::Integer: return read_integer(reader);
    case vhlo_attribute::OutputOperandAlias: return read_alias(reader);
    case vhlo_attribute::String: {
      BP_ASSIGN(const std::string_view text, encoding_.string(reader));
      return Attribute::Value(std::string(text));
    }
    case vhlo_attribute::Tensor: return read_tensor(reader);
    case vhlo_attribute::Type: return read_type(reader);
    case vhlo_attribute::ResultAccuracy: return read_accuracy(reader);
    case vhlo_attribute::SubAxisInfo: {
      BP_ASSIGN(const std::int64_t before, reader.signed_number());
      BP_ASSIGN(const std::int64_t size, reader.signed_number());
      return Attribute::Value(OpaqueText{fmt::format("({}){}", before, size)});
    }
    case vhlo_attribute::AxisRef: return read_axis(reader);
    case vhlo_attribute::ReplicaGroupMeshAxes: return read_mesh_groups(reader);
    default: break;
  }
  return encoding_.unknown(item, "attribute");
}

Result<Attribute::Value> AttributeReader::read_builtin(Encoding::Item &item) {
  mlir::ByteReader &reader = item.reader;
  switch (item.code) {
    case builtin_attribute::Array: return read_list(reader);
    case builtin_attribute::Dictionary: return read_entries(reader);
    case builtin_attribute::String: {
      BP_ASSIGN(const std::string_view text, encoding_.string(reader));
      return Attribute::Value(std::string(text));
    }
    case builtin_attribute::FlatSymbol: {
      BP_ASSIGN(const std::string_view text, read_string(reader));
      return Attribute::Value(Symbol{std::string(text)});
    }
    case builtin_attribute::Type: return read_type(reader);
    case builtin_attribute::Unit: return Attribute::Value(std::monostate());
    case builtin_attribute::Integer: return read_integer(reader);
    case builtin_attribute::Float: return read_real(reader);
    case builtin_attribute::DenseArray: return read_array(reader);
    case builtin_attribute::DenseElements: return read_tensor(reader);
    default: break;
  }
  return encoding_.unknown(item, "attribute");
}

Result<Attribute> AttributeReader::read_next(mlir::ByteReader &reader) {
  BP_ASSIGN(const std::uint32_t index, encoding_.attribute_index(reader));
  return read(index, position_);
}

Result<Attribute::Value> AttributeReader::read_list(mlir::ByteReader &reader) {
  std::vector<Attribute> list;
  BP_TRY(Encoding::read_list(reader, [&]() -> Status {
    BP_ASSIGN(Attribute item, read_next(reader));
    list.push_back(std::move(item));
    return {};
  }));
  return Attribute::Value(std::move(list));
}

Result<Attribute::Value> AttributeReader::read_entries(mlir::ByteReader &reader) {
  Dictionary dictionary;
  std::set<std::string_view> names;
  BP_TRY(Encoding::read_list(reader, [&]() -> Status {
    BP_ASSIGN(const std::string_view name, read_string(reader));
    const auto is_odd = [](unsigned char c) { return c < 0x20 || c >= 0x7f || c == '"' || c == '\\'; };
    if (std::ranges::any_of(name, is_odd) || !names.insert(name).second) {
      return reader.error("an attribute called '{}', expected a name of printable characters that is given once",
                          text::escape(name));
    }
    BP_ASSIGN(Attribute value, read_next(reader));
    dictionary.entries.push_back({name, std::move(value)});
    return {};
  }));
  return Attribute::Value(std::move(dictionary));
}

Result<std::string_view> AttributeReader::read_string(mlir::ByteReader &reader) {
  BP_ASSIGN(const std::uint32_t index, encoding_.attribute_index(reader));
  BP_ASSIGN(Encoding::Item item, encoding_.attribute(index));
  const bool is_string = (item.dialect == "builtin" && item.code == builtin_attribute::String) ||
                         (item.dialect == "vhlo" && item.code == vhlo_attribute::String);
  if (!is_string) {
    return encoding_.unknown(item, "name: attribute");
  }
  return encoding_.string(item.reader);
}

Result<ir::ElementType> AttributeReader::read_element_type(mlir::ByteReader &reader) {
  BP_ASSIGN(const std::uint32_t index, encoding_.type_index(reader));
  BP_ASSIGN(const Type type, types_.read(index));
  if (!type.shape.is_scalar()) {
    return reader.error("a number of type {}, expected an element type", to_string(type));
  }
  return type.shape.element_type();
}

// Numbers of at most 8 bits are a byte, others are signed numbers.
Result<std::uint64_t> AttributeReader::read_bits(mlir::ByteReader &reader, int width) {
  if (width <= 8) {
    BP_ASSIGN(const std::uint8_t bits, reader.byte());
    return static_cast<std::uint64_t>(bits);
  }
  BP_ASSIGN(const std::int64_t bits, reader.signed_number());
  return std::bit_cast<std::uint64_t>(bits);
}

Result<Attribute::Value> AttributeReader::read_integer(mlir::ByteReader &reader) {
  BP_ASSIGN(const ir::ElementType type, read_element_type(reader));
  const int width = type == ir::ElementType::Pred ? 1 : ir::bit_width(type);
  BP_ASSIGN(const std::uint64_t bits, read_bits(reader, width));
  type_ = type;
  if (type == ir::ElementType::Pred) {
    type_ = ir::ElementType::Invalid;
    return Attribute::Value((bits & 1) != 0);
  }
  const int unused = 64 - width;
  if (!ir::is_integer(type) || unused < 0) {
    return reader.error("an integer of type {}", element_type_name(type));
  }
  const std::uint64_t high = bits << unused;
  return Attribute::Value(ir::is_unsigned(type) ? static_cast<std::int64_t>(high >> unused)
                                                : static_cast<std::int64_t>(high) >> unused);
}

Result<Attribute::Value> AttributeReader::read_real(mlir::ByteReader &reader) {
  BP_ASSIGN(const ir::ElementType type, read_element_type(reader));
  if (!ir::is_floating(type)) {
    return reader.error("a real number of type {}", element_type_name(type));
  }
  BP_ASSIGN(const std::uint64_t bits, read_bits(reader, ir::bit_width(type)));
  type_ = type;
  return Attribute::Value(real_of(type, bits));
}

Result<Attribute::Value> AttributeReader::read_tensor(mlir::ByteReader &reader) {
  BP_ASSIGN(const std::uint32_t index, encoding_.type_index(reader));
  BP_ASSIGN(const Type type, types_.read(index));
  BP_ASSIGN(const std::uint64_t size, reader.number());
  BP_ASSIGN(const std::string_view bytes, reader.bytes(size));
  auto elements = read_elements(type, bytes);
  if (!elements.ok()) {
    return reader.error("{}", elements.error().message());
  }
  return Attribute::Value(std::move(elements).value());
}

// array<i64: 1, 2>: the type of an element, the number of elements, their bytes.
Result<Attribute::Value> AttributeReader::read_array(mlir::ByteReader &reader) {
  BP_ASSIGN(const ir::ElementType type, read_element_type(reader));
  BP_ASSIGN(const std::uint64_t count, reader.number());
  BP_ASSIGN(const std::uint64_t size, reader.number());
  BP_ASSIGN(const std::string_view bytes, reader.bytes(size));
  if (count > size) {
    return reader.error("{} elements in {} bytes", count, size);
  }
  const std::int64_t sizes[] = {static_cast<std::int64_t>(count)};
  auto elements = read_elements({ir::Shape::array(type, sizes)}, bytes);
  if (!elements.ok()) {
    return reader.error("{}", elements.error().message());
  }
  BP_ASSIGN(Attribute list, to_list({std::move(elements).value(), position_}));
  type_ = type;
  return std::move(list.value);
}

Result<Attribute::Value> AttributeReader::read_type(mlir::ByteReader &reader) {
  BP_ASSIGN(const std::uint32_t index, encoding_.type_index(reader));
  if (auto function = types_.read_function(index); function.ok()) {
    return Attribute::Value(std::move(function).value());
  }
  if (const auto word = types_.read_word(index); word.ok()) {
    return Attribute::Value(Keyword{*word});
  }
  BP_ASSIGN(Type type, types_.read(index));
  return Attribute::Value(std::move(type));
}

// #stablehlo.result_accuracy<atol = 1.0e-5, rtol = 0.0, ulps = 1, mode = ...>
Result<Attribute::Value> AttributeReader::read_accuracy(mlir::ByteReader &reader) {
  Dictionary result;
  for (const std::string_view name : {"atol", "rtol"}) {
    BP_ASSIGN(const std::uint64_t bits, read_bits(reader, 64));
    result.entries.push_back({name, {std::bit_cast<double>(bits), position_}});
  }
  BP_ASSIGN(const std::int64_t ulps, reader.signed_number());
  result.entries.push_back({"ulps", {ulps, position_}});
  BP_ASSIGN(Attribute mode, read_next(reader));
  result.entries.push_back({"mode", std::move(mode)});
  return Attribute::Value(std::move(result));
}

// #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>
Result<Attribute::Value> AttributeReader::read_alias(mlir::ByteReader &reader) {
  Dictionary result;
  BP_ASSIGN(const std::vector<std::int64_t> output, Encoding::read_numbers(reader));
  BP_ASSIGN(const std::int64_t operand, reader.signed_number());
  BP_ASSIGN(const std::vector<std::int64_t> inside, Encoding::read_numbers(reader));
  result.entries.push_back({"output_tuple_indices", numbers(output)});
  result.entries.push_back({"operand_index", number(operand)});
  result.entries.push_back({"operand_tuple_indices", numbers(inside)});
  return Attribute::Value(std::move(result));
}

// #stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>
Result<Attribute::Value> AttributeReader::read_axis(mlir::ByteReader &reader) {
  Dictionary result;
  BP_ASSIGN(Attribute name, read_next(reader));
  result.entries.push_back({"name", std::move(name)});
  BP_ASSIGN(const std::uint64_t has_part, reader.number());
  if (has_part != 0) {
    BP_ASSIGN(Attribute part, read_next(reader));
    result.entries.push_back({"sub_axis_info", std::move(part)});
  }
  return Attribute::Value(std::move(result));
}

// #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [...]>
Result<Attribute::Value> AttributeReader::read_mesh_groups(mlir::ByteReader &reader) {
  Dictionary result;
  BP_ASSIGN(Attribute mesh, read_next(reader));
  if (const auto *name = mesh.get<std::string>()) {
    mesh.value = Symbol{*name};
  }
  BP_ASSIGN(Attribute axes, read_next(reader));
  result.entries.push_back({"mesh", std::move(mesh)});
  result.entries.push_back({"axes", std::move(axes)});
  return Attribute::Value(std::move(result));
}

Attribute AttributeReader::numbers(std::span<const std::int64_t> values) const {
  std::vector<Attribute> list;
  for (const std::int64_t value : values) {
    list.push_back(number(value));
  }
  return {std::move(list), position_};
}

}  // namespace bp::import::stablehlo::bytecode
