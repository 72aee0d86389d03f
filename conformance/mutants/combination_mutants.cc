// Faults that show only in combination: in long programs, where certain operations meet, or when other programs,
// devices and blocks of memory come and go.
#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "conformance/mutants/common_faults.h"
#include "conformance/mutants/mutant.h"
#include "plugin_api/cpp/module_view.h"

namespace bp::conformance {
namespace {

// Corrupts the first element of the results of the instructions for which `is_met` returns true.
template <class IsMet>
Fault corrupt_where(IsMet is_met) {
  return at_kernel([is_met](const auto &next, const bp_call_t *call, const bp_diag_t *) {
    const bp_status status = next(call);
    const plugin::Instruction instruction = plugin::ModuleView(call->module).instruction(call->instr);
    if (status == BP_OK && instruction.result(0).shape().element_count() > 0 && is_met(call->module, instruction)) {
      static_cast<float *>(call->results[0])[0] += 1;
    }
    return status;
  });
}

bool is_made_by(plugin::Instruction instruction, std::uint32_t operand, std::uint16_t op) {
  return instruction.operand(operand).instruction().op() == op;
}

// The programs that exist, in the order in which they first ran, and those that have been corrupted.
struct Population {
  std::mutex mutex;
  std::vector<const layers::LayeredProgram *> living;
  std::set<const layers::LayeredProgram *> corrupted;
};
// When a program is destroyed, corrupt(population, program) chooses other programs that fail from then on.
template <class Corrupt>
Fault when_one_is_destroyed(Corrupt corrupt) {
  auto population = std::make_shared<Population>();
  Fault fault;
  fault.program_run = [population](const auto &next, layers::LayeredProgram &program, const bp_run_t *,
                                   const bp_diag_t *) -> bp_status {
    const std::lock_guard lock(population->mutex);
    if (std::ranges::count(population->living, &program) == 0) {
      population->living.push_back(&program);
    }
    return population->corrupted.contains(&program) ? BP_INTERNAL : next();
  };
  fault.program_destroy = [population, corrupt](const auto &next, layers::LayeredProgram &program) {
    {
      const std::lock_guard lock(population->mutex);
      corrupt(*population, program);
      std::erase(population->living, &program);
      population->corrupted.erase(&program);
    }
    next();
  };
  return fault;
}

template <class Change>
Fault with_fills(Change change) {
  return at_submit([change](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *, bp_point_t) {
    std::vector<bp_command_t> changed(commands.begin(), commands.end());
    change(changed);
    return next(changed);
  });
}

constexpr Mutant combination_table[] = {
    // --- operations that meet ---
    {"long-program", "combinations", "the first element is wrong in programs of more than 12 instructions", "kernels",
     "fuzz/graphs/*",
     [] {
       return corrupt_where([](const bp_module_t *module, plugin::Instruction) { return module->instrs.count > 12; });
     }},
    {"maximum-of-negate", "combinations", "a maximum is wrong if its left operand is a negate", "kernels",
     "fuzz/graphs/*",
     [] {
       return corrupt_where([](const bp_module_t *, plugin::Instruction instruction) {
         return instruction.op() == BP_OP_MAXIMUM && is_made_by(instruction, 0, BP_OP_NEGATE);
       });
     }},
    {"multiply-subtract", "combinations", "a subtraction is wrong if its right operand is a product", "kernels",
     "fuzz/graphs/*",
     [] {
       return corrupt_where([](const bp_module_t *, plugin::Instruction instruction) {
         return instruction.op() == BP_OP_SUBTRACT && is_made_by(instruction, 1, BP_OP_MULTIPLY);
       });
     }},
    // --- programs that come and go ---
    {"last-program-takes-others", "combinations", "destroying a program breaks all programs that first ran before it",
     "cpu", "fuzz/calls/*",
     [] {
       return when_one_is_destroyed([](Population &all, const layers::LayeredProgram &going) {
         for (const layers::LayeredProgram *program : all.living) {
           if (program == &going) {
             break;
           }
           all.corrupted.insert(program);
         }
       });
     }},
    {"other-device-takes-program", "combinations",
     "destroying a program breaks the programs of other devices that first ran after it", "cpu", "fuzz/calls/*",
     [] {
       return when_one_is_destroyed([](Population &all, const layers::LayeredProgram &going) {
         const auto at = std::ranges::find(all.living, &going);
         for (auto later = at; later != all.living.end(); ++later) {
           if ((*later)->device != going.device) {
             all.corrupted.insert(*later);
           }
         }
       });
     }},
    {"artifact-loaded-twice", "combinations", "if an artifact is loaded twice, destroying one program breaks the other",
     "cpu", "fuzz/calls/*",
     [] {
       struct Loaded {
         std::mutex mutex;
         std::multiset<std::string> artifacts;
         bool is_shared = false;
       };
       auto loaded = std::make_shared<Loaded>();
       Fault fault = when_one_is_destroyed([loaded](Population &all, const layers::LayeredProgram &going) {
         const std::lock_guard lock(loaded->mutex);
         for (const layers::LayeredProgram *program : all.living) {
           if (loaded->is_shared && program != &going) {
             all.corrupted.insert(program);
           }
         }
       });
       fault.compiler_load = [loaded](const auto &next, auto &, const void *bytes, std::uint64_t size, auto...) {
         const std::string artifact(static_cast<const char *>(bytes), size);
         const std::lock_guard lock(loaded->mutex);
         loaded->is_shared = loaded->artifacts.contains(artifact);
         loaded->artifacts.insert(artifact);
         return next();
       };
       return fault;
     }},
    // --- blocks of memory that come and go, and how they are used together ---
    {"release-takes-newest", "combinations",
     "if there are four pieces of memory or more, release() frees the newest one", "npu", "fuzz/calls/*",
     [] {
       struct Pieces {
         std::mutex mutex;
         std::vector<std::uint64_t> living;
       };
       auto pieces = std::make_shared<Pieces>();
       Fault fault;
       fault.memory_alloc = [pieces](const auto &next, auto &, std::uint32_t, std::uint64_t, std::uint32_t,
                                     bp_memory_t *out, const bp_diag_t *) {
         const bp_status status = next();
         const std::lock_guard lock(pieces->mutex);
         if (status == BP_OK) {
           pieces->living.push_back(out->memory);
         }
         return status;
       };
       fault.memory_release = [pieces](const auto &next, auto &, std::uint64_t memory) {
         const std::lock_guard lock(pieces->mutex);
         if (pieces->living.size() >= 4) {
           memory = pieces->living.back();
         }
         std::erase(pieces->living, memory);
         next(memory);
       };
       return fault;
     }},
    {"fill-half-patterns", "combinations", "fills with a pattern of 8 bytes repeat only its first 4 bytes", "npu",
     "fuzz/calls/*",
     [] {
       return with_fills([](std::vector<bp_command_t> &commands) {
         for (bp_command_t &command : commands) {
           if (command.kind == BP_COMMAND_FILL && command.pattern_size == 8) {
             command.pattern_size = 4;
           }
         }
       });
     }},
    {"fills-run-last", "combinations", "the fills of a submit() run after its copies", "npu", "fuzz/calls/*",
     [] {
       return with_fills([](std::vector<bp_command_t> &commands) {
         std::ranges::stable_partition(commands,
                                       [](const bp_command_t &command) { return command.kind != BP_COMMAND_FILL; });
       });
     }},
};

}  // namespace

const std::span<const Mutant> combination_mutants = combination_table;

}  // namespace bp::conformance
