// libFuzzer target: for any bytes, the parser returns. A module that it accepts prints, the printed text parses and
// prints the same, and the verifier does not crash on it.
#include <cstdio>

#include "core/ir/verifier.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  for (const bp::text::TextPart &part : bp::text::split_modules(text)) {
    std::vector<std::string> warnings;
    auto module = bp::text::parse_module(part.text, {"fuzz.hlo", part.first_line, &warnings, 0});
    if (!module.ok()) {
      module.error().to_string();
      continue;
    }
    static_cast<void>(bp::ir::verify(*module).ok());
    std::string printed = bp::text::print(*module);
    auto again = bp::text::parse_module(printed);
    if (!again.ok()) {
      std::fprintf(stderr, "%s\nwhat was printed does not parse: %s\n", printed.c_str(),
                   again.error().to_string().c_str());
      __builtin_trap();
    }
    if (bp::text::print(*again) != printed) {
      std::fprintf(stderr, "%s\nprints differently when read again:\n%s\n", printed.c_str(),
                   bp::text::print(*again).c_str());
      __builtin_trap();
    }
  }
  return 0;
}
