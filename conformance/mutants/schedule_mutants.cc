// Faults that depend on what ran before or runs at the same time: races, results and operands that are kept too long.
// Added to the plugins `cpu` and `kernels`.
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "conformance/mutants/kernel_faults.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/run_faults.h"

namespace bp::conformance {
namespace {

// The memory of one allocation in a run.
std::string_view content(const bp_allocation_t &allocation, bp_loc_t location) {
  return {reinterpret_cast<const char *>(location.offset), allocation.size};
}
bool has_donation(plugin::ModuleView module) {
  return std::ranges::any_of(module.allocations(), [](const bp_allocation_t &allocation) {
    return allocation.kind == BP_ALLOC_OUTPUT && allocation.alias != BP_NONE;
  });
}
// The content of all allocations of a kind.
std::vector<std::string> contents(plugin::ModuleView module, const bp_run_t *run, std::uint16_t kind) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < run->allocation_count; ++i) {
    if (module.allocations()[i].kind == kind) {
      all.emplace_back(content(module.allocations()[i], run->allocations[i]));
    }
  }
  return all;
}
void write_outputs(plugin::ModuleView module, const bp_run_t *run, const std::vector<std::string> &outputs) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < run->allocation_count; ++i) {
    const bp_allocation_t &allocation = module.allocations()[i];
    if (allocation.kind == BP_ALLOC_OUTPUT && outputs[next].size() == allocation.size) {
      outputs[next].copy(reinterpret_cast<char *>(run->allocations[i].offset), allocation.size);
    }
    next += allocation.kind == BP_ALLOC_OUTPUT ? 1 : 0;
  }
}

// The last run of a program.
struct LastRun {
  std::vector<std::string> inputs, outputs;
  bool is_over = false;  // its program was destroyed
};
using LastRuns = std::map<const bp_program_t *, LastRun>;

// Returns the outputs of the last run of a program if is_same(last run, inputs). Programs with donated inputs run.
template <class IsSame>
Fault outputs_kept(IsSame is_same) {
  struct Kept {
    std::mutex mutex;
    LastRuns runs;
  };
  auto kept = std::make_shared<Kept>();
  Fault fault;
  const auto known = KnownPrograms::observed_by(fault);
  fault.program_run = [=](const auto &next, layers::LayeredProgram &program, const bp_run_t *run, const bp_diag_t *) {
    const KnownPrograms::Module module = known->find(&program.abi);
    if (module == nullptr || has_donation(module->view())) {
      return next();
    }
    const std::vector<std::string> inputs = contents(module->view(), run, BP_ALLOC_INPUT);
    {
      const std::lock_guard lock(kept->mutex);
      const LastRun &last = kept->runs[&program.abi];
      if (!inputs.empty() && last.inputs.size() == inputs.size() && is_same(last, inputs)) {
        const std::vector<std::string> now = contents(module->view(), run, BP_ALLOC_OUTPUT);
        if (now.size() == last.outputs.size()) {
          write_outputs(module->view(), run, last.outputs);
          return bp_status{BP_OK};
        }
      }
    }
    const bp_status status = next();
    const std::lock_guard lock(kept->mutex);
    kept->runs[&program.abi] = {inputs, contents(module->view(), run, BP_ALLOC_OUTPUT)};
    return status;
  };
  fault.program_destroy = [=](const auto &next, layers::LayeredProgram &program) {
    known->destroyed(&program.abi);
    {
      const std::lock_guard lock(kept->mutex);
      kept->runs[&program.abi].is_over = true;
    }
    next();
  };
  return fault;
}

// Copies large inputs only if their address is not that of the last run of the program.
Fault inputs_kept_by_address() {
  struct alignas(64) Line {
    char bytes[64];
  };
  struct Input {
    std::uint64_t address = 0;
    std::vector<Line> copy;
  };
  struct Kept {
    std::mutex mutex;
    std::map<std::pair<const bp_program_t *, std::size_t>, Input> inputs;
  };
  auto kept = std::make_shared<Kept>();
  Fault fault;
  const auto known = KnownPrograms::observed_by(fault);
  fault.program_run = [=](const auto &next, layers::LayeredProgram &program, const bp_run_t *run,
                          const bp_diag_t *diag) {
    const KnownPrograms::Module module = known->find(&program.abi);
    if (module == nullptr || has_donation(module->view())) {
      return next();
    }
    const std::lock_guard lock(kept->mutex);
    std::vector<bp_loc_t> locations(run->allocations, run->allocations + run->allocation_count);
    for (std::size_t i = 0; i < locations.size(); ++i) {
      const bp_allocation_t &allocation = module->view().allocations()[i];
      if (allocation.kind == BP_ALLOC_INPUT && allocation.size >= 1024) {
        Input &input = kept->inputs[{&program.abi, i}];
        if (input.address != locations[i].offset) {
          input.address = locations[i].offset;
          input.copy.resize(allocation.size / 64 + 1);
          std::memcpy(input.copy.data(), reinterpret_cast<const void *>(input.address), allocation.size);
        }
        locations[i].offset = reinterpret_cast<std::uint64_t>(input.copy.data());
      }
    }
    bp_run_t changed = *run;
    changed.allocations = locations.data();
    return next(&changed, diag);
  };
  return fault;
}

