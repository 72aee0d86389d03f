// Reads and writes the attributes of instructions in HloInstructionProto, driven by the tables in attributes.def and
// text_attributes.cc.
#pragma once

#include <optional>

#include "core/import/protobuf/wire.h"
#include "core/ir/module.h"

namespace bp::import::hlo_proto {

using protobuf::Field, protobuf::Message, protobuf::Writer;

// Sets the attributes of an instruction whose opcode, operands and shape are set.
Status read_attributes(const Message &message, ir::Module &module, ir::InstructionId id);
// Returns Unsupported, with the instruction's location, for an attribute that the format has no field for.
Status write_attributes(Writer &writer, ir::Instruction instruction);

// Attributes of kind Text (text_attributes.cc). read_text_attribute() returns nothing if the message has none.
bool has_text_form(ir::AttributeKey key);
Result<std::optional<std::string>> read_text_attribute(const Message &message, ir::AttributeKey key);
Status write_text_attribute(Writer &writer, ir::AttributeKey key, std::string_view text);

// Frontend attributes of instructions and of the module: {a="x",b={json}}.
Result<std::string> read_frontend_attributes(const Message &message);
Status write_frontend_attributes(Writer &writer, std::string_view text);

}  // namespace bp::import::hlo_proto
