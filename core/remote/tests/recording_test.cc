// Recorded calls of a plugin can be made again; differences of their outcomes are found and named.
#include <catch2/catch.hpp>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <utility>

#include "core/backplane.h"
#include "core/base/files.h"
#include "core/layers/artifacts.h"
#include "core/remote/isolate.h"
#include "core/remote/record.h"
#include "core/remote/replay.h"
#include "core/remote/tests/test_plugin.h"
#include "core/text/parser.h"
#include "plugin_api/cpp/run_services.h"
#include "tools/testing/temporary_folder.h"

namespace bp::remote {
namespace {

const Given host_memory = {}, device_memory = {{"capacity", "100000"}},
            visible_memory = {{"capacity", "100000"}, {"visible", "1"}},
            queues = {{"capacity", "100000"}, {"queues", "1"}},
            visible_queues = {{"capacity", "100000"}, {"visible", "1"}, {"queues", "1"}},
            taken = {{"take-constants", "1"}},
            taken_from_device = {{"take-constants", "1"}, {"capacity", "100000"}, {"queues", "1"}};

// Runs (-x + y) * c twice on a plugin under the record layer, and returns the bytes of the file. `below`: layers
// between the record layer and the plugin.
std::string record(const std::string &name, const Given &settings, std::vector<host::Layer> below = {}) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "calls";
  {
    auto file = RecordingFile::create(path);
    REQUIRE(file.ok());
    BackendOptions options;
    options.settings = settings;
    options.settings.emplace_back("ops", "negate,add,multiply");
    options.layers = std::move(below);
    options.layers.push_back(record_layer(*file));
    auto backend = Backend::load(plugin(name), options);
    REQUIRE(backend.ok());
    auto module = text::parse_module(R"(HloModule recorded
      ENTRY main { x = f32[4] parameter(0)  y = f32[4] parameter(1)  n = f32[4] negate(x)  s = f32[4] add(n, y)
        c = f32[4] constant({1, 2, 3, 4})  ROOT m = f32[4] multiply(s, c) })");
    auto compiled = backend->compile(std::move(module).value());
    REQUIRE(compiled.ok());
    for (int i = 0; i < 2; ++i) {
      auto result = compiled->executable.run({literal("{1, 2, 3, 4}"), literal("{10, 20, 30, 40}")});
      REQUIRE(result.ok());
      CHECK(result->identical(literal("{9, 36, 81, 144}")));
    }
    CHECK((*file)->status().ok());
  }
  return read_file(path).value();
}

std::unique_ptr<Recording> parse(std::string bytes) {
  auto recording = Recording::parse(std::move(bytes), "calls");
  if (!recording.ok()) {
    FAIL(recording.error().to_string());
  }
  return std::move(recording).value();
}

// Replays on the plugin that was recorded; layers change it so that it acts as another build.
ReplayReport replay_on(const Recording &recording, std::vector<host::Layer> layers = {},
                       std::optional<Isolation> isolation = std::nullopt,
                       std::chrono::milliseconds patience = std::chrono::milliseconds(200)) {
  ReplayOptions options;
  options.patience = patience;
  options.is_isolated = isolation.has_value();
  layers.push_back(replay_layer());
  for (const std::string &path : recording.plugins()) {
    const auto candidate = host::find_plugin(path, {});
    REQUIRE(candidate.ok());
    const host::Opener opener =
        isolation.has_value() ? isolated(isolation_for(recording, options.plugins.size(), *isolation)) : host::Opener();
    auto plugin = host::Plugin::load(*candidate, host::AfterUse::KeepMapped, layers, opener);
    REQUIRE(plugin.ok());
    options.plugins.push_back(*plugin);
  }
  return replay(recording, options);
}

std::string to_string(const ReplayReport &report) {
  std::string text;
  for (const Difference &difference : report.differences) {
    text += fmt::format("{} ({})", difference.call->function_name, difference.about);
    for (const std::string &what : difference.what) {
      text += "; " + what;
    }
    text += "\n";
  }
  return text;
}

// Returns the number of results in a recording, with which those of a replay are compared.
std::size_t count_results(const Recording &recording) {
  std::size_t results = 0;
  for (const RecordedCall &call : recording.calls()) {
    bp_status status = BP_OK;
    for (const Item &item : recording.list(call, status).outputs) {
      results += item.name.starts_with("result") && !item.array.empty() ? 1 : 0;
    }
    Reader outputs(call.outputs);
    if (call.function == Function::host_signal) {
      results += outputs.number<std::uint64_t>();
    }
  }
  return results;
}

// Returns a layer that makes the plugin deviate in one way.
template <class Mutant>
host::Layer mutant() {
  return [](std::unique_ptr<host::Entry> below) { return std::make_unique<Mutant>(std::move(below)); };
}

// Returns a recording up to the last call of a function, as if the application had been killed then.
std::string cut_before_last(const std::string &calls, std::string_view function) {
  std::size_t cut = 0;
  for (std::size_t at = 8, size = 0; at < calls.size(); at += 9 + size) {  // a chunk: kind, size, content
    std::memcpy(&size, &calls[at + 1], sizeof(size));
    cut = calls[at] == 'B' && calls.substr(at, 9 + size).find(function) != std::string::npos ? at : cut;
  }
  REQUIRE(cut > 0);
  return calls.substr(0, cut);
}

// Signals late, on a thread of its own, and counts the objects that are destroyed before.
struct Late : Interposer {
  using Interposer::Interposer;
  ~Late() override { join(); }
  bp_status queue_submit(LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands, std::uint32_t count,
                         bp_point_t done, const bp_diag_t *diag) override {
    ++in_flight;
    return Interposer::queue_submit(device, queue, commands, count, done, diag);
  }
  void host_signal(LayeredHost &host, bp_point_t point, bp_status status, std::uint32_t instr, const char *) override {
    threads.emplace_back([=, this, &host] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      --in_flight;
      Interposer::host_signal(host, point, status, instr, nullptr);
    });
  }
  void device_destroy(LayeredDevice &device) override {
    destroyed_early += in_flight > 0 ? 1 : 0;
    join();  // no thread of a device may be in the core after this
    Interposer::device_destroy(device);
  }
  void program_destroy(LayeredProgram &program) override {
    destroyed_early += in_flight > 0 ? 1 : 0;
    Interposer::program_destroy(program);
  }
  void memory_release(LayeredDevice &device, std::uint64_t memory) override {
    destroyed_early += in_flight > 0 ? 1 : 0;
    Interposer::memory_release(device, memory);
  }
  void join() {
    for (std::thread &thread : std::exchange(threads, {})) {
      thread.join();
    }
  }
  std::vector<std::thread> threads;
  std::atomic<int> in_flight = 0;
  static inline std::atomic<int> destroyed_early = 0;
};

