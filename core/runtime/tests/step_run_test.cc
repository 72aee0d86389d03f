// Steps of several devices and of the host, which overlap: on the test plugin (core/compile/tests/plugins/tiny.c),
// under a layer that sees its runs and copies. That steps run at the same time is shown by steps that wait for each
// other.
#include "core/runtime/step_run.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <random>
#include <set>
#include <thread>

#include "core/compile/compile.h"
#include "core/interpreter/host_calls.h"
#include "core/interpreter/random_inputs.h"
#include "core/layers/interposer.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

namespace bp::runtime {
namespace {

using compile::Compiled;
using Settings = std::vector<std::pair<std::string, std::string>>;

// A record of runs, in order. Threads: any.
class Events {
 public:
  void add(const std::string &event) {
    const std::lock_guard lock(mutex_);
    all_.push_back(event);
    changed_.notify_all();
  }
  // Waits until something has happened a number of times. Returns false if it does not.
  bool wait_for(const std::string &event, int times = 1) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return std::ranges::count(all_, event) >= times; });
  }
  int count(const std::string &event) {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(std::ranges::count(all_, event));
  }
  std::vector<std::string> all() {
    const std::lock_guard lock(mutex_);
    return all_;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    all_.clear();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> all_;
};

// A device whose runs and copies are events: "a begins", "a ends", "a copies". Before a run goes on, it calls `on_run`.
struct Watched {
  std::string name;
  Settings settings;
  Events &events;
  std::function<void(int run)> on_run = {};
  std::atomic<int> runs = 0;
  std::vector<std::uint64_t> addresses = {};  // of the last run's allocations
};

// The test plugin's handles of memory are addresses with these bits changed.
constexpr std::uint64_t handle_key = 0x5a00000000000000;

class Watch final : public layers::Interposer {
 public:
  Watch(std::unique_ptr<host::Entry> below, Watched &watched) : Interposer(std::move(below)), watched_(watched) {}
  bp_status program_run(layers::LayeredProgram &program, const bp_run_t *run, const bp_diag_t *diag) override {
    const int number = watched_.runs++;
    watched_.events.add(watched_.name + " begins");
    watched_.addresses.clear();
    for (std::uint64_t i = 0; i < run->allocation_count; ++i) {
      const bp_loc_t &place = run->allocations[i];
      watched_.addresses.push_back(place.memory == 0 ? place.offset : place.memory ^ handle_key);
    }
    if (watched_.on_run) {
      watched_.on_run(number);
    }
    const bp_status status = Interposer::program_run(program, run, diag);
    watched_.events.add(watched_.name + " ends");
    return status;
  }
  bp_status memory_copy(layers::LayeredDevice &device, bp_loc_t to, bp_loc_t from, std::uint64_t size,
                        const bp_diag_t *diag) override {
    watched_.events.add(watched_.name + " copies");
    return Interposer::memory_copy(device, to, from, size, diag);
  }

 private:
  Watched &watched_;
};

std::shared_ptr<const host::Device> open_watched(Watched &watched, const std::string &which = "tiny") {
  const auto directory = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "core/compile/tests/plugins";
  const auto candidate = host::find_plugin((directory / ("libbackplane_" + which + ".so")).string(), {});
  REQUIRE(candidate.ok());
  const std::vector<host::Layer> layers = {
      [&watched](auto below) { return std::make_unique<Watch>(std::move(below), watched); }};
  auto plugin = host::Plugin::load(*candidate, host::AfterUse::KeepMapped, layers);
  REQUIRE(plugin.ok());
  host::DeviceOptions options;
  options.settings = watched.settings;
  auto device = host::Device::create(*plugin, candidate->manifest->devices[0].id, std::move(options));
  INFO((device.ok() ? "" : device.error().to_string()));
  REQUIRE(device.ok());
  return std::move(device).value();
}

using Devices = std::vector<std::shared_ptr<const host::Device>>;

