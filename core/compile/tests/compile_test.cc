// Programs on the test plugin (tests/plugins/tiny.c), which claims the ops it is told to, compared with the
// interpreter.
#include "core/compile/compile.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <random>
#include <thread>

#include "core/interpreter/random_inputs.h"
#include "core/ir/verifier.h"
#include "core/layers/interposer.h"
#include "core/text/parser.h"
#include "core/text/printer.h"
#include "tools/measure/allocation_counter.h"
#include "tools/testing/skip.h"

namespace bp::compile {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

std::shared_ptr<const host::Device> open_tiny(Settings settings, const std::string &which = "tiny",
                                              const std::vector<host::Layer> &layers = {}) {
  auto directory = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "core/compile/tests/plugins";
  const auto candidate = host::find_plugin((directory / ("libbackplane_" + which + ".so")).string(), {});
  REQUIRE(candidate.ok());
  auto plugin = host::Plugin::load(*candidate, host::AfterUse::KeepMapped, layers);
  REQUIRE(plugin.ok());
  host::DeviceOptions options;
  options.settings = std::move(settings);
  auto device = host::Device::create(*plugin, candidate->manifest->devices[0].id, std::move(options));
  INFO((device.ok() ? "" : device.error().to_string()));
  REQUIRE(device.ok());
  return std::move(device).value();
}

ir::Module parse(const std::string &text) {
  auto module = text::parse_module(text);
  INFO(text);
  INFO((module.ok() ? "" : module.error().to_string()));
  REQUIRE(module.ok());
  return std::move(module).value();
}

Result<Compiled> compile_for(const std::string &text, const std::string &ops, const std::string &which = "tiny") {
  Options options;
  options.verify = true;
  return compile(parse(text), open_tiny({{"ops", ops}}, which), options);
}

ir::Literal literal(const std::string &shape, const std::string &text) {
  return text::parse_literal(text, text::parse_shape(shape).value()).value();
}

// Runs it, checks that the result is the interpreter's, and returns the result as text.
std::string run_and_check(const Compiled &compiled, const std::string &text, std::vector<ir::Literal> arguments) {
  auto expected = interpreter::interpret(parse(text), arguments);
  REQUIRE(expected.ok());
  auto result = compiled.executable.run(arguments);
  INFO((result.ok() ? "" : result.error().to_string()));
  REQUIRE(result.ok());
  CHECK(result->identical(*expected));
  return text::print(*result);
}

std::string error_of(const Result<Compiled> &compiled) {
  return compiled.ok() ? "no error" : compiled.error().to_string();
}

const std::string all_ops = "add,subtract,multiply,maximum,negate,copy,compare,while,call,conditional";

// ((x + y) * 2, -(x + y)) with a loop that adds y three times.
const std::string loop_text = R"(
HloModule loop
condition { c = (s32[], f32[4], f32[4]) parameter(0)  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(3)  ROOT less = pred[] compare(i, n), direction=LT }
body { b = (s32[], f32[4], f32[4]) parameter(0)  i = s32[] get-tuple-element(b), index=0
  x = f32[4] get-tuple-element(b), index=1  y = f32[4] get-tuple-element(b), index=2  one = s32[] constant(1)
  next = s32[] add(i, one)  sum = f32[4] add(x, y)  ROOT new = (s32[], f32[4], f32[4]) tuple(next, sum, y) }
ENTRY main { x = f32[4] parameter(0)  y = f32[4] parameter(1)  zero = s32[] constant(0)
  start = f32[4] multiply(x, y)
  state = (s32[], f32[4], f32[4]) tuple(zero, start, y)  loop = (s32[], f32[4], f32[4]) while(state), condition=condition, body=body
  end = f32[4] get-tuple-element(loop), index=1  minus = f32[4] negate(end)
  ROOT both = (f32[4], f32[4]) tuple(end, minus) }
)";

std::vector<ir::Literal> two_vectors() {
  return {literal("f32[4]", "{1, 2, 3, 4}"), literal("f32[4]", "{10, 20, 30, 40}")};
}

}  // namespace

TEST_CASE("a program that the device claims completely is one program") {
  auto compiled = compile_for(loop_text, all_ops);
  INFO(error_of(compiled));
  REQUIRE(compiled.ok());
  CHECK(compiled->report.programs == 1);
  CHECK(compiled->report.on_host.empty());
  REQUIRE(compiled->executable.program() != nullptr);
  CHECK(run_and_check(*compiled, loop_text, two_vectors()) == "( {40, 100, 180, 280}, {-40, -100, -180, -280} )");
}

TEST_CASE("instructions that are not claimed run on the host, and the report says why") {
  auto compiled = compile_for(loop_text, "multiply,add,negate,copy,while");
  INFO(error_of(compiled));
  REQUIRE(compiled.ok());
  // Multiply, then the loop on the host, then negate.
  CHECK(compiled->report.programs == 2);
  REQUIRE(compiled->report.on_host.size() == 1);
  CHECK(compiled->report.on_host[0].name == "loop");
  CHECK(compiled->report.on_host[0].reason ==
        "it calls condition, in which less (4:31) is not claimed: the op is not in the option ops");
  run_and_check(*compiled, loop_text, two_vectors());
}

TEST_CASE("of a loop and a branch on the host, the device runs what is inside") {
  // y is added three times in a loop, twice in the iteration that takes the other branch; cosine is left to the host.
  const std::string text = R"(
HloModule loop
condition { c = (s32[], f32[8192], f32[8192]) parameter(0)  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(3)  ROOT less = pred[] compare(i, n), direction=LT }
once { o = (f32[8192], f32[8192]) parameter(0)  x = f32[8192] get-tuple-element(o), index=0
  y = f32[8192] get-tuple-element(o), index=1  angle = f32[8192] cosine(y)  ROOT sum = f32[8192] add(x, angle) }
twice { t = (f32[8192], f32[8192]) parameter(0)  x = f32[8192] get-tuple-element(t), index=0
  y = f32[8192] get-tuple-element(t), index=1  sum = f32[8192] add(x, y)  ROOT more = f32[8192] add(sum, y) }
body { b = (s32[], f32[8192], f32[8192]) parameter(0)  i = s32[] get-tuple-element(b), index=0
  x = f32[8192] get-tuple-element(b), index=1  y = f32[8192] get-tuple-element(b), index=2  one = s32[] constant(1)
  both = (f32[8192], f32[8192]) tuple(x, y)
  next = s32[] add(i, one)  sum = f32[8192] conditional(i, both, both), branch_computations={once, twice}
  ROOT new = (s32[], f32[8192], f32[8192]) tuple(next, sum, y) }
ENTRY main { y = f32[8192] parameter(0)  zero = s32[] constant(0)  start = f32[8192] multiply(y, y)
  state = (s32[], f32[8192], f32[8192]) tuple(zero, start, y)
  loop = (s32[], f32[8192], f32[8192]) while(state), condition=condition, body=body
  ROOT end = f32[8192] get-tuple-element(loop), index=1 }
)";
  std::vector<std::string> names;
  struct Names final : Observer {
    explicit Names(std::vector<std::string> &all) : names(all) {}
    Status module(const std::string &, const ir::Module &) override { return {}; }
    Status program(const std::string &name, const ir::Module &, const buffers::Plan &, const host::Image &,
                   std::span<const std::byte>) override {
      names.push_back(name);
      return {};
    }
    std::vector<std::string> &names;
  } observer{names};
  Options options;
  options.verify = true;
  options.observer = &observer;
  auto compiled = compile(parse(text), open_tiny({{"ops", all_ops}}), options);
  INFO(error_of(compiled));
  REQUIRE(compiled.ok());
  // The condition is too light to be worth a program.
  CHECK(names == std::vector<std::string>{"program0", "body-program0", "body-once-program0", "body-twice-program"});
  CHECK(compiled->report.programs == 4);
  const std::vector<ir::Literal> arguments = interpreter::random_arguments(parse(text), 1).value();
  run_and_check(*compiled, text, arguments);

  // A limit of the host holds for the loop.
  interpreter::Options limited;
  limited.max_steps = 2;
  auto stopped = compiled->executable.run(arguments, limited);
  REQUIRE(!stopped.ok());
  CHECK(stopped.error().to_string().find("gave up after 2 steps") != std::string::npos);
}

