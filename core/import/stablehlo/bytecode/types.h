// Reads types of VHLO and of MLIR's builtin dialect.
#pragma once

#include "core/import/stablehlo/bytecode/encoding.h"
#include "core/import/stablehlo/syntax.h"

namespace bp::import::stablehlo::bytecode {

class TypeReader {
 public:
  explicit TypeReader(Encoding &encoding) : encoding_(encoding), types_(encoding.file().types.size()) {}

  // Returns a type of values, or a scalar of an element type. As in text: `index` is i64, `none` an empty tuple, a
  // future of several values a tuple.
  Result<Type> read(std::uint32_t index);
  Result<FunctionType> read_function(std::uint32_t index);
  // Returns the word for an element type, as in #stablehlo.dot_algorithm<lhs_precision_type = tf32>.
  Result<std::string_view> read_word(std::uint32_t index);

 private:
  Result<Type> read_vhlo(Encoding::Item &item);
  Result<Type> read_builtin(Encoding::Item &item);
  Result<Type> read_array(Encoding::Item &item, bool has_encoding_first);
  Status read_bounds(Encoding::Item &item, std::uint32_t attribute, ir::Shape &shape);
  Result<Type> read_complex(Encoding::Item &item);
  Result<Type> read_tuple(Encoding::Item &item);
  Result<Type> read_quantized(Encoding::Item &item, bool is_per_axis);
  Result<ir::ElementType> read_element(Encoding::Item &item);
  Result<std::vector<Type>> read_list(Encoding::Item &item);

  Encoding &encoding_;
  std::vector<std::optional<Type>> types_;  // those that have been read
};

}  // namespace bp::import::stablehlo::bytecode
