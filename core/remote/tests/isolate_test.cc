// A plugin in a process of its own computes the same results, and its failures do not affect the application.
#include <catch2/catch.hpp>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "core/backplane.h"
#include "core/base/sanitizers.h"
#include "core/host/diagnostics.h"
#include "core/host/plugin.h"
#include "core/layers/validate.h"
#include "core/remote/isolate.h"
#include "core/remote/tests/test_plugin.h"
#include "core/text/parser.h"
#include "tools/testing/skip.h"
#include "tools/testing/temporary_folder.h"

namespace bp::remote {
namespace {

Result<Backend> load(const std::string &name, Given settings, double seconds = 0,
                     std::vector<host::Layer> layers = {}) {
  BackendOptions options;
  options.settings = std::move(settings);
  options.settings.emplace_back("ops", "negate,add,multiply");
  options.isolation = Isolation{seconds};
  options.layers = std::move(layers);
  return Backend::load(plugin(name), options);
}

// (-x + y) * c
Result<Compiled> compile(const Backend &backend) {
  return backend.compile(text::parse_module(R"(HloModule isolated
    ENTRY main { x = f32[4] parameter(0)  y = f32[4] parameter(1)  n = f32[4] negate(x)  s = f32[4] add(n, y)
      c = f32[4] constant({1, 2, 3, 4})  ROOT m = f32[4] multiply(s, c) })")
                             .value());
}

// Runs the program; returns "right", "wrong" or the error.
std::string run(const Compiled &compiled) {
  const auto result = compiled.executable.run({literal("{1, 2, 3, 4}"), literal("{10, 20, 30, 40}")});
  return !result.ok() ? result.error().to_string()
                      : (result->identical(literal("{9, 36, 81, 144}")) ? "right" : "wrong");
}

// Compiles the program and runs it; returns "right", "wrong" or the error.
std::string attempt(const Result<Backend> &backend) {
  if (!backend.ok()) {
    return backend.error().to_string();
  }
  const auto compiled = compile(*backend);
  return compiled.ok() ? run(*compiled) : compiled.error().to_string();
}

struct Case {
  std::string name;
  Given settings;
};
const std::vector<Case> &devices() {
  static const std::vector<Case> all = {{"tiny_kernels", {}},
                                        {"tiny", {}},
                                        {"tiny", {{"scratch", "100"}}},
                                        {"tiny", {{"capacity", "100000"}}},
                                        {"tiny", {{"capacity", "100000"}, {"visible", "1"}}},
                                        {"tiny", {{"queues", "1"}}},
                                        {"tiny", {{"capacity", "100000"}, {"queues", "1"}}},
                                        {"tiny", {{"take-constants", "1"}}},
                                        {"tiny", {{"take-constants", "1"}, {"capacity", "100000"}}},
                                        {"tiny", {{"take-constants", "1"}, {"capacity", "100000"}, {"queues", "1"}}}};
  return all;
}

// Returns settings with which the plugin has a fault in one function, once.
Given misbehaving(const testing::TemporaryFolder &folder, Given settings, const std::string &fault,
                  const std::string &where) {
  settings.insert(settings.end(), {{"fault", fault}, {"fault-in", where}, {"fault-once", folder / (fault + where)}});
  return settings;
}

// Returns the children of this process.
std::vector<std::string> children() {
  std::vector<std::string> found;
  for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "children");
    for (std::string child; file >> child;) {
      found.push_back(child);
    }
  }
  return found;
}

bool has_children() {
  return waitpid(-1, nullptr, WNOHANG) >= 0;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a plugin in another process computes the same") {
  for (const auto &[name, settings] : devices()) {
    INFO(name << " with " << settings.size() << " settings");
    const auto backend = load(name, settings);
    CHECK(attempt(backend) == "right");
    CHECK(has_children());
  }
  CHECK_FALSE(has_children());
}

TEST_CASE("constants that an isolated program takes are given back") {
  for (const auto &[name, settings] : devices()) {
    INFO(name << " with " << settings.size() << " settings");
    const auto backend = load(name, settings);
    const auto compiled = compile(*backend);
    REQUIRE(compiled.ok());
    const bool takes = !settings.empty() && settings[0].first == "take-constants";
    CHECK(compiled->executable.memory().constants == (takes ? 0 : 16));
  }
}

