// Rows that several threads do together: their exchanges, their memory, and the rows left over.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "plugins/nvptx/tests/programs.h"

namespace bp::nvptx::tests {
namespace {

// softmax of rows: two reductions, and what is made of both.
std::string softmax(std::string_view type, int rows, int length) {
  return fmt::format(R"(HloModule softmax
    add {{ p = {0}[] parameter(0)  q = {0}[] parameter(1)  ROOT r = {0}[] add(p, q) }}
    max {{ p = {0}[] parameter(0)  q = {0}[] parameter(1)  ROOT r = {0}[] maximum(p, q) }}
    ENTRY main {{
      x = {0}[{1},{2}] parameter(0)
      zero = {0}[] constant(0)
      low = {0}[] constant(-inf)
      m = {0}[{1}] reduce(x, low), dimensions={{1}}, to_apply=max
      mb = {0}[{1},{2}] broadcast(m), dimensions={{0}}
      d = {0}[{1},{2}] subtract(x, mb)
      e = {0}[{1},{2}] exponential(d)
      s = {0}[{1}] reduce(e, zero), dimensions={{1}}, to_apply=add
      sb = {0}[{1},{2}] broadcast(s), dimensions={{0}}
      ROOT r = {0}[{1},{2}] divide(e, sb)
    }})",
                     type, rows, length);
}

}  // namespace

TEST_CASE("softmax is one kernel, of few long rows and of many short ones") {
  const std::string ptx = ptx_of(text::parse_module(softmax("f32", 300, 1000)).value(), "sm_80");
  INFO(ptx);
  CHECK(ptx.find("kernel_1") == std::string::npos);
  CHECK(ptx.find("shfl.sync.bfly.b32") != std::string::npos);
  CHECK(ptx.find("bar.sync") != std::string::npos);
  CHECK(ptx.find("ld.global.nc.v4.f32") != std::string::npos);
  const std::string of_many_threads = ptx_of(text::parse_module(softmax("f32", 1, 70000)).value(), "sm_80");
  CHECK(of_many_threads.find(".maxntid 1024") != std::string::npos);
  for (const auto &[rows, length] : {std::pair(300, 1000), {1, 70000}, {5, 4097}, {1000, 16}, {67, 100}, {33, 31}}) {
    INFO(rows << " rows of " << length);
    check_on_emulator(softmax("f32", rows, length), 1e-6);
  }
  check_on_emulator(softmax("f64", 40, 200), 1e-14);
  check_on_emulator(softmax("bf16", 40, 200), 1e-2);
}

TEST_CASE("a reduction of any computation is that of its elements") {
  // The place of the largest, which no single op tells: the first one of those that are equal.
  for (const int length : {17, 64, 1000, 5000}) {
    check_on_emulator(fmt::format(R"(HloModule place_of_largest
      larger {{
        a = f32[] parameter(0)  i = s32[] parameter(1)  b = f32[] parameter(2)  j = s32[] parameter(3)
        more = pred[] compare(a, b), direction=GT
        same = pred[] compare(a, b), direction=EQ
        before = pred[] compare(i, j), direction=LT
        first = pred[] and(same, before)
        left = pred[] or(more, first)
        v = f32[] select(left, a, b)
        p = s32[] select(left, i, j)
        ROOT r = (f32[], s32[]) tuple(v, p)
      }}
      ENTRY main {{
        x = f32[37,{0}] parameter(0)
        coarse = f32[37,{0}] round-nearest-even(x)
        places = s32[37,{0}] iota(), iota_dimension=1
        low = f32[] constant(-inf)
        none = s32[] constant(0)
        ROOT r = (f32[37], s32[37]) reduce(coarse, places, low, none), dimensions={{1}}, to_apply=larger
      }})",
                                  length));
  }
}

TEST_CASE("a reduction of more values than a team has memory for is left to threads") {
  constexpr int count = 60;
  std::string parameters, results, arguments, rows, zeros, types, sums;
  for (int i = 0; i < 2 * count; ++i) {
    parameters += fmt::format("  p{0} = f32[] parameter({0})\n", i);
  }
  for (int i = 0; i < count; ++i) {
    const char *comma = i == 0 ? "" : ", ";
    sums += fmt::format("  s{0} = f32[] add(p{0}, p{1})\n", i, i + count);
    results += fmt::format("{}s{}", comma, i);
    arguments += fmt::format("{}x", comma);
    zeros += ", zero";
    types += fmt::format("{}f32[1]", comma);
    rows += fmt::format("{}f32[]", comma);
  }
  check_on_emulator(fmt::format(R"(HloModule many
    add {{
{0}{1}  ROOT r = ({2}) tuple({3}) }}
    ENTRY main {{
      x = f32[1,8192] parameter(0)
      zero = f32[] constant(0)
      ROOT r = ({4}) reduce({5}{6}), dimensions={{1}}, to_apply=add
    }})",
                                parameters, sums, rows, results, types, arguments, zeros),
                    1e-5);
}