TEST_CASE("the next device gets what one does not claim, and the host gets the rest") {
  const std::string text = R"(HloModule shared
    ENTRY main { x = f32[4] parameter(0)  y = f32[4] parameter(1)
    a = f32[4] add(x, y)  m = f32[4] multiply(a, y)  e = f32[4] exponential(m)  n = f32[4] negate(e)
    s = f32[4] subtract(n, a)  t = (f32[4], f32[4]) tuple(s, m)  ROOT r = ((f32[4], f32[4]), f32[4]) tuple(t, x) })";
  const std::vector<std::shared_ptr<const host::Device>> devices = {
      open_tiny({{"ops", "add,subtract"}}), open_tiny({{"ops", "multiply,add,subtract"}, {"capacity", "1000"}}),
      open_tiny({{"ops", "negate"}}, "tiny_kernels")};
  auto compiled = compile(parse(text), devices);
  INFO(error_of(compiled));
  REQUIRE(compiled.ok());
  std::string assignment;
  for (const Assignment &one : compiled->report.assignment) {
    assignment += one.device + ":";
    for (const std::string &instruction : one.instructions) {
      assignment += " " + instruction;
    }
    assignment += "; ";
  }
  CHECK(assignment == "org.example.tiny: a; org.example.tiny: m; org.example.tiny-kernels: n; org.example.tiny: s; ");
  REQUIRE(compiled->report.on_host.size() == 1);
  CHECK(compiled->report.on_host[0].name == "e");
  run_and_check(*compiled, text, {literal("f32[4]", "{0, 1, 2, 3}"), literal("f32[4]", "{-1, 0.5, 1, 0.25}")});

  Options device_only;
  device_only.device_only = true;
  CHECK(error_of(compile(parse(text), devices, device_only)).find("does not run e (exponential)") != std::string::npos);
  const std::vector<std::shared_ptr<const host::Device>> none = {open_tiny({{"ops", ""}}), open_tiny({{"ops", ""}})};
  auto on_host = compile(parse(text), none);
  REQUIRE(on_host.ok());
  CHECK(on_host->report.programs == 0);
  CHECK(on_host->report.on_host.size() == 5);
}

TEST_CASE("any division over two devices computes the same") {
  const std::vector<std::string> ops = {"add", "subtract", "multiply", "maximum", "negate", "copy"};
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    std::string first, second;
    for (const std::string &op : ops) {
      (random() % 2 == 0 ? first : second) += (random() % 2 == 0 ? op + "," : std::string());
    }
    INFO(first + " and " + second);
    const std::vector<std::shared_ptr<const host::Device>> devices = {open_tiny({{"ops", first}}),
                                                                      open_tiny({{"ops", second}})};
    const std::string text = R"(HloModule divided
      ENTRY main { p = (f32[3], f32[3]) parameter(0)  q = f32[3] parameter(1)  u = f32[3] get-tuple-element(p), index=0
      v = f32[3] get-tuple-element(p), index=1  a = f32[3] add(u, q)  b = f32[3] multiply(a, v)  c = f32[3] negate(b)
      d = f32[3] maximum(c, a)  e = f32[3] subtract(d, b)  t = (f32[3], f32[3]) tuple(e, c)
      ROOT r = ((f32[3], f32[3]), f32[3], (f32[3], f32[3])) tuple(t, d, p) })";
    auto compiled = compile(parse(text), devices);
    INFO(error_of(compiled));
    REQUIRE(compiled.ok());
    run_and_check(*compiled, text,
                  {literal("(f32[3], f32[3])", "({1, 2, 3}, {-1, 4, 0.5})"), literal("f32[3]", "{2, 2, 8}")});
  }
}

TEST_CASE("BP-ROUTINE-02: a custom call runs by the device's routine of that name, which takes it or refuses") {
  const std::string text = R"(HloModule routine
    ENTRY main { x = f32[4] parameter(0)  n = f32[4] negate(x)
      c = f32[4] custom-call(n), custom_call_target="tiny.twice"  ROOT s = f32[4] add(c, x) })";
  for (const Settings &more : {Settings{}, Settings{{"capacity", "1000"}, {"queues", "1"}}}) {
    Settings settings = {{"ops", "add,negate"}};
    settings.insert(settings.end(), more.begin(), more.end());
    Options options;
    options.device_only = true;
    auto compiled = compile(parse(text), open_tiny(settings), options);
    INFO(error_of(compiled));
    REQUIRE(compiled.ok());
    CHECK(compiled->report.programs == 3);
    auto result = compiled->executable.run({literal("f32[4]", "{1, 2, 3, 4}")});
    REQUIRE(result.ok());
    CHECK(result->identical(literal("f32[4]", "{-1, -2, -3, -4}")));
  }
  const std::string integers = R"(HloModule m
    ENTRY main { x = s32[4] parameter(0)  ROOT c = s32[4] custom-call(x), custom_call_target="tiny.twice" })";
  auto refusing = compile(parse(integers), open_tiny({{"ops", "add"}}));
  REQUIRE(refusing.ok());
  CHECK(refusing->executable.run({literal("s32[4]", "{1, 2, 3, 4}")}).error().to_string() ==
        "plugin org.example.tiny: run: invalid: c: tiny.twice takes f32");
}

