// Compares derived trip counts of loops on s8 with those found by running the loops.
#include "core/analysis/trip_count.h"

#include <catch2/catch.hpp>

#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::analysis {
namespace {

struct Direction {
  const char *text;
  bool (*holds)(int, int);
};
constexpr Direction directions[] = {
    {"LT", [](int a, int b) { return a < b; }},  {"LE", [](int a, int b) { return a <= b; }},
    {"GT", [](int a, int b) { return a > b; }},  {"GE", [](int a, int b) { return a >= b; }},
    {"EQ", [](int a, int b) { return a == b; }}, {"NE", [](int a, int b) { return a != b; }},
};

// Returns the number of iterations of the loop with wrap-around; -1 for 2^9 and more, in which case it is infinite.
int run(const Direction &direction, int start, int step, int limit) {
  int iterations = 0;
  for (auto i = static_cast<std::int8_t>(start); direction.holds(i, limit); i = static_cast<std::int8_t>(i + step)) {
    if (++iterations == 512) {
      return -1;
    }
  }
  return iterations;
}

// `mirrored`: the limit is the left operand and passed on in the state, and the step is subtracted.
ir::Module make_loop(const Direction &direction, int start, int step, int limit, bool mirrored) {
  const char *left = mirrored ? "n" : "i", *right = mirrored ? "i" : "n";
  const std::string next = mirrored ? fmt::format("k = s8[] constant({})  j = s8[] subtract(i, k)", -step)
                                    : fmt::format("k = s8[] constant({})  j = s8[] add(k, i)", step);
  const std::string text = fmt::format(
      "c {{ s = (s8[], s8[]) parameter(0)  i = s8[] get-tuple-element(s), index=0  n = s8[] get-tuple-element(s), "
      "index=1  ROOT r = pred[] compare({}, {}), direction={} }} "
      "b {{ s = (s8[], s8[]) parameter(0)  i = s8[] get-tuple-element(s), index=0  n = s8[] get-tuple-element(s), "
      "index=1  {}  ROOT r = (s8[], s8[]) tuple(j, n) }} "
      "ENTRY e {{ x = s8[] constant({})  y = s8[] constant({})  s = (s8[], s8[]) tuple(x, y) "
      "ROOT w = (s8[], s8[]) while(s), condition=c, body=b }}",
      left, right, direction.text, next, start, limit);
  ir::Module module = text::parse_module(text).value();
  REQUIRE(ir::verify(module).ok());
  return module;
}

}  // namespace

TEST_CASE("a trip count is how often the loop runs") {
  int known = 0;
  for (const Direction &direction : directions) {
    for (int start : {-128, -7, 0, 5, 100, 127}) {
      for (int step : {-100, -3, -1, 0, 1, 2, 7, 127}) {
        for (int limit : {-128, -127, -9, 0, 5, 6, 126, 127}) {
          INFO(start << " by " << step << " while " << direction.text << " " << limit);
          const int iterations = run(direction, start, step, limit);
          auto count = trip_count(make_loop(direction, start, step, limit, false).entry().root());
          CHECK((!count || *count == iterations));
          known += count ? 1 : 0;
          // If the counter does not wrap around, the count must be known.
          const int end = start + iterations * step;
          CHECK((count || iterations < 0 || end < -128 || end > 127));
        }
      }
    }
  }
  CHECK(known > 1000);
}

TEST_CASE("the limit may come first, and the step be subtracted") {
  // 9 > i, i starts at 0, -2 is subtracted.
  CHECK(trip_count(make_loop(directions[2], 0, 2, 9, true).entry().root()) == 5);
  CHECK(trip_count(make_loop(directions[0], 9, -2, 0, true).entry().root()) == 5);
}

TEST_CASE("no count without a counter") {
  const char *text =
      "c { s = (s32[], s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0  n = s32[] constant(8)  ROOT r = "
      "pred[] compare(i, n), direction=LT } "
      "b { s = (s32[], s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0  k = s32[] get-tuple-element(s), "
      "index=1  j = s32[] add(i, k)  ROOT r = (s32[], s32[]) tuple(j, j) } "
      "ENTRY e { x = s32[] constant(1)  s = (s32[], s32[]) tuple(x, x)  ROOT w = (s32[], s32[]) while(s), condition=c, "
      "body=b }";
  CHECK(!trip_count(text::parse_module(text).value().entry().root()));
}

}  // namespace bp::analysis
