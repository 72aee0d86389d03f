// A run goes from segment to segment of the plan, and copies conditions and selectors from the machine.
#include "plugins/gpu/program.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plugin_api/cpp/call.h"

namespace bp::gpu {

using plugin::after_writing;
using plugin::Error;
using plugin::Status;

namespace {

class Run {
 public:
  Run(const Program &program, const bp_run_t &run)
      : program_(program), plan_(program.plan()), machine_(program.machine()) {
    bases_.reserve(run.allocation_count + std::size_t{1});
    for (std::uint32_t i = 0; i < run.allocation_count; ++i) {
      bases_.push_back(run.allocations[i].memory + run.allocations[i].offset);
    }
    bases_.push_back(run.scratch.memory + run.scratch.offset);
  }

  Status start() {
    bool has_started = false;
    for (std::uint32_t at = 0; at < plan_.commands.size();) {
      const Command &command = plan_.commands[at];
      Status status = jumps(command.kind) ? jump(command, at) : start_segment(at);
      if (!status.ok()) {
        return has_started ? after_writing(std::move(status).error()) : std::move(status);
      }
      has_started |= !jumps(command.kind);
    }
    return {};
  }

 private:
  // Starts the segment that begins at command `at`, and sets `at` to the command after it.
  Status start_segment(std::uint32_t &at) {
    BP_ASSIGN(at, program_.start_segment(at, bases_));
    return {};
  }

  Status jump(const Command &command, std::uint32_t &at) {
    switch (command.kind) {
      case CommandKind::Jump: at = command.target; return {};
      case CommandKind::Repeat: {
        std::uint64_t &iterations = iterations_[at];
        const bool is_over = ++iterations == command.size;
        iterations = is_over ? 0 : iterations;
        at = is_over ? at + 1 : command.target;
        return {};
      }
      case CommandKind::JumpUnless: {
        std::uint8_t condition = 0;
        BP_TRY(copy_out(command, &condition, sizeof condition));
        at = condition == 0 ? command.target : at + 1;
        return {};
      }
      case CommandKind::Switch: {
        std::uint32_t selector = 0;  // as an unsigned number, so that negative ones are no branch either
        BP_TRY(copy_out(command, &selector, sizeof selector));
        at = plan_.targets[command.target + std::min(selector, command.count - 1)];
        return {};
      }
      default: return Error(BP_INTERNAL, "a command of unknown kind");
    }
  }

  Status copy_out(const Command &command, void *to, std::uint64_t size) {
    return machine_.copy_out(to, addresses_of(plan_, command, bases_)[0], size);
  }

  const Program &program_;
  const LaunchPlan &plan_;
  Machine &machine_;
  std::vector<std::uint64_t> bases_;                             // of the allocations, scratch last
  std::unordered_map<std::uint32_t, std::uint64_t> iterations_;  // completed so far, by command
};

}  // namespace

plugin::Result<std::unique_ptr<Program>> Program::load(Artifact artifact, Machine &machine) {
  std::unique_ptr<Program> program(new Program(std::move(artifact.plan), machine));
  BP_ASSIGN(program->kernels_, machine.load(program->plan_, artifact.parts));
  program->abi.resident_size = program->kernels_->resident_bytes() + host_bytes(program->plan_);
  program->abi.scratch_size = program->plan_.scratch_bytes;
  program->abi.scratch_alignment = 256;
  return program;
}

plugin::Result<std::uint32_t> Program::start_segment(std::uint32_t at, std::span<const std::uint64_t> bases) const {
  const auto segment = std::ranges::lower_bound(segments_, at, {}, &Segment::begin);
  BP_TRY(kernels_->start(static_cast<std::uint32_t>(segment - segments_.begin()), bases));
  return segment->end;
}

Status Program::start(const bp_run_t &run) const {
  const std::size_t expected = plan_.allocation_sizes.size() - 1;
  if (run.allocation_count != expected) {
    return Error(BP_INVALID, "run has " + std::to_string(run.allocation_count) + " allocations, the program " +
                                 std::to_string(expected));
  }
  return Run(*this, run).start();
}

// After a failure, too, it waits for the commands before it, which use memory until they are done.
Status Program::run(const bp_run_t &run) const {
  Status started = start(run);
  Status finished = machine_.finish();
  BP_TRY(std::move(started));
  return finished.ok() ? std::move(finished) : after_writing(std::move(finished).error());
}

}  // namespace bp::gpu