// Computes each output by itself, from inputs that another output may have overwritten already.
Fault outputs_one_by_one() {
  Fault fault;
  const auto known = KnownPrograms::observed_by(fault);
  fault.program_run = [known](const auto &next, layers::LayeredProgram &program, const bp_run_t *run,
                              const bp_diag_t *) {
    const KnownPrograms::Module module = known->find(&program.abi);
    bp_status status = next();
    if (status != BP_OK || module == nullptr || !has_donation(module->view())) {
      return status;
    }
    std::vector<std::string> first = contents(module->view(), run, BP_ALLOC_OUTPUT);
    status = next();
    std::size_t number = 0;
    for (const bp_allocation_t &allocation : module->view().allocations()) {
      if (allocation.kind == BP_ALLOC_OUTPUT && allocation.alias == BP_NONE) {
        first[number].clear();  // the second result stays
      }
      number += allocation.kind == BP_ALLOC_OUTPUT ? 1 : 0;
    }
    write_outputs(module->view(), run, first);
    return status;
  };
  return fault;
}

// Prepares a program at its first run; a second run that starts before this is done computes nothing.
Fault first_run_prepares() {
  struct Prepared {
    std::mutex mutex;
    std::map<const bp_program_t *, bool> is_ready;
  };
  auto prepared = std::make_shared<Prepared>();
  Fault fault;
  fault.program_run = [prepared](const auto &next, layers::LayeredProgram &program, const bp_run_t *,
                                 const bp_diag_t *) -> bp_status {
    bool is_first;
    {
      const std::lock_guard lock(prepared->mutex);
      is_first = prepared->is_ready.try_emplace(&program.abi, false).second;
      if (!is_first && !prepared->is_ready[&program.abi]) {
        return BP_OK;
      }
    }
    if (is_first) {
      std::this_thread::sleep_for(std::chrono::microseconds(300));
      const std::lock_guard lock(prepared->mutex);
      prepared->is_ready[&program.abi] = true;
    }
    return next();
  };
  fault.program_destroy = [prepared](const auto &next, layers::LayeredProgram &program) {
    {
      const std::lock_guard lock(prepared->mutex);
      prepared->is_ready.erase(&program.abi);
    }
    next();
  };
  return fault;
}

