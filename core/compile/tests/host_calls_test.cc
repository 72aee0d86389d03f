// Instructions that the application serves, between parts of the program that the test plugin runs, and on the host
// alone.
#include "core/interpreter/host_calls.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>
#include <thread>

#include "core/backplane.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

namespace bp {
namespace {

using interpreter::HostCalls;

// Names of the interpreter and of a device that runs a part.
std::vector<std::string> names_of_backends() {
  return {"interpreter", std::filesystem::read_symlink("/proc/self/exe").parent_path() /
                             "core/compile/tests/plugins/libbackplane_tiny.so"};
}

Executable compile_on(const std::string &name, const std::string &text) {
  BackendOptions options;
  if (name != "interpreter") {
    options.settings = {{"ops", "add,multiply"}};
  }
  const Backend backend = Backend::load(name, options).value();
  auto compiled = backend.compile(parse_module(text, "m.hlo").value());
  INFO((compiled.ok() ? "" : compiled.error().to_string()));
  REQUIRE(compiled.ok());
  return std::move(compiled)->executable;
}

ir::Literal four(const std::string &text) {
  return text::parse_literal(text, text::parse_shape("f32[4]").value()).value();
}

// Returns the result as text, or the error.
std::string run(const Executable &executable, const HostCalls &calls, std::vector<ir::Literal> arguments = {}) {
  interpreter::Options host;
  calls.serve(host);
  auto result = executable.run(std::move(arguments), host);
  return result.ok() ? text::print(*result) : result.error().to_string();
}

const std::string feeding = R"(HloModule feeding
  ENTRY main { t = token[] after-all()
    i = (f32[4], token[]) infeed(t)  a = f32[4] get-tuple-element(i), index=0  u = token[] get-tuple-element(i), index=1
    s = f32[4] add(a, a)
    o = token[] outfeed(s, u), outfeed_shape=f32[4]{0}
    i2 = (f32[4], token[]) infeed(o)  b = f32[4] get-tuple-element(i2), index=0  v = token[] get-tuple-element(i2), index=1
    p = f32[4] multiply(s, b)
    o2 = token[] outfeed(p, v), outfeed_shape=f32[4]{0}
    ROOT r = f32[4] add(p, b) })";

const std::string calling =
    "HloModule calling\n"
    "ENTRY main { x = f32[4] parameter(0)  a = f32[4] add(x, x)\n"
    "  c = f32[4] custom-call(a), custom_call_target=\"half\"\n"
    "  ROOT r = f32[4] add(c, x) }\n";

Result<ir::Literal> half(const ir::Instruction &, std::span<const ir::Literal> operands) {
  ir::Literal result = operands[0];
  for (float &element : result.mutable_elements<float>()) {
    element /= 2;
  }
  return result;
}

}  // namespace

TEST_CASE("infeed takes and outfeed gives values in order") {
  for (const std::string &name : names_of_backends()) {
    INFO(name);
    const Executable executable = compile_on(name, feeding);
    std::vector<std::string> seen;
    HostCalls calls;
    calls.set_infeed(interpreter::in_order({four("{1, 2, 3, 4}"), four("{10, 20, 30, 40}")}));
    calls.set_outfeed([&](const ir::Literal &value) -> Status {
      seen.push_back(text::print(value));
      return {};
    });
    CHECK(run(executable, calls) == "{30, 100, 210, 360}");
    CHECK(seen == std::vector<std::string>{"{2, 4, 6, 8}", "{20, 80, 180, 320}"});
  }
}

TEST_CASE("values that the application does not give or take end the run") {
  for (const std::string &name : names_of_backends()) {
    INFO(name);
    const Executable executable = compile_on(name, feeding);
    HostCalls calls;
    CHECK(run(executable, calls)
              .find("m.hlo:3:5: i: takes f32[4] from the application, which feeds nothing: expected "
                    "a source of infeed") == 0);
    calls.set_infeed(interpreter::in_order({four("{1, 2, 3, 4}")}));
    CHECK(run(executable, calls)
              .find("m.hlo:5:5: o: gives f32[4] to the application, which takes nothing: expected a "
                    "sink of outfeed") == 0);
    calls.set_infeed(interpreter::in_order({four("{1, 2, 3, 4}")}));
    calls.set_outfeed([](const ir::Literal &) { return Status(); });
    CHECK(run(executable, calls)
              .find("m.hlo:6:5: i2: all 1 values given to the run have been read, expected another "
                    "one, f32[4]") == 0);
    calls.set_infeed(interpreter::in_order({ir::Literal::scalar(ir::ElementType::F32, 1.0f)}));
    CHECK(run(executable, calls).find("m.hlo:3:5: i: was fed f32[], expected f32[4]") == 0);
    calls.set_infeed(interpreter::in_order({four("{1, 2, 3, 4}")}));
    calls.set_outfeed([](const ir::Literal &) -> Status { return make_error(ErrorCode::Io, "the disk is full"); });
    CHECK(run(executable, calls).find("m.hlo:5:5: o: the disk is full") == 0);
  }
}

