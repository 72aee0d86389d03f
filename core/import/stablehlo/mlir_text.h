// Writes types and attributes as MLIR reads them.
#pragma once

#include "core/import/stablehlo/syntax.h"

namespace bp::import::stablehlo {

// Returns the type with everything that belongs to it; to_string() leaves out the scales of quantized types.
std::string mlir_text(const Type &type);
std::string mlir_text(const FunctionType &type);
// Returns the attribute with the types of its numbers: {a = 1 : i64, b = array<i64: 1, 2>}.
std::string mlir_text(const Attribute &attribute);
// Returns dense<...> : type. `element`: a name in place of that of the element type, as `index`; may be empty.
std::string mlir_text(const Elements &elements, std::string_view element = {});
// Returns @name, or @"name" if it is not an identifier.
std::string mlir_symbol(std::string_view name);
std::string mlir_string(std::string_view text);  // in quotes
// Returns the name of an attribute, in quotes if it is not an identifier.
std::string mlir_name(std::string_view name);

}  // namespace bp::import::stablehlo
