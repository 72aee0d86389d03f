// Faults of time: the results are right, but late.
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "conformance/mutants/common_faults.h"
#include "conformance/mutants/mutant.h"
#include "plugin_api/cpp/module_view.h"

namespace bp::conformance {
namespace {

void wait(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}
// Busy waiting: sleeping would take longer than asked for.
void be_busy(double seconds) {
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds) {
  }
}

// Runs `body` before each call of a kernel.
template <class Body>
Fault before_kernel(Body body) {
  return at_kernel([body](const auto &next, const bp_call_t *call, const bp_diag_t *) {
    body(call);
    return next(call);
  });
}

constexpr Mutant performance_table[] = {
    {"call-overhead", "time", "each call of a kernel takes 2 ms longer", "kernels", "performance/overhead/call",
     [] { return before_kernel([](const bp_call_t *) { wait(2e-3); }); }},
    {"run-overhead", "time", "each run of a program takes 2 ms longer", "cpu", "performance/overhead/call",
     [] {
       return at_run([](const auto &next, const bp_run_t *run) {
         wait(2e-3);
         return next(run);
       });
     }},
    {"quadratic-in-elements", "time", "the time of a kernel is quadratic in the number of elements", "kernels",
     "performance/growth/elements",
     [] {
       return before_kernel([](const bp_call_t *call) {
         const plugin::Instruction instruction = plugin::ModuleView(call->module).instruction(call->instr);
         const auto count = static_cast<double>(instruction.result(0).shape().element_count());
         be_busy(2e-13 * count * count);
       });
     }},
    {"looks-at-all-instructions", "time",
     "the time of a kernel is linear in the number of instructions of the whole program", "kernels",
     "performance/overhead/instruction",
     [] {
       return before_kernel([](const bp_call_t *call) {
         be_busy(1e-7 * static_cast<double>(plugin::ModuleView(call->module).instructions().size()));
       });
     }},
    {"slower-each-time", "time", "each call of a kernel takes 2 us longer than the one before", "kernels",
     "performance/growth/runs",
     [] {
       auto calls = std::make_shared<std::atomic<int>>(0);
       return before_kernel([calls](const bp_call_t *) { be_busy(2e-6 * (*calls)++); });
     }},
    {"compile-quadratic", "time", "the time of compile() is quadratic in the number of instructions", "npu",
     "performance/compile/instruction",
     [] {
       return Fault{.compiler_compile = [](const auto &next, auto &, const bp_module_t *module, auto...) {
         const auto count = static_cast<double>(plugin::ModuleView(module).instructions().size());
         wait(1e-6 * count * count);
         return next();
       }};
     }},
};

}  // namespace

const std::span<const Mutant> performance_mutants = performance_table;

}  // namespace bp::conformance
