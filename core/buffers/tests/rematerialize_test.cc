#include "core/buffers/rematerialize.h"

#include <catch2/catch.hpp>

#include "core/buffers/assign.h"
#include "core/buffers/copy_insertion.h"
#include "core/buffers/schedule.h"
#include "core/buffers/tests/random_program.h"
#include "core/buffers/validate.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::buffers {
namespace {

std::int64_t planned_bytes(ir::Module module) {
  REQUIRE(insert_copies(module).ok());
  Result<Plan> plan = assign(module, {.packing_steps = 0});
  REQUIRE(plan.ok());
  REQUIRE(validate(module, *plan).ok());
  return plan->total_bytes();
}

// Activations of a chain of layers that are needed again in the backward pass, as in training; each is a cheap function
// of x and a weight.
std::string layers(int count) {
  std::string text = "HloModule layers\nENTRY main {\n  x = f32[64,64] parameter(0)\n  s = f32[] parameter(1)\n";
  std::string last = "x";
  for (int i = 0; i < count; ++i) {
    text += fmt::format("  c{0} = f32[] constant({0})\n  f{0} = f32[] add(s, c{0})\n", i);
    text += fmt::format("  m{0} = f32[64,64] broadcast(f{0}), dimensions={{}}\n", i);
    text += fmt::format("  d{0} = f32[64,64] dot({1}, m{0}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n",
                        i, last);
    last = fmt::format("d{}", i);
  }
  for (int i = count; i-- > 0;) {
    text += fmt::format("  e{0} = f32[64,64] dot({1}, m{0}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}\n",
                        i, last);
    last = fmt::format("e{}", i);
  }
  return text + fmt::format("  ROOT out = f32[64,64] negate({})\n}}\n", last);
}

}  // namespace

TEST_CASE("rematerialization: cheap values are not kept for the backward pass") {
  ir::Module module = text::parse_module(layers(40)).value();
  module.header().is_scheduled = true;
  std::int64_t before = planned_bytes(module);
  std::int64_t limit = before / 4;
  ir::Module changed = module;
  REQUIRE(rematerialize(changed, limit).value());
  REQUIRE(ir::verify(changed).ok());
  CHECK(planned_bytes(changed) <= limit);
  // A program that fits is not changed.
  CHECK(!rematerialize(module, before).value());
}

TEST_CASE("rematerialization: two values of one reader go one after the other") {
  ir::Module module = text::parse_module(R"(HloModule two
  ENTRY main {
    p = f32[] parameter(0)
    x = f32[1000] parameter(1)
    a = f32[1000] broadcast(p), dimensions={}
    b = f32[1000] iota(), iota_dimension=0
    early = f32[1000] add(a, b)
    sum = f32[1000] add(early, x)
    zero = f32[] constant(0)
    wide = f32[4000] pad(sum, zero), padding=0_3000
    back = f32[4000] reverse(wide), dimensions={0}
    narrow = f32[1000] slice(back), slice={[0:1000]}
    flags = pred[1000] compare(narrow, x), direction=LT
    late = f32[1000] select(flags, a, b)
    ROOT out = f32[1000] add(late, narrow)
  })")
                          .value();
  std::int64_t before = planned_bytes(module);
  REQUIRE(rematerialize(module, 0).value());
  REQUIRE(ir::verify(module).ok());
  CHECK(planned_bytes(module) <= before - 4000);  // the other one shares the output's memory, which costs nothing
}

TEST_CASE("rematerialization: results stay the same, and no plan gets larger") {
  int smaller = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    INFO("seed " << seed);
    ir::Module module = testing::random_program(seed, 1);
    REQUIRE(schedule(module, seed % 2 == 0 ? Scheduling::Program : Scheduling::Least).ok());
    ir::Module changed = module;
    Result<bool> is_changed = rematerialize(changed, 0);
    REQUIRE(is_changed.ok());
    if (!*is_changed) {
      continue;
    }
    Status valid = ir::verify(changed);
    INFO((valid.ok() ? std::string() : valid.error().to_string()));
    REQUIRE(valid.ok());
    CHECK(planned_bytes(changed) < planned_bytes(module));
    ++smaller;
    auto arguments = interpreter::random_arguments(module, seed).value();
    auto before = interpreter::interpret(module, arguments), after = interpreter::interpret(changed, arguments);
    REQUIRE(before.ok());
    REQUIRE(after.ok());
    CHECK(before->identical(*after));
  }
  CHECK(smaller > 10);
}

}  // namespace bp::buffers
