// Faults of time: the results are right, but late; or early, because the device does not compute them.
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "conformance/mutants/common_faults.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/run_faults.h"
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

// The memory of a run in the host's memory, by kind; the caller sees these blocks.
struct RunMemory {
  std::vector<std::span<char>> inputs, outputs;

  RunMemory(plugin::ModuleView module, const bp_run_t *run) {
    std::uint32_t number = 0;
    for (const bp_allocation_t &allocation : module.allocations()) {
      auto *address = reinterpret_cast<char *>(run->allocations[number++].offset);
      if (allocation.kind == BP_ALLOC_INPUT || allocation.kind == BP_ALLOC_OUTPUT) {
        (allocation.kind == BP_ALLOC_INPUT ? inputs : outputs).emplace_back(address, allocation.size);
      }
    }
  }
  static std::string content(const std::vector<std::span<char>> &blocks) {
    std::size_t size = 0;
    for (const std::span<char> block : blocks) {
      size += block.size();
    }
    std::string bytes;
    bytes.reserve(size);
    for (const std::span<char> block : blocks) {
      bytes.append(block.data(), block.size());
    }
    return bytes;
  }
  static std::string addresses(const std::vector<std::span<char>> &blocks) {
    std::string bytes;
    for (const std::span<char> block : blocks) {
      const char *address = block.data();
      bytes.append(reinterpret_cast<const char *>(&address), sizeof(address));
    }
    return bytes;
  }
  void restore_outputs(const std::string &bytes) const {
    std::size_t at = 0;
    for (const std::span<char> block : outputs) {
      std::memcpy(block.data(), bytes.data() + at, block.size());
      at += block.size();
    }
  }
};

// Calls body(compute, program, memory) in place of each run, one at a time; compute() runs the program.
template <class Body>
Fault instead_of_runs(Body body) {
  Fault fault;
  const auto known = KnownPrograms::observed_by(fault);
  auto mutex = std::make_shared<std::mutex>();
  fault.program_run = [known, mutex, body](const auto &next, layers::LayeredProgram &program, const bp_run_t *run,
                                           const bp_diag_t *) {
    const KnownPrograms::Module module = known->find(&program.abi);
    if (module == nullptr) {
      return next();
    }
    const std::lock_guard lock(*mutex);
    return body([&next] { return next(); }, &program.abi, RunMemory(module->view(), run));
  };
  return fault;
}

// Keeps the outputs of each run, and returns them if a run of the same program has the same key.
template <class KeyOf>
Fault keep_results(KeyOf key_of) {
  auto kept = std::make_shared<std::map<std::pair<const bp_program_t *, std::string>, std::string>>();
  return instead_of_runs([kept, key_of](const auto &compute, const bp_program_t *program, const RunMemory &memory) {
    constexpr std::size_t most = 100;
    const std::pair key(program, key_of(memory));
    if (const auto found = kept->find(key); found != kept->end()) {
      memory.restore_outputs(found->second);
      return bp_status(BP_OK);
    }
    const bp_status status = compute();
    if (kept->size() == most) {
      kept->clear();
    }
    (*kept)[key] = RunMemory::content(memory.outputs);
    return status;
  });
}

// Computes nothing in a run that finds its inputs where those of the last run were, and its outputs as that run left
// them: nobody has looked at these.
Fault works_when_looked_at() {
  auto last = std::make_shared<std::map<const bp_program_t *, std::string>>();
  const auto state_of = [](const RunMemory &memory) {
    return RunMemory::addresses(memory.inputs) + RunMemory::content(memory.outputs);
  };
  return instead_of_runs([last, state_of](const auto &compute, const bp_program_t *program, const RunMemory &memory) {
    if (const auto found = last->find(program); found != last->end() && found->second == state_of(memory)) {
      return bp_status(BP_OK);
    }
    const bp_status status = compute();
    (*last)[program] = state_of(memory);
    return status;
  });
}

// Takes many runs of a program for a measurement of time, in which nobody looks at the outputs.
Fault skips_repeated_runs() {
  auto runs = std::make_shared<std::map<const bp_program_t *, int>>();
  return instead_of_runs([runs](const auto &compute, const bp_program_t *program, const RunMemory &) {
    constexpr int computed = 5;
    return ++(*runs)[program] > computed ? bp_status(BP_OK) : compute();
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
    {"results-by-content", "time", "a run whose inputs equal those of an earlier one returns the results of that one",
     "cpu", "performance/audit/equal-inputs/*",
     [] { return keep_results([](const RunMemory &memory) { return RunMemory::content(memory.inputs); }); }},
    {"results-by-address", "time",
     "a run whose inputs are where those of an earlier one were returns the results of that one", "cpu",
     "performance/audit/sampling/*",
     [] { return keep_results([](const RunMemory &memory) { return RunMemory::addresses(memory.inputs); }); }},
    {"skips-repeated-runs", "time", "runs of a program after the fifth do nothing", "cpu",
     "performance/audit/sampling/*", skips_repeated_runs},
    {"works-when-looked-at", "time", "a run does nothing if nobody has touched the outputs of the last one", "cpu",
     "performance/audit/sampling/*", works_when_looked_at},
};

}  // namespace

const std::span<const Mutant> performance_mutants = performance_table;

}  // namespace bp::conformance
