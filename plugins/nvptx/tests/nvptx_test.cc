// The GPU backend without a GPU: its kernels on the emulator.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "core/text/parser.h"
#include "plugins/llvm/tests/large_arrays.h"
#include "plugins/nvptx/tests/programs.h"
#include "tools/testing/skip.h"

namespace bp::nvptx::tests {

TEST_CASE("every kind of kernel agrees with the interpreter") {
  check_on_emulator(kinds, 1e-6);
}

TEST_CASE("arrays inside a fusion may have more elements than 32 bits can number") {
  emit::tests::check_large_arrays(open({{"emulate", "1"}}));
}

TEST_CASE("short sums of doubles compensate for rounding") {
  const Module module = text::parse_module(R"(HloModule short_sum
    ENTRY main {
      x = f64[3] constant({1e16, 1, -1e16})
      y = f64[3] constant({3, 1, 3})
      ROOT r = f64[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}
    })")
                            .value();
  const auto compiled = open({{"emulate", "1"}}).compile(module, whole());
  REQUIRE(compiled.ok());
  CHECK(compiled->executable.run({}).value().elements<double>()[0] == 1);
}

// Next to the middle of two neighbours, by less than f64 can tell.
TEST_CASE("integers of 64 bits become the nearest narrow float") {
  constexpr std::int64_t middle = (std::int64_t{1} << 62) + (std::int64_t{1} << 54);
  const Module module = text::parse_module(
                            "HloModule m ENTRY main { x = s64[4] parameter(0) "
                            "y = bf16[4] convert(x) ROOT r = f32[4] convert(y) }")
                            .value();
  auto compiled = open({{"emulate", "1"}}).compile(module, whole());
  REQUIRE(compiled.ok());
  Literal x = Literal::zeros(ir::Shape::array(ir::ElementType::S64, {4})).value();
  const std::int64_t numbers[] = {middle, middle + 1, -middle - 1, 16842753};
  std::ranges::copy(numbers, x.mutable_elements<std::int64_t>().begin());
  const Literal result = compiled->executable.run(std::vector{x}).value();
  const float expected[] = {0x1p62F, 0x1p62F + 0x1p55F, -0x1p62F - 0x1p55F, 16908288.0F};
  CHECK(std::ranges::equal(result.elements<float>(), expected));
}

TEST_CASE("loops and branches are commands of the host") {
  check_on_emulator(R"(HloModule control
    condition { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0  n = s32[] constant(5)
      ROOT less = pred[] compare(i, n), direction=LT }
    body { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0
      x = f32[4] get-tuple-element(s), index=1  one = s32[] constant(1)  next = s32[] add(i, one)
      twice = f32[4] add(x, x)  ROOT r = (s32[], f32[4]) tuple(next, twice) }
    minus { x = f32[4] parameter(0)  ROOT n = f32[4] negate(x) }
    square { x = f32[4] parameter(0)  ROOT n = f32[4] multiply(x, x) }
    ENTRY main {
      x = f32[4] parameter(0)
      which = s32[] parameter(1)
      p = pred[] parameter(2)
      zero = s32[] constant(0)
      start = (s32[], f32[4]) tuple(zero, x)
      loop = (s32[], f32[4]) while(start), condition=condition, body=body
      y = f32[4] get-tuple-element(loop), index=1
      a = f32[4] conditional(which, y, x, y), branch_computations={minus, square, square}
      ROOT b = f32[4] conditional(p, a, y), true_computation=minus, false_computation=square
    })");
}

// The emulator does the commands of a segment in another order than the schedule's, but for what waits for another.
TEST_CASE("values that share memory wait for each other, and others do not") {
  const auto has = [](const std::string &plan, const char *line_end) { return plan.find(line_end) != plan.npos; };
  const auto shared = [](int size) {
    return fmt::format(R"(HloModule shared
    ENTRY main {{
      x = f32[{0}] parameter(0)
      y = f32[{0}] parameter(1)
      a = f32[{0},{0}] dot(x, y), lhs_contracting_dims={{}}, rhs_contracting_dims={{}}
      b = f32[{0}] dot(a, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
      c = f32[{0},{0}] dot(y, y), lhs_contracting_dims={{}}, rhs_contracting_dims={{}}
      ROOT r = f32[{0}] dot(c, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
    }})",
                       size);
  };
  CHECK(has(plan_of(shared(8192)), "  after 1  for c\n"));  // it is written where `a` was, which `b` reads
  CHECK(has(plan_of(shared(64)), ")  for c\n"));            // which is not worth it where memory is small
  check_on_emulator(shared(64), 1e-6);
  constexpr const char *apart = R"(HloModule apart
    ENTRY main {
      x = f32[64] parameter(0)
      y = f32[64] parameter(1)
      a = f32[64,64] dot(x, y), lhs_contracting_dims={}, rhs_contracting_dims={}
      b = f32[64] dot(a, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      c = f32[64,64] dot(y, y), lhs_contracting_dims={}, rhs_contracting_dims={}
      d = f32[64] dot(c, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      ROOT r = (f32[64,64], f32[64], f32[64,64], f32[64]) tuple(a, b, c, d)
    })";
  CHECK(has(plan_of(apart), ")  for c\n"));
  CHECK(has(plan_of(apart), "  after 2  for d\n"));
  check_on_emulator(apart, 1e-6);
}

TEST_CASE("an op that is not compiled is refused with that reason, whatever its results") {
  const Backend backend = open({{"emulate", "1"}});
  const auto compiled =
      backend.compile(text::parse_module("HloModule m ENTRY main { x = f32[8] parameter(0)\n"
                                         "  ROOT r = (f32[2], s32[2]) custom-call(x), custom_call_target=\"TopK\" }")
                          .value(),
                      whole());
  REQUIRE(!compiled.ok());
  CHECK(compiled.error().message() ==
        "backend dev.backplane.nvptx does not run r (custom-call): target \"TopK\": nvptx: r is not compiled");
}

TEST_CASE("messages for what the backend cannot do") {
  const auto refusal = [](Settings settings) { return try_open(std::move(settings)).error().message(); };
  CHECK(refusal({{"target", "sm_42"}}).find("there is no target sm_42, expected one of sm_75, sm_80, sm_90, sm_90a") !=
        std::string::npos);
  const Module module =
      text::parse_module("HloModule m ENTRY main { x = f32[4] parameter(0)  ROOT r = f32[4] negate(x) }").value();
  const auto compiled = open({}).compile(module);
  if (compiled.ok()) {
    testing::skip("there is a GPU");
    return;
  }
  CHECK(compiled.error().message().find("without a") != std::string::npos);  // driver or GPU: what to do instead
}

// All upper halves of an f32 are tried, with the lower halves at which rounding changes. The instruction has one NaN;
// where there is none, a NaN keeps its upper half.
TEST_CASE("f32 is rounded to bf16 as the instruction does it, where there is one") {
  const Module module = text::parse_module(R"(HloModule rounding
    ENTRY main {
      upper = u32[65536,6] iota(), iota_dimension=0
      sixteen = u32[] constant(16)
      sixteens = u32[65536,6] broadcast(sixteen), dimensions={}
      shifted = u32[65536,6] shift-left(upper, sixteens)
      lower = u32[6] parameter(0)
      lowers = u32[65536,6] broadcast(lower), dimensions={1}
      bits = u32[65536,6] or(shifted, lowers)
      x = f32[65536,6] bitcast-convert(bits)
      y = bf16[65536,6] convert(x)
      ROOT r = u16[65536,6] bitcast-convert(y)
    })")
                            .value();
  constexpr std::array<std::uint32_t, 6> lowers = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff};
  Literal argument = Literal::zeros(ir::Shape::array(ir::ElementType::U32, {lowers.size()})).value();
  std::ranges::copy(lowers, argument.mutable_elements<std::uint32_t>().begin());
  for (const bool has_instruction : {false, true}) {
    const Backend backend = open({{"emulate", "1"}, {"target", has_instruction ? "sm_80" : "sm_75"}});
    const auto compiled = backend.compile(module, whole());
    REQUIRE(compiled.ok());
    const Literal result = compiled->executable.run(std::vector{argument}).value();
    const auto rounded = result.elements<std::uint16_t>();
    std::size_t wrong = 0;
    for (std::uint32_t n = 0; n < 65536 * lowers.size(); ++n) {
      const std::uint32_t bits = n / lowers.size() << 16 | lowers[n % lowers.size()];
      const bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
      const std::uint32_t nan = has_instruction ? 0x7fff : bits >> 16 | 0x40;
      const std::uint32_t expected = is_nan ? nan : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
      wrong += rounded[n] != expected ? 1 : 0;
    }
    CHECK(wrong == 0);
  }
}

}  // namespace bp::nvptx::tests