TEST_CASE("kernels alone are enough") {
  const std::string text = R"(ENTRY main { x = f32[4] parameter(0)  y = f32[4] parameter(1)
    a = f32[4] add(x, y)  m = f32[4] multiply(a, y)  e = f32[4] exponential(a)  ROOT s = f32[4] subtract(e, m) })";
  auto compiled = compile_for(text, all_ops, "tiny_kernels");
  INFO(error_of(compiled));
  REQUIRE(compiled.ok());
  CHECK(compiled->report.programs == 2);
  REQUIRE(compiled->report.on_host.size() == 1);
  CHECK(compiled->report.on_host[0].name == "e");
  run_and_check(*compiled, text, two_vectors());
}

TEST_CASE("a device that claims nothing leaves everything to the interpreter") {
  auto compiled = compile_for(loop_text, "");
  REQUIRE(compiled.ok());
  CHECK(compiled->report.programs == 0);
  CHECK(compiled->report.on_host.size() == 3);
  run_and_check(*compiled, loop_text, two_vectors());
}

TEST_CASE("any partition computes the same") {
  const std::vector<std::string> ops = {"add", "subtract", "multiply", "maximum", "negate"};
  std::mt19937 random(7);
  std::size_t programs = 0;
  for (int round = 0; round < 60; ++round) {
    std::string text =
        "ENTRY main {\n  p = (f32[3], f32[3]) parameter(0)\n  q = f32[3] parameter(1)\n"
        "  v0 = f32[3] get-tuple-element(p), index=0\n  v1 = f32[3] get-tuple-element(p), index=1\n"
        "  v2 = f32[3] constant({1, -2, 0.5})\n";
    int count = 3;
    auto any = [&] { return fmt::format("v{}", random() % static_cast<unsigned>(count)); };
    for (; count < 25; ++count) {
      const std::string &op = ops[random() % ops.size()];
      switch (random() % 6) {
        case 0:
          text += fmt::format(
              "  t{0} = (f32[3], f32[3]) tuple({1}, {2})\n  v{0} = f32[3] get-tuple-element(t{0}), "
              "index={3}\n",
              count, any(), any(), random() % 2);
          break;
        case 1: text += fmt::format("  v{} = f32[3] bitcast({})\n", count, any()); break;
        default:
          text += op == "negate" ? fmt::format("  v{} = f32[3] negate({})\n", count, any())
                                 : fmt::format("  v{} = f32[3] {}({}, {})\n", count, op, any(), any());
      }
    }
    text += fmt::format(
        "  inner = (f32[3], f32[3]) tuple({}, {})\n  ROOT out = ((f32[3], f32[3]), f32[3], f32[3]) "
        "tuple(inner, {}, q)\n}}\n",
        any(), any(), any());
    std::string claimed = "copy";
    for (const std::string &op : ops) {
      claimed += random() % 2 == 0 ? "," + op : "";
    }
    Options options;
    options.verify = true;
    if (round % 3 == 0) {
      options.clusters = {ClusterOptions::Mode::Auto, 1, static_cast<double>(random() % 4 * 2000)};
    }
    auto compiled =
        compile(parse(text), open_tiny({{"ops", claimed}}, round % 2 == 0 ? "tiny" : "tiny_kernels"), options);
    INFO(text << claimed << "\n" << error_of(compiled));
    REQUIRE(compiled.ok());
    programs += compiled->report.programs;
    run_and_check(*compiled, text,
                  {ir::Literal::tuple({literal("f32[3]", "{1, 2, 3}"), literal("f32[3]", "{0.5, -1, 4}")}),
                   literal("f32[3]", "{7, 8, 9}")});
  }
  CHECK(programs > 40);
}

TEST_CASE("a run takes the planned memory, to the byte, and later runs take none") {
  const std::string text = R"(ENTRY main { x = f32[1000] parameter(0)  y = f32[1000] parameter(1)
    c = f32[1000] constant({...})  a = f32[1000] add(x, y)  m = f32[1000] multiply(a, c)  n = f32[1000] negate(m)
    s = f32[1000] subtract(n, a)  ROOT both = (f32[1000], f32[1000]) tuple(s, m) })";
  const bool takes_constants = GENERATE(false, true);
  auto compiled = compile(
      parse(text), open_tiny({{"ops", all_ops}, {"scratch", "1234"}, {"take-constants", takes_constants ? "1" : "0"}}));
  INFO(error_of(compiled));
  REQUIRE(compiled.ok());
  auto program = compiled->executable.program();
  REQUIRE(program != nullptr);
  const runtime::MemoryFigures predicted = program->memory();
  CHECK(predicted.inputs == 8000);
  CHECK(predicted.outputs == 8000);
  CHECK(predicted.constants == (takes_constants ? 0 : 4000));
  CHECK(predicted.scratch == 1234);

  auto execution = runtime::Execution::prepare(program);
  measure::AllocationCounter counter;
  // No REQUIRE before the last count: reporters of Catch take memory too.
  bool worked = execution.allocate().ok() && execution.run().ok();
  // The constants were allocated when the program was loaded.
  std::int64_t measured = counter.peak() + predicted.constants;
  std::int64_t pieces = counter.count();
  worked = worked && execution.run().ok();
  std::int64_t pieces_later = counter.count();
  REQUIRE(worked);
  if (!counter.is_valid()) {
    testing::skip("a sanitizer counts allocations here");
    return;
  }
  CHECK(measured == predicted.peak());
  CHECK(pieces_later == pieces);
}

TEST_CASE("constants that a program takes are no longer the core's") {
  struct Counts final : layers::Interposer {
    Counts(std::unique_ptr<host::Entry> below, int &pieces) : Interposer(std::move(below)), pieces_(pieces) {}
    bp_status memory_alloc(layers::LayeredDevice &device, std::uint32_t space, std::uint64_t size,
                           std::uint32_t alignment, bp_memory_t *out, const bp_diag_t *diag) override {
      ++pieces_;
      return Interposer::memory_alloc(device, space, size, alignment, out, diag);
    }
    void memory_release(layers::LayeredDevice &device, std::uint64_t memory) override {
      --pieces_;
      Interposer::memory_release(device, memory);
    }
    int &pieces_;
  };
  const std::string text = R"(ENTRY main { x = f32[4] parameter(0)  c = f32[4] constant({1, 2, 3, 4})
    d = f32[4] constant({5, 6, 7, 8})  a = f32[4] add(x, c)  ROOT m = f32[4] multiply(a, d) })";
  for (const Settings &device : {Settings{}, Settings{{"capacity", "100000"}},
                                 Settings{{"capacity", "100000"}, {"visible", "1"}, {"queues", "1"}}}) {
    int pieces = 0;
    const auto load = [&](const std::string &takes) {
      Settings settings = device;
      settings.insert(settings.end(), {{"ops", all_ops}, {"take-constants", takes}});
      return compile(parse(text), open_tiny(settings, "tiny", {[&](auto below) {
                                              return std::make_unique<Counts>(std::move(below), pieces);
                                            }}));
    };
    const auto kept = load("0");
    REQUIRE(kept.ok());
    CHECK(kept->executable.memory().constants == 32);
    const int pieces_of_constants = pieces;
    CHECK((pieces_of_constants > 0) == !device.empty());
    const auto taken = load("1");
    REQUIRE(taken.ok());
    CHECK(taken->executable.memory().constants == 0);
    CHECK(pieces == pieces_of_constants);
    CHECK(taken->executable.memory().resident == kept->executable.memory().resident + 32);
    for (int i = 0; i < 2; ++i) {
      run_and_check(*taken, text, {literal("f32[4]", "{10, 20, 30, 40}")});
    }
  }
}

