// Which computation calls which, and in what context.
#pragma once

#include <span>
#include <vector>

#include "core/ir/module.h"

namespace bp::analysis {

// How a computation is reached from the entry. Control: only through while, conditional, call and asynchronous starts;
// its values may own buffers. Embedded: only as, or from within, the function of an op such as reduce or fusion.
enum class CallContext { Unreachable, Control, Embedded, Both };

// A snapshot of a verified module (no recursion, calls refer to computations of the module). Linear in time.
class CallGraph {
 public:
  explicit CallGraph(const ir::Module &module);

  // Computations that the entry reaches, the entry last: callees before callers, each once.
  std::span<const ir::ComputationId> callees_first() const { return callees_first_; }
  CallContext context(ir::ComputationId id) const { return contexts_[index(id)]; }
  // The instructions of reachable computations that call it; one that calls it twice is there twice.
  std::span<const ir::InstructionId> callers(ir::ComputationId id) const {
    return std::span(callers_).subspan(begin_[index(id)], begin_[index(id) + 1] - begin_[index(id)]);
  }

 private:
  void order_callees_first(const ir::Module &module);
  void collect_callers(const ir::Module &module);
  void find_contexts(const ir::Module &module);

  std::vector<ir::ComputationId> callees_first_;
  std::vector<CallContext> contexts_;
  std::vector<std::uint32_t> begin_;  // compressed rows, as in Users
  std::vector<ir::InstructionId> callers_;
};

}  // namespace bp::analysis
