// Programs on a device that prefers the right operand of its dots to be column-major (tests/plugins/columns.cc).
#include "core/compile/layout_preferences.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "core/compile/compile.h"
#include "core/host/open_device.h"
#include "core/interpreter/random_inputs.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

namespace bp::compile {
namespace {

const std::string product = R"(
HloModule product
ENTRY main {
  x = f32[3,5] parameter(0)
  w = f32[5,7] parameter(1)
  b = f32[3,7] parameter(2)
  p = f32[3,7] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT s = f32[3,7] add(p, b)
})";

// Keeps the final form of the program.
struct Last : Observer {
  std::string text;
  Status module(const std::string &, const ir::Module &module) override {
    text = text::print(module);
    return {};
  }
  Status program(const std::string &, const ir::Module &, const buffers::Plan &, const host::Image &,
                 std::span<const std::byte>) override {
    return {};
  }
};

Result<Compiled> compile_for_columns(const std::string &text, std::pair<std::string, std::string> setting,
                                     Last *last = nullptr) {
  auto directory = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "core/compile/tests/plugins";
  host::DeviceOptions device_options;
  device_options.settings = {std::move(setting)};
  auto device = host::open_device((directory / "libbackplane_columns.so").string(), std::move(device_options));
  REQUIRE(device.ok());
  Options options;
  options.verify = options.device_only = true;
  options.observer = last;
  return compile(text::parse_module(text).value(), std::move(device).value(), options);
}

// Compiles the program, runs it and compares the result with the interpreter's; returns the final form of the program.
std::string run(const std::string &text, const std::string &gain) {
  Last last;
  auto compiled = compile_for_columns(text, {"gain", gain}, &last);
  INFO((compiled.ok() ? "" : compiled.error().to_string()));
  REQUIRE(compiled.ok());
  const ir::Module module = text::parse_module(text).value();
  auto inputs = interpreter::random_arguments(module, 1);
  REQUIRE(inputs.ok());
  auto expected = interpreter::interpret(module, *inputs);
  auto result = compiled->executable.run(*inputs);
  REQUIRE(expected.ok());
  REQUIRE(result.ok());
  CHECK(text::print(*result) == text::print(*expected));
  return last.text;
}

std::size_t count(const std::string &text, const std::string &what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("a required layout is made by a copy") {
  const std::string last = run(product, "-1");
  INFO(last);
  CHECK(count(last, "f32[7,5]{1,0} transpose(") == 1);
  CHECK(count(last, "f32[5,7]{0,1} bitcast(") == 1);
}

TEST_CASE("a preference is granted if it is worth a copy") {
  CHECK(count(run(product, "1000000"), "transpose(") == 1);
  CHECK(count(run(product, "1"), "transpose(") == 0);
}

TEST_CASE("a transpose before a dot becomes a bitcast") {
  const std::string last = run(R"(
HloModule transposed
ENTRY main {
  x = f32[3,5] parameter(0)
  w = f32[7,5] parameter(1)
  v = f32[7,5] parameter(2)
  y = f32[5,7] parameter(3)
  sum = f32[7,5] add(w, v)
  t = f32[5,7] transpose(sum), dimensions={1,0}
  u = f32[5,7] add(t, y)
  ROOT p = f32[3,7] dot(x, u), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
                               "-1");
  INFO(last);
  CHECK(count(last, "copy(") == 0);
  CHECK(count(last, "transpose(") == 0);
  CHECK(count(last, "bitcast(") == 1);
}

TEST_CASE("two dots share a copy") {
  const std::string last = run(R"(
HloModule shared
ENTRY main {
  x = f32[3,5] parameter(0)
  w = f32[5,5] parameter(1)
  p = f32[3,5] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT q = f32[3,5] dot(p, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
                               "-1");
  INFO(last);
  CHECK(count(last, "transpose(") == 1);
}

TEST_CASE("a wrong preference is refused, with its place") {
  const auto error = [](const std::string &bad) {
    auto compiled = compile_for_columns(product, {"bad", bad});
    return compiled.ok() ? "no error" : compiled.error().message();
  };
  const std::string in = "backend org.example.columns: in its preference 0 for ";
  CHECK(error("stream") == in + "a layout, the stream ends after 40 bytes");
  CHECK(error("instr") == in + "a layout, there is no instruction 1000, expected less than 5");
  CHECK(error("slot") == in + "p, there is no result 1, expected less than 1");
  CHECK(error("layout") == in + "p, 3 words are not a layout of 2 dimensions");
  CHECK(error("gain") == in + "p, the gain is not a number");
}

}  // namespace bp::compile
