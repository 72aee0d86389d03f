#include "core/interpreter/nudge.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

namespace bp::interpreter {
namespace {

TEST_CASE("a nudge moves floats by one unit in the last place, and nothing else") {
  auto value = ir::Literal::zeros(ir::Shape::array(ir::ElementType::F32, {6})).value();
  const float infinity = std::numeric_limits<float>::infinity();
  const float given[] = {1.0f, -3.5f, 0.0f, infinity, std::numeric_limits<float>::max(), 1e-45f};
  std::copy(std::begin(given), std::end(given), value.mutable_elements<float>().begin());
  bool up = false, down = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto moved = nudge(value, seed).value();
    auto x = moved.elements<float>();
    for (std::size_t i : {0u, 1u}) {
      bool is_up = x[i] == std::nextafter(given[i], given[i] * 2);
      CHECK((is_up || x[i] == std::nextafter(given[i], 0.0f)));
      up |= is_up;
      down |= !is_up;
    }
    CHECK(x[2] == 0);
    CHECK(x[3] == infinity);
    CHECK(std::isfinite(x[4]));
    CHECK(x[5] >= 0);
  }
  CHECK(up);
  CHECK(down);
  auto integers = ir::Literal::scalar<std::int32_t>(ir::ElementType::S32, 7);
  CHECK(nudge(integers, 1).value().identical(integers));
}

TEST_CASE("a perturbation makes floats larger by up to a 32nd, each by something else") {
  auto value = ir::Literal::zeros(ir::Shape::array(ir::ElementType::F32, {1000})).value();
  std::ranges::fill(value.mutable_elements<float>(), -2.0f);
  value.mutable_elements<float>()[0] = 0;
  value.mutable_elements<float>()[1] = std::numeric_limits<float>::max();
  const auto moved = perturb(value, 1).value();
  const auto x = moved.elements<float>().subspan(2);
  CHECK(moved.elements<float>()[0] == 0);
  CHECK(std::isfinite(moved.elements<float>()[1]));
  const auto [least, most] = std::ranges::minmax(x);
  CHECK((least >= -2.0625f && least < -2.06f));
  CHECK((most < -2 && most > -2.001f));
}

TEST_CASE("a perturbation moves half of the floats of few bits by one unit") {
  auto value = ir::Literal::zeros(ir::Shape::array(ir::ElementType::F8E5M2, {1000})).value();
  std::ranges::fill(value.mutable_elements<ir::F8E5M2>(), ir::F8E5M2(1.0));
  const auto moved = perturb(value, 1).value();
  const auto count =
      std::ranges::count(moved.elements<ir::F8E5M2>(), 1.25, [](auto x) { return static_cast<double>(x); });
  CHECK((count > 400 && count < 600));
}

}  // namespace
}  // namespace bp::interpreter
