// The null plugin loads, and a program compiled for it runs entirely on the host, with the interpreter's result.
#include <catch2/catch.hpp>

#include "core/backplane.h"
#include "core/host/diagnostics.h"
#include "core/host/plugin.h"
#include "core/text/parser.h"

namespace bp {
namespace {

ir::Module program() {
  auto module = text::parse_module(R"(
HloModule small
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] add(x, x)
  ROOT z = f32[4] negate(y)
})");
  REQUIRE(module.ok());
  return std::move(module).value();
}

TEST_CASE("a program for the skeleton runs on the host") {
  auto backend = Backend::load("null");
  INFO((backend.ok() ? "" : backend.error().to_string()));
  REQUIRE(backend.ok());
  CHECK(backend->device()->id() == "dev.backplane.null");
  auto compiled = backend->compile(program());
  INFO((compiled.ok() ? "" : compiled.error().to_string()));
  REQUIRE(compiled.ok());
  const auto shape = text::parse_shape("f32[4]").value();
  const std::vector<ir::Literal> arguments = {text::parse_literal("{1, -2, 0.5, 3}", shape).value()};
  auto result = compiled->executable.run(arguments);
  INFO((result.ok() ? "" : result.error().to_string()));
  REQUIRE(result.ok());
  CHECK(result->identical(text::parse_literal("{-2, 4, -1, -6}", shape).value()));

  CompileOptions device_only;
  device_only.device_only = true;
  const auto refused = backend->compile(program(), device_only);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code() == ErrorCode::Unsupported);
}

TEST_CASE("the skeleton says what is not implemented") {
  auto backend = Backend::load("dev.backplane.null");
  REQUIRE(backend.ok());
  const host::Device &device = *backend->device();
  REQUIRE(device.memory() != nullptr);
  host::Diagnostics diagnostics;
  bp_memory_t memory{};
  const bp_status status = diagnostics.call(
      [&](const bp_diag_t *diag) { return device.memory()->alloc(device.abi(), 0, 64, 64, &memory, diag); });
  const Status result = diagnostics.result(status, "null", "alloc");
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code() == ErrorCode::Unsupported);
  CHECK(result.error().to_string() == "plugin null: alloc: unsupported: null: unimplemented: bp_device_memory.alloc");

  const auto called =
      backend->compile(text::parse_module("ENTRY main { x = f32[] parameter(0)  "
                                          "ROOT c = f32[] custom-call(x), custom_call_target=\"null.nothing\" }")
                           .value());
  REQUIRE(called.ok());
  CHECK(called->executable.run({ir::Literal::scalar(ir::ElementType::F32, 1.0f)}).error().to_string() ==
        "plugin dev.backplane.null: run: invalid: c: null: unimplemented: null.nothing");

  BackendOptions options;
  options.settings = {{"x", "y"}};
  const auto refused = Backend::load("null", options);
  REQUIRE_FALSE(refused.ok());
  CHECK_THAT(refused.error().message(), Catch::Contains("has no option 'x', expected none"));
}

}  // namespace
}  // namespace bp
