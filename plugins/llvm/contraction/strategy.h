// The ways to compute a contraction. Each divides the output into items and emits the code of one item.
#pragma once

#include <functional>
#include <memory>

#include "plugins/llvm/contraction/gpu/cost.h"
#include "plugins/llvm/contraction/memory.h"
#include "plugins/llvm/generator/team.h"

namespace bp::emit {

class ContractionStrategy {
 public:
  virtual ~ContractionStrategy() = default;
  virtual int64_t items() const = 0;
  virtual int64_t scratch_bytes() const { return 0; }
  // item: i64. The builder of `memory` stands where the code goes; scratch is a pointer.
  virtual void emit_item(const ContractionMemory &memory, llvm::Value *item, llvm::Value *scratch) const = 0;
};

// Vectors along the columns (or the batch, where out is contiguous there), operands read where they lie, the sums of a
// few rows in registers. For small, depthwise and odd cases; handles everything.
std::unique_ptr<ContractionStrategy> make_direct_strategy(const ContractionProblem &problem,
                                                          const VectorTarget &target);

// Vectors along the contracted axes: long sums that few outputs need.
std::unique_ptr<ContractionStrategy> make_reduction_strategy(const ContractionProblem &problem,
                                                             const VectorTarget &target);

// One row times a large matrix, read in the order of memory; sums in scratch.
bool is_worth_streaming(const ContractionProblem &problem);
std::unique_ptr<ContractionStrategy> make_streamed_strategy(const ContractionProblem &problem);

// Blocks of both operands are packed into scratch and multiplied tile by tile: everything large.
std::unique_ptr<ContractionStrategy> make_packed_strategy(const ContractionProblem &problem, const VectorTarget &target,
                                                          llvm::Module &module, const std::string &name);

// One thread for each element of the output.
std::unique_ptr<ContractionStrategy> make_threaded_strategy(const ContractionProblem &problem);

// A team for each tile of the output, of a shape with tiles; scratch is its memory. The team must outlive the strategy.
std::unique_ptr<ContractionStrategy> make_tiled_strategy(const ContractionProblem &problem, Team &team,
                                                         const ContractionShape &shape);

// A team for some results of few rows or columns, whose members share the contracted axes. Likewise.
constexpr int64_t usual_warp = 32;  // that its members are at least, where there is work for so many
bool may_be_split(const ContractionProblem &problem);
ContractionShape split_shape(const ContractionProblem &problem);
TeamWork split_work(const ContractionProblem &problem);
std::unique_ptr<ContractionStrategy> make_split_strategy(const ContractionProblem &problem, Team &team);

}  // namespace bp::emit
