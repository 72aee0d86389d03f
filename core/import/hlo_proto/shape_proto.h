// Shapes, layouts and literals: ShapeProto, LayoutProto, LiteralProto of xla_data.proto.
#pragma once

#include "core/import/hlo_proto/wire.h"
#include "core/ir/literal.h"

namespace bp::import::hlo_proto {

Result<ir::Shape> read_shape(const Message &message);
void write_shape(Writer &writer, const ir::Shape &shape);

// Values must be as many as the shape says; memory is taken only for what is there.
Result<ir::Literal> read_literal(const Message &message);
void write_literal(Writer &writer, const ir::Literal &literal);

}  // namespace bp::import::hlo_proto
