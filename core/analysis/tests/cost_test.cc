#include "core/analysis/cost.h"

#include <catch2/catch.hpp>

#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::analysis {
namespace {

// Returns operations, functions and bytes.
std::vector<double> cost_of(const std::string &text) {
  const auto module = text::parse_module("HloModule m\n" + text);
  INFO((module.ok() ? "" : module.error().to_string()));
  REQUIRE(module.ok());
  REQUIRE(ir::verify(*module).ok());
  const Cost found = cost(*module);
  return {found.operations(), found.functions, found.bytes};
}

using Figures = std::vector<double>;

}  // namespace

TEST_CASE("the cost of arithmetic") {
  CHECK(cost_of("ENTRY e { x = f32[3,4] parameter(0)  ROOT s = f32[3,4] add(x, x) }") == Figures{12, 0, 144});
  CHECK(cost_of("ENTRY e { x = f32[3,4] parameter(0)  ROOT s = f32[3,4] tanh(x) }") == Figures{0, 12, 96});
  CHECK(cost_of("ENTRY e { x = f32[3,4] parameter(0)  ROOT t = f32[4,3] transpose(x), dimensions={1,0} }") ==
        Figures{0, 0, 96});
  CHECK(cost_of("ENTRY e { x = f32[3,4] parameter(0)  ROOT t = f32[3,4]{0,1} copy(x) }") == Figures{0, 0, 96});
  CHECK(cost_of("ENTRY e { x = f32[2,3] parameter(0)  y = f32[3,5] parameter(1)  ROOT d = f32[2,5] dot(x, y), "
                "lhs_contracting_dims={1}, rhs_contracting_dims={0} }") == Figures{60, 0, 124});
  CHECK(cost_of("ENTRY e { x = f32[1,8,8,4] parameter(0)  k = f32[3,3,2,6] parameter(1)  ROOT c = f32[1,6,6,6] "
                "convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f, feature_group_count=2 }")[0] ==
        2 * 216 * 9 * 2);
}

TEST_CASE("the cost of functions that an instruction calls") {
  const std::string add = "a { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT s = f32[] add(x, y) }\n";
  CHECK(cost_of(add + "ENTRY e { x = f32[5,4] parameter(0)  z = f32[] constant(0)  ROOT r = f32[4] reduce(x, z), "
                      "dimensions={0}, to_apply=a }") == Figures{16, 0, 80 + 4 + 16});
  CHECK(cost_of(add + "ENTRY e { x = f32[9] parameter(0)  z = f32[] constant(0)  ROOT r = f32[7] reduce-window(x, z), "
                      "window={size=3}, to_apply=a }")[0] == 14);
  CHECK(cost_of("f { x = f32[8] parameter(0)  s = f32[8] sine(x)  ROOT m = f32[8] multiply(s, x) }\nENTRY e { x = "
                "f32[8] parameter(0)  ROOT f = f32[8] fusion(x), kind=kLoop, calls=f }") == Figures{8, 8, 64});
}

TEST_CASE("a loop costs as often as it runs, and a conditional what its dearest branch costs") {
  const std::string loop = R"(
c { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0  n = s32[] constant(10)
  ROOT r = pred[] compare(i, n), direction=LT }
b { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0  o = s32[] constant(1)
  j = s32[] add(i, o)  x = f32[4] get-tuple-element(s), index=1  y = f32[4] add(x, x)
  ROOT t = (s32[], f32[4]) tuple(j, y) }
ENTRY e { x = f32[4] parameter(0)  z = s32[] constant(0)  s = (s32[], f32[4]) tuple(z, x)
  ROOT w = (s32[], f32[4]) while(s), condition=c, body=b })";
  CHECK(cost_of(loop)[0] == 10 * (1 + 1 + 4));
  const std::string branches = R"(
d { x = f32[4] parameter(0)  ROOT y = f32[4] add(x, x) }
f { x = f32[4] parameter(0)  y = f32[4] add(x, x)  ROOT z = f32[4] multiply(y, y) }
ENTRY e { p = pred[] parameter(0)  x = f32[4] parameter(1)
  ROOT c = f32[4] conditional(p, x, x), true_computation=d, false_computation=f })";
  CHECK(cost_of(branches) == Figures{8, 0, 96});
}