// Accepts work and never signals it.
struct Never : Interposer {
  using Interposer::Interposer;
  void host_signal(LayeredHost &, bp_point_t, bp_status, std::uint32_t, const char *) override {}
  void device_destroy(LayeredDevice &device) override {
    ++destroyed;
    Interposer::device_destroy(device);
  }
  void program_destroy(LayeredProgram &program) override {
    ++destroyed;
    Interposer::program_destroy(program);
  }
  void memory_release(LayeredDevice &device, std::uint64_t memory) override {
    ++destroyed;
    Interposer::memory_release(device, memory);
  }
  static inline std::atomic<int> destroyed = 0;
};

// Work on it ends only when it is cancelled.
struct Endless : Interposer {
  using Interposer::Interposer;
  bp_status program_run(LayeredProgram &, const bp_run_t *run, const bp_diag_t *) override { return wait(*run); }
  bp_status queue_submit(LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands, std::uint32_t count,
                         bp_point_t done, const bp_diag_t *diag) override {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (commands[i].kind == BP_COMMAND_RUN) {
        Interposer::host_signal(device.host, done, wait(*commands[i].run), BP_NONE, nullptr);
        return BP_OK;
      }
    }
    return Interposer::queue_submit(device, queue, commands, count, done, diag);
  }
  bp_status compiler_compile(LayeredDevice &device, const bp_module_t *module, const bp_ostream_t *artifact,
                             const bp_diag_t *diag) override {
    return compiles ? Interposer::compiler_compile(device, module, artifact, diag)
                    : wait_until([&] { return host::Diagnostics::progress(diag, 0, 1) == BP_CANCELLED; });
  }
  static bp_status wait(const bp_run_t &run) {
    return wait_until([end = plugin::EarlyEnd(run)] { return end.is_over(); });
  }
  static bp_status wait_until(const std::function<bool()> &is_over) {
    for (int i = 0; i < 5000; ++i) {
      if (is_over()) {
        return BP_CANCELLED;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return BP_INTERNAL;
  }
  static inline bool compiles = true;
};

// Loads the plugin under the record layer, has `act` use it, and returns the bytes of the file.
std::string record_of(const Given &settings, std::vector<host::Layer> below,
                      const std::function<void(const Backend &)> &act) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "calls";
  {
    BackendOptions options;
    options.settings = settings;
    options.settings.emplace_back("ops", "negate,add,multiply");
    options.layers = std::move(below);
    options.layers.push_back(record_layer(RecordingFile::create(path).value()));
    const auto backend = Backend::load(plugin("tiny"), options);
    REQUIRE(backend.ok());
    act(*backend);
  }
  return read_file(path).value();
}

