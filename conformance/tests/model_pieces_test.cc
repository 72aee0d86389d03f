// The pieces of a model, run one after the other, compute what the model computes.
#include <catch2/catch.hpp>

#include "conformance/suite/model_pieces.h"
#include "core/interpreter/compare.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/random_inputs.h"
#include "tools/testing/require.h"

namespace bp::conformance {
namespace {

using testing::require_ok;
using testing::require_value;

// Computes the program's result by running its pieces.
ir::Literal run_in_pieces(const ir::Module &model, std::size_t size, const std::vector<ir::Literal> &arguments) {
  std::vector<ir::Literal> values(model.instruction_id_limit());
  for (const ir::Instruction instruction : model.entry().instructions()) {
    if (instruction.opcode() == ir::Opcode::Parameter) {
      values[index(instruction.id())] = arguments[static_cast<std::size_t>(instruction.parameter_number())];
    }
  }
  const std::vector<compile::Part> parts = cut(model, size);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const compile::Extract piece = extract_piece(model, parts, i);
    require_ok(ir::verify(piece.module));
    std::vector<ir::Literal> inputs;
    for (const ir::InstructionId id : piece.inputs) {
      inputs.push_back(values[index(id)]);
    }
    const ir::Literal results = require_value(interpreter::interpret(piece.module, inputs));
    for (std::size_t k = 0; k < piece.outputs.size(); ++k) {
      values[index(piece.outputs[k])] = results.tuple_elements()[k];
    }
  }
  const ir::Instruction root = model.entry().root();
  if (root.opcode() != ir::Opcode::Tuple) {
    return values[index(root.id())];
  }
  std::vector<ir::Literal> elements;
  for (const ir::InstructionId operand : root.operands()) {
    elements.push_back(values[index(operand)]);
  }
  return ir::Literal::tuple(std::move(elements));
}

void check_pieces(const ir::Module &model, std::size_t size) {
  const auto arguments = require_value(interpreter::random_arguments(model, 7));
  const ir::Literal whole = require_value(interpreter::interpret(model, arguments));
  INFO("pieces of " << size);
  CHECK(run_in_pieces(model, size, arguments).identical(whole));
}

}  // namespace

TEST_CASE("the pieces of a model compute the results of the model") {
  REQUIRE(sample_models().size() == 2);
  for (const Model &model : sample_models()) {
    INFO(model.name);
    for (const std::size_t size : {1, 16, 1000}) {
      check_pieces(model.module, size);
    }
  }
}

TEST_CASE("an instruction that makes a tuple or a token stays with its users") {
  const ir::Module module = testing::parse(R"(HloModule tuples
body { s = (s32[], f32[2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[2] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f32[2] add(x, x)
  ROOT t = (s32[], f32[2]) tuple(next, y) }
condition { s = (s32[], f32[2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  three = s32[] constant(3)
  ROOT less = pred[] compare(i, three), direction=LT }
ENTRY main { p = (f32[2], s32[]) parameter(0)
  a = f32[2] get-tuple-element(p), index=0
  b = f32[2] negate(a)
  n = s32[] get-tuple-element(p), index=1
  zero = s32[] subtract(n, n)
  start = (s32[], f32[2]) tuple(zero, b)
  loop = (s32[], f32[2]) while(start), condition=condition, body=body
  c = f32[2] exponential(b)
  again = (s32[], f32[2]) while(loop), condition=condition, body=body
  d = f32[2] get-tuple-element(loop), index=1
  e = f32[2] add(c, d)
  f = f32[2] get-tuple-element(again), index=1
  ROOT r = (f32[2], f32[2]) tuple(e, f) })");
  CHECK(cut(module, 1).size() == 6);  // both loops form one part, with `c`, `d` and `f`
  for (const std::size_t size : {1, 2, 3}) {
    check_pieces(module, size);
  }
}

TEST_CASE("a file that is not a model is reported by its name") {
  const auto model = read_model("/nowhere/model.hlo");
  REQUIRE_FALSE(model.ok());
  CHECK(model.error().to_string().find("/nowhere/model.hlo") != std::string::npos);
}

}  // namespace bp::conformance
