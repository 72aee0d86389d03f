// Programs on a device that rewrites them (tests/plugins/rewriting.cc).
#include "core/compile/rewriting.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "core/compile/compile.h"
#include "core/host/open_device.h"
#include "core/interpreter/random_inputs.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

namespace bp::compile {
namespace {

const std::string difference = R"(HloModule difference
ENTRY main {
  x = f32[5] parameter(0)
  y = f32[5] parameter(1)
  ROOT d = f32[5] subtract(x, y)
})";
const std::string addition = R"(HloModule addition
ENTRY main {
  x = f32[5] parameter(0)
  y = f32[5] parameter(1)
  ROOT s = f32[5] add(x, y)
})";

// The outcome: the program as the device rewrote it, empty if it did not; or the error.
struct Outcome : Observer {
  std::string rewritten, error;
  std::size_t on_host = 0;

  Status module(const std::string &name, const ir::Module &module) override {
    if (name.ends_with("-rewrite")) {
      rewritten = text::print(module);
    }
    return {};
  }
  Status program(const std::string &, const ir::Module &, const buffers::Plan &, const host::Image &,
                 std::span<const std::byte>) override {
    return {};
  }
};

// Compiles the program, runs it and compares the result with the interpreter's.
Outcome run(const std::string &text, const std::string &phase, const std::string &makes) {
  const auto directory = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "core/compile/tests/plugins";
  host::DeviceOptions device_options;
  device_options.settings = {{"phase", phase}, {"makes", makes}};
  auto device = host::open_device((directory / "libbackplane_rewriting.so").string(), std::move(device_options));
  REQUIRE(device.ok());
  Outcome outcome;
  Options options;
  options.verify = true;
  options.observer = &outcome;
  const ir::Module module = text::parse_module(text).value();
  auto compiled = compile(module, std::move(device).value(), options);
  if (!compiled.ok()) {
    outcome.error = compiled.error().message();
    return outcome;
  }
  outcome.on_host = compiled->report.on_host.size();
  const auto inputs = interpreter::random_arguments(module, 1).value();
  CHECK(text::print(compiled->executable.run(inputs).value()) ==
        text::print(interpreter::interpret(module, inputs).value()));
  return outcome;
}

bool contains(const std::string &text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a device rewrites what it was given to what it claims") {
  const Outcome outcome = run(difference, "1", "sum");
  CHECK(contains(outcome.rewritten, "%sum = f32[5]{0} add(%x, %minus)"));
  CHECK(outcome.on_host == 0);
}

TEST_CASE("a device is asked before each stage is over") {
  for (const char *phase : {"0", "1", "2", "3"}) {
    CHECK(contains(run(addition, phase, "swap").rewritten, "%swap = f32[5]{0} add(%y, %x)"));
  }
  CHECK(run(addition, "4", "swap").rewritten.empty());
}

TEST_CASE("the module is unchanged if the device does not claim its rewritten form") {
  for (const char *phase : {"1", "2", "3"}) {
    const Outcome outcome = run(addition, phase, "product");
    CHECK(outcome.rewritten.empty());
    CHECK(outcome.on_host == 0);
  }
}

TEST_CASE("rewritten modules that are refused") {
  const std::string start = "backend org.example.rewriting: it rewrote the module (fused), but ";
  CHECK(run(addition, "3", "bytes").error == start + "module image: has 8 bytes, expected at least 160");
  CHECK(run(addition, "3", "stage").error == start + "the module's stage is 2, expected 3");
  CHECK(run(addition, "3", "result").error ==
        start + "of the entry's results, number 0 has shape f32[4], expected f32[5]");
  CHECK(run(addition, "3", "status").error == "plugin org.example.rewriting: rewrite: internal error: no paper");
}

}  // namespace bp::compile
