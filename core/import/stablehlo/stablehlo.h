// Imports StableHLO, as text or as MLIR bytecode, as modules, and converts one into the other. Reads the pretty and the
// generic form of MLIR, without MLIR, and portable artifacts of StableHLO 0.9.0 to 1.20.0.
// Functions become computations, calls stay calls, regions become called computations, several results become a tuple.
// chlo operations become instructions. Checks (check.expect_eq, custom calls to @check.*) become custom calls of that
// name with a side effect, whose backend_config is a JSON object of their attributes.
// Programs that StableHLO's own verifier rejects are rejected, also in functions that are not imported: see verifier.h.
// Accepts any bytes as input: text that cannot be imported results in an error with file:line:column, the line and a
// caret.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/import/stablehlo/bytecode/vhlo.h"
#include "core/import/stablehlo/options.h"
#include "core/ir/module.h"

namespace bp::import::stablehlo {

// Reads and verifies one module: a `module`, or functions without one, or bytecode. Functions that the entry does not
// reach are omitted.
Result<ir::Module> read(std::string_view text, const Options &options = {});

// Returns the parameters of the entry, with the sizes that are written.
Result<std::vector<Parameter>> parameters(std::string_view text, const Options &options = {});

// One module of a text that holds several, separated by lines that begin with "// -----".
struct TextPart {
  std::string_view text;         // a view into the whole text
  std::uint32_t first_line = 1;  // for Options::first_line
};
// Splits a text into modules. Parts that consist only of blanks and comments are omitted.
std::vector<TextPart> split(std::string_view text);

// Writes a program as text, without lowering it: with all its functions, also with operations that have no HLO. Equal
// programs have equal texts, whether they were text or bytecode.
Result<std::string> to_text(std::string_view program, const Options &options = {});

// Writes a program as MLIR bytecode with VHLO, a portable artifact that StableHLO of version `target` and later reads;
// see bytecode/writer.h.
Result<std::string> to_bytecode(std::string_view program, bytecode::Version target, const Options &options = {});

// Writes a module as StableHLO, the counterpart of read(): the entry becomes @main, other computations functions and
// regions, tuples several values. See raising/raising.h for what is dropped. Fails with Unsupported, and the place of
// the instruction, if StableHLO does not have what an instruction does. The module must be verified.
Result<std::string> to_text(const ir::Module &module);
// `target`: as for programs. Operations of chlo become custom calls that XLA knows, or are refused.
Result<std::string> to_bytecode(const ir::Module &module, bytecode::Version target);

// Whether a text is StableHLO and not HLO, judging by its beginning after comments; also bytecode is.
bool is_stablehlo(std::string_view text);

}  // namespace bp::import::stablehlo
