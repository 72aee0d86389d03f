// Plan builder: adds commands to a launch plan, with the kernels that they launch.
//
// The commands may be guarded: launches then have a guard as their last argument, and moves are launches. A guard is a
// byte that the GPU writes. If it is 0, the launch writes nothing, so branches can share memory as if only one of them
// were started.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plugin_api/cpp/result.h"
#include "plugins/gpu/kernel_set.h"
#include "plugins/gpu/launch_plan.h"

namespace bp::gpu {

class PlanBuilder {
 public:
  // Keeps references to all of them; the plan is empty.
  PlanBuilder(const emit::ModuleView &module, const Threads &threads, llvm::Module &code, LaunchPlan &plan);
  // Finishes the plan, once, after all commands.
  void finish();

  std::uint32_t here() const { return static_cast<std::uint32_t>(plan_.commands.size()); }
  // Adds a command. Its ranges are those that the caller adds next, if any.
  Command &add(CommandKind kind, emit::InstructionView origin);
  // Adds a jump, whose target may be set later.
  void jump(emit::InstructionView origin, std::uint32_t target) { add(CommandKind::Jump, origin).target = target; }
  std::uint32_t jump_unless(emit::InstructionView origin, const MemoryRange &condition);
  // Moves bytes from the memory of a value to that of another.
  void move(emit::InstructionView origin, std::uint32_t from, std::uint32_t to);
  plugin::Status launch(emit::InstructionView instruction);
  void launch_random_state(emit::InstructionView instruction);
  // Adds the `length` commands from `first` on again, `times` times.
  void write_again(std::uint32_t first, std::uint64_t length, std::uint64_t times);

  // Returns new bytes for guards, so that guarded commands wait for their own choice only.
  MemoryRange new_guards(std::uint32_t count);
  // Adds a launch that sets the guards, one for each branch: the selected branch is wanted. No branch is wanted if the
  // launch is guarded itself, by 0.
  void choose(emit::InstructionView origin, std::uint32_t selector, MemoryRange guards);
  // Calls `emit`, whose commands have this guard, and returns its result.
  template <class Emit>
  plugin::Status guarded(const MemoryRange &guard, Emit emit) {
    const auto around = std::exchange(guard_, guard);
    plugin::Status status = emit();
    guard_ = around;
    return status;
  }

 private:
  plugin::Status launch_sort(emit::InstructionView instruction, const emit::KernelCall &call, const TeamSort &sort);
  plugin::Status check(emit::InstructionView instruction, const Kernel &kernel);
  void add_launch(emit::InstructionView origin, const Kernel &kernel, const std::vector<MemoryRange> &arguments);
  MemoryRange range_in_scratch(std::uint64_t offset, std::uint64_t size, bool is_written = false) const;

  const emit::ModuleView &module_;
  const Threads &threads_;
  LaunchPlan &plan_;
  KernelSet kernels_;
  std::uint32_t scratch_;  // index of its allocation; until finish(), guards are in the allocation after it
  std::optional<MemoryRange> guard_;
  std::uint64_t guard_bytes_ = 0;
};

// The range of `size` bytes at a location.
MemoryRange range_of(const emit::Location &location, std::uint64_t size, bool is_written = false);

}  // namespace bp::gpu
