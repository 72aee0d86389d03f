// Gives each call of a control computation a computation of its own, because buffer assignment gives each instruction
// of a control computation one slice of memory. Callers are handled first: the first call keeps the computation, each
// other call gets a copy, whose own calls are then handled like all others.
#include <deque>

#include "core/analysis/call_graph.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

// Makes a shallow copy: it calls the same computations as the original.
ir::ComputationId copy_computation(ir::Module &module, ir::ComputationId from) {
  ir::ComputationId to = module.add_computation(fmt::format("{}.copy", module.computation(from).name()));
  module.set_execution_thread(to, std::string(module.computation(from).execution_thread()));
  std::vector<ir::InstructionId> parameters;
  for (std::size_t i = 0; i < module.computation(from).parameter_count(); ++i) {
    parameters.push_back(module.clone_instruction(to, module.computation(from).parameter(i), {}, {}));
  }
  ir::InstructionId root = copy_body(module, from, to, parameters);
  module.set_root(to, root);
  return to;
}

class Flattener {
 public:
  Flattener(ir::Module &module, const PassContext &context) : module_(module), context_(context), graph_(module) {}

  Result<bool> run() {
    BP_TRY(expect_room());
    visit(module_.entry().id());
    while (!waiting_.empty()) {
      ir::ComputationId id = waiting_.front();
      waiting_.pop_front();
      auto order = module_.computation(id).instruction_ids();
      for (ir::InstructionId instruction : std::vector(order.begin(), order.end())) {
        BP_TRY(flatten_calls(instruction));
      }
    }
    if (changed_) {
      tidy(module_);
    }
    return changed_;
  }

 private:
  // Counts the instructions before copying, because chains of calls can double the module at each level and would
  // exhaust the memory.
  Status expect_room() const {
    std::vector<double> copies(module_.computation_id_limit());
    copies[index(module_.entry().id())] = 1;
    double instructions = 0, most = 0;
    std::string_view most_copied;
    const auto callees_first = graph_.callees_first();
    for (auto id = callees_first.rbegin(); id != callees_first.rend(); ++id) {
      const ir::Computation computation = module_.computation(*id);
      const double own = copies[index(*id)];
      instructions += own * static_cast<double>(computation.instruction_count());
      if (own > most) {
        most = own;
        most_copied = computation.name();
      }
      for (ir::Instruction caller : computation.instructions()) {
        for (ir::ComputationId callee : caller.calls()) {
          double &of_callee = copies[index(callee)];
          of_callee = caller.is(ir::Trait::CallsControl) ? of_callee + own : std::max(of_callee, 1.0);
        }
      }
    }
    if (instructions <= static_cast<double>(context_.max_instructions)) {
      return {};
    }
    return make_error(
        ErrorCode::OutOfMemory,
        "{}: there are {:.4g} paths of calls to it; with a copy of each computation for each path the module "
        "has {:.4g} instructions, expected at most {}",
        most_copied, most, instructions, context_.max_instructions);
  }

  Status flatten_calls(ir::InstructionId id) {
    ir::Instruction caller = module_.instruction(id);
    if (caller.opcode() == ir::Opcode::AsyncUpdate || caller.opcode() == ir::Opcode::AsyncDone) {
      // It continues the call of its async-start.
      auto started = caller.operand(0).calls();
      if (!caller.calls().empty() && !started.empty()) {
        module_.set_calls(id, started);
      }
      return {};
    }
    if (!caller.is(ir::Trait::CallsControl)) {
      return {};
    }
    auto calls = std::vector(caller.calls().begin(), caller.calls().end());
    bool differs = false;
    for (ir::ComputationId &callee : calls) {
      if (is_taken(callee)) {
        callee = copy_computation(module_, callee);
        differs = true;
      }
      visit(callee);
    }
    if (differs) {
      module_.set_calls(id, calls);
      changed_ = true;
    }
    return {};
  }

  void visit(ir::ComputationId id) {
    is_visited_.resize(module_.computation_id_limit(), false);
    is_visited_[index(id)] = true;
    waiting_.push_back(id);
  }

  // Whether another call, or an op that has it as its function, already uses the computation.
  bool is_taken(ir::ComputationId id) const {
    // Copies made here have one caller only.
    return index(id) < is_visited_.size() &&
           (is_visited_[index(id)] || graph_.context(id) == analysis::CallContext::Both);
  }

  ir::Module &module_;
  const PassContext &context_;
  analysis::CallGraph graph_;  // state before any copy
  std::deque<ir::ComputationId> waiting_;
  std::vector<bool> is_visited_;  // by computation id
  bool changed_ = false;
};

}  // namespace

Result<bool> flatten_call_graph(ir::Module &module, const PassContext &context) {
  return Flattener(module, context).run();
}

}  // namespace bp::passes
