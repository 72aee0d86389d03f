// A plugin in another language computes what the interpreter does.
#include <catch2/catch.hpp>
#include <filesystem>

#include "core/backplane.h"
#include "core/interpreter/random_inputs.h"
#include "tools/testing/skip.h"

TEST_CASE("kernels in Rust are loaded, run and leave the rest to the host") {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  if (!std::filesystem::exists(folder / "plugins/rust_kernels/libbackplane_rust-kernels.so")) {
    bp::testing::skip("there was no rustc");
    return;
  }
  const auto module = bp::parse_module(R"(
HloModule mixed
ENTRY main {
  x = f32[3,5] parameter(0)
  y = f32[3,5] parameter(1)
  a = f32[3,5] add(x, y)
  b = f32[3,5] subtract(a, x)
  c = f32[3,5] multiply(b, y)
  d = f32[3,5] negate(c)
  n = s32[3,5] convert(d)
  m = s32[3,5] negate(n)
  ROOT r = (f32[3,5], s32[3,5]) tuple(d, m)
})",
                                       "mixed.hlo");
  REQUIRE(module.ok());
  const auto backend = bp::Backend::load("rust-kernels");
  INFO((backend.ok() ? "" : backend.error().to_string()));
  REQUIRE(backend.ok());
  auto compiled = backend->compile(*module);
  REQUIRE(compiled.ok());
  std::vector<std::string> on_host;
  for (const bp::compile::OnHost &instruction : compiled->report.on_host) {
    on_host.push_back(instruction.name + ": " + instruction.reason);
  }
  CHECK(on_host == std::vector<std::string>{"n: there is no kernel for this op",
                                            "m: expected f32, equal layouts, and no attributes"});
  const auto arguments = bp::interpreter::random_arguments(*module, 1);
  REQUIRE(arguments.ok());
  const auto result = compiled->executable.run(*arguments);
  const auto expected = bp::Backend::load("interpreter")->compile(*module)->executable.run(*arguments);
  REQUIRE(result.ok());
  CHECK(result->identical(*expected));
}