Module small_module() {
  return text::parse_module(R"(HloModule recorded ENTRY main { x = f32[4] parameter(0)
    c = f32[4] constant({1, 2, 3, 4})  ROOT m = f32[4] multiply(x, c) })")
      .value();
}

}  // namespace

TEST_CASE("work that was cancelled is cancelled again in a replay") {
  for (const Given &settings : {host_memory, device_memory, queues}) {
    const auto recording = parse(record_of(settings, {mutant<Endless>()}, [](const Backend &backend) {
      const auto compiled = backend.compile(small_module());
      REQUIRE(compiled.ok());
      interpreter::Options options;
      options.terms.cancellation = Cancellation::after(0.02);
      CHECK_FALSE(compiled->executable.run({literal("{1, 2, 3, 4}")}, options).ok());
    }));
    CHECK(to_string(replay_on(*recording, {mutant<Endless>()})).empty());
    // Another build that goes on to the end has another outcome.
    CHECK_THAT(to_string(replay_on(*recording)), Catch::Contains("recorded cancelled, came ok"));
    CHECK_THAT(to_string(replay_on(*recording, {}, Isolation{})),
               Catch::Contains("is not made: its work was cancelled"));
  }
  Endless::compiles = false;
  const auto recording = parse(record_of(host_memory, {mutant<Endless>()}, [](const Backend &backend) {
    CompileOptions options;
    options.cancellation = Cancellation::after(0.02);
    CHECK_FALSE(backend.compile(small_module(), options).ok());
  }));
  CHECK(to_string(replay_on(*recording, {mutant<Endless>()})).empty());
  Endless::compiles = true;
}

TEST_CASE("runs of packages, which the recorded plugin does not compile, can be made again") {
  const testing::TemporaryFolder folder;
  const std::string package = folder / "small.bpkg";
  for (const Given &settings : {host_memory, device_memory, queues, taken_from_device}) {
    record_of(settings, {}, [&](const Backend &backend) {
      CompileOptions options;
      options.keep_artifacts = true;
      const auto compiled = backend.compile(small_module(), options);
      REQUIRE(compiled.ok());
      REQUIRE(save_package(compiled->executable, package::interface_of(small_module()), package).ok());
    });
    const auto recording = parse(record_of(settings, {}, [&](const Backend &backend) {
      const auto executable = backend.load_package(package);
      REQUIRE(executable.ok());
      const auto result = executable->run({literal("{1, 2, 3, 4}")});
      REQUIRE(result.ok());
      CHECK(result->identical(literal("{1, 4, 9, 16}")));
    }));
    CHECK(to_string(replay_on(*recording)).empty());
    CHECK(count_results(*recording) > 0);  // else nothing was compared
    for (const RecordedCall &call : recording->calls()) {
      CHECK(call.function != Function::compiler_compile);
    }
  }
}

