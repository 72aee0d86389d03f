// OpMetadata: the origin of an instruction.
#pragma once

#include "core/import/protobuf/wire.h"
#include "core/ir/module.h"
#include "core/text/token_reader.h"

namespace bp::import::hlo_proto {

using protobuf::Field, protobuf::Message, protobuf::Writer;

// Values shared by several messages. A Payload message contains the number of a shared value, or a value of its own.
using Payloads = std::vector<std::string_view>;
Result<std::string_view> read_payload(const Message &message, const Payloads &payloads);

Result<ir::Metadata> read_metadata(const Message &message, const Payloads &payloads);
void write_metadata(Writer &writer, const ir::Metadata &metadata);

// Metadata of shardings, which is kept as text: {op_name="x"}, or a list of these. Empty if there is none.
Result<std::string> read_metadata_list(const Message &message, Field field);
Status write_metadata_list(Writer &writer, Field field, text::TokenReader &reader);

}  // namespace bp::import::hlo_proto
