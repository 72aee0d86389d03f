// The tables of ops, attributes and types as documents for people and plugins: a C header and a page of Markdown.
#pragma once

#include <string>
#include <string_view>

namespace bp::ir {

// The text of plugin_api/include/backplane/op_ids.h; tools/generate_op_ids writes it.
std::string op_ids_header();

// A page that lists every op with its operands, element types, attributes and meaning.
std::string ops_markdown();

// "DynamicSlice" -> "DYNAMIC_SLICE", "Bf16Bf16F32X3" -> "BF16_BF16_F32_X3".
std::string upper_snake_case(std::string_view pascal_case);

}  // namespace bp::ir
