#include "core/passes/fusion/fusion_builder.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/builder.h"
#include "core/ir/origin.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;

class FusionBuilder {
 public:
  FusionBuilder(ir::Module &module, ir::ComputationId computation, std::string_view name, const IsCopied &is_copied)
      : module_(module), is_copied_(is_copied), fused_(module.add_computation(fmt::format("fused_{}", name))) {
    module.set_execution_thread(fused_, std::string(module.computation(computation).execution_thread()));
  }

  void add_kernel(InstructionId id) {
    if (module_.instruction(id).opcode() == Opcode::Fusion) {
      add_body(id);
    } else {
      add_copy(id);
    }
  }

  ir::ComputationId finish(std::span<const InstructionId> results) {
    std::vector<InstructionId> roots;
    for (InstructionId id : results) {
      roots.push_back(value_of(id));
    }
    InstructionId root = roots.size() == 1 ? roots[0] : ir::Builder(module_, fused_).tuple(roots);
    module_.set_root(fused_, root);
    return fused_;
  }

  const std::vector<InstructionId> &parameters() const { return parameters_; }

 private:
  // Returns the value inside the fusion for a value outside, of a kernel that was added.
  InstructionId value_of(InstructionId id) {
    Instruction instruction = module_.instruction(id);
    if (instruction.opcode() == Opcode::GetTupleElement && !inside_.contains(id)) {
      const auto &elements = elements_.at(instruction.operands()[0]);
      return elements[static_cast<std::size_t>(instruction.number(ir::AttributeKey::Index))];
    }
    return inside_.at(id);
  }

  // Returns the value inside the fusion for an operand: a kernel's value, a copy, or a parameter.
  InstructionId operand(InstructionId id) {
    if (auto found = inside_.find(id); found != inside_.end()) {
      return found->second;
    }
    Instruction instruction = module_.instruction(id);
    if (instruction.opcode() == Opcode::GetTupleElement && elements_.contains(instruction.operands()[0])) {
      return value_of(id);
    }
    if (is_copied_(id) && copied_depth(id) < 4) {
      return add_copy(id);
    }
    InstructionId parameter =
        module_.add_parameter(fused_, static_cast<std::int64_t>(parameters_.size()), ir::Shape(instruction.shape()),
                              fmt::format("param_{}", parameters_.size()));
    parameters_.push_back(id);
    return inside_[id] = parameter;
  }

  // Recursion is as deep as operands are copied.
  InstructionId add_copy(InstructionId id) {
    std::vector<InstructionId> operands;
    for (InstructionId outer : outer_operands(id)) {
      operands.push_back(operand(outer));
    }
    Instruction original = module_.instruction(id);
    auto calls = std::vector<ir::ComputationId>(original.calls().begin(), original.calls().end());
    InstructionId copy = module_.clone_instruction(fused_, original, operands, calls);
    inside_[id] = copy;
    if (original.shape().is_tuple()) {
      add_elements(id, copy);
    }
    return copy;
  }

  // Adds get-tuple-elements for an instruction with several results.
  void add_elements(InstructionId id, InstructionId copy) {
    for (std::size_t i = 0; i < module_.instruction(copy).shape().elements().size(); ++i) {
      elements_[id].push_back(ir::Builder(module_, fused_).get_tuple_element(copy, static_cast<std::int64_t>(i)));
    }
  }

  void add_body(InstructionId fusion) {
    std::unordered_map<InstructionId, InstructionId> copies;
    ir::ComputationId body = module_.instruction(fusion).called(0).id();
    std::vector<InstructionId> outer = outer_operands(fusion);
    InstructionId root = module_.computation(body).root().id();
    auto order = module_.computation(body).instruction_ids();
    for (InstructionId id : std::vector<InstructionId>(order.begin(), order.end())) {
      Instruction original = module_.instruction(id);
      if (original.opcode() == Opcode::Parameter) {
        copies[id] = operand(outer[static_cast<std::size_t>(original.parameter_number())]);
        continue;
      }
      std::vector<InstructionId> operands;
      for (InstructionId inner : original.operands()) {
        operands.push_back(copies.at(inner));
      }
      if (id == root && original.opcode() == Opcode::Tuple) {
        elements_[fusion] = operands;
        return;
      }
      auto calls = std::vector<ir::ComputationId>(original.calls().begin(), original.calls().end());
      copies[id] = module_.clone_instruction(fused_, original, operands, calls);
    }
    inside_[fusion] = copies.at(root);
    if (module_.instruction(root).shape().is_tuple()) {  // a reduction with several results
      add_elements(fusion, copies.at(root));
    }
  }

  std::vector<InstructionId> outer_operands(InstructionId id) const {
    auto operands = module_.instruction(id).operands();
    return {operands.begin(), operands.end()};
  }

  // Returns the length of the chain of copied operands, up to 4.
  int copied_depth(InstructionId id) const {
    int depth = 0;
    while (depth < 4 && is_copied_(id) && module_.instruction(id).operand_count() == 1) {
      id = module_.instruction(id).operands()[0];
      ++depth;
    }
    return depth;
  }

  ir::Module &module_;
  const IsCopied &is_copied_;
  ir::ComputationId fused_;
  std::unordered_map<InstructionId, InstructionId> inside_;
  std::unordered_map<InstructionId, std::vector<InstructionId>> elements_;  // of kernels with several results
  std::vector<InstructionId> parameters_;                                   // their operands outside
};

