#include <catch2/catch.hpp>

#include "core/ir/builder.h"
#include "core/ir/verifier.h"
#include "core/passes/pipeline.h"
#include "core/text/parser.h"

namespace bp::passes {
namespace {

using ir::ElementType;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

const Shape scalar = Shape::scalar(ElementType::F32);
constexpr auto no_attributes = [](ir::Module &, InstructionId) {};

// A chain of computations, each of which calls the one before twice: 2^depth calls in all.
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
  for (std::string_view name : default_passes()) {
    CHECK(find_pass(name) != nullptr);
  }
  ir::Module module = doubling_calls(1);
  CHECK(run_passes(module, std::vector<std::string_view>{"no-such-pass"}).error().message() ==
        "there is no pass 'no-such-pass'");
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
  Status status = run_passes(module, std::vector<std::string_view>{"call-inlining", "dead-code-elimination"}, options);
  REQUIRE(status.ok());
  CHECK(log == std::vector<std::string>{"call-inlining true 9", "dead-code-elimination false 9"});
  CHECK(ir::verify(module).ok());
}

TEST_CASE("exponential call graphs stop at the limit") {
  PassContext context;
  context.max_instructions = 10'000;
  ir::Module inlined = doubling_calls(40);
  REQUIRE(call_inlining(inlined, context).ok());
  CHECK(inlined.instruction_count() <= context.max_instructions);
  CHECK(ir::verify(inlined).ok());
  ir::Module flattened = doubling_calls(40);
  Result<bool> result = flatten_call_graph(flattened, context);
  REQUIRE(!result.ok());
  CHECK(result.error().code() == ErrorCode::OutOfMemory);

  ir::Module small = doubling_calls(3);
  REQUIRE(*flatten_call_graph(small, context));
  CHECK(ir::verify(small).ok());
  CHECK(small.computation_ids().size() == 15);
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
