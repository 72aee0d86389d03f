// Values that all branches of a conditional compute from the same operands are computed before the conditional: an
// output that is the same in every branch needs no branch. The branches keep these computations until
// conditional-simplification finds that the output is unused.
//
// This is value numbering: a value from outside the conditional has the number of its instruction there, and any other
// value has a number given by its operation and the numbers of its operands. Equal numbers mean equal values, so an
// output that has the same number in all branches is copied before the conditional. The time is linear in the size of
// the branches.
#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <unordered_map>

#include "core/analysis/side_effects.h"
#include "core/analysis/trip_count.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"
#include "core/passes/same_operation.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;

using Number = std::uint32_t;
constexpr Number no_number = static_cast<Number>(-1);

// Numbers the values in the branches of one conditional.
class Numbering {
 public:
  Numbering(const Instruction &conditional, const analysis::SideEffects &side_effects)
      : conditional_(conditional), side_effects_(side_effects) {
    for (std::size_t branch = 0; branch < conditional.calls().size(); ++branch) {
      add_branch(branch);
      outputs_.push_back(numbers_of_outputs(conditional.called(branch).root()));
      numbers_.clear();  // another branch may call the same computation
    }
  }

  // Returns the common number of an element of the output, or of the whole output; no_number if the branches differ, or
  // if the output depends on instructions that cannot be copied.
  Number common_output(std::optional<std::size_t> element) const {
    Number common = no_number;
    for (std::size_t branch = 0; branch < conditional_.calls().size(); ++branch) {
      const Outputs &outputs = outputs_[branch];
      const Number number = !element                   ? outputs.whole
                            : outputs.elements.empty() ? no_number
                                                       : outputs.elements[*element];
      if (number == no_number || (branch > 0 && number != common)) {
        return no_number;
      }
      common = number;
    }
    return common;
  }

  // Returns the value outside the conditional; copies it there if necessary.
  InstructionId outside(Number number, ir::Module &module) {
    std::vector<Number> open{number};
    while (!open.empty()) {
      Value &value = values_[open.back()];
      std::vector<InstructionId> operands;
      const std::size_t before = open.size();
      for (Number operand : value.operands) {
        operands.push_back(values_[operand].outside);
        if (operands.back() == ir::no_instruction) {
          open.push_back(operand);
        }
      }
      if (open.size() != before) {
        continue;  // operands first
      }
      if (value.outside == ir::no_instruction) {
        const Instruction original = module.instruction(value.inside);
        value.outside = module.clone_instruction(conditional_.parent().id(), original, operands, original.calls());
      }
      open.pop_back();
    }
    return values_[number].outside;
  }

 private:
  struct Value {
    InstructionId inside = ir::no_instruction, outside = ir::no_instruction;
    std::vector<Number> operands;
  };

  // The numbers of a branch's outputs; elements are empty if its root is not a tuple.
  struct Outputs {
    Number whole = no_number;
    std::vector<Number> elements;
  };

  Outputs numbers_of_outputs(const Instruction &root) const {
    Outputs outputs{numbers_.at(root.id()), {}};
    if (root.opcode() == Opcode::Tuple) {
      for (const InstructionId element : root.operands()) {
        outputs.elements.push_back(numbers_.at(element));
      }
    }
    return outputs;
  }

  void add_branch(std::size_t branch) {
    const Instruction argument = conditional_.operand(1 + branch);
    const ir::Computation called = conditional_.called(branch);
    const Instruction parameter = called.parameter(0);
    for (Instruction i : called.instructions()) {
      const auto element = analysis::element_of(i, parameter);
      numbers_[i.id()] = i == parameter ? number_of_outside(argument.id())
                         : element && argument.opcode() == Opcode::Tuple
                             ? number_of_outside(argument.operands()[*element])
                             : number_of(i);
    }
  }

  Number number_of_outside(InstructionId id) {
    auto [found, is_new] = by_outside_.try_emplace(id, static_cast<Number>(values_.size()));
    if (is_new) {
      values_.push_back({.inside = ir::no_instruction, .outside = id, .operands = {}});
    }
    return found->second;
  }

  Number number_of(const Instruction &i) {
    if (side_effects_.has(i) || !i.control_predecessors().empty() || !i.shape().is_array() ||
        i.opcode() == Opcode::Copy || i.opcode() == Opcode::Parameter) {
      return no_number;
    }
    std::vector<Number> operands;
    std::size_t hash = hash_of_operation(i);
    for (InstructionId id : i.operands()) {
      operands.push_back(numbers_.at(id));
      if (operands.back() == no_number) {
        return no_number;
      }
      boost::hash_combine(hash, operands.back());
    }
    auto [begin, end] = by_hash_.equal_range(hash);
    const auto found = std::find_if(begin, end, [&](const auto &entry) {
      const Value &value = values_[entry.second];
      return value.operands == operands && is_same_operation(i.module().instruction(value.inside), i);
    });
    if (found != end) {
      return found->second;
    }
    const auto number = static_cast<Number>(values_.size());
    values_.push_back({.inside = i.id(), .outside = ir::no_instruction, .operands = std::move(operands)});
    by_hash_.emplace(hash, number);
    return number;
  }

  Instruction conditional_;
  const analysis::SideEffects &side_effects_;
  std::vector<Value> values_;
  std::unordered_map<InstructionId, Number> numbers_;  // of the branch that is added
  std::unordered_map<InstructionId, Number> by_outside_;
  std::vector<Outputs> outputs_;  // by branch
  std::unordered_multimap<std::size_t, Number> by_hash_;
};

class Mover {
 public:
  explicit Mover(ir::Module &module) : module_(module), side_effects_(module) {}

  InstructionId run(const Instruction &instruction) {
    const bool is_element = instruction.opcode() == Opcode::GetTupleElement;
    const Instruction conditional = is_element ? instruction.operand(0) : instruction;
    if (conditional.opcode() != Opcode::Conditional || !instruction.shape().is_array() ||
        conditional.calls().size() < 2) {
      return instruction.id();
    }
    Numbering &numbering = numberings_.try_emplace(conditional.id(), conditional, side_effects_).first->second;
    const Number number = numbering.common_output(
        is_element ? std::optional(static_cast<std::size_t>(instruction.tuple_index())) : std::nullopt);
    return number == no_number ? instruction.id() : numbering.outside(number, module_);
  }

 private:
  ir::Module &module_;
  const analysis::SideEffects side_effects_;
  std::unordered_map<InstructionId, Numbering> numberings_;
};

}  // namespace

Result<bool> conditional_code_motion(ir::Module &module, const PassContext &) {
  Mover mover(module);
  return rewrite_all(module, [&](Instruction instruction) -> Result<InstructionId> { return mover.run(instruction); });
}

}  // namespace bp::passes
