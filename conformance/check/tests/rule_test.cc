#include "conformance/check/rule.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

namespace {

using namespace bp;
using conformance::Rule;
using conformance::RuleKind;
using ir::ElementType;

constexpr float quiet_nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

template <class T>
bool agree(ElementType type, T found, T expected, Rule rule) {
  return !find_mismatch(ir::Literal::scalar(type, found), ir::Literal::scalar(type, expected), rule).has_value();
}
bool agree(float found, float expected, Rule rule) {
  return agree(ElementType::F32, found, expected, rule);
}
float up(float x, int steps) {
  for (; steps > 0; --steps) {
    x = std::nextafter(x, infinity);
  }
  return x;
}

}  // namespace

TEST_CASE("equal means the same value, whatever kind of NaN or zero") {
  const Rule equal{RuleKind::Equal, 0};
  CHECK(agree(1.5f, 1.5f, equal));
  CHECK(agree(0.0f, -0.0f, equal));
  CHECK(agree(quiet_nan, -quiet_nan, equal));
  CHECK(agree(infinity, infinity, equal));
  CHECK_FALSE(agree(infinity, -infinity, equal));
  CHECK_FALSE(agree(quiet_nan, 1.0f, equal));
  CHECK_FALSE(agree(up(1, 1), 1.0f, equal));
  CHECK_FALSE(agree<std::uint64_t>(ElementType::U64, 0xffffffffffffffff, 0xfffffffffffffffe, equal));
  CHECK_FALSE(agree(ElementType::C64, std::complex<float>(1, 2), std::complex<float>(1, 3), equal));
  CHECK_FALSE(agree(ElementType::Pred, true, false, equal));
}

TEST_CASE("close counts floats, through zero, at every precision") {
  const Rule close{RuleKind::Close, 3};
  CHECK(agree(up(1, 3), 1.0f, close));
  CHECK_FALSE(agree(up(1, 4), 1.0f, close));
  const float least = std::numeric_limits<float>::denorm_min();
  CHECK(agree(-least, least, close));
  CHECK_FALSE(agree(-2 * least, 2 * least, close));
  CHECK_FALSE(agree(std::numeric_limits<float>::max(), infinity, close));
  CHECK(agree(quiet_nan, quiet_nan, close));
  CHECK_FALSE(agree(quiet_nan, 0.0f, close));
  CHECK(agree(ElementType::BF16, ir::BF16(1.0), ir::BF16(1.0234375), close));
  CHECK_FALSE(agree(ElementType::BF16, ir::BF16(1.0), ir::BF16(1.03125), close));
  CHECK_FALSE(agree(ElementType::S32, 1, 2, close));
  CHECK_FALSE(agree(ElementType::C64, std::complex<float>(1, 1), std::complex<float>(1, up(1, 4)), close));
  CHECK(conformance::distance_in_ulp(-1.0, std::nextafter(-1.0, 0.0)) == 1);
}

TEST_CASE("the policy of devices leaves more room to floats that are close, and to nothing else") {
  using conformance::Policy;
  using conformance::under_policy;
  const Rule close{RuleKind::Close, 3};
  CHECK(under_policy(close, Policy::Strict, ElementType::F32).limit == 3);
  CHECK(under_policy(close, Policy::Device, ElementType::F32).limit == 16);
  CHECK(under_policy(close, Policy::Device, ElementType::C128).limit == 16);
  CHECK(under_policy(close, Policy::Device, ElementType::BF16).limit == 4);
  CHECK(under_policy({RuleKind::Close, 50}, Policy::Device, ElementType::F32).limit == 50);
  CHECK(under_policy({RuleKind::Equal, 0}, Policy::Device, ElementType::F32).limit == 0);
  CHECK(under_policy({RuleKind::AlmostEqual, 1e-3}, Policy::Device, ElementType::F32).limit == 1e-3);
  CHECK_FALSE(agree(ElementType::S32, 1, 2, under_policy(close, Policy::Device, ElementType::S32)));
}

TEST_CASE("almost equal is an absolute distance") {
  const Rule almost{RuleKind::AlmostEqual, 1e-3};
  CHECK(agree(1.0f, 1.0009f, almost));
  CHECK_FALSE(agree(1.0f, 1.002f, almost));
  CHECK_FALSE(agree(infinity, 1.0f, almost));
  CHECK(agree(-infinity, -infinity, almost));
}

TEST_CASE("a mismatch tells the worst element") {
  ir::Literal found = ir::Literal::zeros(ir::Shape::array(ElementType::F32, {2, 3})).value();
  ir::Literal expected = found;
  found.mutable_elements<float>()[4] = 2;
  found.mutable_elements<float>()[1] = 1;
  const Rule almost{RuleKind::AlmostEqual, 0.5};
  const auto mismatch = find_mismatch(found, expected, almost);
  REQUIRE(mismatch.has_value());
  CHECK(to_string(*mismatch, almost) == "2 of 6 elements are not at most 0.5 apart; [1,1] is 2, expected 0 (2 apart)");
}
