// Writes types as VHLO and MLIR's builtin dialect have them: the counterpart of TypeReader.
#pragma once

#include "core/import/mlir/byte_writer.h"
#include "core/import/mlir/file_builder.h"
#include "core/import/stablehlo/bytecode/vhlo.h"
#include "core/import/stablehlo/syntax.h"

namespace bp::import::stablehlo::bytecode {

enum class Dialect { Vhlo, Builtin };
std::string_view name_of(Dialect dialect);

// Returns the error for something that only a later version than the target has.
Error needs(std::string_view what, Version first, Version target);

class TypeWriter {
 public:
  // Writes into `file`, which must outlive this object, for readers of version `target`.
  TypeWriter(mlir::FileBuilder &file, Version target) : file_(file), target_(target) {}

  // Return the index of the type in the file. Fail if the version or the dialect does not have it.
  Result<std::uint32_t> write(const Type &type, Dialect dialect = Dialect::Vhlo);
  Result<std::uint32_t> write(ir::ElementType type, Dialect dialect = Dialect::Vhlo);
  Result<std::uint32_t> write(const FunctionType &type, Dialect dialect = Dialect::Vhlo);
  // The type of a tensor whose elements are `index`.
  Result<std::uint32_t> write_of_indices(const Type &type);
  // Returns the type that a bare word names, such as f32, tf32, none or index; nothing if it names none.
  Result<std::optional<std::uint32_t>> write_word(std::string_view word, Dialect dialect = Dialect::Vhlo);

 private:
  Result<std::uint32_t> write_vhlo(ir::ElementType type);
  Result<std::uint32_t> write_builtin(ir::ElementType type);
  Result<std::uint32_t> write_array(const Type &type, std::uint32_t element, Dialect dialect);
  Result<std::uint32_t> write_tuple(std::span<const ir::Shape> elements, std::uint64_t code, Dialect dialect);
  Result<std::uint32_t> write_quantized(const Type &type);
  Status write_list(std::span<const Type> types, Dialect dialect, mlir::ByteWriter &writer);
  std::uint32_t add(Dialect dialect, mlir::ByteWriter &writer) { return file_.type(name_of(dialect), writer.take()); }

  mlir::FileBuilder &file_;
  Version target_;
};

}  // namespace bp::import::stablehlo::bytecode
