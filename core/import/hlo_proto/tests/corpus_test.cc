// text -> proto -> text gives the same text for every HLO text of the corpus, except for data the format cannot
// represent.
#include <boost/algorithm/string/erase.hpp>
#include <catch2/catch.hpp>
#include <filesystem>

#include "core/import/hlo_proto/hlo_proto.h"
#include "core/text/parser.h"
#include "core/text/printer.h"
#include "tools/testing/require.h"
#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"

namespace bp::import::hlo_proto {
namespace {

using testing::error_of;

// Files whose text states attributes with their default value, which XLA omits in text and writes in protos.
constexpr std::string_view states_the_usual[] = {"hlo.translate.hlo_to_mhlo.tests.import.hlo"};

std::string without_the_usual(std::string text) {
  for (std::string_view usual : {", type=FLOAT", ", type=SIGNED", ", type=UNSIGNED", ", feature_group_count=1",
                                 ", operand_precision={default,default}"}) {
    boost::erase_all(text, usual);
  }
  return text;
}

// Brings the parts that the format cannot represent into the form that the reader gives them.
void normalize(ir::Module &module) {
  ir::ModuleHeader &header = module.header();
  std::erase_if(header.rest, [](const auto &attribute) { return attribute.first != "frontend_attributes"; });
  if (!header.has_entry_layout) {  // XLA always writes one
    header.has_entry_layout = true;
    ir::Computation entry = module.entry();
    for (std::size_t i = 0; i < entry.parameter_count(); ++i) {
      header.entry_parameter_shapes.push_back(entry.parameter(i).shape());
    }
    header.entry_result_shape = entry.root().shape();
  }
}

}  // namespace

TEST_CASE("the corpus is the same after a proto") {
  std::filesystem::path corpus = testing::find_shared("corpus/hlo");
  if (corpus.empty()) {
    testing::skip("no corpus; set BACKPLANE_SHARED to the folder that has it");
    return;
  }
  for (const auto &entry : std::filesystem::recursive_directory_iterator(corpus)) {
    std::string file = entry.path().filename();
    if (entry.path().extension() != ".hlo") {
      continue;
    }
    std::string text = testing::read_file(entry.path());
    for (const text::TextPart &part : text::split_modules(text)) {
      INFO(file << ":" << part.first_line);
      auto module = text::parse_module(part.text, {file, part.first_line});
      if (!module.ok()) {
        continue;  // core/text/tests/corpus_test.cc lists these files
      }
      auto bytes = write_module(*module);
      CHECK(error_of(bytes) == "");
      if (!bytes.ok()) {
        continue;
      }
      CHECK(is_hlo_proto(*bytes));
      auto again = read_module(*bytes);
      CHECK(error_of(again) == "");
      if (again.ok()) {
        normalize(*module);
        std::string wanted = text::print(*module);
        bool states_usual = std::ranges::find(states_the_usual, file) != std::end(states_the_usual);
        std::string printed = text::print(*again);
        CHECK(printed == (states_usual ? without_the_usual(wanted) : wanted));
        auto parsed = text::parse_module(printed);
        REQUIRE(error_of(parsed) == "");
        CHECK(text::print(*parsed) == printed);
      }
    }
  }
}

}  // namespace bp::import::hlo_proto