TEST_CASE("executions borrow inputs and outputs, and check them") {
  auto compiled = compile_for("ENTRY main { x = f32[16] parameter(0)  ROOT n = f32[16] negate(x) }", all_ops);
  REQUIRE(compiled.ok());
  alignas(64) float in[17] = {1, 2, 3}, out[16] = {};
  auto execution = runtime::Execution::prepare(compiled->executable.program());
  CHECK(execution.set_input(0, in + 1).error().message().starts_with("main: input 0 is at address"));
  REQUIRE(execution.set_input(0, in).ok());
  REQUIRE(execution.set_output(0, out).ok());
  REQUIRE(execution.allocate().ok());
  REQUIRE(execution.run().ok());
  CHECK(out[1] == -2);
}

TEST_CASE("a donated input becomes the output, but not the caller's literal") {
  const std::string text = R"(HloModule m, input_output_alias={ {}: (0, {}, must-alias) }
    ENTRY main { x = f32[4] parameter(0)  y = f32[4] parameter(1)  ROOT a = f32[4] add(x, y) })";
  auto compiled = compile_for(text, all_ops);
  INFO(error_of(compiled));
  REQUIRE(compiled.ok());
  auto program = compiled->executable.program();
  REQUIRE(program != nullptr);
  CHECK(program->memory().outputs == 0);
  auto arguments = two_vectors();
  run_and_check(*compiled, text, arguments);
  CHECK(arguments[0].identical(two_vectors()[0]));
}

TEST_CASE("layouts of parameters and results are followed") {
  const std::string text = R"(HloModule m, entry_computation_layout={(f32[2,3]{0,1}, f32[2,3]{0,1})->f32[2,3]{0,1}}
    ENTRY main { x = f32[2,3]{0,1} parameter(0)  y = f32[2,3]{0,1} parameter(1)
      ROOT a = f32[2,3]{0,1} subtract(x, y) })";
  auto compiled = compile_for(text, all_ops);
  INFO(error_of(compiled));
  REQUIRE(compiled.ok());
  run_and_check(*compiled, text, {literal("f32[2,3]", "{{1,2,3},{4,5,6}}"), literal("f32[2,3]", "{{9,7,5},{3,1,0}}")});
}

TEST_CASE("runs may overlap in time") {
  auto compiled = compile_for(loop_text, all_ops);
  REQUIRE(compiled.ok());
  auto expected = compiled->executable.run(two_vectors());
  REQUIRE(expected.ok());
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        auto result = compiled->executable.run(two_vectors());
        wrong += result.ok() && result->identical(*expected) ? 0 : 1;
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  CHECK(wrong == 0);
}

TEST_CASE("an exception while kernels are searched is an error") {
  const std::string text = "ENTRY main { x = f32[4] parameter(0)  ROOT n = f32[4] negate(x) }";
  for (const char *at : {"claim", "load"}) {
    CHECK(error_of(compile(parse(text), open_tiny({{"at", at}}, "throwing"))) ==
          "plugin org.example.throwing: find: internal error: threw an exception: the library of kernels is not there");
  }
}

TEST_CASE("more memory than there is can be asked for, but not had") {
  const std::string text = "ENTRY main { x = f32[4] parameter(0)  ROOT sum = f32[4] add(x, x) }";
  for (const char *scratch : {"9223372036854775807", "18446744073709551615"}) {
    auto compiled = compile(parse(text), open_tiny({{"ops", "add"}, {"scratch", scratch}}));
    INFO(error_of(compiled));
    REQUIRE(compiled.ok());
    CHECK(compiled->executable.memory().peak() == std::numeric_limits<std::int64_t>::max());
    CHECK(compiled->executable.run({literal("f32[4]", "{1,2,3,4}")}).error().message() ==
          fmt::format("out of memory: the system cannot allocate {} bytes", scratch));
  }
  const std::string huge = "f32[1152921504606846976]";  // 2^62 bytes
  CHECK(error_of(compile(
            parse(fmt::format("HloModule m\nENTRY main {{ x = {0} parameter(0)  ROOT n = {0} negate(x) }}", huge)),
            open_tiny({{"ops", all_ops}}))) == "module m needs more than 2^62 bytes of memory");
}

TEST_CASE("artifacts are made of whole modules, and not loaded") {
  const auto device = open_tiny({{"ops", all_ops}, {"no-run", "1"}});  // the device cannot load artifacts
  auto artifact = make_artifact(parse(loop_text), device);
  INFO((artifact.ok() ? "" : artifact.error().to_string()));
  REQUIRE(artifact.ok());
  CHECK(!artifact->bytes.empty());
  CHECK(artifact->report.artifact_bytes == static_cast<std::int64_t>(artifact->bytes.size()));

  auto error_without = [](const std::string &ops, const std::string &which) {
    auto made = make_artifact(parse(loop_text), open_tiny({{"ops", ops}}, which));
    return made.ok() ? "no error" : made.error().to_string();
  };
  CHECK(error_without("multiply,add,copy,while,compare", "tiny") ==
        "11:50: backend org.example.tiny does not run minus (negate): the op is not in the option ops");
  CHECK(error_without(all_ops, "tiny_kernels") ==
        "backend org.example.tiny-kernels has no bp.compiler/1: it makes no artifacts");
}

