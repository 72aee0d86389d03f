#include "conformance/check/self_checking.h"

#include <catch2/catch.hpp>

#include "conformance/check/runner.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

namespace {

using namespace bp;

ir::Module parse(std::string_view text) {
  ir::Module module = text::parse_module(text).value();
  REQUIRE(ir::verify(module).ok());
  return module;
}

constexpr std::string_view addition = R"(HloModule addition
inputs { x = f32[2] constant({1, 2})  y = f32[2] constant({3, 4})  ROOT t = (f32[2], f32[2]) tuple(x, y) }
expected { ROOT e = f32[2] constant({4, 6}) }
ENTRY main {
  t = (f32[2], f32[2]) call(), to_apply=inputs
  x = f32[2] get-tuple-element(t), index=0
  y = f32[2] get-tuple-element(t), index=1
  e = f32[2] call(), to_apply=expected
  sum = f32[2] add(x, y)
  ROOT check = () custom-call(sum, e), custom_call_target="check.expect_eq", custom_call_has_side_effect=true
})";

std::string problem_of(std::string_view check) {
  const std::string text =
      "ENTRY main {\n  x = f32[2] constant({1, 2})\n  ROOT c = () custom-call(x, x), "
      "custom_call_has_side_effect=true, " +
      std::string(check) + "\n}";
  return conformance::split_checks(parse(text)).error().message();
}

}  // namespace

TEST_CASE("inputs become parameters, expectations stay outside") {
  const conformance::SelfChecking program = conformance::split_checks(parse(addition)).value();
  REQUIRE(program.arguments.size() == 2);
  CHECK(program.arguments[1].elements<float>()[1] == 4);
  REQUIRE(program.checks.size() == 1);
  CHECK(program.checks[0].found.output == 0);
  CHECK_FALSE(program.checks[0].expected.output.has_value());
  CHECK(program.checks[0].expected.value.elements<float>()[1] == 6);
  CHECK(program.checks[0].location.line == 10);
  for (ir::Instruction i : program.program.entry().instructions()) {
    CHECK(i.opcode() != ir::Opcode::Constant);
    CHECK(i.opcode() != ir::Opcode::CustomCall);
  }
}

TEST_CASE("a check that holds passes, and one that fails says where") {
  const Backend interpreter = Backend::load("interpreter").value();
  const conformance::Outcome right = conformance::run(parse(addition), interpreter).value();
  CHECK(right.checks == 1);
  CHECK(right.failures.empty());

  std::string wrong_text(addition);
  wrong_text.replace(wrong_text.find("{4, 6}"), 6, "{4, 7}");
  const conformance::Outcome wrong = conformance::run(parse(wrong_text), interpreter).value();
  REQUIRE(wrong.failures.size() == 1);
  CHECK(wrong.failures[0].text == "1 of 2 elements is not equal; [1] is 6, expected 7 (1 apart)");
}

TEST_CASE("known values are looked at through the program, and both sides may be computed") {
  const conformance::Outcome outcome = conformance::run(parse(R"(ENTRY main {
  x = s32[] constant(-3)
  y = s32[] abs(x)
  z = s32[] negate(x)
  a = () custom-call(x, x), custom_call_target="check.expect_eq", custom_call_has_side_effect=true
  ROOT b = () custom-call(y, z), custom_call_target="check.expect_eq", custom_call_has_side_effect=true
})"),
                                                        Backend::load("interpreter").value())
                                           .value();
  CHECK(outcome.checks == 2);
  CHECK(outcome.failures.empty());
}

TEST_CASE("values of a probe are written, read again and compared") {
  const conformance::Outcome outcome = conformance::run(parse(R"(ENTRY main {
  x = f32[3] constant({0.1, nan, -inf})
  p = f32[3] custom-call(x), custom_call_target="interpreter.probe", backend_config={"probe_id":"p"}
  ROOT c = () custom-call(p), custom_call_target="check.expect_serialized_eq", custom_call_has_side_effect=true, backend_config={"probe_id":"p"}
})"),
                                                        Backend::load("interpreter").value())
                                           .value();
  CHECK(outcome.checks == 1);
  CHECK(outcome.failures.empty());
  CHECK(problem_of(R"(custom_call_target="check.expect_serialized_eq", backend_config={"probe_id":"q"})") ==
        "c: expected one operand, and the probe_id of a probe before it");
}

TEST_CASE("checks that say nonsense are refused") {
  CHECK(
      problem_of(R"(custom_call_target="check.expect_equal")") ==
      "c: there is no check 'check.expect_equal', expected one of check.expect_eq, check.expect_eq_const, "
      "check.expect_close, check.expect_almost_eq, check.expect_almost_eq_const, check.expect_serialized_eq, check.eq");
  CHECK(problem_of(R"(custom_call_target="check.expect_close", backend_config="3")") ==
        "c: backend_config is '3', expected a JSON object");
  CHECK(problem_of(R"(custom_call_target="check.expect_close", backend_config={"tolerance":1})") ==
        "c: check.expect_close has no option 'tolerance'");
  CHECK(problem_of(R"(custom_call_target="check.expect_close", backend_config={"max_ulp_difference":-1})") ==
        "c: max_ulp_difference is -1, expected a number that is not negative");
  CHECK(conformance::split_checks(parse("ENTRY main { ROOT x = f32[] parameter(0) }")).error().message() ==
        "main takes 1 parameters, expected none: a self-checking program has its inputs inside");
}
