// What is decided on the GPU: conditionals and loops that cost so little that all of their commands are started, and
// those that are not wanted do nothing, rather than that the host asks which are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plugins/gpu/target.h"
#include "plugins/llvm/module_view.h"

namespace bp::gpu {

// In launches that do nothing. One takes about an eighth of the time in which the host asks the GPU for a byte and
// starts what comes next; of what is guarded, about half is wanted.
inline constexpr std::uint64_t max_guarded = 16;

// Values.
std::vector<std::uint32_t> results_of(emit::InstructionView instruction);
// Bytes from the memory of one value to that of another; 0 if nothing has to be moved.
std::uint64_t moved_bytes(const emit::ModuleView &module, std::uint32_t from, std::uint32_t to);

// What control flow costs if it is guarded: more than max_guarded, if it asks the host, does a lot, or cannot be launched.
class GuardedCost {
 public:
  GuardedCost(const emit::ModuleView &module, const Target &target)
      : module_(module), target_(target), of_computations_(module.computation_count()) {}

  std::uint64_t of(emit::InstructionView instruction);
  // The cost of one round of a while.
  std::uint64_t of_round(emit::InstructionView loop);

 private:
  std::uint64_t of(emit::ComputationView computation);
  std::uint64_t of_branch(emit::InstructionView instruction, std::size_t which, std::size_t first_operand);
  std::uint64_t of_moves(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to) const;

  const emit::ModuleView &module_;
  const Target &target_;
  std::vector<std::optional<std::uint64_t>> of_computations_;
};

}  // namespace bp::gpu
