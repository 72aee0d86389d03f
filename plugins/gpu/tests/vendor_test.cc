// A second vendor's backend, with nothing of plugins/nvptx: kernels and plans for its GPUs compute what they should.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/backplane.h"
#include "core/base/sanitizers.h"
#include "plugins/gpu/tests/programs.h"

namespace bp::gpu::tests {
namespace {

Backend open(const std::string &gpu) {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  BackendOptions options;
  options.settings = {{"gpu", gpu}, {"races", BP_SANITIZES_MEMORY == 1 ? "0" : "1"}};
  auto backend = Backend::load((folder / "plugins/gpu/libtest_vendor.so").string(), options);
  INFO((backend.ok() ? "" : backend.error().to_string()));
  REQUIRE(backend.ok());
  return std::move(backend).value();
}

constexpr double tolerance = 1e-4;

// Rows of several lengths, which teams of a part of a warp, of a warp and of a block sum up, and a scan.
constexpr const char *rows = R"(HloModule rows
  add { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = f32[] add(p, q) }
  ENTRY main {
    x = f32[7,20] parameter(0)
    y = f32[5,200] parameter(1)
    z = f32[2,5000] parameter(2)
    zero = f32[] constant(0)
    a = f32[7] reduce(x, zero), dimensions={1}, to_apply=add
    b = f32[5] reduce(y, zero), dimensions={1}, to_apply=add
    c = f32[2] reduce(z, zero), dimensions={1}, to_apply=add
    d = f32[5,200] reduce-window(y, zero), window={size=1x200 pad=0_0x199_0}, to_apply=add
    ROOT r = (f32[7], f32[5], f32[2], f32[5,200]) tuple(a, b, c, d)
  })";

// Few rows, many rows, and f16, which a GPU with all units multiplies with them.
constexpr const char *dots = R"(HloModule dots
  ENTRY main {
    a = f32[2,300] parameter(0)
    b = f32[300,200] parameter(1)
    c = f16[128,128] parameter(2)
    d = f16[128,128] parameter(3)
    e = f32[2,200] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    f = f32[128,128] dot(c, d), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    ROOT r = (f32[2,200], f32[128,128]) tuple(e, f)
  })";

constexpr const char *loop = R"(HloModule loop
  condition { s = (s32[], f32[40]) parameter(0)  i = s32[] get-tuple-element(s), index=0
    n = s32[] constant(5)  ROOT goes_on = pred[] compare(i, n), direction=LT }
  body { s = (s32[], f32[40]) parameter(0)  i = s32[] get-tuple-element(s), index=0
    x = f32[40] get-tuple-element(s), index=1  one = s32[] constant(1)  next = s32[] add(i, one)
    y = f32[40] add(x, x)  ROOT r = (s32[], f32[40]) tuple(next, y) }
  ENTRY main { x = f32[40] parameter(0)  zero = s32[] constant(0)  s = (s32[], f32[40]) tuple(zero, x)
    ROOT r = (s32[], f32[40]) while(s), condition=condition, body=body })";

}  // namespace

TEST_CASE("the GPUs of a second vendor compute what the interpreter does, whatever the size of their warps") {
  for (const char *gpu : {"narrow", "wide", "full"}) {
    INFO(gpu);
    const Backend backend = open(gpu);
    check_on(backend, kinds, tolerance);
    check_on(backend, rows, tolerance);
    check_on(backend, dots, tolerance);
    check_on(backend, loop);
  }
}

TEST_CASE("messages begin with the name of the backend") {
  const auto refused = open("narrow").compile(
      text::parse_module("HloModule m ENTRY main { x = f32[8] parameter(0)\n"
                         "  ROOT r = (f32[2], s32[2]) custom-call(x), custom_call_target=\"TopK\" }")
          .value(),
      whole());
  REQUIRE(!refused.ok());
  CHECK(refused.error().message() ==
        "backend test.vendor does not run r (custom-call): target \"TopK\": vendor: r is not compiled");
}

}  // namespace bp::gpu::tests
