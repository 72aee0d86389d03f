// Reads attributes of VHLO, of Shardy and of MLIR's builtin dialect.
#pragma once

#include "core/import/stablehlo/bytecode/types.h"

namespace bp::import::stablehlo::bytecode {

class AttributeReader {
 public:
  AttributeReader(Encoding &encoding, TypeReader &types) : encoding_(encoding), types_(types) {}

  // Returns the attribute as the text form has it. `position`: of the operation, for messages.
  Result<Attribute> read(std::uint32_t index, std::size_t position);
  // Returns the entries of a dictionary.
  Result<Dictionary> read_dictionary(std::uint32_t index, std::size_t position);

 private:
  Result<Attribute::Value> read_vhlo(Encoding::Item &item);
  Result<Attribute::Value> read_builtin(Encoding::Item &item);
  Result<Attribute> read_next(mlir::ByteReader &reader);  // the attribute whose index comes next

  Result<Attribute::Value> read_list(mlir::ByteReader &reader);
  Result<Attribute::Value> read_entries(mlir::ByteReader &reader);
  Result<std::string_view> read_string(
      mlir::ByteReader &reader);  // that of the string attribute whose index comes next
  Result<ir::ElementType> read_element_type(mlir::ByteReader &reader);
  Result<std::uint64_t> read_bits(mlir::ByteReader &reader, int width);
  Result<Attribute::Value> read_integer(mlir::ByteReader &reader);
  Result<Attribute::Value> read_real(mlir::ByteReader &reader);
  Result<Attribute::Value> read_tensor(mlir::ByteReader &reader);
  Result<Attribute::Value> read_array(mlir::ByteReader &reader);
  Result<Attribute::Value> read_type(mlir::ByteReader &reader);
  Result<Attribute::Value> read_accuracy(mlir::ByteReader &reader);
  Result<Attribute::Value> read_alias(mlir::ByteReader &reader);
  Result<Attribute::Value> read_axis(mlir::ByteReader &reader);
  Result<Attribute::Value> read_mesh_groups(mlir::ByteReader &reader);

  Attribute number(std::int64_t value) const { return {value, position_, ir::ElementType::S64}; }
  Attribute numbers(std::span<const std::int64_t> values) const;

  Encoding &encoding_;
  TypeReader &types_;
  std::size_t position_ = 0;                         // of the attribute that is being read
  ir::ElementType type_ = ir::ElementType::Invalid;  // type of the number that was read last
};

}  // namespace bp::import::stablehlo::bytecode
