// Topk: of each line of an array, along its last dimension, the best elements and their positions, the best first. Of
// equal elements the first one is the better one.
#pragma once

#include <optional>
#include <vector>

#include "plugins/llvm/kernel/kernel.h"

namespace bp::emit {

// The lines of a topk and their elements, for the kernels of it.
class TopkLines {
 public:
  TopkLines(Generator &generator, KernelBuilder &builder, const KernelSite &site)
      : generator_(generator), k_(builder), b_(builder.b), site_(site), instruction_(site.instruction) {}

  const Shape &shape() const { return instruction_.operand_shape(0); }
  std::size_t dimension() const { return shape().rank() - 1; }
  std::int64_t size() const { return shape().dims[dimension()]; }                 // of a line
  std::int64_t count() const { return instruction_.shape(0).dims[dimension()]; }  // of the elements that are wanted
  // All dimensions but the last.
  std::vector<LoopGroup> groups() const;

  unsigned key_bits() const;
  // Values as unsigned integers, which are the larger the better they are; floats are in total order.
  llvm::Value *key(llvm::Value *value) const;
  llvm::Value *load(std::span<const Index> at) { return generator_.element(instruction_.operand(0), at); }
  // Makes the element at a position, an i32, the one of this rank, an i64.
  void store_result(Indices at, llvm::Value *rank, llvm::Value *position);

 private:
  Generator &generator_;
  KernelBuilder &k_;
  llvm::IRBuilder<> &b_;
  const KernelSite &site_;
  const InstructionView instruction_;
};

// A topk whose lines teams do.
struct TeamTopk {
  std::int64_t lines, length;
  std::int64_t bytes_of_team;  // at most
};
// Nothing if so many are wanted that sorting is better.
std::optional<TeamTopk> topk_for_team(InstructionView instruction);

// Contract as in kernel.h. By a team: topk_for_team() is not empty.
KernelWork emit_topk(Generator &generator, KernelBuilder &builder, const KernelSite &site);
KernelWork emit_topk_by_team(Generator &generator, KernelBuilder &builder, const KernelSite &site, Team &team);

}  // namespace bp::emit
