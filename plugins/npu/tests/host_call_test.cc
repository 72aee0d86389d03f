// Instructions that the application runs in the middle of a program (bp.host-call/draft-1).
#include "core/interpreter/host_calls.h"

#include <future>

#include "core/text/printer.h"
#include "plugins/npu/tests/open_npu.h"

namespace bp::npu::tests {
namespace {

using interpreter::HostCalls;

// A loop that takes a number in each of four iterations, gives its running sum, and has a function half it.
constexpr std::string_view feeding = R"(HloModule feeding
  step {
    s = (s32[], f32[4], token[]) parameter(0)
    n = s32[] get-tuple-element(s), index=0  sum = f32[4] get-tuple-element(s), index=1
    t = token[] get-tuple-element(s), index=2
    one = s32[] constant(1)  next = s32[] add(n, one)
    i = (f32[4], token[]) infeed(t)  x = f32[4] get-tuple-element(i), index=0
    u = token[] get-tuple-element(i), index=1
    h = f32[4] custom-call(x), custom_call_target="half", custom_call_has_side_effect=true
    y = f32[4] add(sum, h)
    o = token[] outfeed(y, u), outfeed_shape=f32[4]{0}
    ROOT r = (s32[], f32[4], token[]) tuple(next, y, o)
  }
  goes_on {
    s = (s32[], f32[4], token[]) parameter(0)  n = s32[] get-tuple-element(s), index=0
    end = s32[] constant(4)  ROOT r = pred[] compare(n, end), direction=LT
  }
  ENTRY main {
    zero = s32[] constant(0)  x = f32[4] parameter(0)  t = token[] after-all()
    s = (s32[], f32[4], token[]) tuple(zero, x, t)
    w = (s32[], f32[4], token[]) while(s), condition=goes_on, body=step
    y = f32[4] get-tuple-element(w), index=1
    ROOT r = f32[4] add(y, y)
  })";

constexpr std::string_view calling = R"(HloModule calling
  ENTRY main { x = f32[4] parameter(0)  a = f32[4] add(x, x)
    c = (f32[4], s32[2]) custom-call(a, a), custom_call_target="half", backend_config="exactly"
    h = f32[4] get-tuple-element(c), index=0
    ROOT r = f32[4] add(h, x) })";

Literal four(const std::string &text) {
  return text::parse_literal(text, text::parse_shape("f32[4]").value()).value();
}

Literal halved(const Literal &operand) {
  Literal result = operand;
  for (float &element : result.mutable_elements<float>()) {
    element /= 2;
  }
  return result;
}

Result<Literal> half(const ir::Instruction &, std::span<const Literal> operands) {
  return halved(operands[0]);
}

Result<Literal> half_of_two(const ir::Instruction &call, std::span<const Literal> operands) {
  CHECK(operands.size() == 2);
  CHECK(call.text(ir::AttributeKey::BackendConfig) == "exactly");
  return Literal::tuple({halved(operands[1]), Literal::zeros(call.shape().elements()[1]).value()});
}

Compiled compile_calling(const Backend &backend, std::string_view text) {
  CompileOptions options;
  options.host_functions = {"half", "infeed", "outfeed"};
  auto compiled = backend.compile(parse(text), options);
  INFO((compiled.ok() ? "" : compiled.error().to_string()));
  REQUIRE(compiled.ok());
  REQUIRE(compiled->executable.program() != nullptr);  // one program, without steps of the host
  CHECK(compiled->executable.program()->calls_host());
  return std::move(compiled).value();
}

// Returns the result as text, or the error.
std::string run_serving(const Compiled &compiled, const HostCalls &calls, std::vector<Literal> arguments) {
  interpreter::Options host;
  calls.serve(host);
  auto result = compiled.executable.run(std::move(arguments), host);
  return result.ok() ? text::print(*result) : result.error().to_string();
}

}  // namespace

TEST_CASE("a loop on the device calls the application in each iteration") {
  const Compiled compiled = compile_calling(open_npu(), feeding);
  for (int round = 0; round < 2; ++round) {
    std::vector<std::string> given;
    HostCalls calls;
    REQUIRE(calls.add_function("half", half).ok());
    calls.set_infeed(interpreter::in_order(
        {four("{2, 4, 6, 8}"), four("{0, 0, 0, 2}"), four("{4, 4, 4, 4}"), four("{-2, 0, 2, 4}")}));
    calls.set_outfeed([&](const Literal &value) {
      given.push_back(text::print(value));
      return Status();
    });
    CHECK(run_serving(compiled, calls, {four("{10, 20, 30, 40}")}) == "{24, 48, 72, 98}");
    CHECK(given ==
          std::vector<std::string>{"{11, 22, 33, 44}", "{11, 22, 33, 45}", "{13, 24, 35, 47}", "{12, 24, 36, 49}"});
  }
}

