// Wrong passes are detected: these passes are made wrong on purpose, and given to the pipeline as values.
#include "core/debugging/pass_check.h"

#include <catch2/catch.hpp>

#include "core/debugging/draws.h"
#include "core/ir/builder.h"
#include "core/ir/verifier.h"
#include "core/passes/rewrite.h"
#include "core/text/parser.h"
#include "tools/testing/require.h"

namespace bp::debugging {
namespace {

using ir::Instruction;
using ir::Opcode;
using passes::Pass;
using passes::PassContext;
using testing::parse;

// Replaces each instruction of one op by its first operand.
template <Opcode opcode>
Result<bool> take_operand(ir::Module &module, const PassContext &) {
  return passes::rewrite_all(module, [](Instruction i) -> Result<ir::InstructionId> {
    return i.opcode() == opcode ? i.operands()[0] : i.id();
  });
}

// Exchanges the operands of each instruction of one op.
template <Opcode opcode>
Result<bool> swap_operands(ir::Module &module, const PassContext &) {
  return passes::rewrite_all(module, [&](Instruction i) -> Result<ir::InstructionId> {
    if (i.opcode() != opcode) {
      return i.id();
    }
    ir::Builder b(module, i.parent().id());
    return b.add(opcode, {i.operands()[1], i.operands()[0]});
  });
}

// Rewrites (x + y) + z as x + (y + z).
Result<bool> reassociate(ir::Module &module, const PassContext &) {
  return passes::rewrite_all(module, [&](Instruction i) -> Result<ir::InstructionId> {
    if (i.opcode() != Opcode::Add || i.operand(0).opcode() != Opcode::Add) {
      return i.id();
    }
    const ir::InstructionId x = i.operand(0).operands()[0], y = i.operand(0).operands()[1], z = i.operands()[1];
    ir::Builder b(module, i.parent().id());
    return b.add(Opcode::Add, {x, b.add(Opcode::Add, {y, z})});
  });
}

constexpr Pass forget_zero{"forget-zero", "x + 0 => x", take_operand<Opcode::Add>};
constexpr Pass forget_nan{"forget-nan", "max(x, least) => x", take_operand<Opcode::Maximum>};
constexpr Pass swap_subtract{"swap-subtract", "x - y => y - x", swap_operands<Opcode::Subtract>};
constexpr Pass swap_add{"swap-add", "x + y => y + x", swap_operands<Opcode::Add>};
constexpr Pass sum_otherwise{"sum-otherwise", "(x + y) + z => x + (y + z)", reassociate};
constexpr Pass sum_otherwise_and_say_so{"sum-otherwise", "", reassociate, passes::Rounding{4}};
constexpr Pass wrong_but_rounding{"wrong", "", take_operand<Opcode::Add>, passes::Rounding{4}};

// Returns the first pass that changes results; empty if none does.
std::string first_failure(const std::string &text, std::vector<Pass> list, const CheckOptions &options = {}) {
  ir::Module module = parse(text);
  PassCheck check(options);
  passes::PipelineOptions pipeline;
  pipeline.verify_between_passes = true;
  pipeline.compare = check.compare();
  Status status = passes::run_passes(module, list, pipeline);
  CHECK(status.ok() == !check.failure());
  return check.failure() ? to_string(*check.failure(), options) : "";
}

}  // namespace

TEST_CASE("the first pass that changes results is named, with the element and both values") {
  const std::string text = R"(
    ENTRY main { x = s32[3] parameter(0)  y = s32[3] parameter(1)  d = s32[3] subtract(x, y)
      s = s32[3] add(x, y)  ROOT r = (s32[3], s32[3]) tuple(s, d) })";
  CHECK(first_failure(text, {swap_add}).empty());
  const std::string found = first_failure(text, {swap_add, swap_subtract, forget_zero});
  INFO(found);
  CHECK(found.find("the pass swap-subtract changes results: output {1} at [0]: ") == 0);
  CHECK(found.find(" becomes ") != found.npos);
  CHECK(found.find("\n  on draw 0 (ordinary values) of seed 1") != found.npos);
}

TEST_CASE("identities of real numbers are caught where floats differ") {
  // -0 + 0 is 0, not -0.
  const std::string zero = first_failure(R"(
    ENTRY main { x = f32[64] parameter(0)  z = f32[] constant(0)  zs = f32[64] broadcast(z), dimensions={}
      ROOT r = f32[64] add(x, zs) })",
                                         {forget_zero});
  CHECK(zero.find("forget-zero changes results") != zero.npos);
  // s8 has a minimum: the maximum of any x with it is x.
  CHECK(first_failure(R"(
    ENTRY main { x = s8[64] parameter(0)  z = s8[] constant(-128)  zs = s8[64] broadcast(z), dimensions={}
      ROOT r = s8[64] maximum(x, zs) })",
                      {forget_nan})
            .empty());
  CHECK(!first_failure(R"(
    ENTRY main { x = s8[64] parameter(0)  z = s8[] constant(-127)  zs = s8[64] broadcast(z), dimensions={}
      ROOT r = s8[64] maximum(x, zs) })",
                       {forget_nan})
             .empty());
}