TEST_CASE("clusters are calls that name their device, and run as before") {
  const std::string text = R"(HloModule m
    ENTRY main { x = f32[4] parameter(0)  y = f32[4] parameter(1)  a = f32[4] add(x, y)  p = f32[4] multiply(a, a)
    e = f32[4] exponential(p)  n = f32[4] negate(e)  ROOT t = (f32[4], f32[4]) tuple(n, a) })";
  const auto compiled = compile_for(text, all_ops);
  INFO(error_of(compiled));
  REQUIRE(compiled.ok());
  CHECK(compiled->report.programs == 2);
  REQUIRE(compiled->report.clusters.size() == 2);
  CHECK(compiled->report.clusters[0].name == "cluster.0");
  CHECK(compiled->report.clusters[0].instructions == 2);
  CHECK(compiled->report.clusters[0].nanoseconds == 20);
  CHECK(compiled->report.clusters[0].reason == "claimed");
  const std::string printed = text::print(compiled->executable.module());
  INFO(printed);
  CHECK(printed.find("%cluster.0 = (f32[4]{0}, f32[4]{0}) call(%x, %y), to_apply=%cluster.0, "
                     R"(backend_config={"device":"org.example.tiny","nanoseconds":2E1,)") != std::string::npos);
  CHECK(printed.find("%e = f32[4]{0} exponential(%p)") != std::string::npos);
  CHECK(printed.find("%n = f32[4]{0} get-tuple-element(%cluster.1), index=0") != std::string::npos);
  CHECK(printed.find("%cluster.1.n = f32[4]{0} negate(%cluster.1.e)") != std::string::npos);
  const auto read = text::parse_module(printed);
  INFO((read.ok() ? "" : read.error().to_string()));
  REQUIRE(read.ok());
  CHECK(ir::verify(*read).ok());
  run_and_check(*compiled, text, two_vectors());

  ir::Module shown = parse(text);
  const auto report = show_clusters(shown, open_tiny({{"ops", all_ops}}));
  REQUIRE(report.ok());
  CHECK(report->clusters.size() == 2);
  CHECK(text::print(shown) == printed);
  ir::Module whole = parse("ENTRY main { x = f32[4] parameter(0)  ROOT n = f32[4] negate(x) }");
  REQUIRE(show_clusters(whole, open_tiny({{"ops", all_ops}})).ok());
  CHECK(whole.entry().root().opcode() == ir::Opcode::Negate);
}

TEST_CASE("clusters by cost, by marks and by size") {
  const std::string text = R"(HloModule m
    ENTRY main { x = f32[4] parameter(0)  y = f32[4] parameter(1)
    a = f32[4] add(x, y), frontend_attributes={backplane_cluster="one"}
    p = f32[4] multiply(a, a), frontend_attributes={other="backplane_cluster"}
    e = f32[4] exponential(p)  n = f32[4] negate(e)  ROOT s = f32[4] subtract(n, a) })";
  using Mode = ClusterOptions::Mode;
  const auto on_device = [&](const ClusterOptions &clusters, const Settings &memory) {
    Options options;
    options.verify = true;
    options.clusters = clusters;
    Settings settings = {{"ops", all_ops}};
    settings.insert(settings.end(), memory.begin(), memory.end());
    const auto compiled = compile(parse(text), open_tiny(settings), options);
    INFO(error_of(compiled));
    REQUIRE(compiled.ok());
    run_and_check(*compiled, text, {literal("f32[4]", "{0, 1, 2, 3}"), literal("f32[4]", "{-1, 0.5, 1, 0.25}")});
    std::string names, reasons;
    for (const Assignment &program : compiled->report.assignment) {
      for (const std::string &name : program.instructions) {
        names += name + " ";
      }
      names += "| ";
    }
    for (const OnHost &item : compiled->report.on_host) {
      names += item.name + ": " + item.reason + "; ";
    }
    return names;
  };
  const std::string e = "e: the op is not in the option ops; ";
  CHECK(on_device({}, {}) == "a p | n s | " + e);
  // Each instruction takes about 1 us on the host.
  CHECK(on_device({.mode = Mode::Auto, .start_nanoseconds = 100}, {}) == "a p | n s | " + e);
  const std::string left = ": claimed, but it costs less on the host; ";
  CHECK(on_device({.mode = Mode::Auto}, {}) == "a" + left + "p" + left + e + "n" + left + "s" + left);
  // Copies to memory that the host does not see.
  CHECK(on_device({.mode = Mode::Auto, .start_nanoseconds = 0}, {{"capacity", "10000"}}) ==
        "a" + left + "p" + left + e + "n" + left + "s" + left);
  const std::string unmarked = ": claimed, but not marked; ";
  CHECK(on_device({.mode = Mode::Marked}, {}) == "a | p" + unmarked + e + "n" + unmarked + "s" + unmarked);
  const std::string small = ": claimed, but its cluster has 2 instructions, fewer than 3; ";
  CHECK(on_device({.min_instructions = 3}, {}) == "a" + small + "p" + small + e + "n" + small + "s" + small);
  CHECK(on_device({.min_instructions = 2}, {}) == "a p | n s | " + e);
}

TEST_CASE("a program that the device claims is one cluster unless only marked instructions are wanted") {
  const std::string text = R"(HloModule m
    ENTRY main { x = f32[4] parameter(0)  a = f32[4] add(x, x), frontend_attributes={backplane_cluster="one"}
    ROOT n = f32[4] negate(a) })";
  for (const auto mode : {ClusterOptions::Mode::Off, ClusterOptions::Mode::Auto, ClusterOptions::Mode::Marked}) {
    Options options;
    options.clusters.mode = mode;
    const auto compiled = compile(parse(text), open_tiny({{"ops", all_ops}}), options);
    REQUIRE(compiled.ok());
    CHECK((compiled->executable.program() != nullptr) == (mode != ClusterOptions::Mode::Marked));
    CHECK(compiled->report.on_host.size() == (mode == ClusterOptions::Mode::Marked ? 1 : 0));
    run_and_check(*compiled, text, {literal("f32[4]", "{1, 2, 3, 4}")});
  }
}

TEST_CASE("composites are marked by their names") {
  const auto on_host = [&](const std::string &name) {
    const std::string text = R"(HloModule m
      f { x = f32[4] parameter(0)  ROOT n = f32[4] negate(x) }
      ENTRY main { x = f32[4] parameter(0)  c = f32[4] call(x), to_apply=f, is_composite=true,
      frontend_attributes={composite.name=")" +
                             name + R"("}  ROOT a = f32[4] add(c, x) })";
    Options options;
    options.clusters.mode = ClusterOptions::Mode::Marked;
    const auto compiled = compile(parse(text), open_tiny({{"ops", all_ops}}), options);
    INFO(error_of(compiled));
    REQUIRE(compiled.ok());
    run_and_check(*compiled, text, {literal("f32[4]", "{1, 2, 3, 4}")});
    return compiled->report.on_host.size();
  };
  CHECK(on_host("backplane.cluster.f") == 1);
  CHECK(on_host("my.f") == 2);
}

