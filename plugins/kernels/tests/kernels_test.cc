// The kernels take the instructions that they should, and programs give the interpreter's results, with the other
// instructions on the host.
#include <catch2/catch.hpp>

#include "core/backplane.h"
#include "core/interpreter/compare.h"
#include "core/interpreter/random_inputs.h"
#include "core/text/parser.h"

namespace bp {
namespace {

Backend load() {
  auto backend = Backend::load("kernels");
  INFO((backend.ok() ? "" : backend.error().to_string()));
  REQUIRE(backend.ok());
  return std::move(backend).value();
}

ir::Module parse(std::string_view text) {
  auto module = text::parse_module(text);
  INFO((module.ok() ? "" : module.error().to_string()));
  REQUIRE(module.ok());
  return std::move(module).value();
}

Literal run(const Backend &backend, const Module &module, const std::vector<Literal> &arguments, bool device_only) {
  CompileOptions options;
  options.device_only = device_only;
  auto compiled = backend.compile(module, options);
  INFO((compiled.ok() ? "" : compiled.error().to_string()));
  REQUIRE(compiled.ok());
  auto result = compiled->executable.run(arguments);
  REQUIRE(result.ok());
  return std::move(result).value();
}

TEST_CASE("elementwise kernels keep NaN, infinities and the sign of zero") {
  const Module module = parse(R"(
HloModule special
ENTRY main {
  x = f32[9] parameter(0)
  y = f32[9] parameter(1)
  a = f32[9] add(x, y)
  b = f32[9] subtract(x, y)
  c = f32[9] multiply(x, y)
  d = f32[9] divide(x, y)
  e = f32[9] maximum(x, y)
  f = f32[9] minimum(x, y)
  g = f32[9] negate(x)
  h = f32[9] sqrt(x)
  ROOT all = tuple(a, b, c, d, e, f, g, h)
})");
  const auto shape = text::parse_shape("f32[9]").value();
  const std::vector<Literal> arguments = {
      text::parse_literal("{0, -0, -0, nan, 1, inf, -inf, 3e38, 1e-45}", shape).value(),
      text::parse_literal("{-0, 0, -0, 1, nan, -inf, 2, 3e38, 2}", shape).value()};
  const Backend oracle = Backend::load("interpreter").value();
  CHECK(run(load(), module, arguments, true).identical(run(oracle, module, arguments, false)));
}

TEST_CASE("a program runs its dot on the kernel and what has none on the host") {
  const Module module = parse(R"(
HloModule layer
ENTRY main {
  x = f32[5,7] parameter(0)
  w = f32[7,3] parameter(1)
  y = f32[5,3] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  z = f32[5,3] cosine(y)
  ROOT r = f32[5,3] add(z, y)
})");
  auto backend = load();
  auto compiled = backend.compile(module);
  REQUIRE(compiled.ok());
  REQUIRE(compiled->report.on_host.size() == 1);
  CHECK(compiled->report.on_host[0].name == "z");
  CHECK(compiled->report.on_host[0].reason == "there is no kernel for this op with these attributes and shapes");
  const std::vector<Literal> arguments = interpreter::random_arguments(module, 1).value();
  const Literal expected = run(Backend::load("interpreter").value(), module, arguments, false);
  const auto comparison = interpreter::compare(run(backend, module, arguments, false), expected);
  REQUIRE(comparison.ok());
  CHECK(comparison->at(0).agrees(1e-6));
}

TEST_CASE("kernels refuse what they would compute wrongly") {
  const auto [shape, instruction, reason] = GENERATE(table<std::string, std::string, std::string>({
      {"s32[4,4]", "add(x, y)", "expected f32, and operands in the layout of the result"},
      {"f32[4,4]", "sqrt(x), result_accuracy={mode=highest}", "there is no kernel for this op with these"},
      {"f32[4,4]", "dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=dot_bf16_bf16_f32",
       "there is no kernel for this op with these"},
  }));
  const std::string text = "HloModule refused\nENTRY main {\n  x = " + shape + " parameter(0)\n  y = " + shape +
                           " parameter(1)\n  ROOT r = " + shape + " " + instruction + "\n}";
  INFO(text);
  auto compiled = load().compile(parse(text));
  REQUIRE(compiled.ok());
  REQUIRE(compiled->report.on_host.size() == 1);
  CHECK_THAT(compiled->report.on_host[0].reason, Catch::StartsWith(reason));
}

}  // namespace
}  // namespace bp
