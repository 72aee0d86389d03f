// Every op of the table, with every element type that the verifier lets it have, on the interpreter and on cpu.
#include "conformance/coverage/coverage.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "core/backplane.h"
#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"

namespace bp::coverage {
namespace {

// Null where the backend was not built.
Device cpu() {
  const auto library =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "plugins/cpu/libbackplane_cpu.so";
  if (!std::filesystem::exists(library)) {
    testing::skip("the cpu backend was not built");
    return nullptr;
  }
  return Backend::load(library.string()).value().device();
}

// Of the largest value: some units in the last place, for sums. Other types: one unit.
double tolerance(const ir::Shape &shape) {
  switch (shape.element_type()) {
    case ir::ElementType::F64:
    case ir::ElementType::C128: return 1e-14;
    case ir::ElementType::F32:
    case ir::ElementType::C64: return 1e-6;
    default: return 0;
  }
}

bool agrees(const interpreter::Comparison &comparison) {
  return comparison.identical || comparison.max_ulp <= 1 || comparison.relative_error <= tolerance(comparison.shape);
}

}  // namespace

TEST_CASE("what cpu does not run is known, with the reason") {
  const Device device = cpu();
  if (device == nullptr) {
    return;
  }
  const std::vector<Cell> cells = survey(device).value();
  for (const ir::OpInfo &op : ir::ops()) {
    for (Answer answer : {Answer::Interpreter, Answer::Nowhere}) {
      INFO(op.text << (answer == Answer::Nowhere ? " nowhere" : " on the interpreter"));
      for (const Cell &cell : cells) {
        if (cell.opcode == op.opcode && cell.answer == answer) {
          UNSCOPED_INFO(ir::to_string(cell.type) << ": " << cell.reason);
        }
      }
      std::string expected;
      for (const Exception &exception : exceptions()) {
        if (exception.opcode == op.opcode && exception.answer == answer) {
          CHECK(!exception.reason.empty());
          expected = exception.types;
        }
      }
      CHECK(describe(cells, op.opcode, answer) == expected);
    }
  }
  const auto page = testing::find_in_source_tree("docs/op_coverage.md");
  INFO("run: build/tools/backplane ops --coverage > docs/op_coverage.md");
  CHECK(testing::read_file(page) == to_markdown(cells));
}

TEST_CASE("ops give on cpu what they give on the interpreter") {
  const Device device = cpu();
  if (device == nullptr) {
    return;
  }
  // Each op has about 30 cells, of which another part is run for each.
  const std::size_t of = std::getenv("BACKPLANE_TEST_FULL") != nullptr ? 1 : 11;
  const std::vector<Cell> cells = survey(device).value();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell &cell = cells[i];
    if (i % of != 0 || cell.answer > Answer::Expanded) {
      continue;
    }
    INFO(cell.programs.front());
    auto comparisons = run(cell, device);
    INFO((comparisons.ok() ? "" : comparisons.error().to_string()));
    REQUIRE(comparisons.ok());
    for (const interpreter::Comparison &comparison : *comparisons) {
      INFO(interpreter::to_string(comparison));
      CHECK(agrees(comparison));
    }
  }
}

}  // namespace bp::coverage
