// Reads shapes and layouts: f32[2,<=8,?]{2,1,0:T(8,128)S(1)}, (f32[], token[]), b(s8[4]).
#pragma once

#include "core/ir/shape.h"
#include "core/text/token_reader.h"

namespace bp::text {

// Whether the current token begins a shape.
bool is_shape_ahead(const TokenReader &reader);

// Reads a shape. An omitted layout becomes the descending one.
Result<ir::Shape> read_shape(TokenReader &reader);

}  // namespace bp::text
