// Topk: returns the best elements of each line of an array along its last dimension, and their positions, the best
// first. Among equal elements the first one is better.
#pragma once

#include <optional>
#include <vector>

#include "plugins/llvm/generator/generator.h"
#include "plugins/llvm/generator/kernel_site.h"
#include "plugins/llvm/generator/team.h"

namespace bp::emit {

// The lines of a topk and their elements, for its kernels.
class TopkLines {
 public:
  TopkLines(Generator &generator, KernelBuilder &builder, const KernelSite &site)
      : generator_(generator), k_(builder), b_(builder.b), site_(site), instruction_(site.instruction) {}

  const Shape &shape() const { return instruction_.operand_shape(0); }
  std::size_t dimension() const { return shape().rank() - 1; }
  std::int64_t size() const { return shape().dims[dimension()]; }                 // elements per line
  std::int64_t count() const { return instruction_.shape(0).dims[dimension()]; }  // number of elements wanted
  // Returns all dimensions except the last.
  std::vector<LoopGroup> groups() const;

  unsigned key_bits() const;
  // Returns values as unsigned integers that are larger for better values; floats are in total order.
  llvm::Value *key(llvm::Value *value) const;
  llvm::Value *load(std::span<const Index> at) { return generator_.element(instruction_.operand(0), at); }
  // Stores the element at a position, an i32, as the one of this rank, an i64.
  void store_result(Indices at, llvm::Value *rank, llvm::Value *position);

 private:
  Generator &generator_;
  KernelBuilder &k_;
  llvm::IRBuilder<> &b_;
  const KernelSite &site_;
  const InstructionView instruction_;
};

// A topk whose lines are done by teams.
struct TeamTopk {
  std::int64_t lines, length;
  std::int64_t bytes_of_team;  // maximum bytes of memory per team
};
// Returns nullopt if sorting is better because of the number of elements that are wanted.
std::optional<TeamTopk> topk_for_team(InstructionView instruction);

// Same contract as in kinds.h. emit_topk_by_team() requires a result of topk_for_team().
KernelWork emit_topk(Generator &generator, KernelBuilder &builder, const KernelSite &site);
KernelWork emit_topk_by_team(Generator &generator, KernelBuilder &builder, const KernelSite &site, Team &team);

}  // namespace bp::emit
