// The runtime part without a GPU: its calls of the driver, and its behaviour when the driver fails. The driver is
// tests/driver, which checks every call.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "core/backplane.h"
#include "core/host/diagnostics.h"
#include "core/host/open_device.h"
#include "core/host/plugin.h"
#include "core/interpreter/random_inputs.h"
#include "core/runtime/program.h"
#include "core/text/parser.h"
#include "plugins/nvptx/tests/with_driver.h"
#include "tools/testing/source_tree.h"
#include "tools/testing/temporary_folder.h"

namespace bp::nvptx::tests {
namespace {

// Launches, copies on the device and to the host, also large ones, and so many branches that the host asks for the
// selected one.
Module some_program() {
  return text::parse_module(R"(HloModule some
    minus { x = f32[64] parameter(0)  ROOT n = f32[64] negate(x) }
    square { x = f32[64] parameter(0)  ROOT n = f32[64] multiply(x, x) }
    ENTRY main {
      x = f32[64] parameter(0)
      y = f32[64] parameter(1)
      z = f32[70000] parameter(3)
      which = s32[] parameter(2)
      e = f32[64] exponential(x)
      c = f32[64] conditional(which, e, y, e, y, e, y, e, y, e, y, e, y, e, y, e, y), branch_computations={minus, square,
        minus, square, minus, square, minus, square, minus, square, minus, square, minus, square, minus, square}
      b = f32[32] slice(c), slice={[0:32]}
      ROOT r = (f32[64], f32[64], f32[32], f32[70000]) tuple(c, y, b, z)
    })")
      .value();
}

Status compile_and_run(const Backend &backend) {
  const Module module = some_program();
  CompileOptions options;
  options.device_only = true;
  options.fold_constants = false;
  BP_ASSIGN(const Compiled compiled, backend.compile(module, options));
  static const std::vector<Literal> arguments = interpreter::random_arguments(module, 3).value();
  BP_ASSIGN(const Literal result, compiled.executable.run(arguments));
  // Values that no kernel computes arrive without kernels, too.
  CHECK(result.tuple_elements()[1].identical(arguments[1]));
  CHECK(result.tuple_elements()[3].identical(arguments[3]));
  std::vector<runtime::Execution> executions;  // at the same time
  for (int i = 0; i < 2; ++i) {
    executions.push_back(runtime::Execution::prepare(compiled.executable.program()));
    BP_TRY(executions.back().allocate());
  }
  for (runtime::Execution &execution : executions) {
    BP_TRY(execution.start());
  }
  std::vector<Status> ends;
  for (runtime::Execution &execution : executions) {
    ends.push_back(execution.finish());
  }
  BP_TRY(std::move(ends[0]));
  return std::move(ends[1]);
}

// The whole life of a device; what went wrong, or "".
std::string life(const std::string &driver = TestDriver::path(), const Settings &settings = {}) {
  std::string warnings;
  const auto backend = open_with_driver(settings, driver, &warnings);
  if (!backend.ok()) {
    return backend.error().message();
  }
  const Status status = compile_and_run(*backend);
  return status.ok() ? "" : status.error().message();
}

// The status of a call, and its first message.
struct Outcome {
  bp_status status;
  std::string message;
};
Outcome allocate(const host::Device &device, std::uint64_t size, bp_memory_t &piece) {
  host::Diagnostics diagnostics;
  const bp_status status = diagnostics.call(
      [&](const bp_diag_t *diag) { return device.memory()->alloc(device.abi(), 0, size, 64, &piece, diag); });
  return {status, diagnostics.reports().empty() ? "" : diagnostics.reports()[0].message};
}
Outcome copy(const host::Device &device, bp_loc_t to, bp_loc_t from, std::uint64_t size) {
  host::Diagnostics diagnostics;
  const bp_status status = diagnostics.call(
      [&](const bp_diag_t *diag) { return device.memory()->copy(device.abi(), to, from, size, diag); });
  return {status, diagnostics.reports().empty() ? "" : diagnostics.reports()[0].message};
}
bp_loc_t on_host(const void *data) {
  return {0, reinterpret_cast<std::uint64_t>(data)};
}

}  // namespace

TEST_CASE("a program goes through the driver, and everything is given back") {
  const TestDriver driver;
  CHECK(life() == "");
  CHECK(driver.problems() == "");
  CHECK(driver.calls_of("cuLaunchKernel") >= 4);
  CHECK(driver.calls_of("cuModuleLoadDataEx") == 1);
}

TEST_CASE("threads run a program at the same time") {
  const TestDriver driver;
  {
    const auto backend = open_with_driver();
    REQUIRE(backend.ok());
    const Module module = some_program();
    CompileOptions options;
    options.device_only = true;
    const auto compiled = backend->compile(module, options);
    REQUIRE(compiled.ok());
    const std::vector<Literal> arguments = interpreter::random_arguments(module, 3).value();
    std::vector<std::thread> threads;
    std::atomic<int> failures = 0;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) {
          failures += compiled->executable.run(arguments).ok() ? 0 : 1;
        }
      });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    CHECK(failures == 0);
  }
  CHECK(driver.calls_of("cuStreamWaitEvent") > 0);  // between the queues, rather than on the host
  CHECK(driver.problems() == "");
}