ir::Module parse(const std::string &text) {
  auto module = text::parse_module(text);
  INFO(text << (module.ok() ? "" : module.error().to_string()));
  REQUIRE(module.ok());
  return std::move(module).value();
}

Executable compile_for(const std::string &text, const Devices &devices) {
  compile::Options options;
  options.verify = true;
  auto compiled = compile::compile(parse(text), devices, options);
  INFO((compiled.ok() ? "" : compiled.error().to_string()));
  REQUIRE(compiled.ok());
  return std::move(compiled)->executable;
}

ir::Literal four(const std::string &text) {
  return text::parse_literal(text, text::parse_shape("f32[4]").value()).value();
}

std::string text_of(const Result<ir::Literal> &result) {
  return result.ok() ? text::print(*result) : result.error().to_string();
}

interpreter::Options serving(const interpreter::HostCalls &calls) {
  interpreter::Options host;
  calls.serve(host);
  return host;
}

// Returns what waits until the other one has begun, and says whether it did.
std::function<void(int)> waiting_for(Events &events, const std::string &event) {
  return [&events, event](int run) {
    if (run == 0) {
      events.add(events.wait_for(event) ? "met" : "not met");
    }
  };
}

}  // namespace

TEST_CASE("independent steps of two devices run at the same time") {
  const auto second = GENERATE(std::string("tiny"), std::string("tiny_kernels"));
  Events events;
  Watched a{"a", {{"ops", "negate"}}, events, waiting_for(events, "b begins")};
  Watched b{"b", {{"ops", "multiply"}}, events, waiting_for(events, "a begins")};
  const Devices devices = {open_watched(a), open_watched(b)};
  const Executable executable = compile_for(
      "ENTRY main { x = f32[4] parameter(0)  n = f32[4] negate(x)  m = f32[4] multiply(x, x)\n"
      "  ROOT t = (f32[4], f32[4]) tuple(n, m) }",
      devices);
  CHECK(executable.graph().lane_count() == 2);
  for (int round = 0; round < 3; ++round) {
    events.clear();
    a.runs = b.runs = 0;
    CHECK(text_of(executable.run({four("{1, 2, 3, 4}")})) == "( {-1, -2, -3, -4}, {1, 4, 9, 16} )");
    CHECK(events.count("met") == 2);
  }
}

TEST_CASE("a step of a device and a function of the application run at the same time, the function on the caller's") {
  Events events;
  Watched a{"a", {{"ops", "negate"}}, events, waiting_for(events, "function begins")};
  interpreter::HostCalls calls;
  std::thread::id thread;
  REQUIRE(calls
              .add_function("f",
                            [&](const ir::Instruction &, std::span<const ir::Literal> operands) {
                              thread = std::this_thread::get_id();
                              events.add("function begins");
                              waiting_for(events, "a begins")(0);
                              return Result<ir::Literal>(operands[0]);
                            })
              .ok());
  const Executable executable = compile_for(
      "ENTRY main { x = f32[4] parameter(0)  n = f32[4] negate(x)\n"
      "  c = f32[4] custom-call(x), custom_call_target=\"f\"\n"
      "  ROOT t = (f32[4], f32[4]) tuple(n, c) }",
      {open_watched(a)});
  CHECK(text_of(executable.run({four("{1, 2, 3, 4}")}, serving(calls))) == "( {-1, -2, -3, -4}, {1, 2, 3, 4} )");
  CHECK(events.count("met") == 2);
  CHECK(thread == std::this_thread::get_id());
}

