// Shapes, layouts and literals: ShapeProto, LayoutProto, LiteralProto of xla_data.proto.
#pragma once

#include "core/import/protobuf/wire.h"
#include "core/ir/literal.h"

namespace bp::import::hlo_proto {

using protobuf::Field, protobuf::Message, protobuf::Writer;

Result<ir::Shape> read_shape(const Message &message);
void write_shape(Writer &writer, const ir::Shape &shape);

// Reads a literal. The number of values must match the shape; only as much memory is allocated as there are values.
Result<ir::Literal> read_literal(const Message &message);
void write_literal(Writer &writer, const ir::Literal &literal);

}  // namespace bp::import::hlo_proto
