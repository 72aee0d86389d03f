// Every StableHLO text of the corpus is imported and verified; its printed text parses and prints the same.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "core/import/stablehlo/stablehlo.h"
#include "core/text/parser.h"
#include "core/text/printer.h"
#include "tools/testing/require.h"
#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"

namespace bp::import::stablehlo {
namespace {

using testing::error_of;

}  // namespace

TEST_CASE("the corpus is imported and prints to a fixed point") {
  std::filesystem::path corpus = testing::find_shared("corpus/stablehlo");
  if (corpus.empty()) {
    testing::skip("no corpus; set BACKPLANE_SHARED to the folder that has it");
    return;
  }
  std::size_t modules = 0;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(corpus)) {
    if (entry.path().extension() != ".mlir") {
      continue;
    }
    std::string text = testing::read_file(entry.path());
    for (const TextPart &part : split(text)) {
      auto module = read(part.text, {entry.path().filename(), part.first_line, {}});
      // In this folder, sizes depend on the inputs; most programs are refused for that reason.
      if (!module.ok() && entry.path().parent_path().filename() == "dynamic" &&
          module.error().message().find(" not known") != std::string::npos) {
        continue;
      }
      CHECK(error_of(module) == "");
      if (!module.ok()) {
        continue;
      }
      std::string printed = text::print(*module);
      auto again = text::parse_module(printed);
      REQUIRE(error_of(again) == "");
      CHECK(text::print(*again) == printed);
      ++modules;
    }
  }
  CHECK(modules >= 1400);
}

}  // namespace bp::import::stablehlo
