// Programs that are compiled with the contents of constants (bp.constants/draft-1): the same bits in fewer cycles.
#include <fmt/format.h>

#include <cinttypes>
#include <cstdio>
#include <optional>
#include <utility>

#include "backplane/ext/draft/constants.h"
#include "core/interpreter/random_inputs.h"
#include "plugins/npu/tests/open_npu.h"
#include "tools/testing/temporary_folder.h"

namespace bp::npu::tests {
namespace {

// Returns the text of a matrix with the elements at(row, column).
template <class At>
std::string matrix_of(int rows, int columns, At at) {
  std::string text;
  for (int row = 0; row < rows; ++row) {
    text += row == 0 ? "{" : ", {";
    for (int column = 0; column < columns; ++column) {
      text += fmt::format("{}{}", column == 0 ? "" : ", ", at(row, column));
    }
    text += "}";
  }
  return "{" + text + "}";
}
int odd(int row, int column) {
  return (row * 7 + column * 5) % 60 * 2 - 61;
}

// An npu whose host tells contents of constants or not, in this process or another.
struct Npu {
  enum class Host : std::uint8_t { Tells, IsSilent, IsElsewhere };

  explicit Npu(Host host) {
    const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    BackendOptions options;
    options.log = [this](std::uint32_t, std::string_view message) {
      std::sscanf(std::string(message).c_str(), "run %*u: %" SCNu64 " cycles", &cycles);
    };
    if (host == Host::IsSilent) {
      options.withdrawn_services = {BP_EXT_CONSTANTS};
    }
    if (host == Host::IsElsewhere) {
      options.isolation = Isolation{};
    }
    auto loaded = Backend::load((folder / "plugins/npu/libbackplane_npu.so").string(), options);
    INFO((loaded.ok() ? "" : loaded.error().to_string()));
    REQUIRE(loaded.ok());
    backend = std::move(loaded).value();
  }
  std::uint64_t cycles = 0;  // of the last run
  std::optional<Backend> backend;
};

struct MeasuredRun {
  Literal result;
  std::uint64_t cycles;
  std::size_t cached;  // programs that were not compiled
};

MeasuredRun measured_on(Npu::Host host, const Module &module, const std::string &cache_dir = "") {
  Npu npu(host);
  CompileOptions options;
  options.device_only = true;
  options.fold_constants = false;
  options.cache_dir = cache_dir;
  const auto compiled = npu.backend->compile(module, options);
  INFO((compiled.ok() ? "" : compiled.error().to_string()));
  REQUIRE(compiled.ok());
  auto result = compiled->executable.run(interpreter::random_arguments(module, 5).value());
  REQUIRE(result.ok());
  REQUIRE(npu.cycles > 0);
  return {std::move(result).value(), npu.cycles, compiled->report.cached};
}

// Checks that the results are those of the interpreter, and returns the cycles with and without contents of constants.
std::pair<std::uint64_t, std::uint64_t> cycles_with_and_without(const std::string &text) {
  const Module module = parse(text);
  const Literal expected =
      run(Backend::load("interpreter").value(), module, interpreter::random_arguments(module, 5).value());
  const MeasuredRun told = measured_on(Npu::Host::Tells, module), silent = measured_on(Npu::Host::IsSilent, module);
  CHECK(told.result.identical(expected));
  CHECK(silent.result.identical(expected));
  return {told.cycles, silent.cycles};
}

// A dot of a parameter of `rows` rows with a constant matrix.
template <class At>
std::string dot_with(int rows, int depth, int columns, const char *result, At at) {
  return fmt::format(
      "HloModule weights\nENTRY main {{ x = s8[{0},{1}] parameter(0)  w = s8[{1},{2}] constant({3})\n"
      "  ROOT r = {4}[{0},{2}] dot(x, w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}} }}",
      rows, depth, columns, matrix_of(depth, columns, at), result);
}

}  // namespace

TEST_CASE("products of s8 with constant zeros are left out, wherever they are") {
  struct Zeros {
    const char *where;
    bool (*at)(int row, int column);
    bool is_shorter;
  };
  const Zeros all[] = {
      {"nowhere", [](int, int) { return false; }, false},
      {"everywhere", [](int, int) { return true; }, true},
      {"first rows", [](int row, int) { return row < 96; }, true},
      {"last rows", [](int row, int) { return row >= 130; }, true},
      {"between", [](int row, int) { return row >= 50 && row < 250; }, true},
      {"one block of columns", [](int, int column) { return column < 128; }, true},
      {"a gap that is not worth a further step", [](int row, int) { return row >= 32 && row < 64; }, false},
      {"single columns", [](int, int column) { return column % 2 == 0; }, false},
      {"all but one element", [](int row, int column) { return row != 299 || column != 139; }, true},
  };
  for (const Zeros &zeros : all) {
    for (const char *result : {"s32", "s8"}) {
      INFO(zeros.where << ", " << result);
      const auto [told, silent] = cycles_with_and_without(dot_with(
          9, 300, 140, result, [&](int row, int column) { return zeros.at(row, column) ? 0 : odd(row, column); }));
      CHECK((told < silent) == zeros.is_shorter);
      CHECK(told <= silent);
    }
  }
}

TEST_CASE("zeros of a left operand, of batches and of several contracted dimensions are left out, too") {
  const auto rows_from = [](int first) {
    return [first](int row, int column) { return column < first ? 0 : odd(row, column); };
  };
  const auto [left, left_silent] = cycles_with_and_without(
      fmt::format("HloModule left\nENTRY main {{ x = s8[300,17] parameter(0)  w = s8[20,300] constant({})\n"
                  "  ROOT r = s32[20,17] dot(w, x), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}} }}",
                  matrix_of(20, 300, rows_from(200))));
  CHECK(left < left_silent);
  const auto [batches, batches_silent] = cycles_with_and_without(fmt::format(
      "HloModule batches\nENTRY main {{ x = s8[2,5,40] parameter(0)  w = s8[2,40,6] constant({{{}, {}}})\n"
      "  ROOT r = s32[2,5,6] dot(x, w), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, lhs_contracting_dims={{2}}, "
      "rhs_contracting_dims={{1}} }}",
      matrix_of(40, 6, [](int, int) { return 0; }), matrix_of(40, 6, odd)));
  CHECK(batches < batches_silent);
  const auto [several, several_silent] = cycles_with_and_without(
      fmt::format("HloModule several\nENTRY main {{ x = s8[5,2,40] parameter(0)  w = s8[2,40,6] constant({{{}, {}}})\n"
                  "  ROOT r = s32[5,6] dot(x, w), lhs_contracting_dims={{1,2}}, rhs_contracting_dims={{0,1}} }}",
                  matrix_of(40, 6, [](int, int) { return 0; }), matrix_of(40, 6, odd)));
  CHECK(several < several_silent);
}

TEST_CASE("zeros of bf16 are multiplied, because an infinity times 0 is NaN") {
  const Module module =
      parse(fmt::format("HloModule infinite\nENTRY main {{ x = bf16[1,300] parameter(0)  w = bf16[300,2] constant({})\n"
                        "  ROOT r = f32[1,2] dot(x, w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}} }}",
                        matrix_of(300, 2, [](int, int) { return 0; })));
  const auto shape = ir::Shape::array(ir::ElementType::BF16, {1, 300});
  const std::vector<Literal> arguments = {
      text::parse_literal(matrix_of(1, 300, [](int, int column) { return column == 250 ? "inf" : "1"; }), shape)
          .value()};
  CHECK(run(open_npu(), module, arguments).identical(run(Backend::load("interpreter").value(), module, arguments)));
}

TEST_CASE("an artifact that was made with contents of constants runs on a host that does not tell them") {
  const testing::TemporaryFolder folder;
  const Module module =
      parse(dot_with(9, 300, 140, "s32", [](int row, int column) { return row < 200 ? 0 : odd(row, column); }));
  const MeasuredRun made = measured_on(Npu::Host::Tells, module, folder.path());
  const MeasuredRun loaded = measured_on(Npu::Host::IsSilent, module, folder.path());
  CHECK(made.cached == 0);
  CHECK(loaded.cached == 1);
  CHECK(loaded.result.identical(made.result));
  CHECK(loaded.cycles == made.cycles);
}

TEST_CASE("a plugin in another process does without contents of constants") {
  const Module module =
      parse(dot_with(9, 300, 140, "s32", [](int row, int column) { return row < 200 ? 0 : odd(row, column); }));
  const MeasuredRun elsewhere = measured_on(Npu::Host::IsElsewhere, module);
  const MeasuredRun silent = measured_on(Npu::Host::IsSilent, module);
  CHECK(elsewhere.result.identical(silent.result));
  CHECK(elsewhere.cycles == silent.cycles);
}

}  // namespace bp::npu::tests