TEST_CASE("constants of programs that are gone are not left with the worker") {
  if (geteuid() != 0) {
    return testing::skip("only root sees what a restricted process has mapped");
  }
  const auto shared_mappings = [] {
    int count = 0;
    for (const std::string &child : children()) {
      std::ifstream maps("/proc/" + child + "/maps");
      for (std::string line; std::getline(maps, line);) {
        count += contains(line, "memfd:backplane") ? 1 : 0;
      }
    }
    return count;
  };
  const auto module = text::parse_module(
      "ENTRY main { x = f32[50000] parameter(0)  c = f32[50000] constant({...})  "
      "ROOT m = f32[50000] multiply(x, c) }");
  for (const char *takes : {"0", "1"}) {
    INFO("take-constants=" << takes);
    const auto backend = load("tiny", {{"take-constants", takes}});
    REQUIRE(backend.ok());
    const int before = shared_mappings();
    int loaded = 0;
    {
      const auto compiled = backend->compile(*module);
      REQUIRE(compiled.ok());
      loaded = shared_mappings();
    }
    // A constant that the program has taken is unmapped at once.
    CHECK(loaded == before + (std::string_view(takes) == "0" ? 1 : 0));
    CHECK(shared_mappings() == before);
  }
}

TEST_CASE("several threads use an isolated plugin at a time") {
  for (const auto &[name, settings] : devices()) {
    INFO(name << " with " << settings.size() << " settings");
    const auto backend = load(name, settings);
    const auto compiled = compile(*backend);
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 100; ++i) {  // new memory is mapped now and then, while others run
          right += run(*compiled) == "right" ? 1 : 0;
        }
      });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    CHECK(right == 800);
  }
}

TEST_CASE("an isolated plugin breaks no rule that it kept before") {
  for (const auto &[name, settings] : devices()) {
    INFO(name << " with " << settings.size() << " settings");
    auto violations = std::make_shared<layers::Violations>();
    CHECK(attempt(load(name, settings, 0, {layers::validate_layer(violations)})) == "right");
    for (const layers::Violation &violation : violations->all()) {
      FAIL_CHECK(violation.rule + ": " + violation.message);
    }
  }
}

TEST_CASE("a crash fails the call, and a backend that is loaded again works") {
  const testing::TemporaryFolder folder, of_kernels;
  // Before there is a program.
  for (const auto &[where, function] : {std::pair("claim", "compiler.claim"), std::pair("compile", "compiler.compile"),
                                        std::pair("load", "compiler.load")}) {
    INFO(where);
    const Given settings = misbehaving(folder, {}, "crash", where);
    const auto backend = load("tiny", settings);
    CHECK(contains(attempt(backend), "device lost: org.example.tiny crashed (SIGSEGV) in " + std::string(function) +
                                         "; load the backend again for a new device, in a new process"));
    CHECK(contains(attempt(backend), "device lost: org.example.tiny crashed (SIGSEGV) before compiler.claim; "));
    CHECK(attempt(load("tiny", settings)) == "right");
  }
  CHECK(contains(attempt(load("tiny_kernels", misbehaving(of_kernels, {}, "crash", "claim"))),
                 "org.example.tiny-kernels crashed (SIGSEGV) in kernels.find"));
  CHECK(contains(attempt(load("tiny", misbehaving(folder, {}, "crash", "init"))),
                 "init of the device: device lost: org.example.tiny crashed (SIGSEGV) in device.init"));
  CHECK_FALSE(has_children());
}

