// Reads the value of one attribute as its kind says (attributes.def) and stores it in the module. Called computations
// and literals are not here: they need to know what else the text has defined.
#pragma once

#include "core/ir/module.h"
#include "core/text/token_reader.h"

namespace bp::text {

Status read_attribute(TokenReader &reader, ir::Module &module, ir::InstructionId id, ir::AttributeKey key);

// metadata={op_type="..." op_name="..." source_line=7}; blanks or commas between the fields.
Result<ir::Metadata> read_metadata(TokenReader &reader);
// {a="x",b={raw}}, as canonical text.
Result<std::string> read_frontend_attributes(TokenReader &reader);
// {true,false} or a single bool, as canonical text.
Result<std::string> read_bools(TokenReader &reader);
// {1,0} of a shape index.
Result<std::vector<std::int64_t>> read_index(TokenReader &reader);

// ", did you mean 'x'?" for the candidate that is almost `wrong`; empty if there is none.
std::string suggestion(std::string_view wrong, std::span<const std::string_view> candidates);

}  // namespace bp::text
