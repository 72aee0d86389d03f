// The strategies for computing a contraction. Each divides the output into items and emits the code of one item.
#pragma once

#include <functional>
#include <memory>

#include "plugins/llvm/contraction/gpu/shape.h"
#include "plugins/llvm/contraction/memory.h"
#include "plugins/llvm/generator/team.h"

namespace bp::emit {

class ContractionStrategy {
 public:
  virtual ~ContractionStrategy() = default;
  virtual int64_t items() const = 0;
  virtual int64_t scratch_bytes() const { return 0; }
  // Emits the code of one item at the insertion point of memory's builder. item: i64; scratch: a pointer.
  virtual void emit_item(const ContractionMemory &memory, llvm::Value *item, llvm::Value *scratch) const = 0;
};

// Vectors along the columns (or the batch, if out is contiguous along it), operands read from where they are, the sums
// of a few rows in registers. For small, depthwise and unusual cases; handles everything.
std::unique_ptr<ContractionStrategy> make_direct_strategy(const ContractionProblem &problem,
                                                          const VectorTarget &target);

// Vectors along the contracted axes: for long sums of few outputs.
std::unique_ptr<ContractionStrategy> make_reduction_strategy(const ContractionProblem &problem,
                                                             const VectorTarget &target);

// One row times a large matrix, which is read in the order of memory, with sums in scratch.
bool is_worth_streaming(const ContractionProblem &problem);
std::unique_ptr<ContractionStrategy> make_streamed_strategy(const ContractionProblem &problem);

// Depthwise convolutions whose channels are neighbours in memory: outputs next to each other share their inputs.
bool is_worth_sliding(const ContractionProblem &problem, const VectorTarget &target);
std::unique_ptr<ContractionStrategy> make_sliding_strategy(const ContractionProblem &problem,
                                                           const VectorTarget &target);

// Blocks of both operands are packed into scratch and multiplied tile by tile: for all large contractions.
std::unique_ptr<ContractionStrategy> make_packed_strategy(const ContractionProblem &problem, const VectorTarget &target,
                                                          llvm::Module &module, const std::string &name);

// One thread for each element of the output.
std::unique_ptr<ContractionStrategy> make_threaded_strategy(const ContractionProblem &problem);

// A team for each tile of the output, for a shape with tiles; scratch is the team's memory. The team must outlive the
// strategy.
std::unique_ptr<ContractionStrategy> make_tiled_strategy(const ContractionProblem &problem, Team &team,
                                                         const ContractionShape &shape);

// A team for some results of few rows or columns, whose members share the contracted axes. Scratch is the team's
// memory. The team must outlive the strategy.
std::unique_ptr<ContractionStrategy> make_split_strategy(const ContractionProblem &problem, Team &team);

}  // namespace bp::emit
