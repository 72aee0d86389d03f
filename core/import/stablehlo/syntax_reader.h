// Reads the parts of operations: types, attributes, literals and locations.
// Aliases (#map = ..., !type = ...), like those of locations, may be used before the line that defines them. Therefore
// their definitions are found first, and their values are read at each use.
#pragma once

#include <unordered_map>

#include "core/base/result.h"
#include "core/import/stablehlo/syntax.h"
#include "core/text/token_reader.h"

namespace bp::import::stablehlo {

using text::Token;
using text::TokenKind;
using text::TokenReader;

// Whether a `: type` after an attribute belongs to it. In `dim = 0 : tensor<..>` it belongs to the operation.
enum class TypeSuffix { Belongs, Not };

class SyntaxReader {
 public:
  SyntaxReader(std::string_view text, std::string file, std::uint32_t first_line);

  TokenReader &tokens() { return tokens_; }

  Result<Type> read_type();
  Result<std::vector<Type>> read_type_list();  // one type, or any number of them in parentheses
  Result<Attribute> read_attribute(TypeSuffix suffix);
  // Reads {a = 1, b}; the current token must be '{'.
  Result<Dictionary> read_dictionary();
  // Reads [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]; returns the equivalent dictionary of #stablehlo.conv.
  Result<Dictionary> read_convolution_dimensions();
  // Reads loc(...); returns nullptr if there is none.
  Result<std::shared_ptr<const Location>> read_optional_location();
  Result<std::string> read_string(std::string_view what);  // unescaped: \n, \t, \", \\, and \22 for any byte
  Result<std::string> read_symbol(std::string_view what);  // @name, @"any name"
  // Skips #name = ... or !name = ..., whose value is read where it is used.
  Status skip_alias_definition();

 protected:
  // Skips from the current token '<' to after the matching '>'.
  Status skip_angle_brackets(std::string_view what);

  TokenReader tokens_;

 private:
  void find_aliases();
  // Continues at the value of the alias whose name ends with the current token; returns the offset at which to continue
  // after it.
  Result<std::size_t> enter_alias(std::size_t begin);

  Result<Type> read_tensor();
  Result<ir::Dimensions> read_sizes();
  Result<ir::ElementType> read_element_type();
  Status read_encoding(ir::Shape &shape);
  Result<Type> read_quantized_element();
  Result<ir::ElementType> read_storage_type();
  Status read_scale(Quantization &quantization);
  Result<std::vector<ir::Shape>> read_elements();

  Result<Attribute> read_number(TypeSuffix suffix);
  Result<Attribute> read_word();
  Result<Attribute> read_dialect_attribute(TypeSuffix suffix);
  Result<Attribute::Value> read_struct();
  Result<std::vector<NamedAttribute>> read_entries(char close, TypeSuffix suffix);
  Result<Attribute> read_typed_array();
  Status skip_type_suffix(TypeSuffix suffix);

  Result<Elements> read_dense();
  Result<ir::Literal> read_elements(const ir::Shape &shape);
  Result<ir::Literal> read_hexadecimal(const ir::Shape &shape);

  Result<std::shared_ptr<const Location>> read_location();  // never nullptr
  Result<Location> read_location_parts();

  std::unordered_map<std::string_view, std::size_t> aliases_;  // "#name" to the offset after its '='
  std::size_t alias_uses_left_;  // limits nested aliases, whose expansion can be exponential
  std::unordered_map<std::string_view, std::shared_ptr<const Location>> locations_;  // by alias, once read
};

}  // namespace bp::import::stablehlo
