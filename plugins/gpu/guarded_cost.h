// Decides which conditionals and loops are decided on the GPU. They cost so little that the host starts all of their
// commands, and those that are not wanted do nothing; so the host need not ask the GPU which ones are wanted.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plugins/gpu/target.h"
#include "plugins/llvm/module_view.h"

namespace bp::gpu {

// The max cost of guarded commands, in launches that do nothing. Such a launch takes about an eighth of the time in
// which the host asks the GPU for a byte and starts the next commands; about half of all guarded launches are wanted.
inline constexpr std::uint64_t max_guarded = 16;

// The values that are results of the instruction.
std::vector<std::uint32_t> results_of(emit::InstructionView instruction);
// The number of bytes to move from the memory of one value to that of another; 0 if nothing has to be moved.
std::uint64_t moved_bytes(const emit::ModuleView &module, std::uint32_t from, std::uint32_t to);

// Cost of control flow if it is guarded. It is more than max_guarded if the control flow asks the host, does a lot, or
// cannot be launched.
class GuardedCost {
 public:
  GuardedCost(const emit::ModuleView &module, const Target &target)
      : module_(module), target_(target), of_computations_(module.computation_count()) {}

  std::uint64_t of(emit::InstructionView instruction);
  // The cost of one iteration of a while.
  std::uint64_t of_iteration(emit::InstructionView loop);

 private:
  std::uint64_t of(emit::ComputationView computation);
  std::uint64_t of_branch(emit::InstructionView instruction, std::size_t which, std::size_t first_operand);
  std::uint64_t of_moves(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to) const;

  const emit::ModuleView &module_;
  const Target &target_;
  std::vector<std::optional<std::uint64_t>> of_computations_;
};

}  // namespace bp::gpu
