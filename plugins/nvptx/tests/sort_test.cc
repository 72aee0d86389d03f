// Sorts, by tiles and merges: stable, for any computation that orders.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "plugins/nvptx/tests/programs.h"

namespace bp::nvptx::tests {
namespace {

// Numbers of which many are equal, with their places: what is equal stays in order.
std::string argsort(std::string_view type, std::string_view direction, std::string_view dims, int sorted, int kinds) {
  return fmt::format(R"(HloModule argsort
    before {{ a = {0}[] parameter(0)  b = {0}[] parameter(1)  i = s32[] parameter(2)  j = s32[] parameter(3)
      ROOT r = pred[] compare(a, b), direction={1} }}
    ENTRY main {{
      any = s32[{2}] parameter(0)
      kind = s32[] constant({4})
      kinds = s32[{2}] broadcast(kind), dimensions={{}}
      few = s32[{2}] remainder(any, kinds)
      x = {0}[{2}] convert(few)
      i = s32[{2}] iota(), iota_dimension={3}
      ROOT r = ({0}[{2}], s32[{2}]) sort(x, i), dimensions={{{3}}}, to_apply=before
    }})",
                     type, direction, dims, sorted, kinds);
}

std::string sort(std::string_view type, std::string_view comparison, std::string_view dims, int sorted) {
  return fmt::format(R"(HloModule sort
    before {{ a = {0}[] parameter(0)  b = {0}[] parameter(1)  ROOT r = pred[] compare(a, b), {1} }}
    ENTRY main {{
      x = {0}[{2}] parameter(0)
      ROOT r = {0}[{2}] sort(x), dimensions={{{3}}}, to_apply=before
    }})",
                     type, comparison, dims, sorted);
}

Literal run(const std::string &text) {
  const auto compiled = open({{"emulate", "1"}}).compile(text::parse_module(text).value(), whole());
  INFO((compiled.ok() ? "" : compiled.error().to_string()));
  REQUIRE(compiled.ok());
  return compiled->executable.run({}).value();
}

std::string plan_of(const std::string &text) {
  const auto backend = open({{"target", "sm_80"}, {"emit", "plan"}});
  const auto artifact = backend.make_artifact(text::parse_module(text).value(), whole());
  REQUIRE(artifact.ok());
  return {reinterpret_cast<const char *>(artifact->bytes.data()), artifact->bytes.size()};
}

}  // namespace

TEST_CASE("equal elements stay in order, whatever the length of a line") {
  for (const int length : {1, 2, 3, 7, 8, 9, 31, 64, 65, 255, 256, 257, 1000, 2047, 2048, 2049, 4096, 5000, 9000}) {
    INFO(length);
    check_on_emulator(argsort("f32", "LT", fmt::format("{}", length), 0, 10));
    check_on_emulator(argsort("f32", "GT", fmt::format("3,{}", length), 1, 1000000));
  }
}

TEST_CASE("lines along any dimension are sorted") {
  for (const char *dims : {"5,70,6", "300,1,2", "4,33,40"}) {
    for (const int dimension : {0, 1, 2}) {
      INFO(dims << " along " << dimension);
      check_on_emulator(argsort("s32", "LT", dims, dimension, 7));
    }
  }
  check_on_emulator(sort("f32", "direction=LT", "2500,3", 0));
  check_on_emulator(sort("f32", "direction=LT", "0,3", 1));
}