TEST_CASE("after a crash, all that needs the device says that it is lost") {
  for (const auto &[name, settings] : devices()) {
    INFO(name << " with " << settings.size() << " settings");
    const testing::TemporaryFolder folder;
    const Given crashing = misbehaving(folder, settings, "crash", "run");
    auto violations = std::make_shared<layers::Violations>();
    {
      const auto backend = load(name, crashing, 0, {layers::validate_layer(violations)});
      const auto compiled = compile(*backend);
      REQUIRE(compiled.ok());
      CHECK(contains(run(*compiled), "device lost: org.example.tiny"));
      for (int i = 0; i < 2; ++i) {
        const std::string later = run(*compiled);
        CHECK(contains(later, "device lost: org.example.tiny"));
        CHECK(contains(later, " crashed (SIGSEGV) before "));
      }
      const auto again = load(name, crashing);
      CHECK(attempt(again) == "right");
      CHECK(contains(run(*compiled), " crashed (SIGSEGV) before "));
    }
    for (const layers::Violation &violation : violations->all()) {
      FAIL_CHECK(violation.rule + ": " + violation.message);
    }
  }
  CHECK_FALSE(has_children());
}

TEST_CASE("a device that is made after a crash is in a new worker, beside the one that is lost") {
  const testing::TemporaryFolder folder;
  const auto candidate = host::find_plugin(plugin("tiny"), {});
  REQUIRE(candidate.ok());
  const auto library = host::Plugin::load(*candidate, host::AfterUse::KeepMapped, {}, isolated({}));
  REQUIRE(library.ok());
  const bp_device_factory_t *factory = (*library)->factory();
  host::HostServices services({});
  host::Diagnostics diagnostics;
  const auto make = [&](const std::vector<bp_option_t> &options) {
    return factory->create(factory, services.abi(), "org.example.tiny", 0, options.data(),
                           static_cast<std::uint32_t>(options.size()), diagnostics.abi());
  };
  const std::string mark = folder / "mark";
  const bp_device_t *lost = make({{"fault", "crash"}, {"fault-in", "init"}, {"fault-once", mark.c_str()}});
  REQUIRE(lost != nullptr);
  CHECK(lost->init(lost, diagnostics.abi()) == BP_DEVICE_LOST);
  const bp_device_t *fresh = make({});
  REQUIRE(fresh != nullptr);
  CHECK(fresh->init(fresh, diagnostics.abi()) == BP_OK);
  CHECK(lost->init(lost, diagnostics.abi()) == BP_DEVICE_LOST);
  const auto *memory = static_cast<const bp_device_memory_t *>(fresh->get_extension(fresh, BP_EXT_MEMORY));
  REQUIRE(memory != nullptr);
  bp_memory_t piece{};
  CHECK(memory->alloc(fresh, 0, 64, 64, &piece, diagnostics.abi()) == BP_OK);
  memory->release(fresh, piece.memory);
  fresh->destroy(fresh);
  lost->destroy(lost);
}

TEST_CASE("other ends of a worker are told apart") {
  const testing::TemporaryFolder folder;
  const Given memory = {{"capacity", "100000"}}, queues = {{"capacity", "100000"}, {"queues", "1"}};
  struct {
    Given settings;
    std::string fault, where, message;
  } const ends[] = {
      {{}, "exit", "run", "org.example.tiny ended the process (exit code 7) in program.run"},
      {{}, "hang", "run", "org.example.tiny was ended: it took longer than 0.5 s in program.run"},
      {{}, "hang", "compile", "org.example.tiny was ended: it took longer than 0.5 s in compiler.compile"},
      {memory, "crash", "alloc", "org.example.tiny crashed (SIGSEGV) in memory.alloc"},
      {memory, "crash", "copy", "org.example.tiny crashed (SIGSEGV) in memory.copy"},
      {queues, "crash", "submit", "org.example.tiny crashed (SIGSEGV) in queue.submit"},
      {queues, "later", "submit", "org.example.tiny crashed (SIGSEGV) in work that it had accepted by queue.submit"},
      {queues, "never", "submit",
       "org.example.tiny was ended: it took longer than 0.5 s in work that it had accepted"}};
  for (const auto &[settings, fault, where, message] : ends) {
    INFO(fault << " in " << where);
    const Given misbehaves = misbehaving(folder, settings, fault, where);
    CHECK(contains(attempt(load("tiny", misbehaves, 0.5)), message));
    CHECK(attempt(load("tiny", misbehaves, 0.5)) == "right");
  }
  CHECK_FALSE(has_children());
}

