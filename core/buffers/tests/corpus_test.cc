// Real programs, found beside the checkout: planned, and accepted by the validator.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/buffers/assign.h"
#include "core/buffers/copy_insertion.h"
#include "core/buffers/schedule.h"
#include "core/buffers/statistics.h"
#include "core/buffers/validate.h"
#include "core/passes/pass.h"
#include "core/text/parser.h"

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
  const char *shared = std::getenv("BACKPLANE_SHARED");
  std::filesystem::path corpus = shared != nullptr ? shared : BP_SOURCE_ROOT "/../shared";
  corpus /= "corpus/hlo";
  if (!std::filesystem::exists(corpus)) {
    WARN("skipped, no folder " << corpus);
    return;
  }
  for (const char *folder : {"models", "benchmarks"}) {
    for (const auto &entry : std::filesystem::directory_iterator(corpus / folder)) {
      std::ifstream file(entry.path());
      std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
      Result<MemoryStatistics> statistics = plan_and_validate(text);
      INFO(entry.path() << (statistics.ok() ? "" : statistics.error().to_string()));
      REQUIRE(statistics.ok());
      // Best fit leaves little room unused, beside the padding of small arrays to the alignment.
      CHECK(statistics->fragmentation_bytes() <= statistics->temporary_bytes / 1000 + 1024);
    }
  }
}

}  // namespace bp::buffers
