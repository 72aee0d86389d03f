// A run goes through the commands of the plan; conditions and selectors it asks the machine for.
#include "plugins/nvptx/program.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plugin_api/cpp/call.h"

namespace bp::nvptx {
namespace {

struct LoadedProgram {
  bp_program_t abi{};
  LaunchPlan plan;
  std::unique_ptr<LoadedKernels> kernels;
  Machine *machine;
};

const LoadedProgram &loaded_program(const bp_program_t *program) {
  return *static_cast<const LoadedProgram *>(program->program_data);
}

class Run {
 public:
  Run(const LoadedProgram &program, const bp_run_t &run, const bp_diag_t *diag)
      : plan_(program.plan), kernels_(*program.kernels), machine_(*program.machine), run_(run), diag_(diag) {}

  bp_status start() {
    for (std::size_t at = 0; at < plan_.commands.size();) {
      std::size_t next = at + 1;
      if (const bp_status status = step(plan_.commands[at], next); status != BP_OK) {
        return status;
      }
      at = next;
    }
    return BP_OK;
  }

 private:
  std::uint64_t address(std::uint32_t place) const {
    const Place &at = plan_.places[place];
    const bp_loc_t base = at.allocation < run_.allocation_count ? run_.allocations[at.allocation] : run_.scratch;
    return base.memory + base.offset + at.offset;
  }

  bp_status step(const Command &command, std::size_t &next) {
    switch (command.kind) {
      case CommandKind::Launch: {
        pointers_.clear();
        for (std::uint32_t i = 0; i < command.count; ++i) {
          pointers_.push_back(reinterpret_cast<void *>(address(command.first + i)));
        }
        return kernels_.launch(command.kernel, command.grid, pointers_, diag_);
      }
      case CommandKind::Move:
        return machine_.move(address(command.first), address(command.first + 1), command.size, diag_);
      case CommandKind::Jump: next = command.target; return BP_OK;
      case CommandKind::JumpUnless: {
        std::uint8_t condition = 0;
        const bp_status status = machine_.copy_out(&condition, address(command.first), sizeof condition, diag_);
        next = condition == 0 ? command.target : next;
        return status;
      }
      case CommandKind::Switch: {
        std::uint32_t selector = 0;  // below 0 is not a branch either
        const bp_status status = machine_.copy_out(&selector, address(command.first), sizeof selector, diag_);
        next = plan_.targets[command.target + std::min(selector, command.count - 1)];
        return status;
      }
    }
    return BP_INTERNAL;
  }

  const LaunchPlan &plan_;
  const LoadedKernels &kernels_;
  Machine &machine_;
  const bp_run_t &run_;
  const bp_diag_t *diag_;
  std::vector<void *> pointers_;
};

bp_status run_program(const bp_program_t *program, const bp_run_t *run, const bp_diag_t *diag) {
  return plugin::guarded(diag, [&] {
    const bp_status status = start_run(program, *run, diag);
    const bp_status finished = loaded_program(program).machine->finish(status == BP_OK ? diag : nullptr);
    return status == BP_OK ? finished : status;
  });
}

void destroy_program(const bp_program_t *program) {
  delete static_cast<LoadedProgram *>(program->program_data);
}

}  // namespace

bp_status load_program(Artifact artifact, Machine &machine, const bp_program_t **program, const bp_diag_t *diag) {
  auto loaded = std::make_unique<LoadedProgram>();
  loaded->machine = &machine;
  if (artifact.plan.kernel_count > 0) {
    bp_status status = BP_OK;
    loaded->kernels = machine.load(artifact, status, diag);
    if (loaded->kernels == nullptr) {
      return status;
    }
    loaded->abi.resident_size = loaded->kernels->resident_bytes();
  }
  loaded->plan = std::move(artifact.plan);
  loaded->abi.program_data = loaded.get();
  loaded->abi.scratch_size = loaded->plan.scratch_bytes;
  loaded->abi.scratch_alignment = 256;
  loaded->abi.run = run_program;
  loaded->abi.destroy = destroy_program;
  *program = &loaded.release()->abi;
  return BP_OK;
}

bp_status start_run(const bp_program_t *program, const bp_run_t &run, const bp_diag_t *diag) {
  const LoadedProgram &loaded = loaded_program(program);
  const std::size_t expected = loaded.plan.allocation_sizes.size() - 1;
  if (run.allocation_count != expected) {
    return plugin::fail(diag, BP_INVALID,
                        "nvptx: run has " + std::to_string(run.allocation_count) + " allocations, the program " +
                            std::to_string(expected));
  }
  return Run(loaded, run, diag).start();
}

}  // namespace bp::nvptx
