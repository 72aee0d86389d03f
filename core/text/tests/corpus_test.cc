// Every HLO text of the corpus parses, is valid and prints to a fixed point, except for the files listed here.
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "core/ir/verifier.h"
#include "core/text/parser.h"
#include "core/text/printer.h"
#include "tools/testing/require.h"
#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"

namespace bp::text {
namespace {

using testing::error_of;

struct Exception {
  std::string_view file, reason;
};
constexpr Exception not_text[] = {
    {"hlo.translate.hlo_to_mhlo.tests.simple.hlo", "is a protocol buffer in text form"},
    {"hlo.translate.hlo_to_mhlo.tests.module_attributes.hlo", "is a protocol buffer in text form"},
    {"hlo.translate.hlo_to_mhlo.tests.spmd_module_sharding.hlo", "is a protocol buffer in text form"},
};

// Inputs of tools that do not verify. XLA's verifier, which these tools do not run, rejects them for the same reasons.
constexpr Exception not_valid[] = {
    {"hlo.translate.hlo_to_mhlo.tests.while.hlo", "broadcasts f32[1] to f32[3] along the same dimension"},
    {"hlo.translate.hlo_to_mhlo.tests.import.hlo", "has a convolution whose window is not of the kernel's size"},
    {"hlo.transforms.tests.operand_upcaster.hlo",
     "has a dot of two vectors that contracts nothing, with a vector as result"},
    {"hlo.builder.tests.math_next_after.hlo", "has an entry layout of other element types than the entry's"},
    {"hlo.translate.hlo_to_mhlo.tests.layouts_and_names.hlo",
     "has an entry layout of other element types than the entry's"},
};

bool is_exception(std::span<const Exception> exceptions, const std::string &file) {
  return std::ranges::find(exceptions, file, &Exception::file) != exceptions.end();
}

}  // namespace

TEST_CASE("the corpus parses and prints to a fixed point") {
  std::filesystem::path corpus = testing::find_shared("corpus/hlo");
  if (corpus.empty()) {
    testing::skip("no corpus; set BACKPLANE_SHARED to the folder that has it");
    return;
  }
  std::size_t modules = 0;
  std::set<std::string> invalid;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(corpus)) {
    std::string file = entry.path().filename();
    if (entry.path().extension() != ".hlo") {
      continue;
    }
    std::string text = testing::read_file(entry.path());
    for (const TextPart &part : split_modules(text)) {
      INFO(file << ":" << part.first_line);
      auto module = parse_module(part.text, {file, part.first_line});
      if (is_exception(not_text, file)) {
        CHECK(!module.ok());
        continue;
      }
      REQUIRE(error_of(module) == "");
      std::string printed = print(*module);
      auto again = parse_module(printed);
      REQUIRE(error_of(again) == "");
      CHECK(print(*again) == printed);
      ++modules;
      if (auto verified = ir::verify(*module); !verified.ok()) {
        CHECK((is_exception(not_valid, file) ? "" : verified.error().to_string()) == "");
        invalid.insert(file);
      }
    }
  }
  for (const Exception &exception : not_valid) {
    INFO(exception.file << " verifies: it is no exception any more");
    CHECK(invalid.contains(std::string(exception.file)));
  }
  CHECK(modules >= 250);
}

}  // namespace bp::text
