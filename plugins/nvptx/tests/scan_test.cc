// Scans: for each element the combination of all elements before it, by teams, in as many steps as there are elements.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "plugins/nvptx/tests/programs.h"

namespace bp::nvptx::tests {
namespace {

std::string scan(std::string_view type, std::string_view op, std::string_view dims, std::string_view window,
                 std::string_view start) {
  return fmt::format(R"(HloModule scan
    combine {{ p = {0}[] parameter(0)  q = {0}[] parameter(1)  ROOT r = {0}[] {1}(p, q) }}
    ENTRY main {{
      x = {0}[{2}] parameter(0)
      start = {0}[] constant({4})
      ROOT r = {0}[{2}] reduce-window(x, start), window={{{3}}}, to_apply=combine
    }})",
                     type, op, dims, window, start);
}

}  // namespace

TEST_CASE("a scan is the work of teams") {
  const std::string ptx =
      ptx_of(text::parse_module(scan("f32", "add", "64,1000", "size=1x1000 pad=0_0x999_0", "0")).value(), "sm_80");
  INFO(ptx);
  CHECK(ptx.find("shfl.sync.bfly.b32") != std::string::npos);
  for (const int length : {15, 16, 33, 1000, 2048, 9001}) {
    INFO(length);
    const int rest = length - 1;
    const auto along = [&](int lines) { return fmt::format("{},{}", lines, length); };
    const auto across = [&](int lines) { return fmt::format("{},{}", length, lines); };
    check_on_emulator(scan("s32", "add", along(3), fmt::format("size=1x{} pad=0_0x{}_0", length, rest), "7"));
    check_on_emulator(scan("s32", "add", along(40), fmt::format("size=1x{} pad=0_0x0_{}", length, rest), "7"));
    check_on_emulator(scan("f32", "maximum", across(5), fmt::format("size={}x1 pad={}_0x0_0", length, rest), "-inf"));
  }
  check_on_emulator(scan("f32", "add", "200,1100", "size=200x1 pad=199_0x0_0", "0"), 1e-5);
  check_on_emulator(scan("f64", "add", "3,1100", "size=1x1100 pad=0_0x0_1099", "0.5"), 1e-13);
  check_on_emulator(scan("bf16", "add", "3,300", "size=1x300 pad=0_0x0_299", "0"), 1e-2);
  check_on_emulator(scan("u8", "multiply", "3,300", "size=1x300 pad=0_0x299_0", "3"));
  check_on_emulator(scan("c64", "add", "3,300", "size=1x300 pad=0_0x299_0", "(0, 0)"), 1e-5);
  check_on_emulator(scan("pred", "or", "3,300", "size=1x300 pad=0_0x299_0", "false"));
}

// The one does not commute: what is left of what matters. The place of the last element that is not 0.
TEST_CASE("a scan keeps the order of what it combines") {
  for (const char *window : {"size=1x5000 pad=0_0x4999_0", "size=1x5000 pad=0_0x0_4999"}) {
    INFO(window);
    check_on_emulator(fmt::format(R"(HloModule last
      last {{
        a = s32[] parameter(0)  i = s32[] parameter(1)  b = s32[] parameter(2)  j = s32[] parameter(3)
        zero = s32[] constant(0)
        is_one = pred[] compare(b, zero), direction=NE
        v = s32[] select(is_one, b, a)
        p = s32[] select(is_one, j, i)
        ROOT r = (s32[], s32[]) tuple(v, p)
      }}
      ENTRY main {{
        any = s32[3,5000] parameter(0)
        few = s32[] constant(130)
        fews = s32[3,5000] broadcast(few), dimensions={{}}
        x = s32[3,5000] and(any, fews)
        places = s32[3,5000] iota(), iota_dimension=1
        zero = s32[] constant(0)
        none = s32[] constant(-1)
        ROOT r = (s32[3,5000], s32[3,5000]) reduce-window(x, places, zero, none), window={{{}}}, to_apply=last
      }})",
                                  window));
  }
}

TEST_CASE("windows that are not of all elements before one are not a scan") {
  check_on_emulator(scan("s32", "add", "3,40", "size=1x39 pad=0_0x38_0", "0"));
  check_on_emulator(scan("s32", "add", "3,40", "size=2x40 pad=1_0x39_0", "0"));
  check_on_emulator(scan("s32", "add", "40,40", "size=40x40 pad=39_0x39_0", "0"));
}

}  // namespace bp::nvptx::tests
