#include <catch2/catch.hpp>

#include "core/analysis/call_graph.h"
#include "core/analysis/side_effects.h"
#include "core/analysis/users.h"
#include "core/ir/builder.h"
#include "core/ir/verifier.h"

namespace bp::analysis {
namespace {

using ir::ElementType;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

const Shape scalar = Shape::scalar(ElementType::F32);
constexpr auto no_attributes = [](ir::Module &, InstructionId) {};

}  // namespace

TEST_CASE("users are listed once and in order") {
  ir::Module module;
  ir::Builder b(module, module.add_computation("main"));
  InstructionId x = b.parameter(scalar), y = b.parameter(scalar);
  InstructionId square = b.add(Opcode::Multiply, {x, x}), sum = b.add(Opcode::Add, {square, x});
  b.finish(sum);
  Users users(module);
  CHECK(std::ranges::equal(users.of(x), std::vector{square, sum}));
  CHECK(std::ranges::equal(users.of(square), std::vector{sum}));
  CHECK(!users.is_used(y));
  CHECK(!users.is_used(sum));
}

TEST_CASE("the call graph knows contexts, order and callers") {
  ir::Module module;
  auto negate = module.add_computation("negate");
  ir::Builder n(module, negate);
  module.set_root(negate, n.add(Opcode::Negate, {n.parameter(scalar)}));
  auto unused = ir::add_scalar_computation(module, Opcode::Add, ElementType::F32, "unused");
  auto calls_negate = module.add_computation("calls_negate");
  ir::Builder c(module, calls_negate);
  auto inner = c.add(Opcode::Call, {c.parameter(scalar)}, no_attributes, std::span(&negate, 1));
  module.set_root(calls_negate, inner);
  ir::Builder m(module, module.add_computation("main"));
  auto x = m.parameter(scalar);
  auto call = m.add(Opcode::Call, {x}, no_attributes, std::span(&calls_negate, 1));
  auto map = m.add(Opcode::Map, {call}, no_attributes, std::span(&calls_negate, 1));
  m.finish(map);
  REQUIRE(ir::verify(module).ok());

  CallGraph graph(module);
  CHECK(std::ranges::equal(graph.callees_first(), std::vector{negate, calls_negate, m.computation()}));
  CHECK(graph.context(m.computation()) == CallContext::Control);
  CHECK(graph.context(calls_negate) == CallContext::Both);
  CHECK(graph.context(negate) == CallContext::Both);
  CHECK(graph.context(unused) == CallContext::Unreachable);
  CHECK(std::ranges::equal(graph.callers(calls_negate), std::vector{call, map}));
  CHECK(std::ranges::equal(graph.callers(negate), std::vector{inner}));
}

TEST_CASE("side effects are seen through calls") {
  ir::Module module;
  auto outer = module.add_computation("outer");
  ir::Builder o(module, outer);
  auto zero = o.constant(ElementType::F32, 0), one = o.constant(ElementType::F32, 1);
  auto random = o.add(
      Opcode::Rng, {zero, one},
      [](ir::Module &m, InstructionId id) { m.set_number(id, ir::AttributeKey::Distribution, 1); }, {}, scalar);
  module.set_root(outer, random);
  ir::Builder m(module, module.add_computation("main"));
  auto call = m.add(Opcode::Call, {}, no_attributes, std::span(&outer, 1));
  auto sum = m.add(Opcode::Add, {call, call});
  m.finish(sum);
  SideEffects effects(module);
  CHECK(effects.has(module.instruction(random)));
  CHECK(effects.has(module.instruction(call)));
  CHECK(!effects.has(module.instruction(sum)));
}

}  // namespace bp::analysis
