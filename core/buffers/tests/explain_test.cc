// Explanations of a plan: why updates are not in place, and what keeps a program from fitting.
#include <catch2/catch.hpp>

#include "core/buffers/assign.h"
#include "core/buffers/copy_insertion.h"
#include "core/buffers/fit.h"
#include "core/buffers/updates.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::buffers {
namespace {

struct Planned {
  ir::Module module;
  Plan plan;
};

Planned plan_of(std::string_view text) {
  Planned planned{text::parse_module(text).value(), {}};
  REQUIRE(ir::verify(planned.module).ok());
  planned.module.header().is_scheduled = true;
  REQUIRE(insert_copies(planned.module).ok());
  planned.plan = assign(planned.module).value();
  return planned;
}

// "dus: reason" lines.
std::vector<std::string> updates_of(std::string_view text) {
  Planned planned = plan_of(text);
  std::vector<std::string> lines;
  auto updates = out_of_place_updates(planned.module, planned.plan).value();
  for (const OutOfPlaceUpdate &update : updates) {
    lines.push_back(fmt::format("{}: {}", planned.module.instruction(update.instruction).name(), update.reason));
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("updates that are not in place are found, with the reason") {
  CHECK(updates_of(R"(ENTRY main {
    p = f32[8] parameter(0)  u = f32[2] parameter(1)  i = s32[] parameter(2)
    ROOT dus = f32[8] dynamic-update-slice(p, u, i)
  })") == Lines{"dus: p is a parameter that is not donated"});
  CHECK(updates_of(R"(HloModule donated, input_output_alias={ {}: (0, {}, may-alias) }
  ENTRY main {
    p = f32[8] parameter(0)  u = f32[2] parameter(1)  i = s32[] parameter(2)
    ROOT dus = f32[8] dynamic-update-slice(p, u, i)
  })")
            .empty());
  CHECK(updates_of(R"(ENTRY main {
    p = f32[8] parameter(0)  u = f32[2] parameter(1)  i = s32[] parameter(2)
    x = f32[8] negate(p)
    dus = f32[8] dynamic-update-slice(x, u, i)
    ROOT sum = f32[8] add(x, dus)
  })") == Lines{"dus: dus is made while x is still needed"});
  CHECK(updates_of(R"(ENTRY main {
    p = f32[8] parameter(0)  i = s32[] parameter(1)
    x = f32[8] negate(p)
    ROOT dus = f32[8] dynamic-update-slice(x, x, i)
  })") == Lines{"dus: dus reads x twice"});
  CHECK(updates_of(R"(
  fused {
    a = f32[8] parameter(0)  i = s32[] parameter(1)
    u = f32[2] slice(a), slice={[0:2]}
    ROOT dus = f32[8] dynamic-update-slice(a, u, i)
  }
  ENTRY main {
    p = f32[8] parameter(0)  i = s32[] parameter(1)
    x = f32[8] negate(p)
    ROOT f = f32[8] fusion(x, i), kind=kLoop, calls=fused
  })") == Lines{"f: f reads other parts of x, too"});
  CHECK(updates_of(R"(ENTRY main {
    c = f32[8] constant({1, 2, 3, 4, 5, 6, 7, 8})  u = f32[2] parameter(0)  i = s32[] parameter(1)
    ROOT dus = f32[8] dynamic-update-slice(c, u, i)
  })") == Lines{"dus: c is a constant"});
}

TEST_CASE("the message for a program that does not fit names the largest values at the peak") {
  Planned planned = plan_of(R"(HloModule m
  ENTRY main {
    p = f32[100] parameter(0)
    c = f32[50] constant({...})
    one = f32[] constant(1)
    a = f32[1000] pad(p, one), padding=0_900
    b = f32[1000] reverse(a), dimensions={0}
    s = f32[50] slice(b), slice={[7:57]}
    ROOT r = f32[50] add(s, c)
  })");
  std::int64_t needed = bytes_in_space(planned.plan, 0);
  CHECK(needed == planned.plan.total_bytes());
  CHECK(bytes_in_space(planned.plan, 1) == 0);
  CHECK(check_fit(planned.module, planned.plan, 0, needed).ok());
  Status status = check_fit(planned.module, planned.plan, 0, needed - 1);
  REQUIRE(!status.ok());
  CHECK(status.error().code() == ErrorCode::DoesNotFit);
  CHECK(status.error().message() ==
        fmt::format("module m needs {} bytes in memory space 0, 1 more than its capacity of {}; the peak is at b; the "
                    "largest arrays there:\n"
                    "            4000 bytes  temporary  a\n"
                    "            4000 bytes  temporary  b\n"
                    "             400 bytes  input      p\n"
                    "             200 bytes  output     r\n"
                    "             200 bytes  constant   c\n"
                    "               4 bytes  constant   one",
                    needed, needed - 1));
}

}  // namespace bp::buffers
