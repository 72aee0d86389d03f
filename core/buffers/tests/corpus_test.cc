// Programs of the corpus next to the checkout: planned, and accepted by the validator.
#include <catch2/catch.hpp>
#include <filesystem>

#include "core/buffers/assign.h"
#include "core/buffers/copy_insertion.h"
#include "core/buffers/schedule.h"
#include "core/buffers/statistics.h"
#include "core/buffers/validate.h"
#include "core/passes/pass.h"
#include "core/text/parser.h"
#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"

namespace bp::buffers {
namespace {

Result<MemoryStatistics> plan_and_validate(const std::string &text) {
  BP_ASSIGN(ir::Module module, text::parse_module(text));
  BP_TRY(passes::flatten_call_graph(module, {}));
  BP_TRY(schedule(module));
  BP_TRY(insert_copies(module));
  BP_ASSIGN(Plan plan, assign(module));
  BP_TRY(validate(module, plan));
  return measure(module, plan);
}

}  // namespace

TEST_CASE("programs of the corpus are planned") {
  std::filesystem::path corpus = testing::find_shared("corpus/hlo");
  if (corpus.empty()) {
    testing::skip("no corpus; set BACKPLANE_SHARED to the folder that has it");
    return;
  }
  for (const char *folder : {"models", "benchmarks"}) {
    for (const auto &entry : std::filesystem::directory_iterator(corpus / folder)) {
      Result<MemoryStatistics> statistics = plan_and_validate(testing::read_file(entry.path()));
      INFO(entry.path() << (statistics.ok() ? "" : statistics.error().to_string()));
      REQUIRE(statistics.ok());
      // Best fit leaves little room unused, except for the padding of small arrays to the alignment.
      CHECK(statistics->fragmentation_bytes() <= statistics->temporary_bytes / 1000 + 1024);
    }
  }
}

}  // namespace bp::buffers
