// Shardings and groups of devices by the named axes of a mesh: NamedShardingProto, MeshAxesReplicaGroupListProto.
#pragma once

#include "core/import/protobuf/wire.h"
#include "core/text/token_reader.h"

namespace bp::import::hlo_proto {

using protobuf::Field, protobuf::Message, protobuf::Writer;

// Shardings, without the outer braces: mesh['a'=2,'b'=4], [{'a'}, {'b':(2)2, ?}], replicated={'c'}.
Result<std::string> read_mesh_sharding(const Message &named_sharding);
Status write_mesh_sharding(Writer &named_sharding, text::TokenReader &reader);

// Device groups: mesh['a'=2] {'a'}.
Result<std::string> read_mesh_groups(const Message &group_list);
Status write_mesh_groups(Writer &group_list, text::TokenReader &reader);

// Reads [1,2] or (1,2), in the given brackets.
Status read_bracketed(text::TokenReader &reader, char open, char close, std::vector<std::int64_t> &numbers);

}  // namespace bp::import::hlo_proto
