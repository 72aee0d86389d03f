// Layout assignment on random programs with random preferences.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "core/compile/passes.h"
#include "core/debugging/pass_check.h"
#include "core/debugging/random_module.h"
#include "core/passes/layout/layout_groups.h"
#include "core/text/printer.h"

namespace bp::debugging {
namespace {

// Returns preferences for about every third array: any order of dimensions, required, worth little, or worth any copy.
std::vector<passes::LayoutPreference> random_preferences(const ir::Module &module, std::mt19937_64 &random) {
  std::vector<passes::LayoutPreference> preferences;
  auto preference = [&](ir::Instruction i, bool is_result, std::size_t slot, const ir::Shape &shape) {
    if (random() % 3 != 0) {
      return;
    }
    ir::Layout layout = ir::Layout::descending(shape.rank());
    std::shuffle(layout.minor_to_major.begin(), layout.minor_to_major.end(), random);
    constexpr double gains[] = {-1, 0.5, 1e9};
    preferences.push_back({i.id(), is_result, slot, layout, gains[random() % 3]});
  };
  for (ir::Computation computation : module.computations()) {
    for (ir::Instruction i : computation.instructions()) {
      const auto results = passes::arrays_of(i.shape());
      for (std::size_t result = 0; result < results.size(); ++result) {
        preference(i, true, result, *results[result]);
      }
      for (std::size_t operand = 0; operand < i.operand_count(); ++operand) {
        if (i.operand(operand).shape().is_array()) {
          preference(i, false, operand, i.operand(operand).shape());
        }
      }
    }
  }
  return preferences;
}

}  // namespace

TEST_CASE("whatever layouts a device prefers, results stay the same") {
  int changed = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    ir::Module module = random_module(seed);
    CheckOptions options;
    options.seed = seed;
    options.draws = 1;
    PassCheck check(options);
    passes::PipelineOptions pipeline;
    pipeline.verify_between_passes = true;
    pipeline.compare = check.compare();
    // As in compile, layouts agree before devices are asked.
    Status status = passes::run_passes(module, compile::passes_of(passes::Stage::Simplify), pipeline);
    std::mt19937_64 random(seed);
    pipeline.context.layout_preferences = random_preferences(module, random);
    pipeline.after_pass = [&](const ir::Module &, const passes::PassReport &report) -> Status {
      changed += report.name == "layout-assignment" && report.changed ? 1 : 0;
      return {};
    };
    const std::string before = text::print(module);
    if (status.ok()) {
      status = passes::run_passes(module, compile::passes_of(passes::Stage::Layout), pipeline);
    }
    INFO("seed " << seed << "\n" << before << (status.ok() ? "" : status.error().to_string()));
    CHECK(status.ok());
  }
  CHECK(changed > 100);
}

}  // namespace bp::debugging
