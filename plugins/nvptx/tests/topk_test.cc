// The best elements of lines: found by teams, in as many passes over a line as keys have digits.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "plugins/nvptx/tests/programs.h"

namespace bp::nvptx::tests {
namespace {

std::string topk(std::string_view type, std::string_view lines, int length, int count, bool largest = true,
                 std::string_view layout = "") {
  return fmt::format(R"(HloModule topk
    ENTRY main {{
      x = {0}[{1}{2}]{5} parameter(0)
      ROOT r = ({0}[{1}{3}], s32[{1}{3}]) topk(x), k={3}, largest={4}
    }})",
                     type, lines, length, count, largest, layout);
}

}  // namespace

TEST_CASE("the best few are the work of teams, the best many are sorted") {
  const std::string ptx = ptx_of(text::parse_module(topk("f32", "8,", 5000, 40)).value(), "sm_80");
  INFO(ptx);
  CHECK(ptx.find("shfl.sync.bfly.b32") != std::string::npos);
  CHECK(count(plan_of(topk("f32", "8,", 5000, 40)), ": launch ") == 1);
  CHECK(count(plan_of(topk("f32", "8,", 5000, 1025)), ": launch ") > 1);
}

TEST_CASE("the best few of lines of any length and type") {
  for (const int length : {1, 2, 31, 32, 33, 257, 5000}) {
    for (const int count : {1, 2, 31, 257, 1024}) {
      if (count <= length) {
        INFO(length << " " << count);
        check_on_emulator(topk("f32", "3,", length, count));
      }
    }
  }
  check_on_emulator(topk("f32", "", 3000, 20));
  check_on_emulator(topk("f32", "2,3,", 300, 20, false));
  check_on_emulator(topk("f32", "700,", 40, 3));
  check_on_emulator(topk("f32", "5,", 2000, 1100));
  for (const char *type : {"pred", "s4", "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64", "f8e4m3fn", "f8e5m2",
                           "bf16", "f16", "f64"}) {
    INFO(type);
    check_on_emulator(topk(type, "3,", 700, 50));  // with many equal ones
    check_on_emulator(topk(type, "3,", 700, 50, false));
  }
  check_on_emulator(topk("f32", "40,", 300, 7, true, "{0,1}"));
}

}  // namespace bp::nvptx::tests
