// A run goes from segment to segment of the plan, and copies conditions and selectors from the machine.
#include "plugins/gpu/program.h"

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plugin_api/cpp/call.h"
#include "plugins/gpu/dependences.h"

namespace bp::gpu {
namespace {

struct LoadedProgram {
  bp_program_t abi{};
  LaunchPlan plan;  // must not move, as `kernels` refers to it
  std::vector<Segment> segments;
  std::unique_ptr<LoadedKernels> kernels;
  Machine *machine;
};

const LoadedProgram &loaded_program(const bp_program_t *program) {
  return *static_cast<const LoadedProgram *>(program->program_data);
}

class Run {
 public:
  Run(const LoadedProgram &program, const bp_run_t &run, const bp_diag_t *diag)
      : program_(program), plan_(program.plan), machine_(*program.machine), diag_(diag) {
    bases_.reserve(run.allocation_count + std::size_t{1});
    for (std::uint32_t i = 0; i < run.allocation_count; ++i) {
      bases_.push_back(run.allocations[i].memory + run.allocations[i].offset);
    }
    bases_.push_back(run.scratch.memory + run.scratch.offset);
  }

  bp_status start() {
    bp_status status = BP_OK;
    bool has_started = false;
    for (std::uint32_t at = 0; at < plan_.commands.size() && status == BP_OK;) {
      const Command &command = plan_.commands[at];
      status = jumps(command.kind) ? jump(command, at) : start_segment(at);
      status = has_started ? after_writing(status) : status;
      has_started |= !jumps(command.kind);
    }
    return status;
  }

 private:
  // Starts the segment that begins at command `at`, and sets `at` to the command after it.
  bp_status start_segment(std::uint32_t &at) {
    const auto segment = std::ranges::lower_bound(program_.segments, at, {}, &Segment::begin);
    at = segment->end;
    return program_.kernels->start(static_cast<std::uint32_t>(segment - program_.segments.begin()), bases_, diag_);
  }

  bp_status jump(const Command &command, std::uint32_t &at) {
    switch (command.kind) {
      case CommandKind::Jump: at = command.target; return BP_OK;
      case CommandKind::Repeat: {
        std::uint64_t &iterations = iterations_[at];
        const bool is_over = ++iterations == command.size;
        iterations = is_over ? 0 : iterations;
        at = is_over ? at + 1 : command.target;
        return BP_OK;
      }
      case CommandKind::JumpUnless: {
        std::uint8_t condition = 0;
        const bp_status status = copy_out(command, &condition, sizeof condition);
        at = condition == 0 ? command.target : at + 1;
        return status;
      }
      case CommandKind::Switch: {
        std::uint32_t selector = 0;  // as an unsigned number, so that negative ones are no branch either
        const bp_status status = copy_out(command, &selector, sizeof selector);
        at = plan_.targets[command.target + std::min(selector, command.count - 1)];
        return status;
      }
      default: return BP_INTERNAL;
    }
  }

  bp_status copy_out(const Command &command, void *to, std::uint64_t size) {
    return machine_.copy_out(to, addresses_of(plan_, command, bases_)[0], size, diag_);
  }

  const LoadedProgram &program_;
  const LaunchPlan &plan_;
  Machine &machine_;
  const bp_diag_t *diag_;
  std::vector<std::uint64_t> bases_;                             // of the allocations, scratch last
  std::unordered_map<std::uint32_t, std::uint64_t> iterations_;  // completed so far, by command
};

bp_status run_program(const bp_program_t *program, const bp_run_t *run, const bp_diag_t *diag) {
  return plugin::guarded(diag, [&] {
    const bp_status status = start_run(program, *run, diag);
    const bp_status finished = loaded_program(program).machine->finish(status == BP_OK ? diag : nullptr);
    return status == BP_OK ? after_writing(finished) : status;
  });
}

void destroy_program(const bp_program_t *program) {
  delete static_cast<LoadedProgram *>(program->program_data);
}

}  // namespace

bp_status load_program(Artifact artifact, Machine &machine, const bp_program_t **program, const bp_diag_t *diag) {
  auto loaded = std::make_unique<LoadedProgram>();
  loaded->machine = &machine;
  loaded->plan = std::move(artifact.plan);
  loaded->segments = segments(loaded->plan);
  bp_status status = BP_OK;
  loaded->kernels = machine.load(loaded->plan, artifact.parts, status, diag);
  if (loaded->kernels == nullptr) {
    return status;
  }
  loaded->abi.resident_size = loaded->kernels->resident_bytes();
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
                        loaded.machine->backend() + ": run has " + std::to_string(run.allocation_count) +
                            " allocations, the program " + std::to_string(expected));
  }
  return Run(loaded, run, diag).start();
}

}  // namespace bp::gpu
