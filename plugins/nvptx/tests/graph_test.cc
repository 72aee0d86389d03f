// Segments as CUDA graphs, on the driver for tests, which runs copies in the latest order that their edges allow.
#include <catch2/catch.hpp>
#include <thread>

#include "core/runtime/program.h"
#include "plugins/nvptx/tests/with_driver.h"

namespace bp::nvptx::tests {
namespace {

// Four kernels and two copies, in one segment.
constexpr const char *one_segment = R"(HloModule one_segment
  ENTRY main {
    x = f32[64] parameter(0)
    y = f32[64] parameter(1)
    z = f32[3000] parameter(2)
    s = f32[64] sine(x)
    w = f32[64] cosine(y)
    t = f32[64,64] dot(s, w), lhs_contracting_dims={}, rhs_contracting_dims={}
    u = f32[64] dot(t, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    ROOT r = (f32[64], f32[64], f32[64], f32[3000]) tuple(s, u, y, z)
  })";
constexpr int kernels = 4, copies = 2, max_graphs = 4;

Result<Compiled> compile_one_segment(const Backend &backend) {
  return backend.compile(text::parse_module(one_segment).value(), whole());
}

// Runs it on memory of its own, which stays the same, and looks whether its copies arrive.
class Runner {
 public:
  static Result<Runner> make(const Compiled &compiled) {
    Runner runner{runtime::Execution::prepare(compiled.executable.program())};
    BP_TRY(runner.execution.allocate());
    return runner;
  }
  Status run() {
    static int rounds = 0;
    ++rounds;
    for (const std::size_t input : {0, 1, 2}) {
      std::ranges::fill(execution.input(input), static_cast<std::byte>(rounds + static_cast<int>(input)));
    }
    BP_TRY(execution.run());
    CHECK(std::ranges::equal(execution.output(2), execution.input(1)));
    CHECK(std::ranges::equal(execution.output(3), execution.input(2)));
    return {};
  }

