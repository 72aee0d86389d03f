// Which types of StableHLO agree.
#pragma once

#include "core/import/stablehlo/syntax.h"

namespace bp::import::stablehlo {

// Compatible types can replace each other: sizes are equal or not known, and quantized elements have the same storage,
// whatever their scales are.
ir::ElementType expressed_type(const Type &type);  // the element type if the type is not quantized
bool are_compatible(const Type &a, const Type &b);
bool have_equal_elements(const Type &a, const Type &b);  // including equal scales
bool have_compatible_elements(const Type &a, const Type &b);
bool have_compatible_sizes(const ir::Shape &a, const ir::Shape &b);

}  // namespace bp::import::stablehlo
