// Reads the value of one attribute according to its kind (attributes.def) and stores it in the module. Called
// computations and literals are read by the module parser: they depend on what else the text has defined.
#pragma once

#include "core/ir/module.h"
#include "core/text/token_reader.h"

namespace bp::text {

Status read_attribute(TokenReader &reader, ir::Module &module, ir::InstructionId id, ir::AttributeKey key);

// Reads metadata={op_type="..." op_name="..." source_line=7}, whose fields are separated by blanks or commas.
Result<ir::Metadata> read_metadata(TokenReader &reader);
// Reads {a="x",b={raw}}. Returns canonical text.
Result<std::string> read_frontend_attributes(TokenReader &reader);
// Reads {true,false} or a single bool. Returns canonical text.
Result<std::string> read_bools(TokenReader &reader);
// Reads a shape index, {1,0}.
Result<std::vector<std::int64_t>> read_index(TokenReader &reader);

}  // namespace bp::text
