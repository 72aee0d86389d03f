#include "core/interpreter/nudge.h"

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

}  // namespace
}  // namespace bp::interpreter