TEST_CASE("a chain of steps on two devices goes on while the host is busy") {
  Events events;
  Watched a{"a", {{"ops", "maximum"}}, events}, b{"b", {{"ops", "multiply"}}, events};
  interpreter::HostCalls calls;
  REQUIRE(calls
              .add_function("f",
                            [&](const ir::Instruction &, std::span<const ir::Literal> operands) {
                              events.add(events.wait_for("a ends", 2) ? "met" : "not met");
                              return Result<ir::Literal>(operands[0]);
                            })
              .ok());
  const Executable executable = compile_for(
      "ENTRY main { x = f32[4] parameter(0)  y = f32[4] parameter(1)\n"
      "  c = f32[4] custom-call(x), custom_call_target=\"f\"\n"
      "  n = f32[4] maximum(x, y)  m = f32[4] multiply(n, y)  o = f32[4] maximum(m, x)\n"
      "  ROOT t = (f32[4], f32[4]) tuple(c, o) }",
      {open_watched(a), open_watched(b)});
  CHECK(executable.graph().lane_count() == 3);
  CHECK(text_of(executable.run({four("{1, 2, 3, 4}"), four("{0, 9, 2, 3}")}, serving(calls))) ==
        "( {1, 2, 3, 4}, {1, 81, 6, 12} )");
  CHECK(events.all() ==
        std::vector<std::string>{"a begins", "a ends", "b begins", "b ends", "a begins", "a ends", "met"});
}

TEST_CASE("light work of the host between steps of one device does not wait for another device") {
  Events events;
  Watched a{
      "a", {{"ops", "maximum"}}, events, [&](int) { events.add(events.wait_for("b ends", 2) ? "met" : "not met"); }};
  Watched b{"b", {{"ops", "multiply"}}, events};
  const Executable executable = compile_for(
      "ENTRY main { x = f32[4] parameter(0)  y = f32[4] parameter(1)  n = f32[4] maximum(x, y)\n"
      "  m = f32[4] multiply(x, y)  e = f32[4] add(m, y)  o = f32[4] multiply(e, x)\n"
      "  ROOT t = (f32[4], f32[4]) tuple(n, o) }",
      {open_watched(a), open_watched(b)});
  CHECK(executable.graph().lane_count() == 2);
  CHECK(text_of(executable.run({four("{1, 2, 3, 4}"), four("{0, 9, 2, 3}")})) == "( {1, 9, 3, 4}, {0, 54, 24, 60} )");
  CHECK(events.count("met") == 1);
}

TEST_CASE("steps that depend on each other, and light work of the host, take no threads") {
  Events events;
  std::set<std::thread::id> threads;
  Watched a{"a", {{"ops", "negate"}}, events, [&](int) { threads.insert(std::this_thread::get_id()); }};
  const Executable executable = compile_for(
      "ENTRY main { x = f32[4] parameter(0)  n = f32[4] negate(x)  e = f32[4] exponential(n)  s = f32[4] sine(x)\n"
      "  o = f32[4] negate(e)  ROOT t = (f32[4], f32[4]) tuple(o, s) }",
      {open_watched(a)});
  CHECK(executable.graph().lane_count() == 1);
  CHECK(executable.run({four("{0, 0, 0, 0}")}).ok());
  CHECK(threads == std::set{std::this_thread::get_id()});
}

TEST_CASE("the error of the first step is reported, whichever fails first, and nothing is left running") {
  const bool does_second_fail = GENERATE(true, false);
  Events events;
  // The first step in the order of the program fails after the second one has ended.
  Watched a{"a", {{"ops", "negate"}, {"fail", "n"}}, events, [&](int) {
              events.add(events.wait_for("b ends") ? "met" : "not met");
            }};
  Watched b{"b", {{"ops", "multiply"}, {"fail", does_second_fail ? "m" : ""}}, events, waiting_for(events, "a begins")};
  const ir::Module module = parse(
      "ENTRY main { x = f32[4] parameter(0)  n = f32[4] negate(x)  m = f32[4] multiply(x, x)\n"
      "  o = f32[4] multiply(m, m)  ROOT t = (f32[4], f32[4]) tuple(n, o) }");
  const auto program = [](const std::string &text, const std::shared_ptr<const host::Device> &device) {
    return compile::compile(parse(text), device).value().executable.program();
  };
  const auto device_a = open_watched(a), device_b = open_watched(b);
  const auto id = [&](std::size_t i) { return module.entry().instruction_ids()[i]; };
  const auto square = program("ENTRY e { x = f32[4] parameter(0)  ROOT m = f32[4] multiply(x, x) }", device_b);
  const Executable executable(
      module,
      {{.instruction = id(0)},
       {program("ENTRY e { x = f32[4] parameter(0)  ROOT n = f32[4] negate(x) }", device_a), nullptr, {id(0)}, {id(1)}},
       {square, nullptr, {id(0)}, {id(2)}},
       {square, nullptr, {id(2)}, {id(3)}},
       {.instruction = id(4)}});
  REQUIRE(executable.graph().lane_count() == 2);
  for (int round = 0; round < 3; ++round) {
    events.clear();
    a.runs = b.runs = 0;
    const std::string error = text_of(executable.run({four("{1, 2, 3, 4}")}));
    CHECK_THAT(error, Catch::Contains("told to fail") && Catch::Contains(" n"));
    CHECK(events.count("met") == 2);
    CHECK(events.count("a begins") == events.count("a ends"));
    CHECK(events.count("b begins") == events.count("b ends"));
    CHECK((b.runs == 1 || !does_second_fail));  // what waits for a failed step does not run
  }
}

