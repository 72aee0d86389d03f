// Every function of the ABI that can fail is made to fail in turn, at its first call, its second, ..., while programs
// are compiled and run on real backends. The core must report it clearly or do the work on the host, and the next
// attempt must work.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <mutex>
#include <set>

#include "conformance/suite/sample_programs.h"
#include "core/aot/program.h"
#include "core/backplane.h"
#include "core/host/discovery.h"
#include "core/host/instances.h"
#include "core/interpreter/compare.h"
#include "core/interpreter/random_inputs.h"
#include "core/layers/failures.h"
#include "tools/testing/skip.h"

namespace bp::conformance {
namespace {

using layers::Failure;
using layers::Function;

constexpr Function functions[] = {
#define BP_ABI_FUNCTION(object, table, name, tag, loss, result, parameters, arguments, roles) Function::table##_##name,
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION
};

// For a function without a sink, the core writes the message.
bool has_sink(Function function) {
  switch (function) {
    case Function::factory_get_desc:
    case Function::device_get_extension:
    case Function::kernels_find:
    case Function::host_get_extension: return false;
    default: return true;
  }
}

// A program that is compiled and run, and the backend.
struct Trial {
  std::string plugin;
  std::vector<std::string> programs;
};
const Trial on_kernels = {"kernels", {"chain", "donation"}}, on_npu = {"npu", {"in_place", "constants"}},
            on_cpu = {"cpu", {"donation"}};

// Fallible functions that none of these trials calls, with the reason.
const std::map<Function, std::string> never_reached = {
    {Function::external_memory_export_memory, "the core exports no memory"}};

struct Work {
  ir::Module module;
  std::vector<Literal> arguments;
  Literal expected;
};

BackendOptions options_of(const host::Layer &layer) {
  BackendOptions options;
  options.layers = {layer};
  options.log = [](std::uint32_t, std::string_view) {};
  return options;
}

// Asks what devices there are and what they tell, imports memory where that is possible, compiles, also for programs
// that run without the plugin, and runs twice.
// Returns the result, or the first error.
Result<Literal> attempt(const std::string &plugin, const host::Layer &layer, const Work &work) {
  BP_ASSIGN(const Backend backend, Backend::load(plugin, options_of(layer)));
  const host::Device &device = *backend.device();
  BP_ASSIGN([[maybe_unused]] const auto instances, host::list_instances(device.plugin(), std::string(device.id())));
  BP_ASSIGN([[maybe_unused]] const auto facts, host::facts_of(device));
  if (runtime::can_import(device, 0, BP_HANDLE_HOST)) {
    BP_ASSIGN(Literal zeros, Literal::zeros(Shape::array(ir::ElementType::F32, {16})));
    BP_ASSIGN([[maybe_unused]] const auto borrowed, runtime::DeviceArray::borrow(backend.device(), std::move(zeros)));
  }
  CompileOptions options;
  options.fold_constants = false;
  options.keep_artifacts = device.aot() != nullptr;
  BP_ASSIGN(const Compiled compiled, backend.compile(work.module, options));
  if (device.aot() != nullptr) {
    aot::Options names;
    names.name = "program";
    BP_ASSIGN([[maybe_unused]] const aot::Program alone,
              aot::make_program(compiled.executable, package::interface_of(work.module), names));
  }
  BP_ASSIGN([[maybe_unused]] const Literal first, compiled.executable.run(work.arguments));
  return compiled.executable.run(work.arguments);
}

host::Layer nothing_between() {
  return [](std::unique_ptr<host::Entry> below) { return below; };
}

// The host may have computed what the device could not: with sums in another order.
bool agrees(const Literal &found, const Literal &expected) {
  const auto comparisons = interpreter::compare(found, expected);
  return comparisons.ok() && std::ranges::all_of(*comparisons, [](const interpreter::Comparison &one) {
           return one.relative_error <= 1e-5;
         });
}

// Returns an empty text if nothing is wrong.
std::string complaint(const std::string &plugin, const std::shared_ptr<Failure> &failure, const Work &work) {
  const host::Layer layer = layers::failure_layer(failure);
  const auto found = attempt(plugin, layer, work);
  if (found.ok() && !agrees(*found, work.expected)) {
    return "the result is wrong";
  }
  if (!failure->has_struck()) {
    return found.ok() ? "" : "it fails, though no call of it was made to fail: " + found.error().to_string();
  }
  if (!found.ok()) {
    const std::string said = found.error().to_string();
    if (said.find("plugin") == std::string::npos && said.find("backend") == std::string::npos) {
      return "the error does not say whose it is: " + said;
    }
    if (!failure->is_silent && has_sink(failure->function) &&
        said.find("this call was made to fail") == std::string::npos) {
      return "the error does not say what the plugin said: " + said;
    }
  }
  const auto again = attempt(plugin, layer, work);
  if (!again.ok()) {
    return "the next attempt fails, too: " + again.error().to_string();
  }
  return again->identical(work.expected) ? "" : "the result of the next attempt differs in bits";
}

Work work_of(const std::string &program) {
  Work work{sample_program(program).value(), {}, {}};
  work.arguments = interpreter::random_arguments(work.module, 1).value();
  return work;
}

void fail_in_turn(const Trial &trial) {
  const std::string &plugin = trial.plugin;
  const auto candidate = host::find_plugin(plugin, host::plugin_directories());
  if (!candidate.ok()) {
    return testing::skip("this build has no " + plugin);
  }
  alarm(300);  // a hang is a failure
  constexpr bp_status statuses[] = {BP_INTERNAL, BP_NO_MEMORY, BP_UNSUPPORTED, BP_INVALID, BP_DEVICE_LOST, 77};
  int trials = 0;
  for (const std::string &name : trial.programs) {
    Work work = work_of(name);
    auto expected = attempt(plugin, nothing_between(), work);
    INFO(plugin << ", " << name << ": " << (expected.ok() ? "" : expected.error().to_string()));
    REQUIRE(expected.ok());
    work.expected = std::move(expected).value();
    for (const Function function : functions) {
      if (!layers::is_fallible(function)) {
        continue;
      }
      for (std::uint64_t call = 1; call < 100; call += 1 + call / 4) {
        const auto failure = std::make_shared<Failure>();
        failure->function = function;
        failure->call = call;
        failure->status = statuses[(call + static_cast<std::uint64_t>(trials)) % std::size(statuses)];
        failure->is_silent = trials++ % 3 == 0;
        INFO(fmt::format("{}: call {} of {} returns {}{}", name, call, layers::to_string(function), failure->status,
                         failure->is_silent ? ", silently" : ""));
        CHECK(complaint(plugin, failure, work) == "");
        if (!failure->has_struck()) {
          break;  // there are no more calls of it
        }
      }
    }
  }
  alarm(0);
  CHECK(trials > 20);
}

// Records the functions that were called.
class Reached final : public layers::Interposer {
 public:
  Reached(std::unique_ptr<host::Entry> below, std::set<Function> &functions)
      : Interposer(std::move(below)), functions_(functions) {}
  void enter(const layers::Call &call) override {
    const std::lock_guard lock(mutex_);
    functions_.insert(call.function);
  }