TEST_CASE("a crash is seen although a child of the plugin still has its sockets") {
  const testing::TemporaryFolder folder;
  const Given queues = {{"queues", "1"}};
  for (const auto &[settings, where, function] :
       {std::tuple(Given(), "init", "device.init"), std::tuple(Given(), "run", "program.run"),
        std::tuple(queues, "submit", "queue.submit")}) {
    INFO(where);
    const Given misbehaves = misbehaving(folder, settings, "fork", where);
    CHECK(
        contains(attempt(load("tiny", misbehaves)), "org.example.tiny crashed (SIGSEGV) in " + std::string(function)));
    CHECK(attempt(load("tiny", misbehaves)) == "right");
  }
  CHECK_FALSE(has_children());
}

TEST_CASE("a worker ends with the application although a child of that still has its sockets") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t application = fork();
  if (application == 0) {
    const auto backend = load("tiny", {});
    pid_t pids[] = {std::stoi(children().at(0)), fork()};
    while (pids[1] == 0) {
      pause();
    }
    _exit(write(ends[1], pids, sizeof(pids)) == sizeof(pids) ? 0 : 1);
  }
  pid_t worker_and_child[2] = {};
  REQUIRE(read(ends[0], worker_and_child, sizeof(worker_and_child)) == sizeof(worker_and_child));
  CHECK(waitpid(application, nullptr, 0) == application);
  const auto is_running = [&] {
    std::ifstream file(fmt::format("/proc/{}/stat", worker_and_child[0]));
    std::string stat;
    return std::getline(file, stat) && !contains(stat, ") Z ");
  };
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (is_running() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK_FALSE(is_running());
  kill(worker_and_child[1], SIGKILL);
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("a crash that no call reports is logged") {
  const std::tuple<const char *, const char *, const char *> crashes[] = {
      {"crash", "destroy", "in device.destroy"},
      {"crash", "program-destroy", "in program.destroy"},
      {"crash", "release", "in memory.release"},
      {"later", "load", "before program.destroy"}};  // while no call is in progress
  for (const auto &[fault, where, when] : crashes) {
    INFO(fault << " in " << where);
    const testing::TemporaryFolder folder;
    std::vector<std::string> logged;
    BackendOptions options;
    options.settings = misbehaving(folder, {{"ops", "add"}, {"capacity", "100000"}}, fault, where);
    options.isolation = Isolation{};
    options.log = [&](std::uint32_t, std::string_view message) { logged.emplace_back(message); };
    {
      const auto backend = Backend::load(plugin("tiny"), options);
      REQUIRE(backend.ok());
      const auto compiled = backend->compile(text::parse_module(R"(ENTRY e { x = f32[4] parameter(0)
        c = f32[4] constant({1, 2, 3, 4})  ROOT a = f32[4] add(x, c) })")
                                                 .value());
      REQUIRE(compiled.ok());
      std::this_thread::sleep_for(std::chrono::milliseconds(fault == std::string("later") ? 200 : 0));
    }
    REQUIRE(logged.size() == 1);
    CHECK(logged[0].starts_with("org.example.tiny crashed (SIGSEGV) " + std::string(when) + "; "));
  }
}

TEST_CASE("garbage on the worker's sockets is not taken for an answer") {
  const testing::TemporaryFolder folder;
  for (const char *where : {"claim", "run"}) {
    const Given misbehaves = misbehaving(folder, {}, "garbage", where);
    CHECK(attempt(load("tiny", misbehaves, 2)) != "wrong");  // the answer may have come after all
    CHECK(attempt(load("tiny", misbehaves, 2)) == "right");
  }
}

TEST_CASE("a backend that always crashes fails each time, and the application goes on") {
  for (int i = 0; i < 3; ++i) {
    const auto backend = load("tiny", {{"fault", "crash"}, {"fault-in", "run"}});
    const auto compiled = compile(*backend);
    CHECK(contains(run(*compiled), "crashed (SIGSEGV) in program.run"));
    const auto later = compiled->executable.run({literal("{1, 2, 3, 4}"), literal("{10, 20, 30, 40}")});
    CHECK(later.error().code() == ErrorCode::DeviceLost);
  }
}