TEST_CASE("what replaces a marked instruction, or is inside of one, is marked") {
  const auto on_host = [&](const std::string &entry) {
    const std::string text = R"(HloModule m
      g { x = f32[] parameter(0)  n = f32[] negate(x)  ROOT s = f32[] add(n, n) }
      f { x = f32[4] parameter(0)  m = f32[4] map(x), dimensions={0}, to_apply=g  ROOT n = f32[4] add(m, x) }
      c { s = (s32[], f32[4096]) parameter(0)  i = s32[] get-tuple-element(s), index=0  k = s32[] constant(20)
      ROOT l = pred[] compare(i, k), direction=LT }
      b { s = (s32[], f32[4096]) parameter(0)  i = s32[] get-tuple-element(s), index=0  o = s32[] constant(1)
      j = s32[] add(i, o)  v = f32[4096] get-tuple-element(s), index=1  w = f32[4096] cosine(v)
      y = f32[4096] negate(w)  ROOT r = (s32[], f32[4096]) tuple(j, y) }
      ENTRY main { x = f32[4] parameter(0)  )" +
                             entry + " ROOT a = f32[4] add(q, x) }";
    Options options;
    options.clusters.mode = ClusterOptions::Mode::Marked;
    const auto compiled = compile(parse(text), open_tiny({{"ops", all_ops}}), options);
    INFO(error_of(compiled));
    REQUIRE(compiled.ok());
    run_and_check(*compiled, text, {literal("f32[4]", "{1, 2, 3, 4}")});
    std::string left, programs;
    for (const OnHost &one : compiled->report.on_host) {
      left += one.name + " ";
    }
    for (const Assignment &program : compiled->report.assignment) {
      for (const std::string &name : program.instructions) {
        programs += name + " ";
      }
    }
    return programs + "| " + left;
  };
  const std::string mark = ", frontend_attributes={backplane_cluster=\"one\"}";
  CHECK(on_host("q = f32[4] map(x), dimensions={0}, to_apply=g" + mark) == "n s.subtract | a ");
  CHECK(on_host("q = f32[4] map(x), dimensions={0}, to_apply=g") == "| n s.subtract a ");
  CHECK(on_host("q = f32[4] call(x), to_apply=f" + mark) == "n s.subtract n.1 | a ");
  CHECK(on_host("q = f32[4] call(x), to_apply=f, is_composite=true, "
                "frontend_attributes={composite.name=\"backplane.cluster\"}") == "n s.subtract n.1 | a ");
  const std::string loop = R"(z = s32[] constant(0) h = f32[] constant(0.5)  d = f32[4096] broadcast(h), dimensions={}
    t = (s32[], f32[4096]) tuple(z, d)  w = (s32[], f32[4096]) while(t), condition=c, body=b)";
  const std::string part = " p = f32[4096] get-tuple-element(w), index=1  q = f32[4] slice(p), slice={[0:4]}";
  CHECK(on_host(loop + mark + part) == "j y | d w.1 q a w ");
  CHECK(on_host(loop + part) == "| d w.1 q a ");
}

TEST_CASE("a disabled pass leaves to the host what only it can rewrite, and the report says so") {
  const std::string text = R"(HloModule m
    f { a = f32[] parameter(0)  n = f32[] negate(a)  ROOT s = f32[] add(n, n) }
    ENTRY main { x = f32[4] parameter(0)  m = f32[4] map(x), dimensions={0}, to_apply=f  ROOT s = f32[4] add(m, x) })";
  const auto compile_without = [&](std::vector<std::string> passes) {
    Options options;
    options.disabled_passes = std::move(passes);
    return compile(parse(text), open_tiny({{"ops", all_ops}}), options);
  };
  const auto whole = compile_without({"dot-merging"});
  REQUIRE(whole.ok());
  CHECK(whole->report.on_host.empty());
  const auto divided = compile_without({"map-expansion", "sort-expansion"});
  INFO(error_of(divided));
  REQUIRE(divided.ok());
  REQUIRE(divided->report.on_host.size() == 1);
  CHECK(divided->report.on_host[0].name == "m");
  CHECK(divided->report.on_host[0].reason ==
        "the op is not in the option ops; map-expansion would rewrite it, but is disabled");
  run_and_check(*divided, text, {literal("f32[4]", "{1, 2, 3, 4}")});

  Options device_only;
  device_only.disabled_passes = {"map-expansion"};
  const auto artifact = make_artifact(parse(text), open_tiny({{"ops", all_ops}}), device_only);
  REQUIRE(!artifact.ok());
  CHECK(artifact.error().to_string() ==
        "3:43: backend org.example.tiny does not run m (map): the op is not in the option ops; map-expansion would "
        "rewrite it, but is disabled");
}

TEST_CASE("passes that do not run") {
  struct Names final : Observer {
    Status module(const std::string &name, const ir::Module &) override {
      names.push_back(name.substr(name.find('-') + 1));
      return {};
    }
    Status program(const std::string &, const ir::Module &, const buffers::Plan &, const host::Image &,
                   std::span<const std::byte>) override {
      return {};
    }
    std::vector<std::string> names;
  };
  const std::string text = R"(HloModule m
    ENTRY main { x = f32[4] parameter(0)  a = f32[4] add(x, x)  ROOT n = f32[4] negate(a) })";
  const auto changing = [&](bool fuse, std::vector<std::string> disabled) {
    Names names;
    Options options;
    options.observer = &names;
    options.fuse = fuse;
    options.disabled_passes = std::move(disabled);
    const auto compiled = compile(parse(text), open_tiny({{"ops", all_ops + ",fusion"}}), options);
    INFO(error_of(compiled));
    REQUIRE(compiled.ok());
    return names.names;
  };
  CHECK(changing(true, {}) == std::vector<std::string>{"input", "loop-fusion", "schedule"});
  CHECK(changing(false, {}) == std::vector<std::string>{"input", "schedule"});
  CHECK(changing(true, {"loop-fusion", "schedule"}) == std::vector<std::string>{"input"});

  const auto error_without = [&](const std::string &pass) {
    Options options;
    options.disabled_passes = {pass};
    const auto artifact = make_artifact(parse(text), open_tiny({{"ops", all_ops}}), options);
    const std::string error = error_of(compile(parse(text), open_tiny({{"ops", all_ops}}), options));
    CHECK((!artifact.ok() && artifact.error().to_string() == error));
    return error;
  };
  CHECK(error_without("loop-fusoin") == "there is no pass 'loop-fusoin', did you mean 'loop-fusion'?");
  CHECK(error_without("quicksort") == "there is no pass 'quicksort', expected one that backplane opt --list names");
  CHECK(error_without("copy-insertion") ==
        "the pass copy-insertion cannot be disabled: without its copies, values would overwrite others that are still "
        "needed");
  for (const passes::Pass &pass : passes::passes()) {
    CHECK((pass.required.because.empty() ||
           error_without(std::string(pass.name)) ==
               fmt::format("the pass {} cannot be disabled: {}", pass.name, pass.required.because)));
  }
}