TEST_CASE("an application that fails ends the run, and the next one works") {
  const Compiled compiled = compile_calling(open_npu(), feeding);
  HostCalls calls;
  CHECK(run_serving(compiled, calls, {four("{0, 0, 0, 0}")})
            .find("7:5: i: takes f32[4] from the application, which feeds nothing") != std::string::npos);
  calls.set_infeed(interpreter::in_order({four("{2, 4, 6, 8}"), four("{0, 0, 0, 2}")}));
  calls.set_outfeed([](const Literal &) { return Status(); });
  REQUIRE(calls.add_function("half", half).ok());
  CHECK(run_serving(compiled, calls, {four("{0, 0, 0, 0}")}).find("all 2 values given to the run have been read") !=
        std::string::npos);
  calls.set_infeed([](const ir::Shape &) -> Result<Literal> { throw std::runtime_error("no more data"); });
  CHECK(run_serving(compiled, calls, {four("{0, 0, 0, 0}")}).find("the application's function threw: no more data") !=
        std::string::npos);
  calls.set_infeed(
      interpreter::in_order({four("{2, 2, 2, 2}"), four("{2, 2, 2, 2}"), four("{2, 2, 2, 2}"), four("{2, 2, 2, 2}")}));
  CHECK(run_serving(compiled, calls, {four("{0, 0, 0, 0}")}) == "{8, 8, 8, 8}");
}

TEST_CASE("functions get all operands and the attributes of a call, and give several results") {
  const Compiled compiled = compile_calling(open_npu(), calling);
  HostCalls calls;
  REQUIRE(calls.add_function("half", half_of_two).ok());
  CHECK(run_serving(compiled, calls, {four("{1, 2, 3, 4}")}) == "{2, 4, 6, 8}");
}

TEST_CASE("a function cannot start a run on the device that waits for it, and others can") {
  const Backend npu = open_npu(), other = open_npu();
  const Compiled compiled = compile_calling(npu, calling);
  const Compiled inner = compile_whole(npu, parse("HloModule inner ENTRY main { x = f32[4] parameter(0) "
                                                  "ROOT r = f32[4] add(x, x) }"));
  const Compiled elsewhere = compile_whole(other, parse("HloModule inner ENTRY main { x = f32[4] parameter(0) "
                                                        "ROOT r = f32[4] add(x, x) }"));
  HostCalls calls;
  REQUIRE(calls
              .add_function("half",
                            [&](const ir::Instruction &call, std::span<const Literal> operands) -> Result<Literal> {
                              BP_ASSIGN(const Literal twice, elsewhere.executable.run({operands[0]}));
                              CHECK(text::print(twice) == "{4, 8, 12, 16}");
                              BP_TRY(inner.executable.run({operands[0]}));
                              return half_of_two(call, operands);
                            })
              .ok());
  CHECK(run_serving(compiled, calls, {four("{1, 2, 3, 4}")})
            .find("3:5: c: inner: a function that a run on dev.backplane.npu calls starts a run there, which would "
                  "wait for the first one") != std::string::npos);
}

TEST_CASE("a function of a function cannot start a run on the device that waits for both") {
  const Backend npu = open_npu(), other = open_npu();
  const Compiled outer = compile_calling(npu, calling), middle = compile_calling(other, calling);
  const Compiled inner = compile_whole(npu, parse("HloModule inner ENTRY main { x = f32[4] parameter(0) "
                                                  "ROOT r = f32[4] add(x, x) }"));
  HostCalls calls, inside;
  REQUIRE(inside
              .add_function("half",
                            [&](const ir::Instruction &call, std::span<const Literal> operands) -> Result<Literal> {
                              BP_TRY(inner.executable.run({operands[0]}));
                              return half_of_two(call, operands);
                            })
              .ok());
  interpreter::Options host;
  inside.serve(host);
  REQUIRE(calls
              .add_function("half",
                            [&](const ir::Instruction &call, std::span<const Literal> operands) -> Result<Literal> {
                              BP_TRY(middle.executable.run({operands[0]}, host));
                              return half_of_two(call, operands);
                            })
              .ok());
  CHECK(run_serving(outer, calls, {four("{1, 2, 3, 4}")})
            .find("inner: a function that a run on dev.backplane.npu calls starts a run there") != std::string::npos);
  CHECK(run_serving(middle, inside, {four("{1, 2, 3, 4}")}) == "{2, 4, 6, 8}");
}

TEST_CASE("infeed that the application does not name stays between programs") {
  auto compiled = open_npu().compile(parse(feeding));
  REQUIRE(compiled.ok());
  CHECK((compiled->executable.program() == nullptr || !compiled->executable.program()->calls_host()));
}

TEST_CASE("a cancelled run ends in the function that it calls") {
  const Compiled compiled = compile_calling(open_npu(), calling);
  auto cancellation = std::make_shared<Cancellation>();
  HostCalls calls;
  REQUIRE(calls
              .add_function("half",
                            [&](const ir::Instruction &call, std::span<const Literal> operands) {
                              cancellation->cancel();
                              return half_of_two(call, operands);
                            })
              .ok());
  interpreter::Options host;
  calls.serve(host);
  host.terms.cancellation = cancellation;
  const auto result = compiled.executable.run({four("{1, 2, 3, 4}")}, host);
  REQUIRE(!result.ok());
  CHECK(result.error().code() == ErrorCode::Cancelled);
}

TEST_CASE("functions that the application does not name stay between programs") {
  auto compiled = open_npu().compile(parse(calling));
  REQUIRE(compiled.ok());
  CHECK(compiled->executable.program() == nullptr);
  HostCalls calls;
  REQUIRE(calls.add_function("half", half_of_two).ok());
  CHECK(run_serving(*compiled, calls, {four("{1, 2, 3, 4}")}) == "{2, 4, 6, 8}");
}

}  // namespace bp::npu::tests