TEST_CASE("a run that is cancelled waits for what runs, and begins nothing else") {
  Events events;
  Watched a{
      "a", {{"ops", "multiply"}}, events, [&](int) { events.add(events.wait_for("cancelled") ? "met" : "not met"); }};
  const auto cancellation = std::make_shared<Cancellation>();
  interpreter::HostCalls calls;
  REQUIRE(calls
              .add_function("f",
                            [&](const ir::Instruction &, std::span<const ir::Literal> operands) {
                              waiting_for(events, "a begins")(0);
                              cancellation->cancel();
                              events.add("cancelled");
                              return Result<ir::Literal>(operands[0]);
                            })
              .ok());
  const Executable executable = compile_for(
      "ENTRY main { x = f32[4] parameter(0)  n = f32[4] multiply(x, x)\n"
      "  c = f32[4] custom-call(x), custom_call_target=\"f\"  s = f32[4] add(c, n)  ROOT o = f32[4] multiply(s, x) }",
      {open_watched(a)});
  interpreter::Options host = serving(calls);
  host.terms.cancellation = cancellation;
  const auto result = executable.run({four("{1, 2, 3, 4}")}, host);
  REQUIRE(!result.ok());
  CHECK(result.error().code() == ErrorCode::Cancelled);
  CHECK(events.all() == std::vector<std::string>{"a begins", "met", "cancelled", "met", "a ends"});
}

TEST_CASE("an exception of the application's function leaves nothing running") {
  Events events;
  Watched a{"a", {{"ops", "negate"}}, events, waiting_for(events, "thrown")};
  interpreter::HostCalls calls;
  REQUIRE(calls
              .add_function("f",
                            [&](const ir::Instruction &, std::span<const ir::Literal>) -> Result<ir::Literal> {
                              waiting_for(events, "a begins")(0);
                              events.add("thrown");
                              throw std::runtime_error("the function's own");
                            })
              .ok());
  const Executable executable = compile_for(
      "ENTRY main { x = f32[4] parameter(0)  c = f32[4] custom-call(x), custom_call_target=\"f\"\n"
      "  n = f32[4] negate(x)  ROOT t = (f32[4], f32[4]) tuple(n, c) }",
      {open_watched(a)});
  const auto result = executable.run({four("{1, 2, 3, 4}")}, serving(calls));
  REQUIRE(!result.ok());
  CHECK(result.error().message() == "c: the application's function threw: the function's own");
  CHECK(events.count("met") == 2);
  CHECK(events.count("a ends") == 1);
}

