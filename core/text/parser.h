// Parses HLO text into modules, compatible with what XLA reads and writes: the optional header, computations,
// instructions, shorthands (omitted shapes, nested operands, X-start for async-start of X) and all attributes of
// ops.def. Accepts any bytes as input: text that is not HLO results in an error with file:line:column, the line and a
// caret.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"
#include "core/text/parse_options.h"

namespace bp::text {

// Parses one module: an HloModule, a list of computations without a header, or a single instruction whose undefined
// operands become parameters. Linear in the length of the text. The module is well-formed but not verified: see
// core/ir/verifier.h.
Result<ir::Module> parse_module(std::string_view text, const ParseOptions &options = {});

// One module of a text that holds several, each beginning with a line "// -----" or with HloModule. If any part
// contains HloModule or ENTRY, a part that follows a "// -----" without either of them belongs to the module before it.
struct TextPart {
  std::string_view text;         // a view into the whole text
  std::uint32_t first_line = 1;  // for ParseOptions::first_line
};
// Splits a text into modules. Parts that consist only of blanks and comments are omitted.
std::vector<TextPart> split_modules(std::string_view text);

Result<ir::Shape> parse_shape(std::string_view text);
// Parses a literal without its shape: "{1, 2}" for s32[2], "size 2: {1, 2}" or "{1, 2}" for s32[<=8]. `file`: name for
// messages; may be empty.
Result<ir::Literal> parse_literal(std::string_view text, const ir::Shape &shape, std::string file = {});

}  // namespace bp::text