TEST_CASE("recorded calls can be made again, with the same outcome") {
  struct {
    std::string name;
    Given settings;
  } const plugins[] = {{"tiny_kernels", host_memory},
                       {"tiny", host_memory},
                       {"tiny", device_memory},
                       {"tiny", visible_memory},
                       {"tiny", queues},
                       {"tiny", visible_queues},
                       {"tiny", taken},
                       {"tiny", taken_from_device}};
  for (const auto &[name, settings] : plugins) {
    INFO(name << " with " << settings.size() << " settings");
    const auto recording = parse(record(name, settings));
    CHECK(recording->cut_off_at() == std::nullopt);
    const ReplayReport report = replay_on(*recording);
    CHECK(to_string(report).empty());
    CHECK(report.made == recording->calls().size());
    for (const RecordedCall &call : recording->calls()) {
      CHECK(call.has_ended);
      bp_status status = BP_OK;
      recording->list(call, status);
      CHECK(status == BP_OK);
    }
    CHECK(count_results(*recording) > 0);  // else nothing was compared
  }
}

TEST_CASE("recorded calls can be made again in another process") {
  struct {
    std::string name;
    Given settings;
  } const plugins[] = {
      {"tiny_kernels", host_memory}, {"tiny", host_memory}, {"tiny", device_memory}, {"tiny", queues}, {"tiny", taken},
      {"tiny", taken_from_device}};
  for (const auto &[name, settings] : plugins) {
    INFO(name << " with " << settings.size() << " settings");
    const auto recording = parse(record(name, settings));
    CHECK(to_string(replay_on(*recording, {}, Isolation{})).empty());
  }
}

TEST_CASE("what another build does differently is named") {
  struct Wrong : Interposer {
    using Interposer::Interposer;
    bp_status program_run(LayeredProgram &program, const bp_run_t *run, const bp_diag_t *diag) override {
      const bp_status status = Interposer::program_run(program, run, diag);
      reinterpret_cast<float *>(run->allocations[run->allocation_count - 1].offset)[2] += 1;
      return status;
    }
  };
  const std::string calls = record("tiny", host_memory);
  const auto recording = parse(calls);
  const std::string found = to_string(replay_on(*recording, {mutant<Wrong>()}));
  CHECK(found.find("program.run (module recorded, stage 4, ") == 0);
  CHECK(found.find("result m: 1 of 4 elements differ; element 2: recorded 81, came ") != std::string::npos);

  struct Claims : Interposer {
    using Interposer::Interposer;
    bp_status compiler_claim(LayeredDevice &device, const bp_module_t *module, float *cost_ns,
                             const bp_diag_t *diag) override {
      const bp_status status = Interposer::compiler_claim(device, module, cost_ns, diag);
      cost_ns[module->instrs.count - 1] = -1;
      return status;
    }
  };
  CHECK(to_string(replay_on(*recording, {mutant<Claims>()})).find("claim of m: recorded yes, came no") !=
        std::string::npos);

  struct Fails : Interposer {
    using Interposer::Interposer;
    bp_status compiler_load(LayeredDevice &, const void *, std::uint64_t, const bp_loc_t *, std::uint8_t *,
                            std::uint32_t, const bp_program_t **, const bp_diag_t *diag) override {
      diag->report(diag, BP_INVALID, BP_NONE, "damaged");
      return BP_INVALID;
    }
  };
  const std::string failed = to_string(replay_on(*recording, {mutant<Fails>()}));
  CHECK(failed.find("compiler.load (); status: recorded ok, came invalid, damaged\n") == 0);
  CHECK(failed.find("program.run (module recorded") != std::string::npos);  // cannot be made then

  struct Throws : Interposer {
    using Interposer::Interposer;
    bp_status program_run(LayeredProgram &, const bp_run_t *, const bp_diag_t *) override {
      throw std::runtime_error("no such thing");
    }
  };
  CHECK(to_string(replay_on(*recording, {mutant<Throws>()})).find("recorded threw nothing, came threw no such thing") !=
        std::string::npos);

  struct Silent : Interposer {
    using Interposer::Interposer;
    void host_signal(LayeredHost &, bp_point_t, bp_status, std::uint32_t, const char *) override {}
  };
  const auto with_queues = parse(record("tiny", queues));
  CHECK(to_string(replay_on(*with_queues, {mutant<Silent>()})).find("host.signal (); recorded ok, came nothing for") !=
        std::string::npos);

  struct Copies : Interposer {
    using Interposer::Interposer;
    bp_status memory_copy(LayeredDevice &device, bp_loc_t to, bp_loc_t from, std::uint64_t size,
                          const bp_diag_t *diag) override {
      return Interposer::memory_copy(device, to, from, to.memory == 0 ? size - 4 : size, diag);
    }
  };
  const auto with_memory = parse(record("tiny", device_memory));
  CHECK(to_string(replay_on(*with_memory, {mutant<Copies>()})).find("memory.copy ();") == 0);

  struct Kernel : Interposer {
    using Interposer::Interposer;
    bp_kernel kernels_find(LayeredDevice &device, const bp_module_t *module, std::uint32_t instr,
                           const bp_diag_t *diag) override {
      const bool is_multiply = BP_AT(module, instrs, bp_instr_t, instr)->op == BP_OP_MULTIPLY;
      return is_multiply ? nullptr : Interposer::kernels_find(device, module, instr, diag);
    }
  };
  const auto of_kernels = parse(record("tiny_kernels", host_memory));
  CHECK(to_string(replay_on(*of_kernels, {mutant<Kernel>()})).find("kernels.find (module recorded, stage 1") == 0);
}