TEST_CASE("a step works in the memory of a value only if nobody else reads it") {
  const bool is_read = GENERATE(true, false);
  Events events;
  const Settings settings = {{"ops", "negate,add,multiply"}, {"capacity", "1000"}};
  Watched a{"a", settings, events};
  Watched b{"b", {{"ops", "multiply"}}, events};
  const auto device_a = open_watched(a), device_b = open_watched(b);
  const ir::Module module = parse(
      "ENTRY main { x = f32[4] parameter(0)  v = f32[4] negate(x)  s = f32[4] add(v, v)  m = f32[4] multiply(v, v)\n"
      "  ROOT t = (f32[4], f32[4]) tuple(s, m) }");
  const auto id = [&](std::size_t i) { return module.entry().instruction_ids()[i]; };
  const auto program = [](const std::string &text, const std::shared_ptr<const host::Device> &device) {
    return compile::compile(parse(text), device).value().executable.program();
  };
  const auto negate = program("ENTRY e { x = f32[4] parameter(0)  ROOT n = f32[4] negate(x) }", device_a);
  const auto add = program(
      "HloModule m, input_output_alias={ {}: (0, {}, may-alias) }\n"
      "ENTRY e { x = f32[4] parameter(0)  ROOT s = f32[4] add(x, x) }",
      device_a);
  REQUIRE(add->is_donated(0));
  const auto square = program("ENTRY e { x = f32[4] parameter(0)  ROOT m = f32[4] multiply(x, x) }", device_b);
  // The reader takes the value on the host or, if nobody is to read it any more, another one.
  const Executable executable(module, {{.instruction = id(0)},
                                       {negate, nullptr, {id(0)}, {id(1)}},
                                       {add, nullptr, {id(1)}, {id(2)}},
                                       {square, nullptr, {id(is_read ? 1 : 0)}, {id(3)}},
                                       {.instruction = id(4)}});
  b.on_run = [&](int) { events.add(events.wait_for("a ends", 2) ? "met" : "not met"); };
  CHECK(text_of(executable.run({four("{1, 2, 3, 4}")})) == "( {-2, -4, -6, -8}, {1, 4, 9, 16} )");
  CHECK(events.count("met") == 1);
}

TEST_CASE("values between devices that share memory are not copied") {
  const Settings on_host = {}, visible = {{"capacity", "1000"}, {"visible", "1"}}, hidden = {{"capacity", "1000"}};
  // Copies by the two devices between their runs, and whether the value is in one place. Between two visible memories
  // the host copies.
  const auto [from, to, copies_by_a, copies_by_b, is_in_place] =
      GENERATE_COPY(table<Settings, Settings, int, int, bool>({{on_host, on_host, 0, 0, true},
                                                               {on_host, visible, 0, 0, true},
                                                               {on_host, hidden, 0, 1, false},
                                                               {visible, on_host, 0, 0, true},
                                                               {visible, visible, 0, 0, false},
                                                               {visible, hidden, 0, 1, false},
                                                               {hidden, on_host, 1, 0, false},
                                                               {hidden, visible, 1, 0, false},
                                                               {hidden, hidden, 1, 1, false}}));
  Events events;
  Watched a{"a", {{"ops", "maximum"}}, events}, b{"b", {{"ops", "multiply"}}, events};
  a.settings.insert(a.settings.end(), from.begin(), from.end());
  b.settings.insert(b.settings.end(), to.begin(), to.end());
  const Executable executable = compile_for(
      "ENTRY main { x = f32[4] parameter(0)  y = f32[4] parameter(1)  n = f32[4] maximum(x, y)\n"
      "  ROOT m = f32[4] multiply(n, n) }",
      {open_watched(a), open_watched(b)});
  std::vector<const Program *> programs;
  executable.visit_programs([&](const Program &program) { programs.push_back(&program); });
  REQUIRE(programs.size() == 2);
  REQUIRE(programs[1]->inputs().size() == 1);
  for (int round = 0; round < 2; ++round) {
    events.clear();
    CHECK(text_of(executable.run({four("{1, 2, 3, 4}"), four("{0, 9, 2, 3}")})) == "{1, 81, 9, 16}");
    const std::vector<std::string> all = events.all();
    const auto begin = std::ranges::find(all, "a ends"), end = std::ranges::find(all, "b begins");
    CHECK(std::count(begin, end, "a copies") == copies_by_a);
    CHECK(std::count(begin, end, "b copies") == copies_by_b);
    const std::uint64_t made_at = a.addresses[programs[0]->outputs()[0].allocation];
    const std::uint64_t read_at = b.addresses[programs[1]->inputs()[0].allocation];
    if (copies_by_a + copies_by_b == 0) {  // otherwise the copy may lie where the value was
      CHECK((made_at == read_at) == is_in_place);
    }
  }
}

