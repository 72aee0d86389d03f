// StableHLO text to modules. Reads the pretty and the generic form of MLIR, without MLIR.
// Functions become computations, calls stay calls, regions become called computations; several results become a tuple.
// chlo operations become instructions; checks (check.expect_eq, custom calls to @check.*) stay as custom calls of that
// name with a side effect, whose backend_config is a JSON object of their attributes.
// What StableHLO's own verifier refuses is refused, also in functions that are left out: see verifier.h.
// Any bytes are fine as input: what cannot be imported comes back as an error with file:line:column, the line and a
// caret.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::import::stablehlo {

struct Options {
  std::string file;              // for messages; may be empty
  std::uint32_t first_line = 1;  // of the text in that file, when the text is a part of it
  // The function that becomes the entry; empty: main, or the only function, or the first public one that takes nothing.
  std::string entry;
  // Shapes of the entry's parameters: sizes that its types leave open become these, and all sizes follow. Empty: none
  // are open.
  std::vector<ir::Shape> parameter_shapes = {};
};

// One module, verified: a `module`, or functions without one. Functions that the entry does not reach are left out.
Result<ir::Module> read(std::string_view text, const Options &options = {});

// A file may hold several modules, separated by lines that begin with "// -----".
struct TextPart {
  std::string_view text;         // into the text given
  std::uint32_t first_line = 1;  // for Options::first_line
};
// Parts of nothing but blanks and comments are left out.
std::vector<TextPart> split(std::string_view text);

// Whether a text is StableHLO rather than HLO: by what it begins with, after comments.
bool is_stablehlo(std::string_view text);

}  // namespace bp::import::stablehlo