TEST_CASE("all types are sorted, numbers and NaNs in total order") {
  for (const char *type : {"s8", "u8", "s16", "u32", "s64", "u64", "pred"}) {
    INFO(type);
    check_on_emulator(sort(type, "direction=LT", "3,2100", 1));
    check_on_emulator(sort(type, "direction=GT", "5,60", 1));
  }
  for (const char *type : {"f16", "bf16", "f32", "f64", "f8e4m3fn"}) {
    INFO(type);
    check_on_emulator(sort(type, "direction=LT, type=TOTALORDER", "3,2100", 1));
  }
  // A quarter are infinite, or NaN with all kinds of bits.
  check_on_emulator(R"(HloModule special
    before { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT, type=TOTALORDER }
    ENTRY main {
      any = s32[5000] parameter(0)
      three = s32[] constant(3)
      threes = s32[5000] broadcast(three), dimensions={}
      low = s32[5000] and(any, threes)
      zero = s32[] constant(0)
      zeros = s32[5000] broadcast(zero), dimensions={}
      is_special = pred[5000] compare(low, zeros), direction=EQ
      infinity = s32[] constant(2139095040)
      infinities = s32[5000] broadcast(infinity), dimensions={}
      special = s32[5000] or(any, infinities)
      bits = s32[5000] select(is_special, special, any)
      x = f32[5000] bitcast-convert(bits)
      sorted = f32[5000] sort(x), dimensions={0}, to_apply=before
      ROOT r = s32[5000] bitcast-convert(sorted)
    })");
}

TEST_CASE("many operands are sorted together, and more than a team has memory for by one thread") {
  for (const int operands : {3, 9, 40, 400}) {
    INFO(operands);
    std::string parameters = "k = f32[300] parameter(0) ", scalars = "a = f32[] parameter(0) b = f32[] parameter(1) ";
    std::string names = "k", types = "f32[300]";
    for (int i = 1; i < operands; ++i) {
      parameters += fmt::format("x{0} = f64[300] parameter({0}) ", i);
      scalars += fmt::format("a{0} = f64[] parameter({1}) b{0} = f64[] parameter({2}) ", i, 2 * i, 2 * i + 1);
      names += fmt::format(", x{}", i);
      types += ", f64[300]";
    }
    check_on_emulator(fmt::format(R"(HloModule many
      before {{ {0} ROOT r = pred[] compare(a, b), direction=LT }}
      ENTRY main {{ {1} ROOT r = ({2}) sort({3}), dimensions={{0}}, to_apply=before }})",
                                  scalars, parameters, types, names));
  }
}

TEST_CASE("a comparator that is not an order keeps elements inside of their line") {
  // Nothing, everything, and what contradicts itself.
  for (const char *order : {"pred[] compare(a, a), direction=LT", "pred[] compare(a, a), direction=EQ",
                            "pred[] compare(a, b), direction=NE"}) {
    INFO(order);
    const Literal result = run(fmt::format(R"(HloModule none
      before {{ a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = {} }}
      ENTRY main {{
        line = f32[3,6000] iota(), iota_dimension=0
        place = f32[3,6000] iota(), iota_dimension=1
        length = f32[] constant(6000)
        lengths = f32[3,6000] broadcast(length), dimensions={{}}
        first = f32[3,6000] multiply(line, lengths)
        x = f32[3,6000] add(first, place)
        ROOT r = f32[3,6000] sort(x), dimensions={{1}}, to_apply=before
      }})",
                                           order));
    const auto elements = result.elements<float>();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const float line = std::floor(elements[i] / 6000);
      REQUIRE(line == static_cast<float>(i / 6000));
    }
  }
}

TEST_CASE("a sort in the memory of its operand") {
  const std::string text = R"(HloModule in_place, input_output_alias={ {}: (0, {}, must-alias) }
    before { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
    ENTRY main { x = s32[10000] parameter(0)  ROOT r = s32[10000] sort(x), dimensions={0}, to_apply=before })";
  check_on_emulator(text);
}

TEST_CASE("a sort of many lines, or of long ones, is the work of many blocks") {
  const std::string lines = plan_of(sort("f32", "direction=LT", "10000,1000", 1));
  INFO(lines);
  CHECK(lines.find("<<<5000, 256, ") != std::string::npos);
  const std::string line = plan_of(sort("f32", "direction=LT", "1000000", 0));
  INFO(line);
  CHECK(line.find("kernel_0 <<<489, 256, ") != std::string::npos);
  CHECK(line.find("kernel_1 <<<489, 256, ") != std::string::npos);
  CHECK(line.find("+524288)") != std::string::npos);  // the runs of the last merge
  CHECK(line.find("kernel_2") == std::string::npos);
}

}  // namespace bp::nvptx::tests
