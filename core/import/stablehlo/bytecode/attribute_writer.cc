#include "core/import/stablehlo/bytecode/attribute_writer.h"

#include <algorithm>
#include <bit>

#include "core/import/stablehlo/bytecode/code_tables.h"
#include "core/import/stablehlo/bytecode/literals.h"
#include "core/import/stablehlo/bytecode/sharding_writer.h"
#include "core/import/stablehlo/bytecode/stored_attributes.h"
#include "core/text/token_reader.h"

namespace bp::import::stablehlo::bytecode {
namespace {

using Index = std::uint32_t;

// The code of an attribute that both dialects have.
std::uint64_t code_of(Dialect dialect, vhlo_attribute::Code vhlo, builtin_attribute::Code builtin) {
  return dialect == Dialect::Vhlo ? std::uint64_t{vhlo} : std::uint64_t{builtin};
}

Error is_unknown(const Attribute &attribute) {
  return unsupported("the attribute {} cannot be stored", to_string(attribute));
}

template <class T>
T value_of(const Dictionary &members, std::string_view name, T if_absent) {
  const Attribute *found = find_entry(members, name);
  const T *value = found == nullptr ? nullptr : found->get<T>();
  return value == nullptr ? if_absent : *value;
}

void put_bits(mlir::ByteWriter &writer, std::uint64_t bits, int width) {
  if (width <= 8) {
    writer.byte(static_cast<std::uint8_t>(bits));
  } else {
    writer.signed_number(static_cast<std::int64_t>(bits));
  }
}

// A list of integers as a tensor of one dimension.
Result<Elements> to_tensor(const Attribute &list) {
  const auto &items = *list.get<std::vector<Attribute>>();
  const Type type{ir::Shape::array(list.type, {static_cast<std::int64_t>(items.size())})};
  BP_ASSIGN(ir::Literal literal, ir::Literal::zeros(type.shape));
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::optional<std::uint64_t> bits = bits_of(list.type, items[i]);
    if (!bits) {
      return is_unknown(list);
    }
    if (list.type == ir::ElementType::Pred) {
      literal.mutable_elements<bool>()[i] = *bits != 0;
    } else {
      literal.mutable_elements<std::int64_t>()[i] = static_cast<std::int64_t>(*bits);
    }
  }
  return Elements{type, std::move(literal)};
}

// Returns the numbers of (1)2: the sizes of what comes before the part of an axis, and of the part.
Result<std::pair<std::int64_t, std::int64_t>> sub_axis(const OpaqueText &part) {
  text::TokenReader tokens(part.text, "");
  BP_TRY(tokens.expect('('));
  BP_ASSIGN(const std::int64_t before, tokens.read_integer("a size"));
  BP_TRY(tokens.expect(')'));
  BP_ASSIGN(const std::int64_t size, tokens.read_integer("a size"));
  return std::pair(before, size);
}

}  // namespace

// --- Attributes of operations, by kind ---

Result<Index> AttributeWriter::write(const Attribute &attribute, AttributeKind kind) {
  if (const auto *word = attribute.get<Keyword>()) {
    return write_word(*word, kind);
  }
  if (const auto *members = attribute.get<Dictionary>()) {
    switch (kind) {
      case AttributeKind::Accuracy: return write_accuracy(*members);
      case AttributeKind::Aliases: return write_alias(*members);
      case AttributeKind::Groups: return write_mesh_groups(*members);
      case AttributeKind::StringOrDictionary:
        if (target_ < since::dictionary_config) {
          return needs("a dictionary as backend_config", since::dictionary_config, target_);
        }
        break;
      default: break;
    }
  }
  switch (kind) {
    case AttributeKind::ApiVersion: {
      mlir::ByteWriter writer(vhlo_attribute::CustomCallApiVersion);
      writer.number(static_cast<std::uint64_t>(*attribute.get<std::int64_t>()));
      return add(Dialect::Vhlo, writer);
    }
    case AttributeKind::IndexTensors:
      if (const auto *elements = attribute.get<Elements>()) {
        return write_index_tensor(*elements);
      }
      return write_list_of(attribute, kind);
    case AttributeKind::Precisions:
    case AttributeKind::Aliases: return write_list_of(attribute, kind);
    default: break;
  }
  return write(attribute);
}

