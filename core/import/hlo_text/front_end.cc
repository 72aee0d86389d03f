#include "core/import/front_end.h"
#include "core/import/front_ends.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

namespace bp::import::hlo_text {
namespace {

// Any text is taken, so that what is no program gets the parser's message.
bool is_text(std::string_view bytes) {
  return !find_binary_byte(bytes);
}

std::vector<Source> split_text(std::string_view text, const std::string &file) {
  std::vector<Source> parts;
  for (const text::TextPart &part : text::split_modules(text)) {
    parts.push_back({part.text, part.first_line, text, file});
  }
  return parts;
}

Result<ir::Module> read_text(const Source &source, const ReadOptions &options) {
  if (options.is_specialized()) {
    return invalid_input(
        "{}: shapes or values of parameters are given, expected none: an HLO module has its shapes, and a size that it "
        "bounds, as in f32[<=8], is that of the argument of a run",
        source.file);
  }
  text::ParseOptions inner;
  inner.file = source.file;
  inner.first_line = source.first_line;
  inner.warnings = options.warnings;
  BP_ASSIGN(ir::Module module, text::parse_module(source.text, inner));
  if (Status verified = ir::verify(module); !verified.ok()) {
    return std::move(verified).error().in(source.file_text);
  }
  return module;
}

}  // namespace

extern const FrontEnd front_end;
const FrontEnd front_end = {"hlo_text",
                            "HLO text",
                            ".hlo .txt",
                            "a text, usually with HloModule or ENTRY",
                            is_text,
                            split_text,
                            read_text,
                            nullptr,
                            [](const ir::Module &module) -> Result<std::string> { return text::print(module); }};

}  // namespace bp::import::hlo_text