TEST_CASE("a program that exceeds the device's memory is refused") {
  const std::string text = R"(HloModule m
    ENTRY main { x = f32[1000] parameter(0)  a = f32[1000] negate(x)  b = f32[1000] multiply(a, x)
      ROOT s = f32[1000] subtract(a, b) })";
  const auto compile_with = [&](const std::string &capacity, std::int64_t limit) {
    Options options;
    options.fuse = false;
    options.memory_limit = limit;
    return compile(parse(text), open_tiny({{"ops", all_ops}, {"capacity", capacity}}), options);
  };
  const auto fitting = compile_with("20000", 0);
  INFO(error_of(fitting));
  REQUIRE(fitting.ok());
  const std::string needed = std::to_string(fitting->executable.program()->memory().peak());
  CHECK(compile_with(needed, 0).ok());
  CHECK(compile_with("0", 0).ok());  // the device offers no memory of its own
  const std::string refused = error_of(compile_with("5000", 0));
  INFO(refused);
  CHECK(refused.find("module m needs " + needed + " bytes in memory space 0, ") == 0);
  CHECK(refused.find("more than its capacity of 5000") != std::string::npos);
  CHECK(refused.find("; the peak is at b; the largest arrays there:\n") != std::string::npos);
  // The smaller one of the device's capacity and the caller's limit counts.
  CHECK(error_of(compile_with("5000", 20000)) == refused);
  CHECK(error_of(compile_with("20000", 5000)) == refused);
}

TEST_CASE("a device with memory of its own, seen by the host or not, with queues or not, computes the same") {
  const auto [visible, queues] =
      GENERATE(table<std::string, std::string>({{"0", "0"}, {"1", "0"}, {"0", "1"}, {"1", "1"}}));
  const Settings settings = {
      {"ops", all_ops}, {"capacity", "100000"}, {"visible", visible}, {"queues", queues}, {"scratch", "500"}};
  auto compiled = compile(parse(loop_text), open_tiny(settings));
  INFO(error_of(compiled));
  REQUIRE(compiled.ok());
  REQUIRE(compiled->executable.program() != nullptr);
  CHECK(run_and_check(*compiled, loop_text, two_vectors()) == "( {40, 100, 180, 280}, {-40, -100, -180, -280} )");

  // Donated inputs are transferred back with their new values; constants are on the device.
  const std::string donating = R"(HloModule donating, input_output_alias={ {}: (0, {}, must-alias) }
    ENTRY main { x = f32[4] parameter(0)  c = f32[4] constant({1,2,3,4})  ROOT s = f32[4] add(x, c) })";
  auto in_place = compile(parse(donating), open_tiny(settings));
  INFO(error_of(in_place));
  REQUIRE(in_place.ok());
  run_and_check(*in_place, donating, {literal("f32[4]", "{10, 20, 30, 40}")});
  alignas(64) float x[16] = {10, 20, 30, 40};
  auto execution = runtime::Execution::prepare(in_place->executable.program());
  REQUIRE(execution.set_input(0, x).ok());
  REQUIRE(execution.allocate().ok());
  for (int round = 0; round < 2; ++round) {
    REQUIRE(execution.start().ok());
    REQUIRE(execution.finish().ok());
  }
  CHECK(x[3] == 48);
  CHECK(reinterpret_cast<float *>(execution.output(0).data()) == x);
}

TEST_CASE("inputs and outputs stay in a device's memory if they are wanted there") {
  const auto queues = GENERATE(std::string("0"), std::string("1"));
  const std::string text =
      "HloModule m\nENTRY main { x = f32[4] parameter(0)  y = f32[4] parameter(1)  ROOT s = f32[4] add(x, y) }";
  auto compiled =
      compile(parse(text), open_tiny({{"ops", "add"}, {"capacity", "1000"}, {"visible", "0"}, {"queues", queues}}));
  INFO(error_of(compiled));
  REQUIRE(compiled.ok());
  auto execution = runtime::Execution::prepare(compiled->executable.program());
  REQUIRE(execution.allocate().ok());
  const auto floats = [](std::span<std::byte> bytes) { return std::span(reinterpret_cast<float *>(bytes.data()), 4); };
  const auto x = floats(execution.input(0)), y = floats(execution.input(1)), sum = floats(execution.output(0));
  const auto sum_of = [&](float new_x, float new_y) {
    std::ranges::fill(x, new_x);
    std::ranges::fill(y, new_y);
    REQUIRE(execution.run().ok());
    return sum[3];
  };
  CHECK(sum_of(1, 10) == 11);
  execution.keep_input(0);
  CHECK(sum_of(2, 10) == 12);
  CHECK(sum_of(3, 20) == 22);  // x is the value transferred before
  execution.send_input(0);
  CHECK(sum_of(4, 20) == 24);
  CHECK(sum_of(5, 30) == 34);
  execution.keep_output(0);
  CHECK(sum_of(5, 40) == 34);
  REQUIRE(execution.fetch_output(0).ok());
  CHECK(sum[3] == 44);
}

TEST_CASE("values stay in a device's memory from run to run") {
  const auto visible = GENERATE(std::string("0"), std::string("1"));
  // A result in a donated argument, one of its own, an argument that is a result as well, and one that the host makes.
  const std::string text = R"(HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }
    ENTRY main { x = f32[4] parameter(0)  y = f32[4] parameter(1)  s = f32[4] add(x, y)  n = f32[4] negate(y)
      e = f32[4] exponential(n)  ROOT t = (f32[4], f32[4], f32[4], f32[4]) tuple(s, n, y, e) })";
  const auto ops = GENERATE(std::string("add,negate"), std::string("add,negate,exponential,tuple"));
  const auto device = open_tiny({{"ops", ops}, {"capacity", "1000"}, {"visible", visible}});
  auto compiled = compile(parse(text), device);
  INFO(error_of(compiled));
  REQUIRE(compiled.ok());
  const auto upload = [&](const std::string &numbers) {
    auto array = runtime::DeviceArray::upload(device, literal("f32[4]", numbers));
    REQUIRE(array.ok());
    REQUIRE(*array != nullptr);
    return runtime::Value(*array);
  };
  const auto text_of = [](const runtime::Value &value) {
    auto copy = value.literal();
    REQUIRE(copy.ok());
    return text::print(*copy);
  };
  const auto place = [](const runtime::Value &value) { return value.on_device()->location().memory; };
  const auto run = [&](runtime::Value x, const runtime::Value &y) {
    std::vector<runtime::Value> arguments;
    arguments.push_back(std::move(x));
    arguments.push_back(y);
    auto results = compiled->executable.run_on_device(std::move(arguments));
    INFO((results.ok() ? "" : results.error().to_string()));
    REQUIRE(results.ok());
    REQUIRE(results->size() == 4);
    return std::move(results).value();
  };
  runtime::Value x = upload("{1, 2, 3, 4}");
  const runtime::Value y = upload("{0, -1, -2, -3}");
  const runtime::Value kept = x;
  const std::vector<runtime::Value> first = run(x, y);  // x is not donated: others have it
  CHECK(text_of(first[0]) == "{1, 1, 1, 1}");
  CHECK(text_of(first[1]) == "{-0, 1, 2, 3}");
  CHECK(text_of(kept) == "{1, 2, 3, 4}");
  CHECK(text_of(first[3]).starts_with("{1, 2.71828"));
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(first[i].on_device() != nullptr);
  }
  CHECK(place(first[0]) != place(x));
  if (compiled->executable.program() != nullptr) {
    CHECK(place(first[2]) == place(y));
    runtime::Value alone = upload("{1, 2, 3, 4}");
    const std::uint64_t where = place(alone);
    const std::vector<runtime::Value> second = run(std::move(alone), y);
    CHECK(place(second[0]) == where);
    CHECK(text_of(second[0]) == "{1, 1, 1, 1}");
  }
  // Results are arguments, next to one on the host.
  CHECK(text_of(run(runtime::Value(literal("f32[4]", "{1, 1, 1, 1}")), first[1])[0]) == "{1, 2, 3, 4}");

  const auto too_large =
      runtime::DeviceArray::upload(device, ir::Literal::zeros(ir::Shape::array(ir::ElementType::F32, {300})).value());
  REQUIRE(!too_large.ok());
  CHECK(too_large.error().code() == ErrorCode::OutOfMemory);
}