Result<Index> AttributeWriter::write_list_of(const Attribute &list, AttributeKind kind) {
  const auto *items = list.get<std::vector<Attribute>>();
  if (items == nullptr) {
    return is_unknown(list);
  }
  mlir::ByteWriter writer(vhlo_attribute::Array);
  writer.number(items->size());
  for (const Attribute &item : *items) {
    BP_ASSIGN(const Index index, write(item, kind));
    writer.number(index);
  }
  return add(Dialect::Vhlo, writer);
}

Result<Index> AttributeWriter::write_word(const Keyword &word, AttributeKind kind) {
  const auto row = std::ranges::find(enumerations, kind, &Words::kind);
  return row == std::end(enumerations) ? write_keyword(word, Dialect::Vhlo) : write_word(word.text, *row);
}

Result<Index> AttributeWriter::write_word(std::string_view word, const Words &row) {
  const auto found = std::ranges::find(row.words, word);
  if (found == row.words.end()) {
    return unsupported("the {} {} cannot be stored", row.name, word);
  }
  mlir::ByteWriter writer(row.code);
  writer.number(static_cast<std::uint64_t>(found - row.words.begin()));
  return add(Dialect::Vhlo, writer);
}

Result<Index> AttributeWriter::write_index_tensor(const Elements &elements) {
  BP_ASSIGN(const Index type, types_.write_of_indices(elements.type));
  const std::string bytes = element_bytes(elements);
  mlir::ByteWriter writer(vhlo_attribute::Tensor);
  writer.number(type);
  writer.number(bytes.size());
  writer.bytes(bytes);
  return add(Dialect::Vhlo, writer);
}

Result<Index> AttributeWriter::write_accuracy(const Dictionary &members) {
  const auto *mode = find_entry(members, "mode");
  const auto *word = mode == nullptr ? nullptr : mode->get<Keyword>();
  BP_ASSIGN(const Index written, write_word(word == nullptr ? Keyword{"DEFAULT"} : *word, AttributeKind::Accuracy));
  mlir::ByteWriter writer(vhlo_attribute::ResultAccuracy);
  for (const std::string_view name : {"atol", "rtol"}) {
    writer.signed_number(std::bit_cast<std::int64_t>(value_of(members, name, 0.0)));
  }
  writer.signed_number(value_of(members, "ulps", std::int64_t{0}));
  writer.number(written);
  return add(Dialect::Vhlo, writer);
}

Result<Index> AttributeWriter::write_alias(const Dictionary &members) {
  mlir::ByteWriter writer(vhlo_attribute::OutputOperandAlias);
  const auto write_numbers = [&](std::string_view name) {
    std::vector<std::int64_t> numbers;
    for (const Attribute &item : value_of(members, name, std::vector<Attribute>())) {
      const auto *number = item.get<std::int64_t>();
      numbers.push_back(number == nullptr ? 0 : *number);
    }
    writer.signed_numbers(numbers);
  };
  write_numbers("output_tuple_indices");
  writer.signed_number(value_of(members, "operand_index", std::int64_t{0}));
  write_numbers("operand_tuple_indices");
  return add(Dialect::Vhlo, writer);
}

// #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>
Result<Index> AttributeWriter::write_mesh_groups(const Dictionary &members) {
  if (target_ < since::mesh_axes) {
    return needs("the axes of a mesh as replica_groups", since::mesh_axes, target_);
  }
  const Attribute *mesh = find_entry(members, "mesh"), *axes = find_entry(members, "axes");
  const auto *list = axes == nullptr ? nullptr : axes->get<std::vector<Attribute>>();
  if (mesh == nullptr || list == nullptr) {
    return unsupported("axes of a mesh without 'mesh' or 'axes' cannot be stored");
  }
  BP_ASSIGN(const Index name, write(*mesh));
  mlir::ByteWriter all(vhlo_attribute::Array);
  all.number(list->size());
  for (const Attribute &axis : *list) {
    const auto *parts = axis.get<Dictionary>();
    if (parts == nullptr) {
      return is_unknown(axis);
    }
    BP_ASSIGN(const Index written, write_axis(*parts));
    all.number(written);
  }
  mlir::ByteWriter writer(vhlo_attribute::ReplicaGroupMeshAxes);
  writer.number(name);
  writer.number(add(Dialect::Vhlo, all));
  return add(Dialect::Vhlo, writer);
}