TEST_CASE("another build may take constants that were not taken before, but not the reverse") {
  // If an option is given twice, the last value counts.
  struct Takes : Interposer {
    using Interposer::Interposer;
    const bp_device_t *factory_create(LayeredFactory &factory, const bp_host_t *host, const char *id,
                                      std::uint32_t instance, const bp_option_t *options, std::uint32_t count,
                                      const bp_diag_t *diag) override {
      std::vector<bp_option_t> all(options, options + count);
      all.push_back({"take-constants", value});
      return Interposer::factory_create(factory, host, id, instance, all.data(), count + 1, diag);
    }
    const char *value = "1";
  };
  struct Leaves final : Takes {
    explicit Leaves(std::unique_ptr<host::Entry> below) : Takes(std::move(below)) { value = "0"; }
  };
  const std::string load = "compiler.load (); constants taken: recorded ";
  for (const Given &settings : {host_memory, queues}) {
    const auto recording = parse(record("tiny", settings));
    CHECK(to_string(replay_on(*recording, {mutant<Takes>()})) == load + "none, came 2\n");
  }
  for (const Given &settings : {taken, taken_from_device}) {
    const auto recording = parse(record("tiny", settings));
    const std::string found = to_string(replay_on(*recording, {mutant<Leaves>()}));
    CHECK(found.find(load + "2, came none\n") == 0);
    CHECK(found.find(
              "cannot be made again: the run leaves constant 2 to the program, which has not taken it at load()") !=
          std::string::npos);
  }
}

TEST_CASE("a failure that was recorded is the expected outcome of a replay") {
  struct Refuses : Interposer {
    using Interposer::Interposer;
    bp_status memory_alloc(LayeredDevice &device, std::uint32_t space, std::uint64_t size, std::uint32_t alignment,
                           bp_memory_t *out, const bp_diag_t *diag) override {
      if (++calls == 2) {
        diag->report(diag, BP_NO_MEMORY, BP_NONE, "full");
        return BP_NO_MEMORY;
      }
      return Interposer::memory_alloc(device, space, size, alignment, out, diag);
    }
    int calls = 0;
  };
  const testing::TemporaryFolder folder;
  const std::string path = folder / "calls";
  {
    auto file = RecordingFile::create(path);
    BackendOptions options;
    options.settings = {{"ops", "negate"}, {"capacity", "100000"}};
    options.layers = {mutant<Refuses>(), record_layer(*file)};
    auto backend = Backend::load(plugin("tiny"), options);
    auto compiled = backend->compile(
        text::parse_module("HloModule m  ENTRY e { x = f32[4] parameter(0)  ROOT n = f32[4] negate(x) }").value());
    CHECK_FALSE(compiled->executable.run({literal("{1, 2, 3, 4}")}).ok());
  }
  const auto recording = parse(read_file(path).value());
  CHECK(to_string(replay_on(*recording, {mutant<Refuses>()})).empty());
  CHECK(to_string(replay_on(*recording)).find("memory.alloc (); status: recorded out of memory, full, came ok\n") == 0);
}

