// The kernels of a program. Those that would be the same code are emitted once.
//
// A guarded kernel has one more argument, the last one: a byte. Where that is 0, it does nothing.
#pragma once

#include <llvm/IR/Module.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "plugins/gpu/block_team.h"
#include "plugins/llvm/kernel/call.h"
#include "plugins/llvm/kernel/sort_tiles.h"

namespace bp::gpu {

// What a launch of it needs.
struct Kernel {
  std::uint32_t number = 0;
  bool is_guarded = false;
  std::int64_t blocks = 1;
  std::uint32_t threads = 1, shared_bytes = 0;
  std::uint64_t scratch_bytes = 0;
  std::vector<TensorMap> maps;
};

struct TeamSort {
  emit::SortTiles tiles;
  TeamSize size;
};
// Nothing if the memory of a block is too small for a tile.
std::optional<TeamSort> sort_for_team(emit::InstructionView sort, const Target &target);

class KernelSet {
 public:
  // All are kept.
  KernelSet(llvm::Module &code, const Threads &threads) : code_(code), threads_(threads), target_(threads.target()) {}

  std::uint32_t count() const { return static_cast<std::uint32_t>(kernels_.size()); }

  // Arguments: the call's, and scratch.
  const Kernel &of_call(emit::InstructionView instruction, const emit::KernelCall &call, bool is_guarded);
  // Arguments: from where and to where, by operand; of a merge, two places as far from each other as runs are long.
  const Kernel &of_sort(emit::InstructionView instruction, const emit::KernelCall &call, const TeamSort &sort,
                        bool merges, bool is_guarded);
  // Argument: where the state goes.
  const Kernel &of_random_state(emit::InstructionView instruction, bool is_guarded);
  // Guarded. Arguments: to where, from where, and the last byte of the former. alignment: of both.
  Kernel of_move(std::uint64_t bytes, std::uint64_t alignment);
  // Writes whether each branch, of at most max_guarded, is the one that a pred or s32 selects. Arguments: the
  // selector, and a byte for each branch; has_guard: and a guard, with which no branch is chosen if it is 0.
  Kernel of_choice(std::uint32_t branches, bool is_pred, bool has_guard);

 private:
  // The one that has this signature, and whether it has yet to be emitted.
  std::pair<Kernel &, bool> find(const std::string &signature, bool is_guarded);
  // With so many arguments, and the guard. The builder then stands where threads go on.
  KernelFrame begin(llvm::IRBuilderBase &builder, const Kernel &kernel, std::size_t arguments, std::size_t maps,
                    const emit::KernelCall *call, Cooperation cooperation) const;
  void emit_for_threads(emit::InstructionView instruction, const emit::KernelCall &call, Kernel &kernel);
  // False if there are no columns, or so many that a thread for each of them fills the GPU.
  bool emit_for_columns(emit::InstructionView instruction, const emit::KernelCall &call, const RegisterNeed &need,
                        Kernel &kernel);
  std::uint32_t blocks_at_once(const TeamSize &size, const RegisterNeed &need) const;
  // blocks: as Threads::end_kernel() has them.
  void emit_for_teams(emit::InstructionView instruction, const emit::KernelCall &call, const TeamSize &size,
                      std::int64_t items, std::uint32_t blocks, Kernel &kernel, std::size_t maps = 0);

  llvm::Module &code_;
  const Threads &threads_;
  const Target &target_;
  std::unordered_map<std::string, Kernel> kernels_;  // by signature
};

}  // namespace bp::gpu