TEST_CASE("what a plugin throws in its process is an error here") {
  BackendOptions options;
  options.isolation = Isolation{};
  const auto backend = Backend::load(plugin("throwing"), options);
  REQUIRE(backend.ok());
  const auto compiled = compile(*backend);
  REQUIRE_FALSE(compiled.ok());
  CHECK(contains(compiled.error().to_string(), "threw an exception: the library of kernels is not there"));
}

TEST_CASE("an isolated plugin cannot reach the application") {
  if (BP_SANITIZES_MEMORY) {
    return testing::skip("sanitizers trace their own process, which is then not restricted");
  }
  for (const char *where : {"init", "claim", "compile", "load", "run", "destroy"}) {
    INFO(where);
    CHECK(attempt(load("tiny", {{"fault", "trespass"}, {"fault-in", where}})) == "right");
  }
}

namespace {

// Takes seccomp filters from this process and its children, as an old system or another sandbox does.
void lose_seccomp() {
  sock_filter program[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter{std::size(program), program};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

}  // namespace

TEST_CASE("where a worker cannot be restricted there is one warning, or an error") {
  if (BP_SANITIZES_MEMORY) {
    return testing::skip("sanitizers trace their own process, which is then not restricted");
  }
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    lose_seccomp();
    std::string said;
    BackendOptions options;
    options.settings = {{"ops", "negate,add,multiply"}};
    options.isolation = Isolation{};
    options.log = [&](std::uint32_t severity, std::string_view message) {
      said += severity == BP_LOG_WARNING ? message : "";
    };
    for (int i = 0; i < 2; ++i) {
      said += attempt(Backend::load(plugin("tiny"), options)) + "; ";
    }
    options.isolation->is_strict = true;
    said += attempt(Backend::load(plugin("tiny"), options));
    const bool is_written = write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
    _exit(is_written ? 0 : 1);
  }
  close(ends[1]);
  std::string said(10000, '\0');
  const ssize_t size = read(ends[0], said.data(), said.size());
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  said.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  const std::string missing = "the system has no seccomp filters (Function not implemented)";
  CHECK_THAT(said, Catch::StartsWith("isolated backends can do all that the user can: " + missing +
                                     "; --isolate-strict refuses to run themright; right; "));
  CHECK_THAT(said, Catch::Contains(
                       "the worker process cannot be restricted, expected that it can (--isolate-strict): " + missing));
}

TEST_CASE("a backend gets as many threads as were asked for, in its own process too") {
  const std::string good =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "core/host/tests/plugins/libbackplane_good.so";
  for (const bool is_isolated : {false, true}) {
    for (const std::uint32_t count : {1u, 3u, 5u}) {
      std::promise<std::string> logged;  // by the device, while it is made; a worker's messages may come later
      BackendOptions options;
      options.settings = {{"speed", "high"}};
      options.thread_count = count;
      options.isolation = is_isolated ? std::optional(Isolation{}) : std::nullopt;
      options.log = [&](std::uint32_t severity, std::string_view message) {
        if (severity == BP_LOG_INFO) {
          logged.set_value(std::string(message));
        }
      };
      const Result<Backend> backend = Backend::load(good, options);
      REQUIRE(backend.ok());
      std::future<std::string> message = logged.get_future();
      REQUIRE(message.wait_for(std::chrono::seconds(60)) == std::future_status::ready);
      CHECK(message.get() == fmt::format("threads: {}", count));
    }
  }
  BackendOptions many;
  many.thread_count = 1025;
  CHECK(Backend::load(good, many).error().message() == "the backend has 1025 threads, expected at most 1024");
}

TEST_CASE("memory of an isolated backend may be limited") {
  BackendOptions options;
  options.settings = {{"ops", "negate,add,multiply"}};
  if (!BP_SANITIZES_MEMORY) {
    options.isolation = Isolation{0, std::int64_t{16} << 20};  // less than it takes to load anything
    CHECK_FALSE(Backend::load(plugin("tiny"), options).ok());
  }
  options.isolation = Isolation{0, std::int64_t{16} << 30};
  CHECK(attempt(Backend::load(plugin("tiny"), options)) == "right");
}

}  // namespace bp::remote