TEST_CASE("code of many kernels is loaded in parts, by several threads") {
  const Module module = text::parse_module(many_kernels()).value();
  const auto run = [&](const std::string &of_driver, const Settings &settings, int &loaded) {
    const TestDriver driver(of_driver);
    Status status;
    {
      const auto backend = open_with_driver(settings);
      REQUIRE(backend.ok());
      const auto live = [&]() -> Status {
        BP_ASSIGN(const Compiled compiled, backend->compile(module, whole()));
        BP_ASSIGN(const Literal result, compiled.executable.run(interpreter::random_arguments(module, 3).value()));
        return {};
      };
      status = live();
    }
    CHECK(driver.problems() == "");
    loaded = driver.calls_of("cuModuleLoadDataEx");
    return status.ok() ? "" : status.error().message();
  };
  int parts = 0, tried = 0;
  CHECK(run("", {}, parts) == "");
  CHECK(parts > 1);
  for (int call = 1; call <= parts; ++call) {
    const std::string message = run("fail=cuModuleLoadDataEx:" + std::to_string(call) + ":218", {}, tried);
    CHECK(contains(message, "nvptx: loading kernels: a PTX JIT compilation failed (218)"));
  }
  // Each part is an entry of the cache.
  const testing::TemporaryFolder folder;
  const Settings cached = {{"cache-dir", folder.path()}};
  CHECK(run("", cached, tried) == "");
  const auto entries = std::filesystem::directory_iterator(folder.path());
  CHECK(std::distance(begin(entries), end(entries)) == parts);
}

