// Generates reference documents from the tables of ops, attributes and types: a C header and a Markdown page.
#pragma once

#include <string>
#include <string_view>

namespace bp::ir {

// Returns the text of plugin_api/include/backplane/op_ids.h, which tools/generate_op_tables writes.
std::string op_ids_header();

// Returns the text of plugin_api/c/op_facts.h, which the same tool writes.
std::string op_facts_header();

// Returns a page that lists every op with its operands, element types, attributes and meaning.
std::string ops_markdown();

// Converts "DynamicSlice" to "DYNAMIC_SLICE", "Bf16Bf16F32X3" to "BF16_BF16_F32_X3".
std::string upper_snake_case(std::string_view pascal_case);

}  // namespace bp::ir