Result<Index> AttributeWriter::write_axis(const Dictionary &members) {
  const Index name = write_string(value_of(members, "name", std::string()), Dialect::Vhlo);
  const auto *part = find_entry(members, "sub_axis_info");
  const auto *text = part == nullptr ? nullptr : part->get<OpaqueText>();
  mlir::ByteWriter writer(vhlo_attribute::AxisRef);
  writer.number(name);
  writer.number(text == nullptr ? 0 : 1);
  if (text != nullptr) {
    BP_ASSIGN(const auto numbers, sub_axis(*text));
    const auto &[before, size] = numbers;
    mlir::ByteWriter info(vhlo_attribute::SubAxisInfo);
    info.signed_number(before);
    info.signed_number(size);
    writer.number(add(Dialect::Vhlo, info));
  }
  return add(Dialect::Vhlo, writer);
}

// --- Attributes by what they are ---

struct AttributeWriter::Writer {
  AttributeWriter &to;
  const Attribute &attribute;
  Dialect dialect;

  Result<Index> operator()(std::monostate) const {
    mlir::ByteWriter writer(builtin_attribute::Unit);
    return to.add(Dialect::Builtin, writer);
  }
  Result<Index> operator()(bool value) const { return to.write_bool(value, dialect); }
  Result<Index> operator()(std::int64_t) const { return number(ir::ElementType::S64); }
  Result<Index> operator()(double) const { return number(ir::ElementType::F64); }
  Result<Index> operator()(const std::string &value) const { return to.write_string(value, dialect); }
  Result<Index> operator()(const Keyword &value) const { return to.write_keyword(value, dialect); }
  Result<Index> operator()(const Symbol &value) const { return to.write_symbol(value.name, dialect); }
  Result<Index> operator()(const Type &value) const { return type(value); }
  Result<Index> operator()(const FunctionType &value) const { return type(value); }
  Result<Index> operator()(const OpaqueText &value) const { return to.write_opaque(value.text); }
  Result<Index> operator()(const std::vector<Attribute> &list) const {
    return attribute.type == ir::ElementType::Invalid ? to.write_list(list, dialect)
                                                      : to.write_array(attribute, dialect);
  }
  Result<Index> operator()(const Dictionary &value) const { return to.write_entries(value, dialect); }
  Result<Index> operator()(const Elements &value) const { return to.write_elements(value, dialect); }

  Result<Index> number(ir::ElementType if_unknown) const {
    const bool is_known = attribute.type != ir::ElementType::Invalid;
    return to.write_number(attribute, is_known ? attribute.type : if_unknown, dialect);
  }
  template <class T>
  Result<Index> type(const T &value) const {
    BP_ASSIGN(const Index written, to.types_.write(value, dialect));
    return to.write_type(written, dialect);
  }
};

Result<Index> AttributeWriter::write(const Attribute &attribute, Dialect dialect) {
  return std::visit(Writer{*this, attribute, dialect}, attribute.value);
}

Index AttributeWriter::write_string(std::string_view text, Dialect dialect) {
  mlir::ByteWriter writer(code_of(dialect, vhlo_attribute::String, builtin_attribute::String));
  writer.number(file_.string(text));
  return add(dialect, writer);
}

// In VHLO, symbols are strings.
Result<Index> AttributeWriter::write_symbol(std::string_view name, Dialect dialect) {
  const Index text = write_string(name, dialect);
  if (dialect == Dialect::Vhlo) {
    return text;
  }
  mlir::ByteWriter writer(builtin_attribute::FlatSymbol);
  writer.number(text);
  return add(dialect, writer);
}

Result<Index> AttributeWriter::write_bool(bool value, Dialect dialect) {
  if (dialect == Dialect::Builtin) {
    return write_number({value}, ir::ElementType::Pred, dialect);
  }
  mlir::ByteWriter writer(vhlo_attribute::Boolean);
  writer.number(value ? 1 : 0);
  return add(dialect, writer);
}

Result<Index> AttributeWriter::write_number(const Attribute &number, ir::ElementType type, Dialect dialect) {
  const std::optional<std::uint64_t> bits = bits_of(type, number);
  if (!bits) {
    return is_unknown(number);
  }
  BP_ASSIGN(const Index written, types_.write(type, dialect));
  mlir::ByteWriter writer(ir::is_floating(type)
                              ? code_of(dialect, vhlo_attribute::Float, builtin_attribute::Float)
                              : code_of(dialect, vhlo_attribute::Integer, builtin_attribute::Integer));
  writer.number(written);
  put_bits(writer, *bits, type == ir::ElementType::Pred ? 1 : ir::bit_width(type));
  return add(dialect, writer);
}