TEST_CASE("kernels of warpgroups request what they need from the driver") {
  // Enough for a graph.
  const Module module = text::parse_module(R"(HloModule large
    ENTRY main {
      x = bf16[1024,64] parameter(0)
      y = bf16[64,1024] parameter(1)
      a = bf16[1024,1024] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      b = bf16[1024,64] dot(a, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}
      c = bf16[1024,1024] dot(b, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      d = bf16[1024,64] dot(c, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}
      ROOT e = bf16[1024,1024] dot(d, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    })")
                            .value();
  struct Calls {
    int of_attributes = 0, of_maps = 0, of_graphs = 0;
  } calls;
  const auto run = [&](const std::string &of_driver) {
    const TestDriver driver(of_driver);
    Status status;
    {
      const auto backend = open_with_driver();
      REQUIRE(backend.ok());
      const auto live = [&]() -> Status {
        BP_ASSIGN(const Compiled compiled, backend->compile(module, whole()));
        const std::vector<Literal> arguments = interpreter::random_arguments(module, 3).value();
        for (int i = 0; i < 3; ++i) {
          BP_ASSIGN(const Literal result, compiled.executable.run(arguments));
        }
        return {};
      };
      status = live();
    }
    CHECK(driver.problems() == "");
    calls = {driver.calls_of("cuFuncSetAttribute"), driver.calls_of("cuTensorMapEncodeTiled"),
             driver.calls_of("cuGraphLaunch")};
    return status.ok() ? "" : status.error().message();
  };
  CHECK(run("capability=90") == "");
  CHECK(calls.of_attributes >= 1);
  CHECK(calls.of_attributes <= 3);  // once when it is loaded, not for each launch
  CHECK(calls.of_maps >= 3 * 2);
  CHECK(calls.of_graphs > 0);
  const Calls all = calls;
  CHECK(run("capability=80") == "");
  CHECK(calls.of_attributes + calls.of_maps == 0);
  CHECK(contains(run("capability=90 fail=cuFuncSetAttribute:1:1"),
                 "nvptx: allowing a kernel its shared memory: invalid argument (1)"));
  const auto run_without_map = [&](int call) {
    return run("capability=90 fail=cuTensorMapEncodeTiled:" + std::to_string(call) + ":1");
  };
  CHECK(contains(run_without_map(1), "nvptx: starting a kernel: invalid argument (1)"));
  CHECK(run_without_map(all.of_maps) == "");  // of a graph, which is done without
  CHECK(calls.of_graphs < all.of_graphs);
}

TEST_CASE("memory is where it is, and runs out") {
  const std::string pools = GENERATE("pools=0", "pools=1");
  const TestDriver driver("memory=100000 " + pools);
  {
    const auto backend = open_with_driver();
    REQUIRE(backend.ok());
    const host::Device &device = *backend->device();
    CHECK(device.memory()->spaces[0].capacity == 100000);
    bp_memory_t piece{}, other{};
    REQUIRE(allocate(device, 60000, piece).status == BP_OK);
    const Outcome refused = allocate(device, 60000, other);
    CHECK(refused.status == BP_NO_MEMORY);
    CHECK(refused.message ==
          "nvptx: allocating 60000 bytes: out of memory (2); nvidia-smi shows who uses the GPU's memory");
    CHECK(other.memory == 0);
    REQUIRE(allocate(device, 40000, other).status == BP_OK);
    std::vector<char> sent(1000), received(1000);
    std::ranges::generate(sent, [n = 0]() mutable { return static_cast<char>(n += 7); });
    CHECK(copy(device, {piece.memory, 59000}, on_host(sent.data()), 1000).status == BP_OK);
    CHECK(copy(device, {other.memory, 100}, {piece.memory, 59000}, 1000).status == BP_OK);
    // Complete on return, so that other threads see it.
    std::thread([&] { copy(device, on_host(received.data()), {other.memory, 100}, 1000); }).join();
    CHECK(sent == received);
    device.memory()->release(device.abi(), other.memory);
    std::thread([&] { device.memory()->release(device.abi(), piece.memory); }).join();  // on another stream
    // The memory that the pool keeps does not stand in the way of others.
    REQUIRE(allocate(device, 90000, other).status == BP_OK);
    device.memory()->release(device.abi(), other.memory);
    CHECK((driver.calls_of("cuMemAlloc_v2") == 0) == (pools == "pools=1"));
  }
  CHECK(driver.problems() == "");
}

TEST_CASE("large copies go by pinned buffers, and arrive") {
  const TestDriver driver;
  {
    const auto backend = open_with_driver();
    REQUIRE(backend.ok());
    const host::Device &device = *backend->device();
    bp_memory_t piece{};
    REQUIRE(allocate(device, 30 << 20, piece).status == BP_OK);
    std::uint32_t state = 1;
    for (const std::size_t size : {100, 256 << 10, 4 << 20, (4 << 20) + 1, 8 << 20, (21 << 20) + 12345}) {
      INFO(size);
      std::vector<char> sent(size), received(size);
      std::ranges::generate(sent, [&] { return static_cast<char>((state = state * 1664525 + 1013904223) >> 24); });
      CHECK(copy(device, {piece.memory, 3}, on_host(sent.data()), size).status == BP_OK);
      CHECK(copy(device, on_host(received.data()), {piece.memory, 3}, size).status == BP_OK);
      CHECK(sent == received);
    }
    CHECK(driver.calls_of("cuMemHostAlloc") == 2);
    // In two threads, of which one finds the buffers in use.
    std::vector<std::thread> threads;
    std::atomic<int> failures = 0;
    for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{15} << 20}) {
      threads.emplace_back([&, offset] {
        std::vector<char> sent(13 << 20, static_cast<char>(offset >> 20)), received(sent.size());
        for (int i = 0; i < 5; ++i) {
          failures += copy(device, {piece.memory, offset}, on_host(sent.data()), sent.size()).status != BP_OK;
          failures += copy(device, on_host(received.data()), {piece.memory, offset}, sent.size()).status != BP_OK;
          failures += sent != received;
        }
      });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    CHECK(failures == 0);
    device.memory()->release(device.abi(), piece.memory);
  }
  CHECK(driver.problems() == "");
}

// Commands of a queue, submitted one by one or all at once.
class Submissions {
 public:
  Submissions(const host::Device &device, std::uint32_t queue)
      : device_(device), queue_(queue), timeline_(device.timelines().create()) {}
  ~Submissions() { device_.timelines().destroy(timeline_); }
  Submissions(const Submissions &) = delete;
  Submissions &operator=(const Submissions &) = delete;

  Outcome submit(const std::vector<bp_command_t> &commands) {
    host::Diagnostics diagnostics;
    const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
      return device_.queue()->submit(device_.abi(), queue_, commands.data(),
                                     static_cast<std::uint32_t>(commands.size()), {timeline_, count_ + 1}, diag);
    });
    count_ += status == BP_OK ? 1 : 0;
    return {status, diagnostics.reports().empty() ? "" : diagnostics.reports()[0].message};
  }
  void wait_for(const Submissions &other) {
    host::Diagnostics diagnostics;
    CHECK(diagnostics.call([&](const bp_diag_t *diag) {
      return device_.native_sync()->wait(device_.abi(), queue_, {other.timeline_, other.count_}, diag);
    }) == BP_OK);
  }
  // The outcome of the last accepted submission.
  Outcome wait() const {
    const auto signal = device_.timelines().wait({timeline_, count_});
    return {signal->status, signal->message};
  }

 private:
  const host::Device &device_;
  std::uint32_t queue_;
  std::uint64_t timeline_, count_ = 0;
};

