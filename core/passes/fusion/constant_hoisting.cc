// Makes large constants of fused computations operands of the fusion. Backends get constants of fused computations as
// part of the module's image, which should stay small; outside the fusion, a large constant has memory of its own.
// Computations are visited callees first, so that a constant leaves nested fusions one level at a time.
#include <unordered_map>

#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

// Constants that were replaced by parameters, in the order of the parameters.
struct Hoisted {
  std::vector<ir::Literal> literals;
  std::vector<std::string> names;
};

// Returns the computations that are called by fusions and by nothing else.
std::vector<bool> find_fused(const ir::Module &module) {
  std::vector<bool> by_fusion(module.computation_id_limit()), by_others(module.computation_id_limit());
  for (ir::Computation computation : module.computations()) {
    for (ir::Instruction instruction : computation.instructions()) {
      for (ir::ComputationId callee : instruction.calls()) {
        (instruction.opcode() == ir::Opcode::Fusion ? by_fusion : by_others)[index(callee)] = true;
      }
    }
  }
  for (std::size_t i = 0; i < by_fusion.size(); ++i) {
    by_fusion[i] = by_fusion[i] && !by_others[i];
  }
  return by_fusion;
}

Hoisted make_parameters(ir::Module &module, ir::ComputationId computation, std::int64_t max_bytes) {
  Hoisted hoisted;
  std::unordered_map<ir::InstructionId, ir::InstructionId> parameter_of;  // by constant
  auto ids = module.computation(computation).instruction_ids();
  std::vector<ir::InstructionId> order(ids.begin(), ids.end());
  for (ir::InstructionId &id : order) {
    ir::Instruction constant = module.instruction(id);
    if (constant.opcode() == ir::Opcode::Constant && constant.shape().byte_size() > max_bytes) {
      hoisted.literals.push_back(constant.literal());
      hoisted.names.emplace_back(constant.name());
      auto number = static_cast<std::int64_t>(module.computation(computation).parameter_count());
      ir::Shape shape = constant.shape();
      ir::InstructionId parameter = module.add_parameter(computation, number, shape, hoisted.names.back());
      parameter_of.emplace(id, parameter);
      id = parameter;
    }
  }
  if (parameter_of.empty()) {
    return hoisted;
  }
  auto replace = [&](std::span<const ir::InstructionId> uses) {
    std::vector<ir::InstructionId> replaced(uses.begin(), uses.end());
    for (ir::InstructionId &use : replaced) {
      auto found = parameter_of.find(use);
      use = found == parameter_of.end() ? use : found->second;
    }
    return replaced;
  };
  for (ir::InstructionId id : order) {
    module.set_operands(id, replace(module.instruction(id).operands()));
    module.set_control_predecessors(id, replace(module.instruction(id).control_predecessors()));
  }
  ir::InstructionId root = module.computation(computation).root().id();
  module.set_root(computation, replace({&root, 1})[0]);
  module.set_instruction_order(computation, std::move(order));
  return hoisted;
}

}  // namespace

Result<bool> constant_hoisting(ir::Module &module, const PassContext &context) {
  std::vector<bool> fused = find_fused(module);
  std::unordered_map<ir::ComputationId, Hoisted> hoisted_from;
  auto computations = module.computation_ids();
  for (ir::ComputationId id : std::vector(computations.begin(), computations.end())) {
    auto ids = module.computation(id).instruction_ids();
    std::vector<ir::InstructionId> old_order(ids.begin(), ids.end()), order;
    for (ir::InstructionId fusion : old_order) {
      ir::Instruction instruction = module.instruction(fusion);
      if (instruction.opcode() == ir::Opcode::Fusion) {
        auto found = hoisted_from.find(instruction.calls()[0]);
        if (found != hoisted_from.end()) {
          std::vector<ir::InstructionId> operands(instruction.operands().begin(), instruction.operands().end());
          for (std::size_t i = 0; i < found->second.literals.size(); ++i) {
            operands.push_back(module.add_constant(id, found->second.literals[i], found->second.names[i]));
            order.push_back(operands.back());
          }
          module.set_operands(fusion, operands);
        }
      }
      order.push_back(fusion);
    }
    if (order.size() != old_order.size()) {
      module.set_instruction_order(id, std::move(order));
    }
    if (fused[index(id)]) {
      Hoisted hoisted = make_parameters(module, id, context.max_fused_constant_bytes);
      if (!hoisted.literals.empty()) {
        hoisted_from.emplace(id, std::move(hoisted));
      }
    }
  }
  if (!hoisted_from.empty()) {
    tidy(module);
  }
  return !hoisted_from.empty();
}

}  // namespace bp::passes
