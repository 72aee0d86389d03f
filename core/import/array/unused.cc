#include "core/import/array/unused.h"

#include <vector>

namespace bp::import::array {
namespace {

// Adds a computation after those that it calls. `is_open`: which computations are still to be added.
void add_callees_first(const ir::Module &module, ir::ComputationId id, std::vector<bool> &is_open,
                       std::vector<ir::ComputationId> &computations) {
  is_open[ir::index(id)] = false;
  for (const ir::Instruction instruction : module.computation(id).instructions()) {
    for (const ir::ComputationId callee : instruction.calls()) {
      if (is_open[ir::index(callee)]) {
        add_callees_first(module, callee, is_open, computations);
      }
    }
  }
  computations.push_back(id);
}

}  // namespace

void remove_unused(ir::Module &module) {
  std::vector<bool> needed(module.instruction_id_limit());
  std::vector<bool> called(module.computation_id_limit());
  std::vector<ir::ComputationId> open = {module.entry().id()};
  called[ir::index(open[0])] = true;
  while (!open.empty()) {
    const ir::Computation computation = module.computation(open.back());
    open.pop_back();
    needed[ir::index(computation.root().id())] = true;
    const auto ids = computation.instruction_ids();
    for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
      const ir::Instruction instruction = module.instruction(*id);
      if (instruction.opcode() == ir::Opcode::Parameter) {
        needed[ir::index(*id)] = true;
      }
      if (!needed[ir::index(*id)]) {
        continue;
      }
      for (const ir::InstructionId operand : instruction.operands()) {
        needed[ir::index(operand)] = true;
      }
      for (const ir::ComputationId callee : instruction.calls()) {
        if (!called[ir::index(callee)]) {
          called[ir::index(callee)] = true;
          open.push_back(callee);
        }
      }
    }
  }
  std::vector<ir::ComputationId> computations;
  add_callees_first(module, module.entry().id(), called, computations);
  for (const ir::ComputationId id : computations) {
    std::vector<ir::InstructionId> order;
    for (const ir::InstructionId instruction : module.computation(id).instruction_ids()) {
      if (needed[ir::index(instruction)]) {
        order.push_back(instruction);
      }
    }
    module.set_instruction_order(id, std::move(order));
  }
  module.set_computation_order(std::move(computations));
  module.compact();
}

}  // namespace bp::import::array
