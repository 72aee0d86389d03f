// The kernels of contractions: for each contraction the best strategy, with the loop around its items.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plugins/llvm/contraction/contraction.h"
#include "plugins/llvm/contraction/gpu/shape.h"
#include "plugins/llvm/generator/team.h"
#include "plugins/llvm/vector_target.h"

namespace bp::emit {

// A generated function `void name(ptr lhs, ptr rhs, ptr out, ptr scratch, i64 begin, i64 end, ptr...)`. It computes the
// items [begin, end) of [0, items). Disjoint ranges write disjoint elements of out and may run at the same time, each
// on a scratch of its own. All items together write every element of out. out must not overlap the inputs. Pointers
// must be aligned to their elements; scratch must be aligned to 64 bytes.
struct Kernel {
  llvm::Function *function = nullptr;
  int64_t scratch_bytes = 0;
  int64_t items = 0;
};

// Emits the contractions one after the other into one kernel. They share pointers and types (the phases of a
// convolution with lhs dilation are one contraction each).
Kernel emit_contractions(llvm::Module &module, const std::string &name, const VectorTarget &target,
                         const std::vector<Contraction> &contractions);

// Whether the packed strategy computes the contraction, and would do so in the same order if an operand (0: lhs,
// 1: rhs) were in panels, which it then need not copy.
bool copies_to_panels(const Contraction &contraction, std::size_t operand, const VectorTarget &target);

// Whether a CPU reads an operand (0: lhs, 1: rhs) in vectors of neighbours, without tails, and few times. So it may be
// computed where it is read (Contraction::prologues).
bool may_be_computed(const Contraction &contraction, std::size_t operand, const VectorTarget &target);

// Returns nullopt if threads by themselves are better.
std::optional<TeamWork> team_work(const VectorTarget &target, const std::vector<Contraction> &contractions);
// Emits the contractions for a team that does one item, at the builder's insertion point instead of in a function of
// its own. pointers: lhs, rhs and out. Kernel::scratch_bytes is the size of the team's memory.
Kernel emit_contractions_for_team(llvm::IRBuilder<> &builder, const VectorTarget &target,
                                  const std::vector<Contraction> &contractions, Team &team, llvm::Value *item,
                                  const std::array<llvm::Value *, 3> &pointers,
                                  std::span<llvm::Value *const> fused_pointers);

}  // namespace bp::emit