TEST_CASE("custom calls call functions of the application") {
  for (const std::string &name : names_of_backends()) {
    INFO(name);
    const Executable executable = compile_on(name, calling);
    HostCalls calls;
    REQUIRE(calls.add_function("half", half).ok());
    CHECK(run(executable, calls, {four("{1, 2, 3, 4}")}) == "{2, 4, 6, 8}");
  }
  HostCalls calls;
  REQUIRE(calls.add_function("half", half).ok());
  CHECK(calls.add_function("half", half).error().message() ==
        "two functions are registered for the custom call \"half\"");
  CHECK(calls.add_function("", half).error().message() ==
        "a function is registered for the custom call \"\", expected the name of a target");
}

TEST_CASE("a call in a loop of a loop is reported where it is") {
  const std::string text = R"(HloModule loops
    inner { p = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(p), index=0
      v = f32[4] get-tuple-element(p), index=1  o = s32[] constant(1)  j = s32[] add(i, o)
      w = f32[4] custom-call(v), custom_call_target="half"
      ROOT t = (s32[], f32[4]) tuple(j, w) }
    goes_on { p = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(3)
      ROOT c = pred[] compare(i, n), direction=LT }
    outer { p = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(p), index=0
      v = f32[4] get-tuple-element(p), index=1  o = s32[] constant(1)  j = s32[] add(i, o)  z = s32[] constant(0)
      q = (s32[], f32[4]) tuple(z, v)  w = (s32[], f32[4]) while(q), condition=goes_on, body=inner
      u = f32[4] get-tuple-element(w), index=1
      ROOT t = (s32[], f32[4]) tuple(j, u) }
    ENTRY main { x = f32[4] parameter(0)  z = s32[] constant(0)  q = (s32[], f32[4]) tuple(z, x)
      l = (s32[], f32[4]) while(q), condition=goes_on, body=outer
      ROOT u = f32[4] get-tuple-element(l), index=1 })";
  for (const std::string &name : names_of_backends()) {
    INFO(name);
    const Executable executable = compile_on(name, text);
    const std::string told = run(executable, {}, {four("{1, 2, 3, 4}")});
    CHECK(told.starts_with("m.hlo:4:7: w: the host knows no custom call \"half\""));
  }
}

TEST_CASE("functions that are missing, fail or return another shape end the run") {
  for (const std::string &name : names_of_backends()) {
    INFO(name);
    const Executable executable = compile_on(name, calling);
    const std::vector<ir::Literal> arguments = {four("{1, 2, 3, 4}")};
    CHECK(
        run(executable, {}, arguments)
            .find(
                "m.hlo:3:3: c: the host knows no custom call \"half\", and the application serves no function: it can "
                "serve this one, by backplane_serve_function() in C or HostCalls::add_function() in C++") == 0);
    HostCalls others, failing, wrong;
    REQUIRE((others.add_function("third", half).ok() && others.add_function("quarter", half).ok()));
    CHECK(run(executable, others, arguments)
              .find("m.hlo:3:3: c: the host knows no custom call \"half\", and the application serves only "
                    "\"quarter\", \"third\": ") == 0);
    REQUIRE(failing
                .add_function("half",
                              [](const auto &, auto) -> Result<ir::Literal> {
                                return make_error(ErrorCode::Io, "nothing to halve");
                              })
                .ok());
    CHECK(run(executable, failing, arguments).find("m.hlo:3:3: c: nothing to halve") == 0);
    REQUIRE(wrong
                .add_function("half",
                              [](const auto &, auto) -> Result<ir::Literal> {
                                return ir::Literal::scalar(ir::ElementType::S32, 1);
                              })
                .ok());
    CHECK(run(executable, wrong, arguments).find("m.hlo:3:3: c: the function returned s32[], expected f32[4]") == 0);
  }
}

TEST_CASE("runs at the same time have sources and sinks of their own") {
  const Executable executable = compile_on(names_of_backends()[1], feeding);
  std::vector<std::string> results(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < results.size(); ++i) {
    threads.emplace_back([&executable, &results, i] {
      const std::string all = fmt::format("{{{0}, {0}, {0}, {0}}}", i);
      HostCalls calls;
      calls.set_infeed(interpreter::in_order({four(all), four(all)}));
      calls.set_outfeed([](const ir::Literal &) { return Status(); });
      results[i] = run(executable, calls);
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  // i -> (i + i) * i + i
  CHECK(results == std::vector<std::string>{"{0, 0, 0, 0}", "{3, 3, 3, 3}", "{10, 10, 10, 10}", "{21, 21, 21, 21}"});
}

TEST_CASE("functions of Python that a program names by address are not served") {
  const Executable executable = compile_on("interpreter",
                                           "HloModule m\nENTRY main { ROOT c = f32[4] custom-call(), "
                                           "custom_call_target=\"xla_ffi_python_cpu_callback\" }\n");
  CHECK(run(executable, {})
            .find("c: the custom call \"xla_ffi_python_cpu_callback\" names a Python function by its "
                  "address in the process that made the program") != std::string::npos);
}

}  // namespace bp
