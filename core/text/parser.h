// HLO text to modules, compatible with what XLA writes and reads: the optional header, computations, instructions,
// shorthands (omitted shapes, nested operands, X-start for async-start of X) and all attributes of ops.def.
// Any bytes are fine as input: what is not HLO comes back as an error with file:line:column, the line and a caret.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::text {

struct ParseOptions {
  std::string file;                              // for messages; may be empty
  std::uint32_t first_line = 1;                  // of the text in that file, when the text is a part of it
  std::vector<std::string> *warnings = nullptr;  // "file:line:column: ..." are appended; not owned
  std::uint64_t seed = 0;                        // of the values that fill elided literals, written {...}
};

// One module: an HloModule, a bare list of computations, or a single instruction whose unknown operands become
// parameters. Linear in the length of the text. The module is well-formed but not verified: see core/ir/verifier.h.
Result<ir::Module> parse_module(std::string_view text, const ParseOptions &options = {});

// A file may hold several modules, each begun by a line "// -----" or by HloModule. If any of them says HloModule or
// ENTRY, what follows a "// -----" without either still belongs to the module before it.
struct TextPart {
  std::string_view text;         // into the text given
  std::uint32_t first_line = 1;  // for ParseOptions::first_line
};
// Parts of nothing but blanks and comments are left out.
std::vector<TextPart> split_modules(std::string_view text);

Result<ir::Shape> parse_shape(std::string_view text);
// A literal without its shape: "{1, 2}" for s32[2]. file: for messages; may be empty.
Result<ir::Literal> parse_literal(std::string_view text, const ir::Shape &shape, std::string file = {});

}  // namespace bp::text
