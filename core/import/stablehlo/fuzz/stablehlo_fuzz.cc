// libFuzzer target: for any bytes, the reader returns. A module that it accepts has been verified, prints, and the
// printed text parses and prints the same.
//   build-fuzz/stablehlo_fuzz FOLDER_OF_MLIR_FILES
#include <cstdio>

#include "core/import/stablehlo/stablehlo.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  for (const bp::import::stablehlo::TextPart &part : bp::import::stablehlo::split(text)) {
    auto module = bp::import::stablehlo::read(part.text, {"fuzz.mlir", part.first_line, {}});
    if (!module.ok()) {
      module.error().to_string();
      continue;
    }
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
