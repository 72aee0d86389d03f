// The GPU backend without a GPU: its kernels on the emulator, and its PTX as text and as ptxas takes it.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/backplane.h"
#include "core/interpreter/compare.h"
#include "core/interpreter/random_inputs.h"
#include "core/text/parser.h"
#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"
#include "tools/testing/temporary_folder.h"

namespace bp::nvptx::tests {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

Result<Backend> try_open(Settings settings) {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  BackendOptions options;
  options.settings = std::move(settings);
  return Backend::load((folder / "plugins/nvptx/libbackplane_nvptx.so").string(), options);
}

Backend open(Settings settings) {
  auto backend = try_open(std::move(settings));
  INFO((backend.ok() ? "" : backend.error().to_string()));
  REQUIRE(backend.ok());
  return std::move(backend).value();
}

CompileOptions whole() {
  CompileOptions options;
  options.device_only = options.verify = true;
  options.fold_constants = false;
  return options;
}

void check_on_emulator(std::string_view text, double tolerance = 0) {
  const Module module = text::parse_module(text).value();
  const std::vector<Literal> arguments = interpreter::random_arguments(module, 3).value();
  auto compiled = open({{"emulate", "1"}}).compile(module, whole());
  INFO((compiled.ok() ? "" : compiled.error().to_string()));
  REQUIRE(compiled.ok());
  const auto result = compiled->executable.run(arguments);
  REQUIRE(result.ok());
  const Literal expected = interpreter::interpret(module, arguments).value();
  const auto comparisons = interpreter::compare(*result, expected);
  REQUIRE(comparisons.ok());
  for (const interpreter::Comparison &comparison : *comparisons) {
    INFO(interpreter::to_string(comparison));
    CHECK((comparison.identical || comparison.agrees(tolerance)));
  }
}

// Something of every kind of kernel.
const char *const kinds = R"(HloModule kinds
  add { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = f32[] add(p, q) }
  less { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = pred[] compare(p, q), direction=LT }
  ENTRY main {
    x = f32[64,96] parameter(0)
    y = f32[96,64] parameter(1)
    z = bf16[64,96] parameter(2)
    i = s32[8,1] parameter(3)
    zero = f32[] constant(0)
    e = f32[64,96] exponential(x)
    t = f32[96,64] transpose(x), dimensions={1,0}
    rows = f32[64] reduce(x, zero), dimensions={1}, to_apply=add
    columns = f32[96] reduce(x, zero), dimensions={0}, to_apply=add
    product = f32[64,64] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    c = bf16[128,96] concatenate(z, z), dimensions={0}
    g = f32[8,96] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,96}
    w = f32[64,96] scatter(x, i, g), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    s = f32[64,96] sort(x), dimensions={1}, to_apply=less
    ROOT r = (f32[64,96], f32[96,64], f32[64], f32[96], f32[64,64], bf16[128,96], f32[8,96], f32[64,96], f32[64,96]) tuple(e, t, rows, columns, product, c, g, w, s)
  })";

// The PTX of a program.
std::string ptx_of(std::string_view text, const std::string &target, const testing::TemporaryFolder &folder) {
  const Module module = text::parse_module(text).value();
  auto artifact = open({{"target", target}, {"dump-dir", folder.path()}}).make_artifact(module, whole());
  INFO((artifact.ok() ? "" : artifact.error().to_string()));
  REQUIRE(artifact.ok());
  return testing::read_file(folder / (module.name() + ".ptx"));
}

constexpr const char *targets[] = {"sm_75", "sm_80", "sm_90", "sm_90a"};

}  // namespace

TEST_CASE("every kind of kernel gives what the interpreter gives") {
  check_on_emulator(kinds, 1e-6);
}

TEST_CASE("loops and branches are commands of the host") {
  check_on_emulator(R"(HloModule control
    condition { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0  n = s32[] constant(5)
      ROOT less = pred[] compare(i, n), direction=LT }
    body { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0
      x = f32[4] get-tuple-element(s), index=1  one = s32[] constant(1)  next = s32[] add(i, one)
      twice = f32[4] add(x, x)  ROOT r = (s32[], f32[4]) tuple(next, twice) }
    minus { x = f32[4] parameter(0)  ROOT n = f32[4] negate(x) }
    square { x = f32[4] parameter(0)  ROOT n = f32[4] multiply(x, x) }
    ENTRY main {
      x = f32[4] parameter(0)
      which = s32[] parameter(1)
      p = pred[] parameter(2)
      zero = s32[] constant(0)
      start = (s32[], f32[4]) tuple(zero, x)
      loop = (s32[], f32[4]) while(start), condition=condition, body=body
      y = f32[4] get-tuple-element(loop), index=1
      a = f32[4] conditional(which, y, x, y), branch_computations={minus, square, square}
      ROOT b = f32[4] conditional(p, a, y), true_computation=minus, false_computation=square
    })");
}

TEST_CASE("kernels read and write 16 bytes at a time where they can") {
  const testing::TemporaryFolder folder;
  const std::string ptx = ptx_of(R"(HloModule wide
    ENTRY main { x = f32[4096] parameter(0)  y = f32[4096] parameter(1)  ROOT r = f32[4096] add(x, y) })",
                                 "sm_90", folder);
  INFO(ptx);
  CHECK(ptx.find(".target sm_90\n") != std::string::npos);
  CHECK(ptx.find(".entry kernel_0(") != std::string::npos);
  CHECK(ptx.find("ld.global.nc.v4.f32") != std::string::npos);
  CHECK(ptx.find("st.global.v4.f32") != std::string::npos);
}

TEST_CASE("ptxas takes every kind of kernel, for every target") {
  if (std::system("ptxas --version > /dev/null 2>&1") != 0) {
    testing::skip("there is no ptxas, which comes with a CUDA toolkit");
    return;
  }
  for (const std::string target : targets) {
    const testing::TemporaryFolder folder;
    ptx_of(kinds, target, folder);
    const std::string file = folder / "kinds";
    INFO(target);
    CHECK(std::system(("ptxas -arch=" + target + " " + file + ".ptx -o " + file + ".cubin").c_str()) == 0);
  }
}

TEST_CASE("what the backend says when it cannot") {
  const auto refusal = [](Settings settings) { return try_open(std::move(settings)).error().message(); };
  CHECK(refusal({{"target", "sm_42"}}).find("there is no target sm_42, expected one of sm_75, sm_80, sm_90, sm_90a") !=
        std::string::npos);
  const Module module =
      text::parse_module("HloModule m ENTRY main { x = f32[4] parameter(0)  ROOT r = f32[4] negate(x) }").value();
  const auto compiled = open({}).compile(module);
  if (compiled.ok()) {
    testing::skip("there is a GPU");
    return;
  }
  CHECK(compiled.error().message().find("without a") != std::string::npos);  // driver or GPU: what to do instead
}

}  // namespace bp::nvptx::tests
