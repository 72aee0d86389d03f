// Every function of the ABI that can fail is failed in turn, its first call, its second, ..., while programs are compiled and
// run on real backends. The core says so clearly, or has the host do the work; and the next attempt works.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "conformance/suite/sample_programs.h"
#include "core/backplane.h"
#include "core/host/discovery.h"
#include "core/interpreter/compare.h"
#include "core/interpreter/random_inputs.h"
#include "core/layers/failures.h"
#include "tools/testing/skip.h"

namespace bp::conformance {
namespace {

using layers::Failure;
using layers::Function;

constexpr Function functions[] = {
#define BP_ABI_FUNCTION(object, table, name, tag, result, parameters, arguments, travel) Function::table##_##name,
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION
};

// What a function without a sink says is said by the core.
bool has_sink(Function function) {
  switch (function) {
    case Function::factory_get_desc:
    case Function::device_get_extension:
    case Function::kernels_find:
    case Function::host_get_extension: return false;
    default: return true;
  }
}

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

// Loads, compiles and runs twice: what comes out, or the first error.
Result<Literal> attempt(const std::string &plugin, const host::Layer &layer, const Work &work) {
  BP_ASSIGN(const Backend backend, Backend::load(plugin, options_of(layer)));
  CompileOptions options;
  options.fold_constants = false;
  BP_ASSIGN(const Compiled compiled, backend.compile(work.module, options));
  BP_ASSIGN([[maybe_unused]] const Literal first, compiled.executable.run(work.arguments));
  return compiled.executable.run(work.arguments);
}

host::Layer nothing_between() {
  return [](std::unique_ptr<host::Entry> below) { return below; };
}

// The host may have done what the device could not: sums in another order.
bool agrees(const Literal &found, const Literal &expected) {
  const auto comparisons = interpreter::compare(found, expected);
  return comparisons.ok() && std::ranges::all_of(*comparisons, [](const interpreter::Comparison &one) {
           return one.relative_error <= 1e-5;
         });
}

// Empty if there is nothing to complain about.
std::string complaint(const std::string &plugin, const std::shared_ptr<Failure> &failure, const Work &work) {
  const host::Layer layer = layers::failure_layer(failure);
  const auto found = attempt(plugin, layer, work);
  if (found.ok() && !agrees(*found, work.expected)) {
    return "the result is wrong";
  }
  if (!failure->has_struck()) {
    return found.ok() ? "" : "it fails before its time: " + found.error().to_string();
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
  return again->identical(work.expected) ? "" : "the next attempt has other bits";
}

void fail_in_turn(const std::string &plugin, const std::vector<std::string> &programs) {
  const auto candidate = host::find_plugin(plugin, host::plugin_directories());
  if (!candidate.ok()) {
    return testing::skip("this build has no " + plugin);
  }
  alarm(300);  // a hang is a failure
  constexpr bp_status statuses[] = {BP_INTERNAL, BP_NO_MEMORY, BP_UNSUPPORTED, BP_INVALID, BP_DEVICE_LOST, 77};
  int trials = 0;
  for (const std::string &name : programs) {
    Work work{sample_program(name).value(), {}, {}};
    work.arguments = interpreter::random_arguments(work.module, 1).value();
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
          break;  // it is not called that often
        }
      }
    }
  }
  alarm(0);
  CHECK(trials > 20);
}

}  // namespace

TEST_CASE("what fails in kernels is said, and the next run works") {
  fail_in_turn("kernels", {"chain", "donation"});
}
TEST_CASE("what fails in npu is said, and the next run works") {
  fail_in_turn("npu", {"in_place", "constants"});
}
TEST_CASE("what fails in cpu is said, and the next run works") {
  fail_in_turn("cpu", {"donation"});
}

}  // namespace bp::conformance
