// Kernel set: the kernels of a program. Kernels that would be the same code are emitted once.
//
// A guarded kernel has one more argument at the end, the address of a byte. If that byte is 0, the kernel does nothing.
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

// A kernel, with all that a launch of it needs.
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
// How the instruction is sorted in tiles. Returns nothing if the memory of a block is too small for a tile.
std::optional<TeamSort> sort_for_team(emit::InstructionView sort, const Target &target);

inline constexpr std::uint32_t max_choices = 16;  // branches of which the GPU can choose one

class KernelSet {
 public:
  // Keeps references to both.
  KernelSet(llvm::Module &code, const Threads &threads) : code_(code), threads_(threads), target_(threads.target()) {}

  std::uint32_t count() const { return static_cast<std::uint32_t>(kernels_.size()); }

  // The kernel of an instruction. Its arguments are those of the call, and scratch memory.
  const Kernel &of_call(emit::InstructionView instruction, const emit::KernelCall &call, bool is_guarded);
  // The kernel that sorts tiles, or merges them. Its arguments are the sources and the destinations, by operand. A
  // merge also needs the length of the sorted runs: because all arguments of a kernel are addresses, it gets two
  // addresses, whose distance is the length.
  const Kernel &of_sort(emit::InstructionView instruction, const emit::KernelCall &call, const TeamSort &sort,
                        bool merges, bool is_guarded);
  // The kernel of a random state. Its argument is the address of the state.
  const Kernel &of_random_state(emit::InstructionView instruction, bool is_guarded);
  // A guarded kernel that moves bytes. Its arguments are the destination, the source, and the last byte of the
  // destination. alignment: the alignment of both addresses.
  Kernel of_move(std::uint64_t bytes, std::uint64_t alignment);
  // A kernel that writes, for each of at most max_choices branches, whether a pred or s32 selects it. Its arguments are
  // the selector, and a byte for each branch; if has_guard, also a guard: if it is 0, no branch is selected.
  Kernel of_choice(std::uint32_t branches, bool is_pred, bool has_guard);

 private:
  // Returns the kernel with this signature, and whether it has yet to be emitted.
  std::pair<Kernel &, bool> find(const std::string &signature, bool is_guarded);
  // Begins a kernel with `arguments` arguments, and the guard. The builder then stands where wanted threads go on.
  KernelFrame begin(llvm::IRBuilderBase &builder, const Kernel &kernel, std::size_t arguments, std::size_t maps,
                    const emit::KernelCall *call, Cooperation cooperation) const;
  void emit_for_threads(emit::InstructionView instruction, const emit::KernelCall &call, Kernel &kernel);
  // Returns false if there are no columns, or enough of them that one thread for each fills the GPU.
  bool emit_for_columns(emit::InstructionView instruction, const emit::KernelCall &call, const RegisterNeed &need,
                        Kernel &kernel);
  std::uint32_t blocks_at_once(const TeamSize &size, const RegisterNeed &need) const;
  // blocks: as in Threads::end_kernel().
  void emit_for_teams(emit::InstructionView instruction, const emit::KernelCall &call, const TeamSize &size,
                      std::int64_t items, std::uint32_t blocks, Kernel &kernel, std::size_t maps = 0);

  llvm::Module &code_;
  const Threads &threads_;
  const Target &target_;
  std::unordered_map<std::string, Kernel> kernels_;  // by signature
};

}  // namespace bp::gpu
