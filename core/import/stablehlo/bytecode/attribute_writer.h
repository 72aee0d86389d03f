// Writes attributes as VHLO, Shardy and MLIR's builtin dialect have them: the counterpart of AttributeReader.
#pragma once

#include "core/import/stablehlo/bytecode/code_tables.h"
#include "core/import/stablehlo/bytecode/type_writer.h"

namespace bp::import::stablehlo::bytecode {

class AttributeWriter {
 public:
  AttributeWriter(mlir::FileBuilder &file, TypeWriter &types, Version target)
      : file_(file), types_(types), target_(target) {}

  // Return the index of the attribute in the file. Fail if the version or the dialect does not have it.
  // An operation's own attribute, in the form of its kind.
  Result<std::uint32_t> write(const Attribute &attribute, AttributeKind kind);
  // Any other attribute.
  Result<std::uint32_t> write(const Attribute &attribute, Dialect dialect = Dialect::Vhlo);

  // Returns the index of a dictionary of the builtin dialect, of attributes that are written already.
  struct Entry {
    std::string_view name;
    std::uint32_t attribute;
  };
  std::uint32_t write_dictionary(std::vector<Entry> entries);

 private:
  struct Writer;

  Result<std::uint32_t> write_word(const Keyword &word, AttributeKind kind);
  Result<std::uint32_t> write_word(std::string_view word, const Words &row);
  Result<std::uint32_t> write_list_of(const Attribute &list, AttributeKind kind);
  Result<std::uint32_t> write_index_tensor(const Elements &elements);
  Result<std::uint32_t> write_accuracy(const Dictionary &members);
  Result<std::uint32_t> write_alias(const Dictionary &members);
  Result<std::uint32_t> write_mesh_groups(const Dictionary &members);
  Result<std::uint32_t> write_axis(const Dictionary &members);

  std::uint32_t write_string(std::string_view text, Dialect dialect);
  Result<std::uint32_t> write_symbol(std::string_view name, Dialect dialect);
  Result<std::uint32_t> write_bool(bool value, Dialect dialect);
  Result<std::uint32_t> write_number(const Attribute &number, ir::ElementType type, Dialect dialect);
  Result<std::uint32_t> write_type(std::uint32_t type, Dialect dialect);
  Result<std::uint32_t> write_keyword(const Keyword &word, Dialect dialect);
  Result<std::uint32_t> write_opaque(std::string_view text);
  Result<std::uint32_t> write_list(std::span<const Attribute> list, Dialect dialect);
  Result<std::uint32_t> write_array(const Attribute &list, Dialect dialect);
  Result<std::uint32_t> write_entries(const Dictionary &dictionary, Dialect dialect);
  Result<std::uint32_t> write_elements(const Elements &elements, Dialect dialect);
  std::uint32_t add(Dialect dialect, mlir::ByteWriter &writer) {
    return file_.attribute(name_of(dialect), writer.take());
  }

  mlir::FileBuilder &file_;
  TypeWriter &types_;
  Version target_;
};

}  // namespace bp::import::stablehlo::bytecode