bp_command_t copy_command(bp_loc_t to, bp_loc_t from, std::uint64_t size) {
  bp_command_t command{};
  command.kind = BP_COMMAND_COPY;
  command.to = to;
  command.from = from;
  command.size = size;
  return command;
}
bp_command_t fill_command(bp_loc_t to, std::uint64_t size, std::uint32_t pattern_size) {
  bp_command_t command{};
  command.kind = BP_COMMAND_FILL;
  command.to = to;
  command.size = size;
  command.pattern_size = pattern_size;
  command.pattern = 0x0807060504030201;
  return command;
}

TEST_CASE("a run that has begun fails in another way than for lack of memory") {
  const Module module = text::parse_module(R"(HloModule two_kernels
    ENTRY main {
      x = f32[64] parameter(0)
      t = f32[64,64] dot(x, x), lhs_contracting_dims={}, rhs_contracting_dims={}
      ROOT r = f32[64] dot(t, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    })")
                            .value();
  for (const int call : {1, 2}) {
    const TestDriver driver("fail=cuLaunchKernel:" + std::to_string(call) + ":2");
    {
      const auto backend = open_with_driver();
      REQUIRE(backend.ok());
      const auto compiled = backend->compile(module, whole());
      REQUIRE(compiled.ok());
      const auto result = compiled->executable.run(interpreter::random_arguments(module, 3).value());
      REQUIRE(!result.ok());
      INFO(result.error().to_string());
      CHECK((result.error().code() == ErrorCode::OutOfMemory) == (call == 1));
      CHECK(contains(result.error().message(), "nvptx: starting a kernel: out of memory (2)"));
    }
    CHECK(driver.problems() == "");
  }
}

TEST_CASE("the pool releases its memory where code cannot be loaded otherwise") {
  const std::string function = GENERATE("cuModuleLoadDataEx", "cuFuncLoad");
  const TestDriver driver("fail=" + function + ":1:2");
  CHECK(life() == "");
  CHECK(driver.calls_of("cuModuleLoadDataEx") == 2);
  CHECK(driver.calls_of("cuMemPoolTrimTo") == 1);
  CHECK(driver.problems() == "");
}

TEST_CASE("a device without memory pools is used without one, and the log says so") {
  const std::string function = GENERATE("cuMemPoolCreate", "cuMemPoolSetAttribute");
  const TestDriver driver("fail=" + function + ":1:801");
  std::string warnings;
  {
    const auto backend = open_with_driver({}, TestDriver::path(), &warnings);
    REQUIRE(backend.ok());
    CHECK(compile_and_run(*backend).ok());
  }
  CHECK(contains(warnings, "nvptx: making a pool of memory: an error (801)"));
  CHECK((driver.calls_of("cuMemAlloc_v2") > 0) == (function == "cuMemPoolCreate"));
  CHECK(driver.problems() == "");
}

TEST_CASE("large copies do without pinned memory where there is none") {
  const std::string why = GENERATE("2", "304");
  const TestDriver driver("fail=cuMemHostAlloc:1:" + why);
  {
    const auto backend = open_with_driver();
    REQUIRE(backend.ok());
    const host::Device &device = *backend->device();
    bp_memory_t piece{};
    std::vector<char> sent(300000, 'x'), received(sent.size());
    REQUIRE(allocate(device, sent.size(), piece).status == BP_OK);
    CHECK(copy(device, {piece.memory, 0}, on_host(sent.data()), sent.size()).status == BP_OK);
    CHECK(driver.calls_of("cuMemHostAlloc") == 1);
    CHECK(copy(device, on_host(received.data()), {piece.memory, 0}, sent.size()).status == BP_OK);
    const bool arrived = sent == received;
    CHECK(arrived);
    device.memory()->release(device.abi(), piece.memory);
  }
  CHECK(driver.problems() == "");
}

// CUDA's limit is 544 before PTX 8.1, for which code for sm_80 is made, and 4095 from there on.
TEST_CASE("an instruction with more operands than a kernel has parameters is left to the host") {
  const auto joined = [](int operands) {
    std::string text = "HloModule joined ENTRY main {", values;
    for (int i = 0; i < operands; ++i) {
      const std::string number = std::to_string(i);
      text += " x" + number + " = f32[3] parameter(" + number + ")";
      values += (i == 0 ? "x" : ", x") + number;
    }
    return text::parse_module(text + " ROOT r = f32[" + std::to_string(3 * operands) + "] concatenate(" + values +
                              "), dimensions={0} }")
        .value();
  };
  const auto run = [&](int operands, const Settings &settings, bool device_only) {
    const TestDriver driver;
    std::string message;
    {
      const auto backend = open_with_driver(settings);
      REQUIRE(backend.ok());
      CompileOptions options;
      options.device_only = device_only;
      const auto compiled = backend->compile(joined(operands), options);
      message = compiled.ok() ? "" : compiled.error().to_string();
      if (compiled.ok() && !device_only) {
        const std::vector<Literal> arguments = interpreter::random_arguments(joined(operands), 3).value();
        const auto result = compiled->executable.run(arguments);
        REQUIRE(result.ok());
        CHECK(result->identical(interpreter::interpret(joined(operands), arguments).value()));
      }
    }
    CHECK(driver.problems() == "");
    return message;
  };
  CHECK(run(541, {{"target", "sm_80"}}, true) == "");
  CHECK(contains(run(542, {{"target", "sm_80"}}, true),
                 "needs a kernel of 545 parameters, expected at most 544 for sm_80"));
  CHECK(run(542, {{"target", "sm_80"}}, false) == "");
  CHECK(run(542, {{"target", "sm_90"}}, true) == "");
}

TEST_CASE("commands of a queue are executed in order") {
  const bool is_emulated = GENERATE(false, true);
  const TestDriver driver;
  {
    const auto backend = open_with_driver({{"emulate", is_emulated ? "1" : "0"}});
    REQUIRE(backend.ok());
    const host::Device &device = *backend->device();
    bp_memory_t piece{};
    REQUIRE(allocate(device, 200000, piece).status == BP_OK);
    const bp_loc_t low{piece.memory, 8}, high{piece.memory, 100008};
    for (const std::uint32_t pattern_size : {1, 2, 4, 8}) {
      for (const std::uint64_t size : {0, 1, 7, 4095, 4096, 4097, 70001}) {
        INFO(pattern_size << " " << size);
        Submissions copies(device, 0);
        std::vector<char> out(size + 1, 'z'), expected(size + 1, 'z'), zeros(size + 1, 'z');
        for (std::uint64_t i = 0; i < size; ++i) {
          expected[i] = static_cast<char>(i % pattern_size + 1);
        }
        CHECK(copies.submit({copy_command(high, on_host(zeros.data()), size + 1)}).status == BP_OK);
        CHECK(copies.submit({fill_command(low, size, pattern_size), copy_command(high, low, size)}).status == BP_OK);
        CHECK(copies.submit({copy_command(on_host(out.data()), high, size + 1)}).status == BP_OK);
        CHECK(copies.wait().status == BP_OK);
        CHECK(out == expected);
      }
    }
    std::vector<char> on_the_host(100, 'z'), copied(100);
    Submissions copies(device, 0), runs(device, 1), nowhere(device, 2);
    CHECK(copies
              .submit({fill_command(on_host(on_the_host.data()), 99, 1),
                       copy_command(on_host(copied.data()), on_host(on_the_host.data()), 100)})
              .status == BP_OK);
    CHECK(copies.wait().status == BP_OK);
    CHECK(copied == std::vector<char>(on_the_host));
    CHECK(std::ranges::count(copied, 1) == 99);

    CHECK(runs.submit({copy_command(high, low, 1)}).message == "nvptx: this queue does not take commands of kind 2");
    CHECK(nowhere.submit({copy_command(high, low, 1)}).message == "nvptx: there is no queue 2, expected one below 2");
    CHECK(copies.submit({fill_command(low, 10, 3)}).status == BP_OK);
    const Outcome wrong = copies.wait();
    CHECK(wrong.status == BP_INVALID);
    CHECK(wrong.message == "nvptx: a pattern of 3 bytes, expected 1, 2, 4 or 8");
    device.memory()->release(device.abi(), piece.memory);
  }
  CHECK(driver.problems() == "");
}

TEST_CASE("a submission that waits for one that fails, fails with the same status") {
  const bool is_emulated = GENERATE(false, true);
  const TestDriver driver;
  {
    const auto backend = open_with_driver({{"emulate", is_emulated ? "1" : "0"}});
    REQUIRE(backend.ok());
    const host::Device &device = *backend->device();
    for (const int round : {0, 1}) {  // in flight, and over long ago
      Submissions copies(device, 0), runs(device, 1), others(device, 1);
      bp_command_t wrong{};
      wrong.kind = BP_COMMAND_FILL;
      wrong.pattern_size = 3;
      CHECK(copies.submit({wrong}).status == BP_OK);
      if (round == 1) {
        copies.wait();
      }
      runs.wait_for(copies);
      CHECK(runs.submit({}).status == BP_OK);
      CHECK(others.submit({}).status == BP_OK);
      CHECK(runs.wait().status == BP_INVALID);
      CHECK(runs.wait().message == copies.wait().message);
      CHECK(others.wait().status == BP_OK);
    }
  }
  CHECK(driver.problems() == "");
}

TEST_CASE("a queue of a GPU that is lost takes nothing more, and signals what it took") {
  const TestDriver driver("fail=cuEventSynchronize:2:719");
  {
    const auto backend = open_with_driver();
    REQUIRE(backend.ok());
    const host::Device &device = *backend->device();
    bp_memory_t piece{};
    REQUIRE(allocate(device, 1000, piece).status == BP_OK);
    Submissions copies(device, 0);
    CHECK(copies.submit({copy_command({piece.memory, 0}, {piece.memory, 500}, 100)}).status == BP_OK);
    CHECK(copies.wait().status == BP_OK);
    CHECK(copies.submit({copy_command({piece.memory, 0}, {piece.memory, 500}, 100)}).status == BP_OK);
    const Outcome lost = copies.wait();
    CHECK(lost.status == BP_DEVICE_LOST);
    CHECK(contains(lost.message, "nvptx: running: "));
    const Outcome refused = copies.submit({copy_command({piece.memory, 0}, {piece.memory, 500}, 100)});
    CHECK(refused.status == BP_DEVICE_LOST);
    CHECK(contains(refused.message, "nvptx: an earlier command: "));
    device.memory()->release(device.abi(), piece.memory);
  }
  CHECK(driver.problems() == "");
}

TEST_CASE("a GPU that is lost stays lost, and gives back what it had") {
  const std::string why = GENERATE("700", "810", "999");
  const TestDriver driver("fail=cuMemcpyHtoDAsync_v2:1:" + why);
  {
    const auto backend = open_with_driver();
    REQUIRE(backend.ok());
    const host::Device &device = *backend->device();
    bp_memory_t piece{}, other{};
    REQUIRE(allocate(device, 1000, piece).status == BP_OK);
    const char byte = 0;
    const Outcome lost = copy(device, {piece.memory, 0}, on_host(&byte), 1);
    CHECK(lost.status == BP_DEVICE_LOST);
    CHECK(lost.message == "nvptx: copying to the GPU: " +
                              std::string(why == "700" ? "an illegal memory access was encountered" : "an error") +
                              " (" + why + "); the GPU is lost to this process, which has to be started again");
    CHECK(copy(device, {piece.memory, 0}, on_host(&byte), 1).status == BP_DEVICE_LOST);
    CHECK(allocate(device, 1000, other).status == BP_DEVICE_LOST);
    CHECK(driver.calls_of("cuMemcpyHtoDAsync_v2") == 1);
    device.memory()->release(device.abi(), piece.memory);
  }
  CHECK(driver.problems() == "");
}

TEST_CASE("machine code is kept in a folder, and made again if it is not what it should be") {
  const testing::TemporaryFolder folder;
  const std::string cache = folder / "a/new/folder";
  // How often the driver's compiler was asked.
  const auto compiled = [&](const std::string &of_driver) {
    const TestDriver driver(of_driver);
    CHECK(life(TestDriver::path(), {{"target", "sm_80"}, {"cache-dir", cache}}) == "");
    CHECK(driver.problems() == "");
    CHECK(driver.calls_of("cuModuleLoadDataEx") == 1);
    return driver.calls_of("cuLinkComplete");
  };
  const auto entries = [&] {
    std::vector<std::string> files;
    for (const auto &entry : std::filesystem::directory_iterator(cache)) {
      files.push_back(entry.path().string());
    }
    return files;
  };
  CHECK(compiled("") == 1);
  CHECK(compiled("") == 0);
  REQUIRE(entries().size() == 1);
  const std::string file = entries()[0];
  const std::string whole = testing::read_file(file);
  std::string other_code = whole, other_key = whole, other_format = whole;
  other_code.back() ^= 1;
  other_key[10] ^= 1;
  other_format[7] = '0';
  for (const std::string &damaged : {std::string(), whole.substr(0, 50), whole.substr(0, whole.size() - 1), whole + "x",
                                     other_code, other_key, other_format}) {
    testing::write_file(file, damaged);
    CHECK(compiled("") == 1);
    CHECK(testing::read_file(file) == whole);
  }
  CHECK(compiled("version=12080") == 1);
  CHECK(compiled("capability=86") == 1);
  CHECK(entries().size() == 3);
  CHECK(compiled("") == 0);
  // The path is that of a file, not of a folder.
  const auto refused = open_with_driver({{"cache-dir", file}});
  REQUIRE(!refused.ok());
  CHECK(contains(refused.error().to_string(), "cache-dir " + file + " cannot be made: "));
}

TEST_CASE("where PTX is not linked it is loaded, and nothing is kept") {
  const std::string function = GENERATE("cuLinkCreate_v2", "cuLinkAddData_v2", "cuLinkComplete");
  const testing::TemporaryFolder folder;
  const TestDriver driver("fail=" + function + ":1:209");
  CHECK(life(TestDriver::path(), {{"cache-dir", folder.path()}}) == "");
  CHECK(driver.calls_of("cuModuleLoadDataEx") == 1);
  CHECK(std::filesystem::is_empty(folder.path()));
  CHECK(driver.problems() == "");
}

// Every call of a life, one life for each.
TEST_CASE("a failure of any call is reported, and everything is released") {
  const bool has_cache = GENERATE(false, true);
  const testing::TemporaryFolder folder;
  const Settings settings = has_cache ? Settings{{"cache-dir", folder.path()}} : Settings();
  const auto keeps_plugin_loaded = open_with_driver({{"emulate", "1"}});
  REQUIRE(keeps_plugin_loaded.ok());
  std::vector<std::pair<std::string, int>> calls;
  {
    const TestDriver driver;
    REQUIRE(life(TestDriver::path(), settings) == "");
    calls = driver.calls();
  }
  if (has_cache) {  // the others were there without it
    std::erase_if(calls, [](const auto &one) { return !contains(one.first, "cuLink"); });
  }
  REQUIRE(calls.size() >= (has_cache ? 4 : 25));
  for (const auto &[function, count] : calls) {
    const bool gives_back = contains(function, "Free") || contains(function, "Unload") ||
                            contains(function, "Release") || contains(function, "Destroy") || contains(function, "Pop");
    for (int call = 1; call <= count; ++call) {
      for (const int result : {contains(function, "Alloc") ? 2 : 1, 700}) {
        const TestDriver driver("fail=" + function + ":" + std::to_string(call) + ":" + std::to_string(result));
        std::filesystem::remove_all(folder.path());
        const std::string message = life(TestDriver::path(), settings);
        INFO(function << ", call " << call << " of " << count << ", fails with " << result << "\n" << message);
        CHECK(driver.problems() == "");
        if (driver.calls_of(function) < call) {  // two threads may have been faster than one this time
          CHECK(message == "");
        } else if (gives_back && result != 700) {
          CHECK(message == "");
        } else if (!message.empty()) {
          CHECK(contains(message, "nvptx: "));
          CHECK(contains(message, "(" + std::to_string(result) + ")"));
          CHECK(contains(message, "; nvidia-smi") + contains(message, "; the GPU is lost") == 1);
        } else {
          // The call was only for a fact, for memory or a compiler that the device can do without, for memory that is
          // there at the second try, or for releasing everything.
          const bool has_another_way =
              result != 700 && (contains(function, "cuMemPool") || contains(function, "cuLink") ||
                                function == "cuMemAllocFromPoolAsync" || function == "cuMemHostAlloc");
          CHECK((function == "cuDeviceGetAttribute" || function == "cuCtxPushCurrent_v2" || has_another_way ||
                 gives_back));
        }
      }
    }
  }
}

TEST_CASE("a driver that is not there, or that cannot be used") {
  const auto says = [](const std::string &message, std::string_view part) {
    INFO(message);
    CHECK(contains(message, part));
    CHECK(contains(message, "--set "));  // what to do
  };
  {
    const TestDriver driver;
    says(life("/nowhere/libcuda.so.1"), "there is no NVIDIA driver: /nowhere/libcuda.so.1: cannot open shared object");
    says(life(beside_the_test("libincomplete_driver.so")),
         "libincomplete_driver.so has no function cuInit, which an NVIDIA driver has, expected one for CUDA 11.2 or "
         "later");
    says(life("libm.so.6"), "libm.so.6 has no function cuDriverGetVersion, expected NVIDIA's libcuda.so.1");
  }
  const auto life_with = [](const std::string &of_driver, const Settings &settings = {}) {
    const TestDriver driver(of_driver);
    const std::string message = life(TestDriver::path(), settings);
    CHECK(driver.problems() == "");
    return message;
  };
  says(life_with("version=11010"), "the NVIDIA driver is for CUDA 11.1, expected one for CUDA 11.2 or later: update");
  says(life_with("devices=0"), "the NVIDIA driver finds no GPU; nvidia-smi lists those that it has");
  says(life_with("capability=61"), "the GPU is of compute capability 6.1, expected 7.5 or later");
  says(life_with("version=12000"),
       "code for sm_90a is PTX 8.1, for which the driver, of CUDA 12.0, is too old: update it to one for CUDA 12.1 or");
  says(life_with("capability=80", {{"target", "sm_90a"}}), "code for sm_90a does not run on Test GPU, expected sm_80");
}

TEST_CASE("the GPU chooses the target, unless it is given") {
  const auto target = [](const std::string &of_driver, const Settings &settings = {}) {
    const TestDriver driver(of_driver);
    const auto backend = open_with_driver(settings);
    REQUIRE(backend.ok());
    return std::string(backend->device()->target());
  };
  CHECK(target("capability=75") == "sm_75");
  CHECK(target("capability=80") == "sm_80");
  CHECK(target("capability=86") == "sm_80");
  CHECK(target("capability=89") == "sm_80");
  CHECK(target("capability=90") == "sm_90a");
  CHECK(target("capability=100") == "sm_90");
  CHECK(target("capability=120") == "sm_90");
  CHECK(target("capability=90", {{"target", "sm_80"}}) == "sm_80");
  CHECK(target("devices=0") == "sm_90a");
  CHECK(target("devices=0", {{"target", "sm_75"}}) == "sm_75");
}

TEST_CASE("a GPU's memory is known before it is opened") {
  const TestDriver driver;
  {
    const auto backend = open_with_driver();
    REQUIRE(backend.ok());
    const bp_space_t &space = backend->device()->memory()->spaces[0];
    CHECK(space.capacity == std::uint64_t{1} << 30);
    CHECK(space.gb_per_s == Approx(3352.32));
    CHECK(driver.calls_of("cuDevicePrimaryCtxRetain") == 0);
  }
  CHECK(driver.problems() == "");
}

TEST_CASE("compiling needs no driver, and offline none is opened") {
  const TestDriver driver("fail=cuDevicePrimaryCtxRetain:1:1");
  const auto backend = open_with_driver();
  REQUIRE(backend.ok());
  CHECK(backend->make_artifact(some_program()).ok());
  CHECK(driver.calls_of("cuDevicePrimaryCtxRetain") == 0);
  const int starts = driver.calls_of("cuInit");
  host::DeviceOptions options;
  options.instance = BP_NONE;
  options.settings = {{"driver", TestDriver::path()}};
  const auto offline = host::open_device(beside_the_test("libbackplane_nvptx.so"), std::move(options));
  REQUIRE(offline.ok());
  CHECK((*offline)->target() == "sm_90a");
  CHECK(driver.calls_of("cuInit") == starts);
  bp_memory_t piece{};
  CHECK(contains(allocate(**offline, 100, piece).message, "offline"));
}

}  // namespace bp::nvptx::tests
