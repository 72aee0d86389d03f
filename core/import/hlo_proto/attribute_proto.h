// The attributes of instructions in HloInstructionProto: a walk over the tables of attributes.def and
// text_attributes.cc.
#pragma once

#include <optional>

#include "core/import/hlo_proto/wire.h"
#include "core/ir/module.h"

namespace bp::import::hlo_proto {

// Sets the attributes of an instruction whose opcode, operands and shape are there.
Status read_attributes(const Message &message, ir::Module &module, ir::InstructionId id);
// Unsupported, with the instruction's place, for an attribute the format has no field for.
Status write_attributes(Writer &writer, ir::Instruction instruction);

// Attributes of kind Text (text_attributes.cc). Absent if the message has none.
bool has_text_form(ir::AttributeKey key);
Result<std::optional<std::string>> read_text_attribute(const Message &message, ir::AttributeKey key);
Status write_text_attribute(Writer &writer, ir::AttributeKey key, std::string_view text);

// {a="x",b={json}}, of instructions and of the module.
Result<std::string> read_frontend_attributes(const Message &message);
Status write_frontend_attributes(Writer &writer, std::string_view text);

}  // namespace bp::import::hlo_proto