TEST_CASE("of an operand that is indexed, only what is taken is moved, also in a fusion") {
  CHECK(cost_of("ENTRY e { x = f32[100] parameter(0)  ROOT s = f32[10] slice(x), slice={[5:15]} }") ==
        Figures{0, 0, 80});
  CHECK(cost_of("ENTRY e { x = f32[100] parameter(0)  i = s32[] parameter(1)  ROOT s = f32[10] dynamic-slice(x, i), "
                "dynamic_slice_sizes={10} }") == Figures{0, 0, 84});
  CHECK(cost_of("ENTRY e { x = f32[100] parameter(0)  u = f32[10] parameter(1)  i = s32[] parameter(2)  ROOT s = "
                "f32[100] dynamic-update-slice(x, u, i) }") == Figures{0, 0, 84});
  const std::string body = R"(
f { x = f32[100] parameter(0)  u = f32[10] parameter(1)  i = s32[] parameter(2)
  s = f32[10] dynamic-slice(x, i), dynamic_slice_sizes={10}  a = f32[10] add(s, u)
  ROOT r = f32[100] dynamic-update-slice(x, a, i) }
)";
  CHECK(cost_of(body +
                "ENTRY e { x = f32[100] parameter(0)  u = f32[10] parameter(1)  i = s32[] parameter(2)  ROOT f = "
                "f32[100] fusion(x, u, i), kind=kLoop, calls=f }") == Figures{10, 0, 40 + 40 + 4 + 40});
}

TEST_CASE("positions of a window outside of the operand or between its elements are no operations") {
  CHECK(cost_of("ENTRY e { x = f32[1,3,1] parameter(0)  k = f32[3,1,1] parameter(1)  ROOT c = f32[1,3,1] "
                "convolution(x, k), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f }")[0] == 2 * (2 + 3 + 2));
  CHECK(cost_of("ENTRY e { x = f32[1,3,1] parameter(0)  k = f32[1,1,1] parameter(1)  ROOT c = f32[1,5,1] "
                "convolution(x, k), window={size=1 lhs_dilate=2}, dim_labels=b0f_0io->b0f }")[0] == 2 * 3);
}

TEST_CASE("the cost of each instruction") {
  const auto module = text::parse_module(R"(HloModule m
c { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0  n = s32[] constant(10)
  ROOT r = pred[] compare(i, n), direction=LT }
b { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0  o = s32[] constant(1)
  j = s32[] add(i, o)  x = f32[4] get-tuple-element(s), index=1  y = f32[4] add(x, x)
  ROOT t = (s32[], f32[4]) tuple(j, y) }
unknown { p = f32[4] parameter(0)  z = f32[] constant(0)  i = s32[] constant(1)
  f = f32[1] slice(p), slice={[0:1]}  g = f32[] reshape(f)  ROOT q = pred[] compare(g, z), direction=LT }
halve { p = f32[4] parameter(0)  ROOT m = f32[4] multiply(p, p) }
d { p = f32[4] parameter(0)  ROOT k = f32[4] negate(p) }
ENTRY e { x = f32[4] parameter(0)  z = s32[] constant(0)  s = (s32[], f32[4]) tuple(z, x)
  w = (s32[], f32[4]) while(s), condition=c, body=b  y = f32[4] get-tuple-element(w), index=1
  v = f32[4] while(y), condition=unknown, body=halve  always = pred[] constant(true)
  ROOT h = f32[4] conditional(always, v, v), true_computation=halve, false_computation=d })");
  INFO((module.ok() ? "" : module.error().to_string()));
  REQUIRE(module.ok());
  const Costs found = costs(*module);
  std::string text;
  Cost sum;
  for (const InstructionCost &item : found.instructions) {
    text += fmt::format("{} {} {}; ", module->instruction(item.instruction).name(), item.times, item.cost.operations());
    sum += item.cost;
  }
  CHECK(text == "r 10 10; j 10 10; y 10 40; f 1 0; g 1 0; q 1 1; m 2 8; ");
  CHECK(sum.operations() == found.sum.operations());
  CHECK(sum.bytes == found.sum.bytes);
  CHECK(found.sum.operations() == cost(*module).operations());
  REQUIRE(found.unknown_loops.size() == 1);
  CHECK(module->instruction(found.unknown_loops[0]).name() == "v");
  REQUIRE(found.conditionals.size() == 1);
}

}  // namespace bp::analysis