TEST_CASE("a sum in another order is the same only for a pass that says so") {
  const std::string text = R"(
    ENTRY main { x = f32[4,64] parameter(0)  y = f32[4,64] parameter(1)  z = f32[4,64] parameter(2)
      s = f32[4,64] add(x, y)  ROOT r = f32[4,64] add(s, z) })";
  CHECK(!first_failure(text, {sum_otherwise}).empty());
  CHECK(first_failure(text, {sum_otherwise_and_say_so}).empty());
  // The bound of a pass is enforced.
  const std::string wrong = first_failure(text, {wrong_but_rounding});
  INFO(wrong);
  CHECK(wrong.find("is allowed") != wrong.npos);
}

TEST_CASE("a result that one unit of the inputs changes entirely is not compared") {
  const auto vector = [](const char *text) {
    return text::parse_literal(text, ir::Shape::array(ir::ElementType::F32, {2})).value();
  };
  const ir::Literal before = vector("{1, -1}"), other = vector("{100, -1}"), infinite = vector("{inf, -1}");
  const auto differs = [&](const ir::Literal &after, const char *moved) {
    return find_difference_beyond(4, before, after, std::vector{vector(moved)}, {}).value().has_value();
  };
  CHECK(differs(other, "{1.5, -1}"));
  CHECK(!differs(other, "{3, -1}"));
  CHECK(differs(infinite, "{3, -1}"));
}

TEST_CASE("integers are the same also after a pass that rounds") {
  CHECK(first_failure("ENTRY main { x = s32[8] parameter(0)  y = s32[8] parameter(1)  ROOT r = s32[8] add(x, y) }",
                      {wrong_but_rounding})
            .find("0 is allowed") != std::string::npos);
}

TEST_CASE("what depends on rng is not compared, what does not is") {
  const std::string text = R"(
    ENTRY main { a = f32[] constant(0)  b = f32[] constant(1)  u = f32[4] rng(a, b), distribution=rng_uniform
      x = f32[4] parameter(0)  y = f32[4] subtract(x, u)  i = s32[4] parameter(1)  j = s32[4] parameter(2)
      k = s32[4] add(i, j)  ROOT r = (f32[4], s32[4]) tuple(y, k) })";
  CHECK(first_failure(text, {swap_subtract}).empty());
  CHECK(first_failure(text, {swap_subtract, forget_zero}).find("forget-zero changes results: output {1}") !=
        std::string::npos);
}

TEST_CASE("what the interpreter cannot run in its limits is said not to be compared") {
  ir::Module module = parse(R"(
    body { i = s32[] parameter(0)  one = s32[] constant(1)  ROOT n = s32[] add(i, one) }
    condition { i = s32[] parameter(0)  end = s32[] constant(100000)  ROOT p = pred[] compare(i, end), direction=LT }
    ENTRY main { x = s32[] constant(0)  ROOT w = s32[] while(x), condition=condition, body=body })");
  CheckOptions options;
  options.max_steps = 1000;
  PassCheck check(options);
  passes::PipelineOptions pipeline;
  pipeline.compare = check.compare();
  CHECK(passes::run_passes(module, std::span(&swap_add, 1), pipeline).ok());
  CHECK(check.compared() == 0);
  CHECK(check.not_compared() == std::vector<std::string>{"swap-add: one: gave up after 1000 steps"});
}

TEST_CASE("draws are reproducible, and special where they say so") {
  const ir::Module module = parse(R"(
    ENTRY main { a = f32[900] parameter(0)  b = bf16[100] parameter(1)  c = f8e4m3fn[100] parameter(2)
      d = s4[100] parameter(3)  e = u64[100] parameter(4)  f = c128[100] parameter(5)  g = f8e8m0fnu[100] parameter(6)
      h = pred[100] parameter(7)  i = f64[100] parameter(8)
      ROOT r = (f32[900], bf16[100]) tuple(a, b) })");
  for (int number = 0; number < 8; ++number) {
    const auto once = draw_arguments(module, 3, number).value(), again = draw_arguments(module, 3, number).value();
    for (std::size_t i = 0; i < once.size(); ++i) {
      CHECK(once[i].identical(again[i]));
    }
    std::size_t nan = 0, negative_zero = 0, subnormal = 0, infinite = 0;
    for (float x : once[0].elements<float>()) {
      nan += std::isnan(x) ? 1 : 0;
      infinite += std::isinf(x) ? 1 : 0;
      negative_zero += x == 0 && std::signbit(x) ? 1 : 0;
      subnormal += x != 0 && std::fabs(x) < std::numeric_limits<float>::min() ? 1 : 0;
    }
    const bool special = kind_of_draw(number) == DrawKind::Mixed || kind_of_draw(number) == DrawKind::Special;
    CHECK((nan > 0) == special);
    CHECK((infinite > 0) == special);
    CHECK((subnormal > 0) == special);
    CHECK((negative_zero > 0 || !special));
  }
}

}  // namespace bp::debugging