Result<Index> AttributeWriter::write_type(Index type, Dialect dialect) {
  mlir::ByteWriter writer(code_of(dialect, vhlo_attribute::Type, builtin_attribute::Type));
  writer.number(type);
  return add(dialect, writer);
}

// A word that is not in #stablehlo<...> names a type.
Result<Index> AttributeWriter::write_keyword(const Keyword &word, Dialect dialect) {
  const auto row = std::ranges::find(enumerations, word.enumeration, &Words::name);
  if (row != std::end(enumerations) && dialect == Dialect::Vhlo) {
    return write_word(word.text, *row);
  }
  BP_ASSIGN(const std::optional<Index> type, types_.write_word(word.text, dialect));
  return type ? write_type(*type, dialect) : Result<Index>(is_unknown({word}));
}

Result<Index> AttributeWriter::write_opaque(std::string_view text) {
  if (!text.starts_with("#sdy")) {
    return unsupported("the attribute {} cannot be stored, expected one of StableHLO, Shardy or MLIR's builtin dialect",
                       text);
  }
  return write_sharding(file_, text);
}

Result<Index> AttributeWriter::write_list(std::span<const Attribute> list, Dialect dialect) {
  mlir::ByteWriter writer(code_of(dialect, vhlo_attribute::Array, builtin_attribute::Array));
  writer.number(list.size());
  for (const Attribute &item : list) {
    BP_ASSIGN(const Index index, write(item, dialect));
    writer.number(index);
  }
  return add(dialect, writer);
}

// array<i64: 1, 2>: in VHLO a tensor if it is of i64 or i1.
Result<Index> AttributeWriter::write_array(const Attribute &list, Dialect dialect) {
  const ir::ElementType type = list.type;
  if (dialect == Dialect::Vhlo && (type == ir::ElementType::S64 || type == ir::ElementType::Pred)) {
    BP_ASSIGN(const Elements tensor, to_tensor(list));
    return write_elements(tensor, dialect);
  }
  const auto &items = *list.get<std::vector<Attribute>>();
  std::string bytes;
  for (const Attribute &item : items) {
    const std::optional<std::uint64_t> bits = bits_of(type, item);
    if (!bits) {
      return is_unknown(list);
    }
    for (int i = 0; i < static_cast<int>(ir::byte_width(type)); ++i) {
      bytes += static_cast<char>(*bits >> (8 * i) & 0xff);
    }
  }
  BP_ASSIGN(const Index element, types_.write(type, Dialect::Builtin));
  mlir::ByteWriter writer(builtin_attribute::DenseArray);
  writer.number(element);
  writer.number(items.size());
  writer.number(bytes.size());
  writer.bytes(bytes);
  return add(Dialect::Builtin, writer);
}

Result<Index> AttributeWriter::write_entries(const Dictionary &dictionary, Dialect dialect) {
  std::vector<NamedAttribute> entries = dictionary.entries;
  std::ranges::sort(entries, {}, &NamedAttribute::name);
  mlir::ByteWriter writer(code_of(dialect, vhlo_attribute::Dictionary, builtin_attribute::Dictionary));
  writer.number(entries.size());
  for (const NamedAttribute &entry : entries) {
    writer.number(write_string(entry.name, dialect));
    BP_ASSIGN(const Index value, write(entry.value, dialect));
    writer.number(value);
  }
  return add(dialect, writer);
}

Index AttributeWriter::write_dictionary(std::vector<Entry> entries) {
  std::ranges::sort(entries, {}, &Entry::name);
  mlir::ByteWriter writer(builtin_attribute::Dictionary);
  writer.number(entries.size());
  for (const Entry &entry : entries) {
    writer.number(write_string(entry.name, Dialect::Builtin));
    writer.number(entry.attribute);
  }
  return add(Dialect::Builtin, writer);
}

Result<Index> AttributeWriter::write_elements(const Elements &elements, Dialect dialect) {
  BP_ASSIGN(const Index type, types_.write(elements.type, dialect));
  const std::string bytes = element_bytes(elements);
  mlir::ByteWriter writer(code_of(dialect, vhlo_attribute::Tensor, builtin_attribute::DenseElements));
  writer.number(type);
  writer.number(bytes.size());
  writer.bytes(bytes);
  return add(dialect, writer);
}

}  // namespace bp::import::stablehlo::bytecode
