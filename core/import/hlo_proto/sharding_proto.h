// Converts OpSharding and the device groups of collectives to and from canonical text.
#pragma once

#include "core/import/protobuf/wire.h"

namespace bp::import::hlo_proto {

using protobuf::Field, protobuf::Message, protobuf::Writer;

// Shardings: {replicated}, {devices=[2,2]<=[4] last_tile_dim_replicate}, {mesh['a'=2], [{'a'}]}, {{manual}, {maximal
// device=1}}.
Result<std::string> read_sharding(const Message &message);
Status write_sharding(Writer &writer, std::string_view text);

// Device groups: {{0,1},{2,3}}, [2,2]<=[4], mesh['a'=2] {'a'}; stored in fields of the instruction. Empty if there are
// none.
Result<std::string> read_device_groups(const Message &instruction);
Status write_device_groups(Writer &instruction, std::string_view text);

}  // namespace bp::import::hlo_proto
