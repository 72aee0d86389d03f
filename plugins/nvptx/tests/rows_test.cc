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

// The largest element along one dimension, and its place, which are not found by a single op; of equal elements it is
// the first one. The reduction is not cut into parts, because its initial values are unknown.
std::string place_of_largest(std::string_view type, std::string_view sizes, std::string_view results, int dimension) {
  return fmt::format(R"(HloModule place_of_largest
    larger {{
      a = {0}[] parameter(0)  i = s32[] parameter(1)  b = {0}[] parameter(2)  j = s32[] parameter(3)
      more = pred[] compare(a, b), direction=GT
      same = pred[] compare(a, b), direction=EQ
      before = pred[] compare(i, j), direction=LT
      first = pred[] and(same, before)
      left = pred[] or(more, first)
      v = {0}[] select(left, a, b)
      p = s32[] select(left, i, j)
      ROOT r = ({0}[], s32[]) tuple(v, p)
    }}
    ENTRY main {{
      x = {0}[{1}] parameter(0)
      coarse = {0}[{1}] round-nearest-even(x)
      places = s32[{1}] iota(), iota_dimension={3}
      low = {0}[] parameter(1)
      none = s32[] parameter(2)
      ROOT r = ({0}[{2}], s32[{2}]) reduce(coarse, places, low, none), dimensions={{{3}}}, to_apply=larger
    }})",
                     type, sizes, results, dimension);
}

// A reduction of type [sizes] over some dimensions, by a single op with the initial value 3.
std::string reduction(std::string_view type, std::string_view op, std::string_view sizes, std::string_view results,
                      std::string_view dimensions) {
  return fmt::format(R"(HloModule reduction
    op {{ p = {0}[] parameter(0)  q = {0}[] parameter(1)  ROOT r = {0}[] {1}(p, q) }}
    ENTRY main {{
      x = {0}[{2}] parameter(0)
      start = {0}[] constant(3)
      ROOT r = {0}[{3}] reduce(x, start), dimensions={{{4}}}, to_apply=op
    }})",
                     type, op, sizes, results, dimensions);
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
  for (const int length : {17, 64, 1000, 5000}) {
    check_on_emulator(place_of_largest("f32", fmt::format("37,{}", length), "37", 1));
  }
}

TEST_CASE("columns are shared by teams that lie side by side") {
  for (const int columns : {1, 3, 8, 31, 33, 100}) {
    for (const int rows : {1, 2, 16, 60, 1000}) {
      INFO(rows << " rows of " << columns << " columns");
      const std::string sizes = fmt::format("{},{}", rows, columns), results = std::to_string(columns);
      check_on_emulator(place_of_largest("f32", sizes, results, 0));
      check_on_emulator(reduction("f32", "add", sizes, results, "0"), 1e-6);
    }
  }
  check_on_emulator(place_of_largest("f64", "3,200,20", "3,20", 1));
  check_on_emulator(place_of_largest("bf16", "2000,6", "6", 0));
  check_on_emulator(reduction("f64", "add", "5,61,40", "5,40", "1"), 1e-14);
  check_on_emulator(reduction("bf16", "add", "60,48", "48", "0"), 1e-2);
  check_on_emulator(reduction("u8", "maximum", "7,9,2,48", "2,48", "0,1"));
  check_on_emulator(reduction("u32", "xor", "1500,48", "48", "0"));
}

TEST_CASE("several sums of columns are one kernel, with what is computed of both") {
  constexpr const char *statistics = R"(HloModule statistics
    both {
      a = f32[] parameter(0)  b = f32[] parameter(1)  c = f32[] parameter(2)  d = f32[] parameter(3)
      s = f32[] add(a, c)
      t = f32[] add(b, d)
      ROOT r = (f32[], f32[]) tuple(s, t)
    }
    sums {
      x = bf16[640,72] parameter(0)
      scale = f32[72] parameter(1)
      zero = f32[] constant(0)
      wide = f32[640,72] convert(x)
      squares = f32[640,72] multiply(wide, wide)
      r = (f32[72], f32[72]) reduce(wide, squares, zero, zero), dimensions={0}, to_apply=both
      sum = f32[72] get-tuple-element(r), index=0
      total = f32[72] get-tuple-element(r), index=1
      scaled = f32[72] multiply(total, scale)
      ROOT t = (f32[72], f32[72]) tuple(sum, scaled)
    }
    ENTRY main {
      x = bf16[640,72] parameter(0)
      scale = f32[72] parameter(1)
      ROOT r = (f32[72], f32[72]) fusion(x, scale), kind=kInput, calls=sums
    })";
  const std::string ptx = ptx_of(text::parse_module(statistics).value(), "sm_80");
  INFO(ptx);
  CHECK(ptx.find("kernel_1") == std::string::npos);
  CHECK(ptx.find("shfl.sync.bfly.b32") != std::string::npos);
  check_on_emulator(statistics, 1e-5);
}

TEST_CASE("a member takes long sums in blocks") {
  check_on_emulator(R"(HloModule long_sums
    add { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = f32[] add(p, q) }
    sums {
      x = f32[50000,10] parameter(0)
      zero = f32[] constant(0)
      squares = f32[50000,10] multiply(x, x)
      ROOT r = f32[10] reduce(squares, zero), dimensions={0}, to_apply=add
    }
    ENTRY main {
      x = f32[50000,10] parameter(0)
      ROOT r = f32[10] fusion(x), kind=kInput, calls=sums
    })",
                    1e-5);
}

TEST_CASE("columns that fill the GPU have a thread for each vector") {
  CHECK(plan_of(reduction("f32", "add", "16,1048576", "1048576", "0")).find("<<<1024, 256>>>") != std::string::npos);
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
    const std::string program = softmax("f32", 100, length), plan = plan_of(program);
    INFO(plan);
    CHECK(count(plan, "&a") == 1);  // they keep nothing in memory, which they would share: they write the result alone
    check_on_emulator(program, 1e-6);
  }
}

TEST_CASE("long reductions to few results are cut into parts") {
  const std::string all = reduction("f32", "add", "1048576", "", "0");
  const std::string ptx = ptx_of(text::parse_module(all).value(), "sm_80");
  CHECK(ptx.find(".entry kernel_1") != std::string::npos);
  CHECK(ptx.find(".entry kernel_2") == std::string::npos);
  // A sum of a million numbers: what two orders of it may differ by.
  check_on_emulator(all, 1e-5);
  check_on_emulator(reduction("f64", "add", "3,40000", "3", "1"), 1e-13);
  check_on_emulator(reduction("bf16", "add", "4,65536", "4", "1"), 1e-2);
  check_on_emulator(reduction("f32", "maximum", "2053,70", "70", "0"));
  check_on_emulator(reduction("f16", "minimum", "17,1031,8", "8", "0,1"));
  check_on_emulator(reduction("s32", "add", "5,3999,33", "5,33", "1"));
  check_on_emulator(reduction("u8", "multiply", "4096,2", "2", "0"));
}

}  // namespace bp::nvptx::tests