TEST_CASE("a recording that is cut off is replayed as far as it goes") {
  const std::string calls = record("tiny", queues);
  const std::size_t all = parse(calls)->calls().size();
  std::size_t last = 0;
  for (std::size_t size = 8; size < calls.size(); size += 97) {
    const auto recording = parse(calls.substr(0, size));
    CHECK(recording->calls().size() >= last);
    CHECK(recording->cut_off_at().value_or(size) <= size);
    last = recording->calls().size();
    if (size % 5 == 0) {
      const ReplayReport report = replay_on(*recording);
      for (const Difference &difference : report.differences) {
        CHECK_FALSE(difference.call->has_ended);
        CHECK(difference.what[0].starts_with("recorded no end, came "));
      }
    }
  }
  CHECK(last >= all - 2);
}

TEST_CASE("a replay waits for the work in flight before it destroys what that uses") {
  const std::string calls = record("tiny", queues);
  Late::destroyed_early = 0;
  for (const std::string &part : {cut_before_last(calls, "host.signal"), calls}) {
    const auto recording = parse(part);
    const ReplayReport report = replay_on(*recording, {mutant<Late>()}, std::nullopt, std::chrono::seconds(60));
    CHECK(report.unfinished.empty());
    CHECK(Late::destroyed_early == 0);
  }
}

TEST_CASE("a replay leaves a device whose work does not end") {
  const std::string calls = record("tiny", queues);
  Never::destroyed = 0;
  const auto cut = parse(cut_before_last(calls, "host.signal"));
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const ReplayReport report = replay_on(*cut, {mutant<Never>()});
  CHECK(std::chrono::steady_clock::now() < until);
  REQUIRE_FALSE(report.unfinished.empty());
  CHECK(report.unfinished.back()->function == Function::queue_submit);
  CHECK(Never::destroyed == 0);

  const auto whole = parse(calls);
  const std::string found = to_string(replay_on(*whole, {mutant<Never>()}));
  CHECK(found.find("device.destroy (); is not made, because the device has not finished ") != std::string::npos);
  CHECK(found.find("program.destroy (); is not made, because the device has not finished ") != std::string::npos);
  CHECK(found.find("memory.release (); is not made, because the device has not finished ") != std::string::npos);
  CHECK(Never::destroyed == 0);
}

TEST_CASE("a crash in a function that returns nothing is a difference") {
  for (const auto &[where, function] :
       {std::pair("destroy", "device.destroy"), std::pair("program-destroy", "program.destroy"),
        std::pair("release", "memory.release")}) {
    INFO(where);
    const testing::TemporaryFolder folder;
    const std::string mark = folder / "mark";
    std::ofstream(mark) << "not yet";
    Given settings = device_memory;
    settings.insert(settings.end(), {{"fault", "crash"}, {"fault-in", where}, {"fault-once", mark}});
    const auto recording = parse(record("tiny", settings));
    std::filesystem::remove(mark);
    const ReplayReport report = replay_on(*recording, {}, Isolation{});
    REQUIRE_FALSE(report.differences.empty());
    CHECK(report.differences[0].call->function_name == function);
    REQUIRE(report.differences[0].what.size() == 1);
    CHECK(report.differences[0].what[0].starts_with(
        fmt::format("recorded no error, came org.example.tiny crashed (SIGSEGV) in {}; ", function)));
  }
}

TEST_CASE("a crash in work whose end was not recorded is a difference") {
  const testing::TemporaryFolder folder;
  const std::string mark = folder / "mark";
  std::ofstream(mark) << "not yet";
  Given settings = queues;
  settings.insert(settings.end(), {{"fault", "later"}, {"fault-in", "submit"}, {"fault-once", mark}});
  const std::string calls = record("tiny", settings);
  for (const std::string &part : {cut_before_last(calls, "host.signal"), calls}) {
    std::filesystem::remove(mark);
    const auto recording = parse(part);
    const ReplayReport report = replay_on(*recording, {}, Isolation{}, std::chrono::seconds(60));
    CHECK_THAT(to_string(report), Catch::Contains("crashed (SIGSEGV) in work that it had accepted by queue.submit"));
  }
}