  runtime::Execution execution;
};

// Makes graphs, uses them again and changes them. Returns the error, or "" if there is none.
std::string life_with_graphs(const Settings &settings = {}) {
  std::string warnings;
  const auto backend = open_with_driver(settings, TestDriver::path(), &warnings);
  const auto live = [&]() -> Status {
    BP_ASSIGN(const Compiled compiled, compile_one_segment(*backend));
    std::vector<Runner> runners;
    for (int i = 0; i < max_graphs + 1; ++i) {
      BP_ASSIGN(Runner runner, Runner::make(compiled));
      runners.push_back(std::move(runner));
      BP_TRY(runners.back().run());
      BP_TRY(runners.back().run());
    }
    return {};
  };
  if (!backend.ok()) {
    return backend.error().message();
  }
  const Status status = live();
  return status.ok() ? "" : status.error().message();
}

// Runs it so often on the same memory, which succeeds, and gives what the host was told.
std::string warnings_of_rounds(int rounds) {
  std::string warnings;
  const auto backend = open_with_driver({}, TestDriver::path(), &warnings);
  REQUIRE(backend.ok());
  const auto compiled = compile_one_segment(*backend);
  REQUIRE(compiled.ok());
  auto runner = Runner::make(*compiled);
  REQUIRE(runner.ok());
  for (int round = 0; round < rounds; ++round) {
    REQUIRE(runner->run().ok());
  }
  return warnings;
}

}  // namespace

TEST_CASE("a segment is a graph from its second start on, made once for the same addresses") {
  const TestDriver driver;
  {
    const auto backend = open_with_driver();
    REQUIRE(backend.ok());
    const auto compiled = compile_one_segment(*backend);
    REQUIRE(compiled.ok());
    auto runner = Runner::make(*compiled);
    REQUIRE(runner.ok());
    for (int round = 0; round < 4; ++round) {
      REQUIRE(runner->run().ok());
      CHECK(driver.calls_of("cuLaunchKernel") == kernels);
      CHECK(driver.calls_of("cuGraphInstantiateWithFlags") == (round == 0 ? 0 : 1));
      CHECK(driver.calls_of("cuGraphLaunch") == round);
    }
    CHECK(driver.calls_of("cuGraphAddKernelNode_v2") == kernels);
    CHECK(driver.calls_of("cuGraphAddMemcpyNode") == copies);
  }
  CHECK(driver.problems() == "");
}

TEST_CASE("other addresses get a graph, or the one that was not used for longest") {
  const TestDriver driver;
  {
    const auto backend = open_with_driver();
    REQUIRE(backend.ok());
    const auto compiled = compile_one_segment(*backend);
    REQUIRE(compiled.ok());
    std::vector<Runner> runners;
    for (int i = 0; i < max_graphs + 1; ++i) {
      auto runner = Runner::make(*compiled);
      REQUIRE(runner.ok());
      runners.push_back(std::move(runner).value());
    }
    const auto changed = [&] {
      return driver.calls_of("cuGraphExecKernelNodeSetParams_v2") + driver.calls_of("cuGraphExecMemcpyNodeSetParams");
    };
    REQUIRE(runners[0].run().ok());
    for (int i = 0; i < max_graphs; ++i) {
      REQUIRE(runners[static_cast<std::size_t>(i)].run().ok());
      CHECK(driver.calls_of("cuGraphInstantiateWithFlags") == i + 1);
    }
    CHECK(changed() == 0);
    REQUIRE(runners[0].run().ok());
    REQUIRE(runners[max_graphs].run().ok());  // gets that of 1
    CHECK(changed() == kernels + copies);
    REQUIRE(runners[0].run().ok());
    CHECK(changed() == kernels + copies);
    REQUIRE(runners[1].run().ok());  // gets that of 2
    CHECK(changed() == 2 * (kernels + copies));
    CHECK(driver.calls_of("cuGraphInstantiateWithFlags") == max_graphs);
  }
  CHECK(driver.problems() == "");
}

TEST_CASE("threads start graphs of one program at the same time") {
  const TestDriver driver;
  {
    const auto backend = open_with_driver();
    REQUIRE(backend.ok());
    const auto compiled = compile_one_segment(*backend);
    REQUIRE(compiled.ok());
    const Module module = text::parse_module(one_segment).value();
    std::vector<std::thread> threads;
    std::atomic<int> failures = 0;
    for (std::uint64_t t = 0; t < 6; ++t) {
      threads.emplace_back([&, t] {
        const std::vector<Literal> arguments = interpreter::random_arguments(module, t).value();
        for (int i = 0; i < 20; ++i) {
          const auto result = compiled->executable.run(arguments);
          failures += result.ok() && result->tuple_elements()[2].identical(arguments[1]) &&
                              result->tuple_elements()[3].identical(arguments[2])
                          ? 0
                          : 1;
        }
      });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    CHECK(failures == 0);
    CHECK(driver.calls_of("cuGraphLaunch") > 0);
  }
  CHECK(driver.problems() == "");
}

TEST_CASE("where graphs are not wanted, or not known, kernels are started one by one") {
  const auto graph_calls = [](const std::string &of_driver, const Settings &settings) {
    const TestDriver driver(of_driver);
    CHECK(life_with_graphs(settings) == "");
    CHECK(driver.problems() == "");
    CHECK(driver.calls_of("cuLaunchKernel") > 0);
    int calls = 0;
    for (const auto &[function, count] : driver.calls()) {
      calls += contains(function, "cuGraph") ? count : 0;
    }
    return calls;
  };
  CHECK(graph_calls("", {}) > 0);
  CHECK(graph_calls("", {{"graphs", "0"}}) == 0);
  CHECK(graph_calls("version=11080", {{"target", "sm_80"}}) == 0);
}

TEST_CASE("where a graph finds no memory, its commands are started one by one this time") {
  const std::string function =
      GENERATE("cuGraphCreate", "cuGraphAddMemcpyNode", "cuGraphInstantiateWithFlags", "cuGraphLaunch");
  const TestDriver driver("fail=" + function + ":1:2");
  CHECK(warnings_of_rounds(3) == "");
  CHECK(driver.calls_of("cuLaunchKernel") == 2 * kernels);
  CHECK(driver.calls_of("cuGraphLaunch") == (function == "cuGraphLaunch" ? 2 : 1));
  CHECK(driver.problems() == "");
}

TEST_CASE("where a graph cannot be made, the log says so, and it is not tried again") {
  const std::string function = GENERATE("cuGraphAddKernelNode_v2", "cuGraphInstantiateWithFlags", "cuGraphLaunch");
  const TestDriver driver("fail=" + function + ":1:1");
  const std::string warnings = warnings_of_rounds(4);
  CHECK(driver.calls_of("cuLaunchKernel") == 4 * kernels);
  CHECK(driver.calls_of("cuGraphCreate") == 1);
  CHECK(contains(warnings, "a graph of kernels: invalid argument (1)"));
  CHECK(std::ranges::count(warnings, '\n') == 1);
  CHECK(driver.problems() == "");
}

TEST_CASE("a failure of any call for graphs is reported, and everything is released") {
  const auto keeps_plugin_loaded = open_with_driver({{"emulate", "1"}});
  REQUIRE(keeps_plugin_loaded.ok());
  std::vector<std::pair<std::string, int>> calls;
  {
    const TestDriver driver;
    REQUIRE(life_with_graphs() == "");
    calls = driver.calls();
  }
  std::erase_if(calls, [](const auto &one) { return !contains(one.first, "cuGraph"); });
  CHECK(calls.size() == 9);
  for (const auto &[function, count] : calls) {
    const bool gives_back = contains(function, "Destroy");
    for (int call = 1; call <= count; ++call) {
      for (const int result : {1, 2, 700}) {
        const TestDriver driver("fail=" + function + ":" + std::to_string(call) + ":" + std::to_string(result));
        const std::string message = life_with_graphs();
        INFO(function << ", call " << call << " of " << count << ", fails with " << result << "\n" << message);
        CHECK(driver.problems() == "");
        if (result != 700) {
          CHECK(message == "");  // what cannot be changed is made anew, what cannot be made or started is done without
        } else if (!message.empty() || !gives_back) {
          CHECK(contains(message, "nvptx: "));
          CHECK(contains(message, "(" + std::to_string(result) + ")"));
        }
      }
    }
  }
}

}  // namespace bp::nvptx::tests