TEST_CASE("the host reads a device's values where they are, or copies each once, and a device each of the host's") {
  const bool is_visible = GENERATE(true, false);
  Events events;
  Watched a{"a", {{"ops", "maximum,multiply"}, {"capacity", "1000"}, {"visible", is_visible ? "1" : "0"}}, events};
  const std::string text =
      "ENTRY main { x = f32[4] parameter(0)  y = f32[4] parameter(1)  n = f32[4] maximum(x, y)\n"
      "  s = f32[4] sine(n)  c = f32[4] cosine(n)  m = f32[4] multiply(s, x)  o = f32[4] multiply(c, x)\n"
      "  ROOT t = (f32[4], f32[4]) tuple(m, o) }";
  const Executable executable = compile_for(text, {open_watched(a)});
  const std::vector<ir::Literal> arguments = {four("{1, 2, 3, 4}"), four("{0.5, -1, 3, 2}")};
  const auto expected = interpreter::interpret(parse(text), arguments);
  events.clear();
  CHECK(executable.run(arguments)->identical(*expected));
  // x once for both programs, and the two results; if the memory is not visible, also y, n, s and c.
  CHECK(events.count("a copies") == (is_visible ? 3 : 7));
}

TEST_CASE("a loop on the host whose body overlaps computes the same") {
  Events events;
  Watched a{"a", {{"ops", "negate,multiply,maximum"}}, events};
  const std::string text = R"(HloModule looping
    condition { c = (s32[], f32[5000], f32[5000]) parameter(0)  i = s32[] get-tuple-element(c), index=0
      n = s32[] constant(5)  ROOT less = pred[] compare(i, n), direction=LT }
    body { b = (s32[], f32[5000], f32[5000]) parameter(0)  i = s32[] get-tuple-element(b), index=0
      x = f32[5000] get-tuple-element(b), index=1  y = f32[5000] get-tuple-element(b), index=2
      one = s32[] constant(1)  next = s32[] add(i, one)
      n = f32[5000] negate(x)  m = f32[5000] multiply(y, y)  s = f32[5000] sine(y)  u = f32[5000] maximum(n, m)
      v = f32[5000] add(m, s)  ROOT new = (s32[], f32[5000], f32[5000]) tuple(next, u, v) }
    ENTRY main { z = s32[] constant(0)  x = f32[5000] parameter(0)  y = f32[5000] parameter(1)
      w = f32[5000] negate(y)
      initial = (s32[], f32[5000], f32[5000]) tuple(z, x, y)
      loop = (s32[], f32[5000], f32[5000]) while(initial), condition=condition, body=body
      r = f32[5000] get-tuple-element(loop), index=1  q = f32[5000] get-tuple-element(loop), index=2
      ROOT t = (f32[5000], f32[5000], f32[5000]) tuple(r, q, w) })";
  const Executable executable = compile_for(text, {open_watched(a)});
  REQUIRE(executable.called().size() == 1);
  CHECK(executable.called().begin()->second->graph().lane_count() == 2);
  const std::vector<ir::Literal> arguments = interpreter::random_arguments(parse(text), 3).value();
  const auto result = executable.run(arguments);
  REQUIRE(result.ok());
  CHECK(result->identical(interpreter::interpret(parse(text), arguments).value()));
}

