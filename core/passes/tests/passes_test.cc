#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "core/ir/builder.h"
#include "core/ir/verifier.h"
#include "core/passes/fusion/kernel.h"
#include "core/passes/pipeline.h"
#include "core/text/parser.h"
#include "tools/testing/source_tree.h"

namespace bp::passes {
namespace {

using ir::ElementType;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

const Shape scalar = Shape::scalar(ElementType::F32);
constexpr auto no_attributes = [](ir::Module &, InstructionId) {};

// Builds a chain of computations, each of which calls the one before twice: 2^depth calls in total.
ir::Module doubling_calls(int depth) {
  ir::Module module;
  ir::ComputationId callee = module.add_computation("level_0");
  ir::Builder bottom(module, callee);
  module.set_root(callee, bottom.add(Opcode::Negate, {bottom.parameter(scalar)}));
  for (int level = 1; level <= depth; ++level) {
    auto id = module.add_computation(fmt::format("level_{}", level));
    ir::Builder b(module, id);
    auto first = b.add(Opcode::Call, {b.parameter(scalar)}, no_attributes, std::span(&callee, 1));
    module.set_root(id, b.add(Opcode::Call, {first}, no_attributes, std::span(&callee, 1)));
    callee = id;
  }
  module.set_entry(callee);
  return module;
}

}  // namespace

TEST_CASE("every pass has a name, a summary and a place in the table") {
  for (const Pass &pass : passes()) {
    CHECK(find_pass(pass.name) == &pass);
    CHECK(!pass.summary.empty());
  }
  CHECK(find_pass("no-such-pass") == nullptr);
}

TEST_CASE("every pass has text tests") {
  const std::filesystem::path folder = testing::find_in_source_tree("core/passes/testdata");
  REQUIRE(!folder.empty());
  for (const Pass &pass : passes()) {
    std::string name(pass.name);
    std::ranges::replace(name, '-', '_');
    INFO(name);
    CHECK((std::filesystem::is_directory(folder / name) && !std::filesystem::is_empty(folder / name)));
  }
}

TEST_CASE("the pipeline reports each pass") {
  ir::Module module = doubling_calls(3);
  std::vector<std::string> log;
  PipelineOptions options;
  options.verify_between_passes = true;
  options.after_pass = [&](const ir::Module &m, const PassReport &report) -> Status {
    log.push_back(fmt::format("{} {} {}", report.name, report.changed, m.instruction_count()));
    return {};
  };
  Status status = run_passes(module, {call_inlining, dead_code_elimination}, options);
  REQUIRE(status.ok());
  CHECK(log == std::vector<std::string>{"call-inlining true 9", "dead-code-elimination false 9"});
  CHECK(ir::verify(module).ok());
}

TEST_CASE("calls that would double the module at each step are kept and reported") {
  std::vector<GrowthStop> stops;
  PassContext context;
  context.max_instructions = context.max_inlined_instructions = 10'000;
  context.explain_growth = [&](const GrowthStop &stop) { stops.push_back(stop); };
  ir::Module inlined = doubling_calls(40);
  const std::size_t before = inlined.instruction_count();
  REQUIRE(call_inlining(inlined, context).ok());
  CHECK(inlined.instruction_count() <= before);
  CHECK(ir::verify(inlined).ok());
  REQUIRE(stops.size() == 1);
  CHECK(stops[0].reason ==
        "with copies of the called computations the module has 3298534883326 instructions, expected at most 10000");

  ir::Module flattened = doubling_calls(40);
  Result<bool> result = flatten_call_graph(flattened, context);
  REQUIRE(!result.ok());
  CHECK(result.error().code() == ErrorCode::OutOfMemory);
  CHECK(result.error().message() ==
        "level_0: there are 1.1e+12 paths of calls to it; with a copy of each computation for each path the module "
        "has 5.498e+12 instructions, expected at most 10000");
  CHECK(flattened.instruction_count() == before);

  ir::Module small = doubling_calls(3);
  REQUIRE(*flatten_call_graph(small, context));
  CHECK(ir::verify(small).ok());
  CHECK(small.computation_ids().size() == 15);
}

// Ids are never reused, so the id limit counts all copies that were made.
TEST_CASE("calls within calls are copied once, however deep") {
  constexpr int depth = 20'000;
  ir::Module module;
  ir::ComputationId callee = module.add_computation("level_0");
  ir::Builder bottom(module, callee);
  module.set_root(callee, bottom.add(Opcode::Negate, {bottom.parameter(scalar)}));
  for (int level = 1; level <= depth; ++level) {
    auto id = module.add_computation(fmt::format("level_{}", level));
    ir::Builder b(module, id);
    auto x = b.add(Opcode::Sine, {b.parameter(scalar)});
    module.set_root(id, b.add(Opcode::Call, {x}, no_attributes, std::span(&callee, 1)));
    callee = id;
  }
  module.set_entry(callee);
  REQUIRE(*call_inlining(module, {}));
  CHECK(ir::verify(module).ok());
  CHECK(module.instruction_count() == depth + 2);
  CHECK(module.instruction_id_limit() <= 6 * depth);
}

// Builds nested computations, each of which calls the one below as a composite, or asynchronously, once or twice.
ir::Module nested_uses(std::string_view first, std::string_view second, int depth) {
  std::string text = "HloModule m\n c0 { x = f32[8] parameter(0)  ROOT r = f32[8] sine(x) }\n";
  for (int level = 1; level <= depth; ++level) {
    text += fmt::format("{}c{} {{ x = f32[8] parameter(0)  {}  {}  ROOT r = f32[8] negate({}) }}\n",
                        level == depth ? "ENTRY " : "", level, fmt::format(fmt::runtime(first), level - 1),
                        fmt::format(fmt::runtime(second), level - 1), second.empty() ? "y" : "z");
  }
  auto module = text::parse_module(text);
  REQUIRE(module.ok());
  return std::move(module).value();
}

TEST_CASE("bodies that expansions copy are copied once, however deep, and not without limit") {
  struct Use {
    Result<bool> (*pass)(ir::Module &, const PassContext &);
    std::string_view first, second;
  };
  const Use uses[] = {
      {composite_expansion, "y = f32[8] call(x), to_apply=c{}, is_composite=true",
       "z = f32[8] call(y), to_apply=c{}, is_composite=true"},
      {async_expansion, "s = ((f32[8]), f32[8], s32[]) async-start(x), calls=c{}  y = f32[8] async-done(s)",
       "t = ((f32[8]), f32[8], s32[]) async-start(y), calls=c{}  z = f32[8] async-done(t)"},
  };
  for (const Use &use : uses) {
    std::vector<GrowthStop> stops;
    PassContext context;
    context.max_inlined_instructions = 10'000;
    context.explain_growth = [&](const GrowthStop &stop) { stops.push_back(stop); };
    ir::Module deep = nested_uses(use.first, "", 2'000);
    const std::size_t before = deep.instruction_count();
    REQUIRE(*use.pass(deep, context));
    CHECK(ir::verify(deep).ok());
    CHECK(deep.instruction_id_limit() <= 10 * before);
    CHECK(stops.empty());

    ir::Module doubling = nested_uses(use.first, use.second, 40);
    REQUIRE(*use.pass(doubling, context));
    CHECK(ir::verify(doubling).ok());
    CHECK(doubling.instruction_count() < 20'000);
    REQUIRE(stops.size() == 1);
    CHECK(stops[0].reason.ends_with("instructions, expected at most 10000"));
  }
}

TEST_CASE("maps that would double the module at each step are kept and reported") {
  std::string text = "HloModule m\nc0 { x = f32[] parameter(0)\n ROOT n = f32[] sine(x) }\n";
  for (int level = 1; level <= 20; ++level) {
    text += fmt::format(
        "c{0} {{ x = f32[] parameter(0)\n a = f32[] map(x), dimensions={{}}, to_apply=c{1}\n"
        " ROOT b = f32[] map(a), dimensions={{}}, to_apply=c{1} }}\n",
        level, level - 1);
  }
  text += "ENTRY e { x = f32[8] parameter(0)\n ROOT r = f32[8] map(x), dimensions={0}, to_apply=c20 }\n";
  Result<ir::Module> module = text::parse_module(text);
  REQUIRE(module.ok());
  std::vector<std::string> told;
  PassContext context;
  context.max_inlined_instructions = 10'000;
  context.explain_growth = [&](const GrowthStop &stop) { told.push_back(stop.instruction); };
  REQUIRE(map_expansion(*module, context).ok());
  CHECK(module->instruction_count() < 40'000);
  CHECK(told.size() == 1);
  CHECK(ir::verify(*module).ok());
}

TEST_CASE("concatenations that each have the one below twice are not all flattened") {
  ir::Module module;
  const ir::ComputationId entry = module.add_computation("main");
  ir::Builder b(module, entry);
  InstructionId joined = b.parameter(Shape::array(ElementType::F32, {1}));
  for (int level = 0; level < 28; ++level) {
    joined = b.add(Opcode::Concatenate, {joined, joined},
                   [](ir::Module &m, InstructionId id) { m.set_number(id, ir::AttributeKey::Dimensions, 0); });
  }
  b.finish(joined);
  REQUIRE(slice_simplification(module, {}).ok());
  for (ir::Instruction i : module.entry().instructions()) {
    CHECK(i.operand_count() <= 256 + 2);  // parts of others, and its own
  }
  CHECK(ir::verify(module).ok());
}

// Nested loops of one iteration.
TEST_CASE("nested loops of one iteration are copied once, however deep") {
  std::string text = R"(HloModule m
    cond { p = (s32[], f32[8]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(1)
      ROOT r = pred[] compare(i, n), direction=LT }
    b0 { p = (s32[], f32[8]) parameter(0)  i = s32[] get-tuple-element(p), index=0  o = s32[] constant(1)
      j = s32[] add(i, o)  x = f32[8] get-tuple-element(p), index=1  y = f32[8] sine(x)
      ROOT r = (s32[], f32[8]) tuple(j, y) })";
  constexpr int depth = 2'000;
  for (int level = 1; level < depth; ++level) {
    text += fmt::format(R"(
    b{} {{ p = (s32[], f32[8]) parameter(0)  i = s32[] get-tuple-element(p), index=0  o = s32[] constant(1)
      z = s32[] constant(0)  j = s32[] add(i, o)  x = f32[8] get-tuple-element(p), index=1
      t = (s32[], f32[8]) tuple(z, x)  w = (s32[], f32[8]) while(t), condition=cond, body=b{}
      y = f32[8] get-tuple-element(w), index=1  ROOT r = (s32[], f32[8]) tuple(j, y) }})",
                        level, level - 1);
  }
  text += fmt::format(R"(
    ENTRY main {{ x = f32[8] parameter(0)  z = s32[] constant(0)  t = (s32[], f32[8]) tuple(z, x)
      w = (s32[], f32[8]) while(t), condition=cond, body=b{}  ROOT r = f32[8] get-tuple-element(w), index=1 }})",
                      depth - 1);
  auto module = text::parse_module(text);
  REQUIRE(module.ok());
  const std::size_t before = module->instruction_count();
  REQUIRE(*loop_simplification(*module, {}));
  CHECK(ir::verify(*module).ok());
  CHECK(module->instruction_id_limit() <= 3 * before);
  REQUIRE(run_passes(*module, stage_passes(Stage::Simplify)).ok());
  CHECK(module->instruction_count() == 2);  // one sine: all iterations except the innermost only pass the value on
}

TEST_CASE("fifty thousand instructions take linear time") {
  ir::Module module;
  ir::Builder b(module, module.add_computation("main"));
  auto x = b.parameter(Shape::array(ElementType::F32, {8}));
  auto y = x;
  for (int i = 0; i < 25'000; ++i) {
    b.add(Opcode::Negate, {y});  // dead
    y = b.add(Opcode::Add, {y, x});
  }
  b.finish(y);
  double slowest = 0;
  PipelineOptions options;
  options.verify_between_passes = true;
  options.after_pass = [&](const ir::Module &, const PassReport &report) -> Status {
    slowest = std::max(slowest, report.seconds);
    return {};
  };
  REQUIRE(run_passes(module, default_passes(), options).ok());
  CHECK(slowest < 5);  // a quadratic pass takes minutes
}

TEST_CASE("a loop that has too many instructions ends where the fewest bytes go to the next") {
  ir::Module module = text::parse_module(R"(HloModule m
    ENTRY main {
      x = f32[1000] parameter(0)
      two = f32[] constant(2)
      twos = f32[1000] broadcast(two), dimensions={}
      a = f32[1000] sine(x)
      b = f32[1000] cosine(x)
      c = f32[1000] tan(x)
      d = f32[1000] tanh(x)
      ab = f32[1000] multiply(a, b)
      cd = f32[1000] multiply(c, d)
      narrow = f32[1000] add(ab, cd)
      e = f32[1000] multiply(narrow, twos)
      f = f32[1000] exponential(e)
      g = f32[1000] add(f, twos)
      ROOT r = f32[1000] log(g)
    })")
                          .value();
  PassContext context;
  context.fusion.max_instructions = 7;  // `narrow` is the fifth, and the eighth would have joined
  REQUIRE(loop_fusion(module, context).value());
  std::vector<std::size_t> sizes;
  for (ir::Instruction instruction : module.entry().instructions()) {
    if (instruction.opcode() == Opcode::Fusion) {
      sizes.push_back(fused_size(instruction));
    }
  }
  CHECK(sizes == std::vector<std::size_t>{7, 4});
  CHECK(module.entry().root().operand_count() == 1);
}

TEST_CASE("large constants leave fusions, also fusions within fusions") {
  auto module = text::parse_module(R"(
    HloModule m
    inner { x = f32[64] parameter(0)  small = f32[] constant(2)  big = f32[64] constant({...})
      wide = f32[64] broadcast(small), dimensions={}  sum = f32[64] add(x, big)  ROOT y = f32[64] multiply(sum, wide) }
    outer { x = f32[64] parameter(0)  ROOT y = f32[64] fusion(x), kind=kLoop, calls=inner }
    ENTRY main { x = f32[64] parameter(0)  one = f32[64] fusion(x), kind=kLoop, calls=outer
      ROOT two = f32[64] fusion(one), kind=kLoop, calls=outer })");
  REQUIRE(module.ok());
  REQUIRE(ir::verify(*module).ok());
  PassContext context;
  context.max_fused_constant_bytes = 255;
  auto changed = constant_hoisting(*module, context);
  REQUIRE(changed.ok());
  CHECK(*changed);
  REQUIRE(ir::verify(*module).ok());
  for (ir::Computation computation : module->computations()) {
    for (ir::Instruction instruction : computation.instructions()) {
      bool is_big = instruction.opcode() == Opcode::Constant && instruction.shape().byte_size() > 255;
      CHECK((!is_big || computation.name() == "main"));
      if (instruction.opcode() == Opcode::Fusion) {
        CHECK(instruction.operand_count() == 2);
      }
    }
  }
  CHECK(!*constant_hoisting(*module, context));
}

}  // namespace bp::passes
