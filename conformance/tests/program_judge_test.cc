// The judge of whole programs: errors that the table of tolerances allows pass, also where the program magnifies them;
// other errors do not.
#include "conformance/suite/program_judge.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/backplane.h"

namespace bp::conformance {
namespace {

ir::Literal floats(std::vector<float> values) {
  ir::Literal literal =
      ir::Literal::zeros(ir::Shape::array(ir::ElementType::F32, {static_cast<std::int64_t>(values.size())})).value();
  std::ranges::copy(values, literal.mutable_elements<float>().begin());
  return literal;
}

std::string mismatch(const std::string &text, const std::vector<float> &argument, const std::vector<float> &found,
                     ProgramJudge::Unit unit = ProgramJudge::Unit::Output) {
  const auto judge = ProgramJudge::make(parse_module(text, "test.hlo").value(), {floats(argument)});
  REQUIRE(judge.ok());
  return judge->find_mismatch(floats(found), unit).value();
}

float up(float x, int units) {
  for (int i = 0; i < units; ++i) {
    x = std::nextafter(x, 1e30f);
  }
  return x;
}

}  // namespace

TEST_CASE("a series of exact functions is exact") {
  const char *text = "ENTRY main { x = f32[2] parameter(0)  y = f32[2] add(x, x)  ROOT r = f32[2] multiply(y, x) }";
  CHECK(mismatch(text, {1, 3}, {2, 18}).empty());
  CHECK(mismatch(text, {1, 3}, {2, up(18, 1)}) == "1 of 2 elements are wrong; [1] is 18.000002, expected 18");
  CHECK(mismatch(text, {1, 3}, {2, std::numeric_limits<float>::quiet_NaN()}) ==
        "1 of 2 elements are wrong; [1] is nan, expected 18");
}

TEST_CASE("an error that is allowed may grow, as far as the program makes it grow") {
  const char *plain = "ENTRY main { x = f32[1] parameter(0)  ROOT r = f32[1] exponential(x) }";
  const float e = std::exp(1.0f);
  CHECK(mismatch(plain, {1}, {up(e, 3)}).empty());
  CHECK_FALSE(mismatch(plain, {1}, {up(e, 100)}).empty());
  // The difference of nearly equal numbers keeps their absolute error, which is large relative to it.
  const char *cancelled =
      "ENTRY main { x = f32[1] parameter(0)  y = f32[1] exponential(x)  c = f32[1] constant({2.7182813})  ROOT r = "
      "f32[1] "
      "subtract(y, c) }";
  const float rest = e - 2.7182813f;
  CHECK(mismatch(cancelled, {1}, {rest + (up(e, 3) - e)}).empty());
  CHECK_FALSE(mismatch(cancelled, {1}, {rest + (up(e, 100) - e)}).empty());
}

TEST_CASE("an element on which allowed errors decide hides no other one, if it is judged alone") {
  // The logarithm of the largest number may be rounded up, so that its exponential overflows.
  const char *text = "ENTRY main { x = f32[2] parameter(0)  y = f32[2] log(x)  ROOT r = f32[2] exponential(y) }";
  const float largest = std::numeric_limits<float>::max(), infinity = std::numeric_limits<float>::infinity();
  CHECK(mismatch(text, {largest, 2}, {infinity, 3}).empty());
  CHECK(mismatch(text, {largest, 2}, {infinity, 2}, ProgramJudge::Unit::Element).empty());
  CHECK_FALSE(mismatch(text, {largest, 2}, {infinity, 3}, ProgramJudge::Unit::Element).empty());
}

TEST_CASE("no output is judged on which allowed errors decide") {
  // The sign of a NaN is unspecified, and so is the order that depends on it.
  const char *sorted =
      "less { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT, "
      "type=TOTALORDER }\n"
      "ENTRY main { x = f32[2] parameter(0)  y = f32[2] log(x)  ROOT r = f32[2] sort(y), dimensions={0}, to_apply=less "
      "}";
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(mismatch(sorted, {-1, 1}, {nan, 0}).empty());
  CHECK(mismatch(sorted, {-1, 1}, {0, nan}).empty());
  CHECK_FALSE(mismatch(sorted, {2, 1}, {std::log(2.0f), 0}).empty());
  // It is also unspecified whether a sum overflows on the way.
  const char *sum =
      "add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }\n"
      "ENTRY main { x = f32[4] parameter(0)  z = f32[] constant(0)  s = f32[] reduce(x, z), dimensions={0}, "
      "to_apply=add\n"
      "  ROOT r = f32[1] reshape(s) }";
  CHECK(mismatch(sum, {3e38f, 3e38f, -3e38f, -3e38f}, {nan}).empty());
  CHECK_FALSE(mismatch(sum, {3, 3, -3, -3}, {nan}).empty());
  const char *random =
      "ENTRY main { x = f32[1] parameter(0)  z = f32[] constant(0)  o = f32[] constant(1)  n = f32[1] rng(z, o), "
      "distribution=rng_uniform  ROOT r = f32[1] add(n, x) }";
  CHECK(mismatch(random, {1}, {1.5f}).empty());
}

TEST_CASE("another shape is a mismatch, and what the oracle cannot run is an error") {
  const char *text = "ENTRY main { x = f32[2] parameter(0)  ROOT r = f32[2] negate(x) }";
  CHECK(mismatch(text, {1, 2}, {-1}) == "the result has shape f32[1], expected f32[2]");
  const char *endless =
      "on { t = f32[1] parameter(0)  ROOT r = pred[] constant(true) }\n"
      "body { t = f32[1] parameter(0)  ROOT r = f32[1] negate(t) }\n"
      "ENTRY main { x = f32[1] parameter(0)  ROOT r = f32[1] while(x), condition=on, body=body }";
  const auto judge = ProgramJudge::make(parse_module(endless, "test.hlo").value(), {floats({1})});
  REQUIRE_FALSE(judge.ok());
  CHECK(judge.error().code() == ErrorCode::Unsupported);
}

}  // namespace bp::conformance
