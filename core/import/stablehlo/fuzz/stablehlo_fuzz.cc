// libFuzzer target: for any bytes, the reader returns, also if unknown sizes are given. A module that it accepts has
// been verified, prints, and the printed text parses and prints the same. A program that can be stored as bytecode is
// the same when it is read again.
//   build-fuzz/stablehlo_fuzz FOLDER_OF_MLIR_FILES
#include <algorithm>
#include <cstdio>

#include "core/import/stablehlo/stablehlo.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

namespace {

// Symbols in attributes of other dialects become strings: the program is compared after it was stored once.
void check_stored(const bp::import::stablehlo::TextPart &part) {
  using bp::import::stablehlo::bytecode::newest_version;
  const bp::import::stablehlo::Options options{"fuzz.mlir", part.first_line, {}};
  const auto stored = bp::import::stablehlo::to_bytecode(part.text, newest_version, options);
  if (!stored.ok()) {
    return;
  }
  const auto text = bp::import::stablehlo::to_text(*stored, options);
  const auto again = bp::import::stablehlo::to_bytecode(*stored, newest_version, options);
  const auto same = again.ok() ? bp::import::stablehlo::to_text(*again, options) : again;
  if (!text.ok() || !same.ok() || *same != *text) {
    std::fprintf(stderr, "%s\nis another program when it is stored and read again:\n%s\n",
                 text.ok() ? text->c_str() : text.error().to_string().c_str(),
                 same.ok() ? same->c_str() : same.error().to_string().c_str());
    __builtin_trap();
  }
}

// The module that is raised to StableHLO is read again, unless sizes are operands.
void check_raised(const bp::ir::Module &module) {
  const auto text = bp::import::stablehlo::to_text(module);
  const auto again = text.ok() ? bp::import::stablehlo::read(*text) : module;
  if (!again.ok() && again.error().message().find("not known") == std::string::npos) {
    std::fprintf(stderr, "%s\nwas raised, and is not read: %s\n", text->c_str(), again.error().to_string().c_str());
    __builtin_trap();
  }
}

// A program is read with all unknown sizes the same, and texts of an even length with values of integers as well; those
// of other texts are deduced. What the module prints is read again.
void check_specialized(const bp::import::stablehlo::TextPart &part) {
  const auto parameters = bp::import::stablehlo::parameters(part.text, {"fuzz.mlir", part.first_line, {}});
  if (!parameters.ok()) {
    return;
  }
  bp::import::stablehlo::Options options{"fuzz.mlir", part.first_line, {}};
  for (std::size_t i = 0; i < parameters->size(); ++i) {
    const bp::ir::Shape &shape = (*parameters)[i].shape;
    std::vector<std::int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
    std::ranges::replace(sizes, bp::ir::unbounded, std::int64_t{3});
    options.reading.parameter_sizes.push_back({std::to_string(i), sizes});
    if (shape.is_scalar() && bp::ir::is_integer(shape.element_type()) && part.text.size() % 2 == 0) {
      options.reading.parameter_values.push_back({std::to_string(i), {3}});
    }
  }
  const auto module = bp::import::stablehlo::read(part.text, options);
  const std::string printed = module.ok() ? bp::text::print(*module) : module.error().to_string();
  if (module.ok() && !bp::text::parse_module(printed).ok()) {
    std::fprintf(stderr, "%s\nwhat was printed does not parse\n", printed.c_str());
    __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  for (const bp::import::stablehlo::TextPart &part : bp::import::stablehlo::split(text)) {
    check_stored(part);
    check_specialized(part);
    auto module = bp::import::stablehlo::read(part.text, {"fuzz.mlir", part.first_line, {}});
    if (!module.ok()) {
      module.error().to_string();
      continue;
    }
    check_raised(*module);
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
