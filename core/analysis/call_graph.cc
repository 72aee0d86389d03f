#include "core/analysis/call_graph.h"

namespace bp::analysis {

CallGraph::CallGraph(const ir::Module &module)
    : contexts_(module.computation_id_limit(), CallContext::Unreachable), begin_(module.computation_id_limit() + 1) {
  order_callees_first(module);
  collect_callers(module);
  find_contexts(module);
}

// Depth-first search with an explicit stack: calls may nest deeper than the thread's stack allows.
void CallGraph::order_callees_first(const ir::Module &module) {
  struct Frame {
    ir::ComputationId computation;
    std::vector<ir::ComputationId> callees;
    std::size_t next = 0;
  };
  std::vector<bool> is_seen(module.computation_id_limit(), false);
  std::vector<Frame> stack;
  auto push = [&](ir::ComputationId id) {
    is_seen[index(id)] = true;
    Frame frame{id, {}};
    for (ir::Instruction instruction : module.computation(id).instructions()) {
      frame.callees.insert(frame.callees.end(), instruction.calls().begin(), instruction.calls().end());
    }
    stack.push_back(std::move(frame));
  };
  push(module.entry().id());
  while (!stack.empty()) {
    Frame &top = stack.back();
    if (top.next == top.callees.size()) {
      callees_first_.push_back(top.computation);
      stack.pop_back();
      continue;
    }
    ir::ComputationId callee = top.callees[top.next++];
    if (!is_seen[index(callee)]) {
      push(callee);
    }
  }
}

void CallGraph::collect_callers(const ir::Module &module) {
  auto for_each_call = [&](auto &&visit) {
    for (ir::ComputationId id : callees_first_) {
      for (ir::Instruction caller : module.computation(id).instructions()) {
        for (ir::ComputationId callee : caller.calls()) {
          visit(caller.id(), callee);
        }
      }
    }
  };
  for_each_call([&](ir::InstructionId, ir::ComputationId callee) { ++begin_[index(callee) + 1]; });
  for (std::size_t i = 1; i < begin_.size(); ++i) {
    begin_[i] += begin_[i - 1];
  }
  callers_.resize(begin_.back());
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for_each_call([&](ir::InstructionId caller, ir::ComputationId callee) { callers_[next[index(callee)]++] = caller; });
}

// Visits callers first, so that the context of a computation is known before its calls are visited.
void CallGraph::find_contexts(const ir::Module &module) {
  contexts_[index(module.entry().id())] = CallContext::Control;
  auto add = [&](ir::ComputationId id, CallContext context) {
    CallContext &known = contexts_[index(id)];
    known = known == CallContext::Unreachable || known == context ? context : CallContext::Both;
  };
  for (auto id = callees_first_.rbegin(); id != callees_first_.rend(); ++id) {
    CallContext own = context(*id);
    for (ir::Instruction caller : module.computation(*id).instructions()) {
      for (ir::ComputationId callee : caller.calls()) {
        if (own != CallContext::Embedded) {
          add(callee, caller.is(ir::Trait::CallsEmbedded) ? CallContext::Embedded : CallContext::Control);
        }
        if (own != CallContext::Control) {
          add(callee, CallContext::Embedded);
        }
      }
    }
  }
}

}  // namespace bp::analysis