TEST_CASE("parts may be run for their effects alone") {
  const std::string text = R"(HloModule m
    ENTRY main { x = f32[4] parameter(0)  a = f32[4] add(x, x)
      c = f32[4] custom-call(a), custom_call_target="see", custom_call_has_side_effect=true  ROOT t = () tuple() })";
  auto compiled = compile(parse(text), open_tiny({{"ops", "add"}}));
  INFO(error_of(compiled));
  REQUIRE(compiled.ok());
  REQUIRE(compiled->executable.program() == nullptr);
  std::string seen;
  interpreter::Options host;
  host.on_host_call = [&](const ir::Instruction &, std::span<const ir::Literal> operands) -> Result<ir::Literal> {
    seen = text::print(operands[0]);
    return operands[0];
  };
  const auto result = compiled->executable.run({literal("f32[4]", "{1, 2, 3, 4}")}, host);
  REQUIRE(result.ok());
  CHECK(result->shape().is_tuple());
  CHECK(result->tuple_elements().empty());
  CHECK(seen == "{2, 4, 6, 8}");
}

TEST_CASE("failures of a device with memory and queues are reported") {
  const std::string text = "HloModule m\nENTRY main { x = f32[4] parameter(0)  ROOT e = f32[4] negate(x) }";
  auto failing =
      compile(parse(text), open_tiny({{"ops", "negate"}, {"capacity", "1000"}, {"queues", "1"}, {"fail", "e"}}));
  REQUIRE(failing.ok());
  CHECK(failing->executable.run({literal("f32[4]", "{1, 2, 3, 4}")}).error().to_string() ==
        "plugin org.example.tiny: run: internal error: a command failed");
  // The plan fits into the space, but the device cannot allocate a piece of that size.
  auto full = compile(parse(text), open_tiny({{"ops", "negate"}, {"capacity", "40"}, {"scratch", "41"}}));
  REQUIRE(full.ok());
  CHECK(full->executable.run({literal("f32[4]", "{1, 2, 3, 4}")}).error().to_string() ==
        "plugin org.example.tiny: alloc of 41 bytes of tiny: out of memory: there is not enough");
}

TEST_CASE("a device without queues runs started programs on a thread") {
  auto compiled = compile_for(loop_text, all_ops);
  REQUIRE(compiled.ok());
  std::vector<runtime::Execution> executions;
  for (int i = 0; i < 8; ++i) {
    executions.push_back(runtime::Execution::prepare(compiled->executable.program()));
    REQUIRE(executions.back().allocate().ok());
    for (std::size_t leaf : {0, 1}) {
      std::ranges::fill(std::span(reinterpret_cast<float *>(executions.back().input(leaf).data()), 4), float(i));
    }
  }
  for (runtime::Execution &execution : executions) {
    REQUIRE(execution.start().ok());
  }
  for (int i = 0; i < 8; ++i) {
    REQUIRE(executions[i].finish().ok());
    CHECK(reinterpret_cast<const float *>(executions[i].output(1).data())[3] == float(-(i * i + 3 * i)));
  }
  REQUIRE(executions[0].start().ok());  // the destructor of the execution waits for it
}

TEST_CASE("errors name the cause") {
  const std::string text = "HloModule m\nENTRY main { x = f32[4] parameter(0)  ROOT e = f32[4] exponential(x) }";
  Options device_only;
  device_only.device_only = true;
  CHECK(error_of(compile(parse(text), open_tiny({{"ops", "add"}}), device_only)) ==
        "2:44: backend org.example.tiny does not run e (exponential): the op is not in the option ops");
  CHECK(error_of(compile(parse(text), open_tiny({{"no-cost", "1"}}))) ==
        "2:44: backend org.example.tiny: claim gave no cost for e");
  CHECK(error_of(compile(parse(text), open_tiny({{"fail-claim", "e"}}))) ==
        "2:44: plugin org.example.tiny: claim: internal error: e: told to fail\n"
        "  note: x: the op is not in the option ops");
  CHECK(error_of(compile(parse("ENTRY main { ROOT c = f32[4] custom-call(), custom_call_target=\"f\" }"),
                         open_tiny({{"ops", "add"}}), device_only)) ==
        "1:19: backend org.example.tiny does not run c (custom-call): target \"f\": the op is not in the option ops");

  const std::string sum = "HloModule m\nENTRY main { x = f32[4] parameter(0)  ROOT sum = f32[4] add(x, x) }";
  CHECK(error_of(compile(parse(sum), open_tiny({{"ops", "add"}, {"align", "48"}}))) ==
        "backend org.example.tiny: asks for scratch aligned to 48, expected a power of two");
  CHECK(error_of(compile(parse(sum), open_tiny({{"ops", "add"}, {"no-run", "1"}}))) ==
        "backend org.example.tiny: load reported success, but its program is incomplete");
  auto failing = compile(parse(sum), open_tiny({{"ops", "add"}, {"fail", "sum"}}));
  REQUIRE(failing.ok());
  CHECK(failing->executable.run({literal("f32[4]", "{1,2,3,4}")}).error().to_string() ==
        "plugin org.example.tiny: run: internal error: sum: told to fail");
  CHECK(failing->executable.run({}).error().message() == "m takes 1 arguments, but 0 were given");
  CHECK(failing->executable.run({literal("s32[4]", "{1,2,3,4}")}).error().message() ==
        "m: argument 0 has shape s32[4], expected f32[4]");
  auto foreign = runtime::Program::load(open_tiny({}), parse(sum), host::Image(failing->executable.program()->image()),
                                        std::as_bytes(std::span("no artifact")));
  CHECK(foreign.error().to_string() == "plugin org.example.tiny: load: invalid: not an artifact of mine");
}

}  // namespace bp::compile