// Orders the instructions of a computation so that operands and control predecessors come before users, and otherwise
// as they were. Linear.
void restore_order(ir::Module &module, ir::ComputationId computation) {
  auto ids = module.computation(computation).instruction_ids();
  const std::vector<InstructionId> old(ids.begin(), ids.end());
  std::vector<InstructionId> order;
  std::vector<bool> is_placed(module.instruction_id_limit());
  struct Visit {
    InstructionId id;
    std::size_t next;  // index of the next operand or, after these, control predecessor to visit
  };
  std::vector<Visit> stack;
  for (InstructionId start : old) {
    stack.push_back({start, 0});
    while (!stack.empty()) {
      const Instruction instruction = module.instruction(stack.back().id);
      const std::size_t next = stack.back().next++;
      if (is_placed[index(stack.back().id)]) {
        stack.pop_back();
      } else if (next < instruction.operand_count()) {
        stack.push_back({instruction.operands()[next], 0});
      } else if (next - instruction.operand_count() < instruction.control_predecessors().size()) {
        stack.push_back({instruction.control_predecessors()[next - instruction.operand_count()], 0});
      } else {
        is_placed[index(stack.back().id)] = true;
        order.push_back(stack.back().id);
        stack.pop_back();
      }
    }
  }
  module.set_instruction_order(computation, std::move(order));
}

}  // namespace

bool has_plain_shape(const Instruction &instruction) {
  const ir::Shape &shape = instruction.shape();
  return shape.is_array() && shape.is_static() && shape.layout() == ir::Layout::descending(shape.rank());
}

bool is_scalar_constant(const Instruction &instruction) {
  return instruction.opcode() == Opcode::Constant && instruction.shape().is_scalar();
}

bool is_copied_into_users(const Instruction &instruction) {
  return is_scalar_constant(instruction) || instruction.opcode() == Opcode::Iota ||
         instruction.opcode() == Opcode::Broadcast;
}

std::optional<InstructionId> read_for(const Instruction &operand) {
  Instruction read = operand;
  while (is_copied_into_users(read)) {
    if (read.operand_count() == 0) {
      return std::nullopt;
    }
    read = read.operand(0);
  }
  return read.id();
}

std::vector<InstructionId> build_fusion(ir::Module &module, const FusionPlan &plan, const IsCopied &is_copied) {
  const InstructionId last = plan.results.back();
  const ir::ComputationId computation = module.instruction(last).parent().id();
  const std::string name(module.instruction(last).name());
  FusionBuilder builder(module, computation, name, is_copied);
  for (InstructionId kernel : plan.kernels) {
    builder.add_kernel(kernel);
  }
  const ir::ComputationId fused = builder.finish(plan.results);
  const ir::Shape shape = module.computation(fused).root().shape();
  const bool is_fusion_already = name.ends_with(".fusion");
  InstructionId fusion = module.add_instruction(computation, Opcode::Fusion, shape, builder.parameters(),
                                                is_fusion_already ? name : fmt::format("{}.fusion", name));
  module.set_calls(fusion, std::span(&fused, 1));
  module.set_number(fusion, ir::AttributeKey::Kind, static_cast<std::int64_t>(plan.kind));
  ir::copy_origin(module, fusion, module.instruction(last));
  if (plan.results.size() == 1) {
    return {fusion};
  }
  std::vector<InstructionId> elements;
  for (std::size_t i = 0; i < plan.results.size(); ++i) {
    elements.push_back(ir::Builder(module, computation).get_tuple_element(fusion, static_cast<std::int64_t>(i)));
  }
  return elements;
}

Result<bool> build_fusions(ir::Module &module, std::span<const FusionPlan> plans) {
  if (plans.empty()) {
    return false;
  }
  const auto is_copied = [&](InstructionId id) {
    const Instruction instruction = module.instruction(id);
    return is_copied_into_users(instruction) && has_plain_shape(instruction);
  };
  std::vector<InstructionId> replacements(module.instruction_id_limit(), ir::no_instruction);
  std::vector<ir::ComputationId> computations;
  for (const FusionPlan &plan : plans) {
    const std::vector<InstructionId> values = build_fusion(module, plan, is_copied);
    for (std::size_t i = 0; i < plan.results.size(); ++i) {
      replacements[index(plan.results[i])] = values[i];
    }
    const ir::ComputationId computation = module.instruction(values[0]).parent().id();
    if (computations.empty() || computations.back() != computation) {
      computations.push_back(computation);
    }
  }
  module.replace_uses(replacements);
  for (ir::ComputationId computation : computations) {
    restore_order(module, computation);
  }
  tidy(module);
  BP_TRY(dead_code_elimination(module, {}));
  return true;
}

Result<std::vector<std::vector<InstructionId>>> take_apart(ir::Module &module, std::span<const InstructionId> fusions) {
  std::vector<InstructionId> replacements(module.instruction_id_limit(), ir::no_instruction);
  std::vector<std::vector<InstructionId>> added;
  std::unordered_set<ir::ComputationId> computations;
  for (InstructionId id : fusions) {
    const Instruction fusion = module.instruction(id);
    const ir::ComputationId computation = fusion.parent().id();
    const std::vector<InstructionId> operands(fusion.operands().begin(), fusion.operands().end());
    const std::size_t before = module.computation(computation).instruction_count();
    replacements[index(id)] = copy_body(module, fusion.called(0).id(), computation, operands);
    auto after = module.computation(computation).instruction_ids().subspan(before);
    added.emplace_back(after.begin(), after.end());
    computations.insert(computation);
  }
  module.replace_uses(replacements);
  for (ir::ComputationId computation : computations) {
    restore_order(module, computation);
  }
  BP_TRY(dead_code_elimination(module, {}));
  return added;
}

}  // namespace bp::passes
