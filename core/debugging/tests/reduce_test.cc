#include "core/debugging/reduce.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "core/debugging/child_process.h"
#include "core/debugging/random_module.h"
#include "core/ir/builder.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"
#include "core/text/printer.h"
#include "tools/testing/require.h"

namespace bp::debugging {
namespace {

using testing::parse;

std::size_t count(const ir::Module &module, ir::Opcode opcode) {
  std::size_t found = 0;
  for (ir::Computation computation : module.computations()) {
    for (ir::Instruction i : computation.instructions()) {
      found += i.opcode() == opcode ? 1 : 0;
    }
  }
  return found;
}

// Returns a program of 2,000 instructions, one of them a sort in the middle.
ir::Module long_program() {
  ir::Module module;
  const ir::Shape shape = ir::Shape::array(ir::ElementType::F32, {4, 8});
  const ir::ComputationId compare = module.add_computation("compare");
  ir::Builder c(module, compare);
  const ir::Shape scalar = ir::Shape::scalar(ir::ElementType::F32);
  const auto a = c.parameter(scalar), z = c.parameter(scalar);
  module.set_root(compare, c.compare(ir::ComparisonDirection::Lt, a, z));
  ir::Builder b(module, module.add_computation("main"));
  auto x = b.parameter(shape), y = b.parameter(shape);
  for (int i = 0; i < 1000; ++i) {
    x = b.add(ir::Opcode::Add, {x, y});
    y = b.add(i % 2 == 0 ? ir::Opcode::Negate : ir::Opcode::Abs, {y});
    if (i == 500) {
      x = b.add(
          ir::Opcode::Sort, {x},
          [](ir::Module &m, ir::InstructionId id) { m.set_numbers(id, ir::AttributeKey::Dimensions, {1}); },
          std::span(&compare, 1));
    }
  }
  const ir::InstructionId results[] = {x, y};
  b.finish(b.tuple(results));
  return module;
}

}  // namespace

TEST_CASE("two thousand instructions become those that matter, in few trials") {
  const ir::Module module = long_program();
  const Reduced reduced = reduce(module, [](const ir::Module &m) { return count(m, ir::Opcode::Sort) > 0; });
  INFO(text::print(reduced.module));
  CHECK(reduced.is_complete);
  CHECK(ir::verify(reduced.module).ok());
  CHECK(reduced.module.entry().instruction_count() <= 3);
  CHECK(reduced.trials < 200);
}

TEST_CASE("the instructions that show a problem may be far apart") {
  // The sort and the first negation, on which the sort's operand depends.
  const ir::Module module = long_program();
  const std::string first(module.entry().instructions()[3].name());
  const Reduced reduced = reduce(module, [&](const ir::Module &m) {
    return count(m, ir::Opcode::Sort) > 0 && count(m, ir::Opcode::Negate) > 0 && count(m, ir::Opcode::Abs) > 0;
  });
  INFO(text::print(reduced.module));
  CHECK(reduced.module.entry().instruction_count() <= 8);
  CHECK(reduced.trials < 2000);
}

TEST_CASE("loops, branches, calls and fusions go; sizes shrink") {
  const ir::Module module = parse(R"(
    inner { x = f32[16,32] parameter(0)  ROOT y = f32[16,32] sine(x) }
    fused { x = f32[16,32] parameter(0)  ROOT y = f32[16,32] cosine(x) }
    no { x = f32[16,32] parameter(0)  ROOT y = f32[16,32] negate(x) }
    yes { x = f32[16,32] parameter(0)  s = f32[16,32] fusion(x), kind=kLoop, calls=fused
      ROOT y = f32[16,32] call(s), to_apply=inner }
    body { t = (s32[], f32[16,32], pred[]) parameter(0)  i = s32[] get-tuple-element(t), index=0
      x = f32[16,32] get-tuple-element(t), index=1  p = pred[] get-tuple-element(t), index=2
      one = s32[] constant(1)  j = s32[] add(i, one)
      y = f32[16,32] conditional(p, x, x), true_computation=yes, false_computation=no
      ROOT n = (s32[], f32[16,32], pred[]) tuple(j, y, p) }
    condition { t = (s32[], f32[16,32], pred[]) parameter(0)  i = s32[] get-tuple-element(t), index=0
      n = s32[] constant(100)  ROOT c = pred[] compare(i, n), direction=LT }
    ENTRY main { x = f32[16,32] parameter(0)  p = pred[] parameter(1)  i = s32[] constant(0)
      t = (s32[], f32[16,32], pred[]) tuple(i, x, p)
      w = (s32[], f32[16,32], pred[]) while(t), condition=condition, body=body
      ROOT r = f32[16,32] get-tuple-element(w), index=1 })");
  const Reduced reduced = reduce(module, [](const ir::Module &m) { return count(m, ir::Opcode::Cosine) > 0; });
  const std::string text = text::print(reduced.module);
  INFO(text);
  CHECK(reduced.module.computation_ids().size() == 1);
  CHECK(reduced.module.entry().instruction_count() <= 2);
  CHECK(reduced.module.entry().root().shape().element_count() == 1);
}

TEST_CASE("random programs are reduced to sound ones") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const ir::Module module = random_module(seed);
    const Reduced reduced = reduce(module, [](const ir::Module &m) {
      REQUIRE(ir::verify(m).ok());
      return count(m, ir::Opcode::Broadcast) > 0;
    });
    INFO("seed " << seed << "\n" << text::print(reduced.module));
    CHECK((count(module, ir::Opcode::Broadcast) == 0 || reduced.module.instruction_count() <= 3));
  }
}

TEST_CASE("a slice has the instructions that compute one, up to a number of operands away") {
  const ir::Module module = parse(R"(
    ENTRY main { x = f32[4] parameter(0)  y = f32[4] parameter(1)  a = f32[4] negate(x)  b = f32[4] add(a, y)
      c = f32[4] multiply(b, b)  d = f32[4] exponential(c)  e = f32[4] subtract(d, x)  ROOT r = (f32[4]) tuple(e) })");
  const ir::Module slice = extract_slice(module, "d", 2).value();
  INFO(text::print(slice));
  CHECK(slice.entry().root().name() == "d");
  CHECK(slice.entry().parameter_count() == 2);  // a and y
  CHECK(slice.entry().instruction_count() == 5);
  CHECK(extract_slice(module, "d", 0).value().entry().instruction_count() == 2);
  CHECK(extract_slice(module, "z", 1).error().message() == "there is no instruction 'z' in module main");
}

TEST_CASE("a process of its own may crash, hang and take all memory") {
  Limits limits;
  limits.seconds = 20;
  CHECK(run_in_child([] { return 7; }, limits).code == 7);
  const Ending crash = run_in_child([]() -> int { std::abort(); }, limits);
  CHECK(crash.kind == Ending::Kind::Crashed);
  CHECK(to_string(crash, limits).find("killed by signal 6") == 0);
  CHECK(run_command("exit 3", limits).code == 3);
  CHECK(run_command("kill -11 $$", limits).kind == Ending::Kind::Crashed);
  CHECK(run_command("sh -c 'kill -11 $$'; exit $?", limits).code == 11);
  limits.seconds = 0.2;
  const Ending hang = run_in_child(
      [] {
        std::this_thread::sleep_for(std::chrono::hours(1));
        return 0;
      },
      limits);
  CHECK(hang.kind == Ending::Kind::TimedOut);
  CHECK(to_string(hang, limits) == "still running after 0.2 s");
}

}  // namespace bp::debugging
