#include "core/import/front_end.h"
#include "core/import/stablehlo/stablehlo.h"

namespace bp::import::stablehlo {
namespace {

std::vector<Source> split_program(std::string_view text, const std::string &file) {
  std::vector<Source> parts;
  for (const TextPart &part : split(text)) {
    parts.push_back({part.text, part.first_line, text, file});
  }
  return parts;
}

Result<ir::Module> read_program_of(const Source &source, const ReadOptions &options) {
  return read(source.text, {source.file, source.first_line, {}, options});
}

Result<std::vector<Parameter>> parameters_of(const Source &source) {
  return parameters(source.text, {source.file, source.first_line, {}});
}

}  // namespace

extern const FrontEnd front_end;
const FrontEnd front_end = {"stablehlo",
                            "StableHLO, as text or MLIR bytecode",
                            ".mlir .mlirbc",
                            "bytecode: ML\\xefR; text: module, func or a line that begins with '#' or '!'",
                            is_stablehlo,
                            split_program,
                            read_program_of,
                            parameters_of,
                            [](const ir::Module &module) { return to_text(module); }};

}  // namespace bp::import::stablehlo
