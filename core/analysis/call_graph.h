// Which computations call which, and in what context.
#pragma once

#include <span>
#include <vector>

#include "core/ir/module.h"

namespace bp::analysis {

// How the entry reaches a computation. Control: only through while, conditional, call and asynchronous starts; its
// values may own buffers. Embedded: only as, or from within, the function of an op such as reduce or fusion.
enum class CallContext { Unreachable, Control, Embedded, Both };

// A snapshot of a verified module (no recursion; all callees belong to the module). Built in linear time.
class CallGraph {
 public:
  explicit CallGraph(const ir::Module &module);

  // Returns the computations that the entry reaches, each once: callees before callers, the entry last.
  std::span<const ir::ComputationId> callees_first() const { return callees_first_; }
  CallContext context(ir::ComputationId id) const { return contexts_[index(id)]; }
  // Returns the instructions of reachable computations that call a computation; an instruction that calls it twice is
  // listed twice.
  std::span<const ir::InstructionId> callers(ir::ComputationId id) const {
    return std::span(callers_).subspan(begin_[index(id)], begin_[index(id) + 1] - begin_[index(id)]);
  }

 private:
  void order_callees_first(const ir::Module &module);
  void collect_callers(const ir::Module &module);
  void find_contexts(const ir::Module &module);

  std::vector<ir::ComputationId> callees_first_;
  std::vector<CallContext> contexts_;
  std::vector<std::uint32_t> begin_;  // offsets of compressed rows, as in Users
  std::vector<ir::InstructionId> callers_;
};

}  // namespace bp::analysis