 private:
  std::mutex mutex_;
  std::set<Function> &functions_;
};

// Makes the functions of the library's entry fail.
struct EntryFails final : layers::Interposer {
  EntryFails(std::unique_ptr<host::Entry> below, bool in_init, bool is_silent)
      : Interposer(std::move(below)), in_init_(in_init), is_silent_(is_silent) {}
  bp_status init(const char *path, const bp_diag_t *diag) override {
    if (!in_init_) {
      return Interposer::init(path, diag);
    }
    if (!is_silent_) {
      diag->report(diag, BP_DEVICE_LOST, BP_NONE, "this call was made to fail");
    }
    return BP_DEVICE_LOST;
  }
  const void *get_factory(const char *id) override { return in_init_ ? Interposer::get_factory(id) : nullptr; }
  bool in_init_, is_silent_;
};

}  // namespace

TEST_CASE("a failure in kernels is reported, and the next run works") {
  fail_in_turn(on_kernels);
}
TEST_CASE("a failure in npu is reported, and the next run works") {
  fail_in_turn(on_npu);
}
TEST_CASE("a failure in cpu is reported, and the next run works") {
  fail_in_turn(on_cpu);
}

TEST_CASE("every function that can fail is among those that are failed") {
  std::set<Function> reached;
  for (const Trial &trial : {on_kernels, on_npu, on_cpu}) {
    if (!host::find_plugin(trial.plugin, host::plugin_directories()).ok()) {
      return testing::skip("this build has no " + trial.plugin);
    }
    for (const std::string &program : trial.programs) {
      const host::Layer layer = [&](auto below) { return std::make_unique<Reached>(std::move(below), reached); };
      REQUIRE(attempt(trial.plugin, layer, work_of(program)).ok());
    }
  }
  for (const Function function : functions) {
    INFO(layers::to_string(function));
    if (layers::is_fallible(function)) {
      CHECK(reached.contains(function) != never_reached.contains(function));
    }
  }
}

TEST_CASE("a library that fails as a whole is refused, says why, and can be loaded later") {
  const Work work = work_of("donation");
  const auto expected = attempt("kernels", nothing_between(), work);
  REQUIRE(expected.ok());
  for (const bool in_init : {true, false}) {
    for (const bool is_silent : {true, false}) {
      const auto failed = attempt(
          "kernels", [&](auto below) { return std::make_unique<EntryFails>(std::move(below), in_init, is_silent); },
          work);
      REQUIRE_FALSE(failed.ok());
      const std::string said = failed.error().to_string();
      CHECK_THAT(said, Catch::Contains("libbackplane_kernels.so") &&
                           Catch::Contains(!in_init    ? "has no factory"
                                           : is_silent ? "init: device lost"
                                                       : "init: device lost: this call was made to fail"));
      const auto again = attempt("kernels", nothing_between(), work);
      CHECK((again.ok() && again->identical(*expected)));
    }
  }
}

}  // namespace bp::conformance