TEST_CASE("random numbers of several steps are different, and the same in each run") {
  Events events;
  Watched a{"a", {{"ops", "multiply"}}, events};
  const Executable executable = compile_for(R"(HloModule random
    ENTRY main { z = f32[] constant(0)  o = f32[] constant(1)  x = f32[4] parameter(0)
      a = f32[4] rng(z, o), distribution=rng_uniform  b = f32[4] rng(z, o), distribution=rng_uniform
      p = f32[4] multiply(a, x)  q = f32[4] multiply(b, x)  ROOT t = (f32[4], f32[4]) tuple(p, q) })",
                                            {open_watched(a)});
  const ir::Literal x = text::parse_literal("{1, 1, 1, 1}", text::parse_shape("f32[4]").value()).value();
  const auto first = executable.run({x}), second = executable.run({x});
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  CHECK_FALSE(first->tuple_elements()[0].identical(first->tuple_elements()[1]));
  CHECK(first->identical(*second));
}

TEST_CASE("any program over two devices and the host computes the same, with its calls in order") {
  std::mt19937 random(5);
  std::size_t overlapping = 0;
  for (int round = 0; round < 80; ++round) {
    const auto any_of = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
    std::string text = "ENTRY main {\n  v0 = f32[4] parameter(0)\n  v1 = f32[4] parameter(1)\n";
    const std::vector<std::string> ops = {"negate", "multiply", "add", "maximum", "sine", "call", "subtract"};
    int count = 2, calls_made = 0;
    const auto any = [&] { return fmt::format("v{}", any_of(count)); };
    for (; count < 22; ++count) {
      const std::string &op = ops[static_cast<std::size_t>(any_of(static_cast<int>(ops.size())))];
      if (op == "call") {
        text += fmt::format(
            "  v{} = f32[4] custom-call({}), custom_call_target=\"note\", custom_call_has_side_effect=true\n", count,
            any());
        ++calls_made;
      } else if (op == "negate" || op == "sine") {
        text += fmt::format("  v{} = f32[4] {}({})\n", count, op, any());
      } else {
        text += fmt::format("  v{} = f32[4] {}({}, {})\n", count, op, any(), any());
      }
    }
    text += fmt::format("  ROOT t = (f32[4], f32[4], f32[4]) tuple({}, v{}, v{})\n}}\n", any(), count - 2, count - 1);
    Events events;
    const std::string visible = round % 2 == 0 ? "1" : "0", capacity = round % 3 == 0 ? "0" : "10000";
    const auto sleep = [&](int run) { std::this_thread::sleep_for(std::chrono::microseconds(run * 37 % 5 * 50)); };
    Watched a{"a", {{"ops", "negate,add"}, {"capacity", capacity}, {"visible", visible}}, events, sleep};
    Watched b{"b", {{"ops", "multiply,maximum"}, {"capacity", round % 4 < 2 ? "0" : "10000"}}, events, sleep};
    const Executable executable = compile_for(text, {open_watched(a), open_watched(b)});
    overlapping += executable.graph().lane_count() > 1 ? 1 : 0;
    std::vector<std::string> noted;
    interpreter::HostCalls calls;
    REQUIRE(calls
                .add_function("note",
                              [&](const ir::Instruction &call, std::span<const ir::Literal> operands) {
                                noted.emplace_back(call.name());
                                return Result<ir::Literal>(operands[0]);
                              })
                .ok());
    const std::vector<ir::Literal> arguments = {four("{1, 2, 3, 4}"), four("{0.5, -1, 3, 2}")};
    INFO(text);
    const auto expected = interpreter::interpret(parse(text), arguments, serving(calls));
    const std::vector<std::string> expected_notes = std::exchange(noted, {});
    CHECK(expected_notes.size() == static_cast<std::size_t>(calls_made));
    for (int run = 0; run < 3; ++run) {
      const auto result = executable.run(arguments, serving(calls));
      INFO(text_of(result));
      REQUIRE(result.ok());
      CHECK(result->identical(*expected));
      CHECK(std::exchange(noted, {}) == expected_notes);
    }
  }
  CHECK(overlapping > 60);
}

}  // namespace bp::runtime