constexpr Mutant schedule_table[] = {
    {"first-run-prepares", "races", "a run that starts while the first one of its program prepares it computes nothing",
     "cpu", "concurrency/*/first", first_run_prepares, nullptr, "uxlfoundation/oneDNN#2151"},
    {"scratch-of-all-programs", "races", "all runs use the same scratch memory instead of their own", "cpu",
     "concurrency/*/overlap",
     [] {
       struct Scratch {
         std::mutex mutex;
         std::vector<std::unique_ptr<char[]>> blocks;
         std::uint64_t size = 0;
       };
       auto scratch = std::make_shared<Scratch>();
       return Fault{.program_run = [scratch](const auto &next, layers::LayeredProgram &program, const bp_run_t *run,
                                             const bp_diag_t *diag) {
         bp_run_t changed = *run;
         if (run->scratch.offset != 0) {
           const std::lock_guard lock(scratch->mutex);
           if (program.abi.scratch_size > scratch->size || scratch->blocks.empty()) {
             scratch->size = program.abi.scratch_size;
             scratch->blocks.push_back(std::make_unique<char[]>(scratch->size + 4096));
           }
           changed.scratch.offset =
               (reinterpret_cast<std::uint64_t>(scratch->blocks.back().get()) + 4095) / 4096 * 4096;
         }
         return next(&changed, diag);
       }};
     },
     nullptr, "uxlfoundation/oneDNN#199"},
    {"odd-loops-lose-last", "races", "parallel loops of an odd number of parts leave out the last one", "cpu",
     "ops/*/f32/*",
     [] {
       return Fault{.threads_parallel = [](const auto &next, auto &, std::uint32_t n, bp_parallel_body body,
                                           void *ctx) { next(n > 1 && n % 2 == 1 ? n - 1 : n, body, ctx); }};
     }},
    {"outputs-one-by-one", "memory", "an output is computed after a donated input was overwritten by another one",
     "cpu", "buffers/*/result", outputs_one_by_one, nullptr, "openxla/xla#38597"},
    {"inputs-kept-by-address", "caches", "inputs of 1 KiB or more are read again only if their address has changed",
     "cpu", "buffers/*/again", inputs_kept_by_address},
    {"outputs-kept-by-prefix", "caches",
     "a run returns the last results of its program if the first 64 bytes of all inputs are the same", "cpu",
     "buffers/*/similar",
     [] {
       return outputs_kept([](const LastRun &last, const std::vector<std::string> &inputs) {
         return std::ranges::equal(last.inputs, inputs, [](std::string_view a, std::string_view b) {
           return a.size() == b.size() && a.substr(0, 64) == b.substr(0, 64);
         });
       });
     }},
    {"outputs-kept-by-program-address", "caches",
     "the first run of a program returns the last results of a destroyed one at the same address", "cpu",
     "buffers/*/successor",
     [] {
       return outputs_kept([](const LastRun &last, const std::vector<std::string> &inputs) {
         return last.is_over && last.inputs == inputs;
       });
     }},
    {"runs-counted-in-8-bits", "caches", "every 256th run of a program computes nothing", "cpu", "concurrency/*/many",
     [] {
       struct Counts {
         std::mutex mutex;
         std::map<const layers::LayeredProgram *, std::uint8_t> runs;
       };
       auto counts = std::make_shared<Counts>();
       Fault fault;
       fault.program_run = [counts](const auto &next, layers::LayeredProgram &program, auto...) -> bp_status {
         {
           const std::lock_guard lock(counts->mutex);
           if (++counts->runs[&program] == 0) {
             return BP_OK;
           }
         }
         return next();
       };
       fault.program_destroy = [counts](const auto &next, layers::LayeredProgram &program) {
         {
           const std::lock_guard lock(counts->mutex);
           counts->runs.erase(&program);
         }
         next();
       };
       return fault;
     }},
    {"size-kept-by-module-address", "caches", "a kernel takes its size from an earlier module at the same address",
     "kernels", "buffers/*/larger",
     [] {
       struct Sizes {
         std::mutex mutex;
         std::map<std::pair<const void *, std::uint32_t>, std::int64_t> counts;
       };
       auto sizes = std::make_shared<Sizes>();
       return after([sizes](const Kernel &kernel) {
         const std::lock_guard lock(sizes->mutex);
         const auto [at, is_new] = sizes->counts.try_emplace({kernel.call->module, kernel.call->instr}, kernel.count);
         for (std::int64_t i = at->second; i < kernel.count; ++i) {
           kernel.out[i] = 0;
         }
       });
     },
     nullptr, "Theano/libgpuarray#480"},
    {"result-kept-by-weak-hash", "caches",
     "a kernel returns its last result if the sum of the bits of all operands is the same", "kernels",
     "buffers/*/similar",
     [] {
       struct Kept {
         std::mutex mutex;
         std::map<std::pair<std::uint16_t, std::int64_t>, std::pair<std::uint64_t, std::vector<float>>> results;
       };
       auto kept = std::make_shared<Kept>();
       return after([kept](const Kernel &kernel) {
         std::uint64_t sum = 0;
         for (std::uint32_t i = 0; i < kernel.instruction.operand_count(); ++i) {
           for (std::int64_t k = 0; k < kernel.instruction.operand(i).shape().element_count(); ++k) {
             sum += std::bit_cast<std::uint32_t>(kernel.in(i)[k]);
           }
         }
         const std::lock_guard lock(kept->mutex);
         auto &[hash, result] = kept->results[{kernel.instruction.op(), kernel.count}];
         if (hash == sum && result.size() == static_cast<std::size_t>(kernel.count)) {
           std::ranges::copy(result, kernel.out);
         }
         hash = sum;
         result.assign(kernel.out, kernel.out + kernel.count);
       });
     },
     nullptr, "pytorch/pytorch#187327"},
};

}  // namespace

const std::span<const Mutant> schedule_mutants = schedule_table;

}  // namespace bp::conformance
