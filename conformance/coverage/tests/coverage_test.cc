// Every op of the table, with every element type that the verifier lets it have, on the interpreter and on backends.
#include "conformance/coverage/coverage.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "conformance/coverage/programs.h"
#include "core/backplane.h"
#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"

namespace bp::coverage {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

// Returns nullptr if the backend was not built.
Device open(const std::string &library_name, const Settings &settings = {}) {
  const auto library = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "plugins" / library_name;
  if (!std::filesystem::exists(library)) {
    testing::skip("the backend was not built: " + library.string());
    return nullptr;
  }
  BackendOptions options;
  options.settings = settings;
  return Backend::load(library.string(), options).value().device();
}
Device cpu() {
  return open("cpu/libbackplane_cpu.so");
}
Device primitives(const std::string &types) {
  return open("cpu/libbackplane_primitives.so", {{"types", types}});
}
// Opens nvptx without a GPU: it claims the same ops.
Device nvptx() {
  return open("nvptx/libbackplane_nvptx.so", {{"emulate", "1"}});
}

constexpr std::string_view no_state = "its state, from one run to the next, is kept by the device";
// Exceptions of the backend `primitives` besides those of every backend.
constexpr Exception not_of_primitives[] = {
    {ir::Opcode::Rng, Answer::Interpreter, "pred, signed, unsigned, floats", no_state},
    {ir::Opcode::RngGetAndUpdateState, Answer::Interpreter, "yes", no_state},
};

// Tolerance relative to the largest value: for sums, some units in the last place. Other types: one unit.
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

// Checks that exactly the listed exceptions, those of all backends and those of this one, are not run.
void check_exceptions(const std::vector<Cell> &cells, std::span<const Exception> own = {}) {
  std::vector<Exception> known(exceptions().begin(), exceptions().end());
  known.insert(known.end(), own.begin(), own.end());
  for (const ir::OpInfo &op : ir::ops()) {
    for (Answer answer : {Answer::Interpreter, Answer::Nowhere}) {
      INFO(op.text << (answer == Answer::Nowhere ? " nowhere" : " on the interpreter"));
      for (const Cell &cell : cells) {
        if (cell.opcode == op.opcode && cell.answer == answer) {
          UNSCOPED_INFO(ir::to_string(cell.type) << ": " << cell.reason);
        }
      }
      std::string expected;
      for (const Exception &exception : known) {
        if (exception.opcode == op.opcode && exception.answer == answer) {
          CHECK(!exception.reason.empty());
          expected = exception.types;
        }
      }
      CHECK(describe(cells, op.opcode, answer) == expected);
    }
  }
}

}  // namespace

TEST_CASE("a program has the computations that it calls, and no others") {
  const auto text_of = [](ir::Opcode opcode) { return programs(opcode, ir::ElementType::F32).front().text; };
  CHECK_THAT(text_of(ir::Opcode::Add), Catch::StartsWith("ENTRY main {"));
  CHECK_THAT(text_of(ir::Opcode::Sort), Catch::StartsWith("less {") && !Catch::Contains("less_by_first"));
  CHECK_THAT(text_of(ir::Opcode::While),
             Catch::StartsWith("below_three {") && Catch::Contains("\ntwice_each {") && !Catch::Contains("twice {"));
  CHECK_THAT(text_of(ir::Opcode::SelectAndScatter),
             Catch::StartsWith("sum {") && Catch::Contains("not_less {") && !Catch::Contains("\nless {"));
}

TEST_CASE("what cpu does not run is known, with the reason") {
  const Device device = cpu();
  if (device == nullptr) {
    return;
  }
  const std::vector<Cell> cells = survey(device).value();
  check_exceptions(cells);
  const auto page = testing::find_in_source_tree("docs/op_coverage.md");
  INFO("run: build/tools/backplane ops --coverage > docs/op_coverage.md");
  CHECK(testing::read_file(page) == to_markdown(cells, "dev.backplane.cpu"));
  const std::string of_vendor = to_markdown(cells, "com.acme.vx");
  CHECK_THAT(of_vendor, Catch::Contains("the vx backend") && !Catch::Contains("A test compares"));
}

// Runs every `of`-th cell that the device runs.
void check_results(const Device &device, const std::vector<Cell> &cells, std::size_t of) {
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

// Each op has about 30 cells; the cells that are run differ from op to op.
std::size_t part(std::size_t of) {
  return std::getenv("BACKPLANE_TEST_FULL") != nullptr ? 1 : of;
}

TEST_CASE("ops give on cpu what they give on the interpreter") {
  if (const Device device = cpu(); device != nullptr) {
    check_results(device, survey(device).value(), part(11));
  }
}

TEST_CASE("nvptx claims all that cpu claims, and ops give on it what they give on the interpreter") {
  const Device reference = cpu(), device = nvptx();
  if (reference == nullptr || device == nullptr) {
    return;
  }
  const std::vector<Cell> expected = survey(reference).value(), cells = survey(device).value();
  check_exceptions(cells);
  REQUIRE(cells.size() == expected.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    INFO(ir::to_string(cells[i].opcode) << " " << ir::to_string(cells[i].type) << ": " << cells[i].reason);
    // Where cpu has an op itself, nvptx does not even expand it. The exception: Fourier transforms are matrices there.
    CHECK((cells[i].answer <= expected[i].answer || cells[i].opcode == ir::Opcode::Fft));
  }
  check_results(device, cells, part(13));
}

// npu does not run many ops, for reasons of its own: f64, most functions of f32, unsigned integers.
TEST_CASE("ops give on npu what they give on the interpreter") {
  if (const Device device = open("npu/libbackplane_npu.so"); device != nullptr) {
    check_results(device, survey(device).value(), part(7));
  }
}

TEST_CASE("what is not made of primitives is known, the rest gives what it gives on the interpreter") {
  if (const Device device = primitives("wide"); device != nullptr) {
    const std::vector<Cell> cells = survey(device).value();
    check_exceptions(cells, not_of_primitives);
    check_results(device, cells, part(29));
  }
}

// This device has neither 64-bit types nor types below 32 bits. f64 and c128 cannot be built from f32; random steps are
// counted in f64.
TEST_CASE("on a device of 32 bits only f64 is missing in addition") {
  const Device device = primitives("narrow");
  if (device == nullptr) {
    return;
  }
  const std::vector<Cell> cells = survey(device).value();
  for (const Cell &cell : cells) {
    INFO(ir::to_string(cell.opcode) << " " << ir::to_string(cell.type) << ": " << cell.reason);
    const bool is_double = cell.type == ir::ElementType::F64 || cell.type == ir::ElementType::C128;
    // The programs of these ops convert to every type.
    const bool has_doubles = cell.opcode == ir::Opcode::Convert || cell.opcode == ir::Opcode::StochasticConvert;
    if (cell.answer > Answer::Expanded && !is_double && !has_doubles) {
      const auto is_it = [&](const Exception &exception) {
        return exception.opcode == cell.opcode && exception.answer == cell.answer;
      };
      CHECK((std::ranges::any_of(exceptions(), is_it) || std::ranges::any_of(not_of_primitives, is_it)));
    }
  }
  check_results(device, cells, part(29));
}

}  // namespace bp::coverage