TEST_CASE("reductions of every width of number are exchanged between threads") {
  check_on_emulator(R"(HloModule widths
    or { p = pred[] parameter(0)  q = pred[] parameter(1)  ROOT r = pred[] or(p, q) }
    maximum { p = s8[] parameter(0)  q = s8[] parameter(1)  ROOT r = s8[] maximum(p, q) }
    minimum { p = u16[] parameter(0)  q = u16[] parameter(1)  ROOT r = u16[] minimum(p, q) }
    add { p = s64[] parameter(0)  q = s64[] parameter(1)  ROOT r = s64[] add(p, q) }
    multiply { p = c128[] parameter(0)  q = c128[] parameter(1)  ROOT r = c128[] multiply(p, q) }
    ENTRY main {
      a = pred[9,300] parameter(0)
      b = s8[9,300] parameter(1)
      c = u16[9,300] parameter(2)
      d = s64[9,300] parameter(3)
      e = c128[9,300] parameter(4)
      false = pred[] constant(false)
      least = s8[] constant(-128)
      most = u16[] constant(65535)
      some = s64[] constant(7)
      one = c128[] constant((1, 0))
      ra = pred[9] reduce(a, false), dimensions={1}, to_apply=or
      rb = s8[9] reduce(b, least), dimensions={1}, to_apply=maximum
      rc = u16[9] reduce(c, most), dimensions={1}, to_apply=minimum
      rd = s64[9] reduce(d, some), dimensions={1}, to_apply=add
      re = c128[9] reduce(e, one), dimensions={1}, to_apply=multiply
      ROOT r = (pred[9], s8[9], u16[9], s64[9], c128[9]) tuple(ra, rb, rc, rd, re)
    })",
                    1e-12);
}

TEST_CASE("a norm is one kernel, which gives its rows and what it found of each") {
  constexpr const char *norm = R"(HloModule norm
    add { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = f32[] add(p, q) }
    ENTRY main {
      x = f32[6,50,96] parameter(0)
      scale = f32[96] parameter(1)
      zero = f32[] constant(0)
      part = f32[] constant(0.0104166667)
      parts = f32[6,50] broadcast(part), dimensions={}
      sum = f32[6,50] reduce(x, zero), dimensions={2}, to_apply=add
      mean = f32[6,50] multiply(sum, parts)
      means = f32[6,50,96] broadcast(mean), dimensions={0,1}
      centred = f32[6,50,96] subtract(x, means)
      squares = f32[6,50,96] multiply(centred, centred)
      total = f32[6,50] reduce(squares, zero), dimensions={2}, to_apply=add
      variance = f32[6,50] multiply(total, parts)
      deviation = f32[6,50] rsqrt(variance)
      deviations = f32[6,50,96] broadcast(deviation), dimensions={0,1}
      scales = f32[6,50,96] broadcast(scale), dimensions={2}
      normed = f32[6,50,96] multiply(centred, deviations)
      result = f32[6,50,96] multiply(normed, scales)
      ROOT r = (f32[6,50,96], f32[6,50], f32[6,50]) tuple(result, mean, variance)
    })";
  const std::string ptx = ptx_of(text::parse_module(norm).value(), "sm_80");
  INFO(ptx);
  CHECK(ptx.find("kernel_0") != std::string::npos);
  CHECK(ptx.find("kernel_1") == std::string::npos);
  check_on_emulator(norm, 1e-5);
}

TEST_CASE("rows too short for a team have a thread each") {
  for (const int length : {1, 2, 3, 7, 15}) {
    check_on_emulator(softmax("f32", 100, length), 1e-6);
  }
}

TEST_CASE("long reductions to few results are cut into parts") {
  const auto program = [](std::string_view type, std::string_view op, std::string_view sizes, std::string_view result,
                          std::string_view dimensions) {
    return fmt::format(R"(HloModule parts
      op {{ p = {0}[] parameter(0)  q = {0}[] parameter(1)  ROOT r = {0}[] {1}(p, q) }}
      ENTRY main {{
        x = {0}[{2}] parameter(0)
        start = {0}[] constant(3)
        ROOT r = {0}[{3}] reduce(x, start), dimensions={{{4}}}, to_apply=op
      }})",
                       type, op, sizes, result, dimensions);
  };
  const std::string all = program("f32", "add", "1048576", "", "0");
  const std::string ptx = ptx_of(text::parse_module(all).value(), "sm_80");
  CHECK(ptx.find(".entry kernel_1") != std::string::npos);
  CHECK(ptx.find(".entry kernel_2") == std::string::npos);
  // A sum of a million numbers: what two orders of it may differ by.
  check_on_emulator(all, 1e-5);
  check_on_emulator(program("f64", "add", "3,40000", "3", "1"), 1e-13);
  check_on_emulator(program("bf16", "add", "4,65536", "4", "1"), 1e-2);
  check_on_emulator(program("f32", "maximum", "2053,70", "70", "0"));
  check_on_emulator(program("f16", "minimum", "17,1031,8", "8", "0,1"));
  check_on_emulator(program("s32", "add", "5,999,33", "5,33", "1"));
  check_on_emulator(program("u8", "multiply", "4096,2", "2", "0"));
}

}  // namespace bp::nvptx::tests