TEST_CASE("a module of a stage that the function does not get is not passed to the plugin") {
  // Above the record layer: compiles the module that was claimed first.
  struct Early : Interposer {
    using Interposer::Interposer;
    bp_status compiler_claim(LayeredDevice &device, const bp_module_t *module, float *cost_ns,
                             const bp_diag_t *diag) override {
      if (first == nullptr) {
        first = std::make_unique<layers::ModuleCopy>(module);
      }
      return Interposer::compiler_claim(device, module, cost_ns, diag);
    }
    bp_status compiler_compile(LayeredDevice &device, const bp_module_t *, const bp_ostream_t *artifact,
                               const bp_diag_t *diag) override {
      return Interposer::compiler_compile(device, first->view().image(), artifact, diag);
    }
    std::unique_ptr<layers::ModuleCopy> first;
  };
  struct Counts : Interposer {
    using Interposer::Interposer;
    bp_status compiler_compile(LayeredDevice &, const bp_module_t *, const bp_ostream_t *,
                               const bp_diag_t *diag) override {
      diag->report(diag, BP_INVALID, BP_NONE, "counted");
      ++count();
      return BP_INVALID;
    }
    static int &count() {
      static int calls = 0;
      return calls;
    }
  };
  const testing::TemporaryFolder folder;
  const std::string path = folder / "calls";
  {
    BackendOptions options;
    options.settings = {{"ops", "negate"}};
    options.layers = {mutant<Counts>(), record_layer(RecordingFile::create(path).value()), mutant<Early>()};
    auto backend = Backend::load(plugin("tiny"), options);
    CHECK_FALSE(
        backend
            ->compile(text::parse_module("HloModule m  ENTRY e { x = f32[4] parameter(0)  ROOT n = f32[4] negate(x) }")
                          .value())
            .ok());
  }
  Counts::count() = 0;
  const auto recording = parse(read_file(path).value());
  const std::string found = to_string(replay_on(*recording, {mutant<Counts>()}));
  CHECK(found.find("compiler.compile (module m, stage 1, ") == 0);
  CHECK(found.find("cannot be made again: the module of the call is of stage 1, expected 4") != std::string::npos);
  CHECK(Counts::count() == 0);
}

TEST_CASE("content that repeats is stored once") {
  const std::string calls = record("tiny", host_memory);
  std::size_t images = 0;
  for (std::size_t at = 0; (at = calls.find("BPMODULE", at)) != std::string::npos; ++at) {
    ++images;
  }
  const auto recording = parse(calls);
  std::size_t named = 0;
  for (const RecordedCall &call : recording->calls()) {
    bp_status status = BP_OK;
    for (const Item &item : recording->list(call, status).inputs) {
      named += item.name == "module" ? 1 : 0;
    }
  }
  CHECK(images < named);
}

TEST_CASE("a file that is not a recording is refused, with the reason") {
  auto error = [](std::string bytes) {
    const auto recording = Recording::parse(std::move(bytes), "x.calls");
    return recording.ok() ? "" : recording.error().to_string();
  };
  CHECK(error("") == "x.calls: is not a recording, expected one that --layer=record=x.calls writes");
  CHECK(error("BPCALLS1") ==
        "x.calls: is a recording of version 1, expected 2: record the calls again, with --layer=record=x.calls");
  CHECK(error("BPCALLS2").empty());
  auto chunk = [](char kind, std::string_view content) {
    const std::uint64_t size = content.size();
    return std::string(1, kind) + std::string(reinterpret_cast<const char *>(&size), 8) + std::string(content);
  };
  CHECK(error("BPCALLS2" + chunk('?', "")) == "x.calls: at byte 8: a chunk has the unknown kind 63");
  CHECK(error("BPCALLS2" + chunk('C', std::string(40, 'x'))) ==
        "x.calls: at byte 8: a content of 8 bytes has another hash than the recording says");
  CHECK(error("BPCALLS2" + chunk('B', "x")) == "x.calls: at byte 8: 1 bytes are left of the call, expected at least 8");
  CHECK(error("BPCALLS2" + chunk('E', std::string(16, '\1')))
            .find("x.calls: at byte 8: call 72340172838076673 ends, but has not begun or has ended before") == 0);
}

}  // namespace bp::remote
