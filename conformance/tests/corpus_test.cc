// No pass changes the results of the programs of the corpus, or of slices of its models: all of them with --full
// (BACKPLANE_TEST_FULL), a sample otherwise.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>

#include "conformance/check/case.h"
#include "conformance/check/self_checking.h"
#include "core/backplane.h"
#include "core/compile/passes.h"
#include "core/debugging/pass_check.h"
#include "core/debugging/reduce.h"
#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"

namespace bp::debugging {
namespace {

bool is_full() {
  return std::getenv("BACKPLANE_TEST_FULL") != nullptr;
}

struct Tally {
  int programs = 0, compared_passes = 0;
  std::map<std::string, int> not_compared;  // number by reason
};

void check(const ir::Module &module, const std::string &name, Tally &tally,
           std::span<const passes::Pass> list = compile::default_passes()) {
  CheckOptions options;
  options.max_seconds = 2;
  options.max_value_bytes = std::int64_t{1} << 26;
  PassCheck check(options);
  passes::PipelineOptions pipeline;
  pipeline.verify_between_passes = true;
  pipeline.compare = check.compare();
  ir::Module copy = module;
  const Status status = passes::run_passes(copy, list, pipeline);
  INFO(name << "\n" << (status.ok() ? "" : status.error().to_string()));
  CHECK(status.ok());
  ++tally.programs;
  tally.compared_passes += check.compared();
  for (const std::string &reason : check.not_compared()) {
    ++tally.not_compared[reason];
  }
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path &folder, std::size_t one_of) {
  std::vector<std::filesystem::path> files, sample;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (const std::string extension = entry.path().extension(); extension == ".hlo" || extension == ".mlir") {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  for (std::size_t i = 0; i < files.size(); i += is_full() ? 1 : one_of) {
    sample.push_back(files[i]);
  }
  return sample;
}

// Checks that results can be compared for most changes of most programs.
void check_coverage(const Tally &tally) {
  int missing = 0;
  for (const auto &[reason, count] : tally.not_compared) {
    missing += count;
    std::cout << "not compared " << count << ": " << reason << "\n";
  }
  std::cout << tally.programs << " programs, " << tally.compared_passes << " passes compared, " << missing << " not\n";
  CHECK(tally.compared_passes > 4 * missing);
}

// Expands whole modules twice: the second pass expands what the first one creates.
std::vector<passes::Pass> all_expansions() {
  return compile::passes_named(std::vector<std::string>{"expand", "primitives", "expand", "primitives"}).value();
}

void check_stablehlo(std::span<const passes::Pass> list) {
  const auto folder = testing::find_shared("corpus/stablehlo");
  if (folder.empty()) {
    return testing::skip("there is no corpus: BACKPLANE_SHARED, or ../shared beside the checkout");
  }
  Tally tally;
  for (const auto &file : files_in(folder, 12)) {
    const auto cases = conformance::read_cases(file);
    REQUIRE(cases.ok());
    for (const conformance::Case &one : *cases) {
      auto module = conformance::parse(one);
      if (!module.ok() || !conformance::interpreter_only(*module).empty()) {
        continue;
      }
      auto parts = conformance::split_checks(std::move(module).value());
      if (parts.ok()) {
        check(parts->program, fmt::format("{} part {}", file.string(), one.part), tally, list);
      }
    }
  }
  check_coverage(tally);
}

}  // namespace

TEST_CASE("no pass changes the results of the StableHLO corpus") {
  check_stablehlo(compile::default_passes());
}

TEST_CASE("no expansion changes the results of the StableHLO corpus") {
  check_stablehlo(all_expansions());
}

TEST_CASE("no pass changes the results of the HLO corpus") {
  const auto folder = testing::find_shared("corpus/hlo/cases");
  if (folder.empty()) {
    return testing::skip("there is no corpus: BACKPLANE_SHARED, or ../shared beside the checkout");
  }
  Tally tally;
  for (const auto &file : files_in(folder, 6)) {
    if (auto module = read_module(file); module.ok()) {
      check(*module, file.string(), tally);
    }
  }
  check_coverage(tally);
}

TEST_CASE("no pass changes the results of slices of models") {
  const auto folder = testing::find_shared("corpus/hlo/models");
  if (folder.empty()) {
    return testing::skip("there is no corpus: BACKPLANE_SHARED, or ../shared beside the checkout");
  }
  Tally tally;
  for (const auto &file : files_in(folder, 1)) {
    auto module = read_module(file);
    if (!module.ok()) {
      continue;
    }
    // Slices end at instructions spread over the program; each contains the instructions that its last one depends on.
    const ir::Computation entry = module->entry();
    const std::size_t count = entry.instruction_count(), slices = is_full() ? 60 : 3;
    for (std::size_t i = 1; i <= slices; ++i) {
      const ir::Instruction around{&*module, entry.instruction_ids()[i * (count - 1) / slices]};
      const ir::Module slice = extract_slice(*module, around.name(), 4).value();
      check(slice, fmt::format("backplane reduce {} --extract {} --depth 4 -o slice.hlo", file.string(), around.name()),
            tally);
    }
  }
  for (const auto &[reason, count] : tally.not_compared) {
    std::cout << "not compared " << count << ": " << reason << "\n";
  }
  CHECK(tally.compared_passes > 0);
}

}  // namespace bp::debugging
