// Plan builder: adds commands to a launch plan, with the kernels that they launch.
//
// What it adds may be guarded: launches then have a guard as their last argument, and moves are launches. A guard is a
// byte that the GPU writes. Where it is 0 nothing is written, so branches share memory as if only one were started.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plugins/gpu/kernel_set.h"
#include "plugins/gpu/launch_plan.h"
#include "plugins/llvm/program.h"

namespace bp::gpu {

class PlanBuilder {
 public:
  // All are kept; the plan is empty.
  PlanBuilder(const emit::ModuleView &module, const Threads &threads, llvm::Module &code, LaunchPlan &plan,
              emit::Problem &problem);
  // Once, after all commands.
  void finish();
  // Sets the problem, and returns false.
  bool fail(emit::InstructionView instruction, const std::string &message, bool unsupported = false);

  std::uint32_t here() const { return static_cast<std::uint32_t>(plan_.commands.size()); }
  // Without places, or with those that are pushed next.
  Command &add(CommandKind kind, emit::InstructionView origin);
  // Where to may be said later.
  void jump(emit::InstructionView origin, std::uint32_t target) { add(CommandKind::Jump, origin).target = target; }
  std::uint32_t jump_unless(emit::InstructionView origin, const Place &condition);
  // From the memory of values to that of others.
  void move(emit::InstructionView origin, std::uint32_t from, std::uint32_t to);
  // False if it fails.
  bool launch(emit::InstructionView instruction);
  void launch_random_state(emit::InstructionView instruction);
  // So many commands, so many times more.
  void write_again(std::uint32_t first, std::uint64_t length, std::uint64_t times);

  // Bytes of their own, so that what is guarded waits for its own choice only.
  Place new_guards(std::uint32_t count);
  // The guards, one for each branch, say which branch is selected; none, if what is added is itself guarded by 0.
  void choose(emit::InstructionView origin, std::uint32_t selector, Place guards);
  // What `emit` adds has this guard. Returns what it returns.
  template <class Emit>
  bool guarded(const Place &guard, Emit emit) {
    const auto around = std::exchange(guard_, guard);
    const bool is_emitted = emit();
    guard_ = around;
    return is_emitted;
  }

 private:
  bool launch_sort(emit::InstructionView instruction, const emit::KernelCall &call, const TeamSort &sort);
  bool can_start(emit::InstructionView instruction, const Kernel &kernel);
  void add_launch(emit::InstructionView origin, const Kernel &kernel, const std::vector<Place> &arguments);
  Place place_in_scratch(std::uint64_t offset, std::uint64_t size, bool is_written = false) const;

  const emit::ModuleView &module_;
  const Threads &threads_;
  LaunchPlan &plan_;
  emit::Problem &problem_;
  KernelSet kernels_;
  std::uint32_t scratch_;  // allocation; until the end, guards lie in one after it
  std::optional<Place> guard_;
  std::uint64_t guard_bytes_ = 0;
};

// The place of a value.
Place place_of(const emit::Location &location, std::uint64_t size, bool is_written = false);

}  // namespace bp::gpu
