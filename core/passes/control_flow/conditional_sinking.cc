// Operations that all branches of a conditional apply last, to values that differ, are done once after it:
//   if c { exp(x) } else { exp(y) }  ->  exp(if c { x } else { y })
// An output is followed towards its operands as long as all branches apply the same operation to one differing operand
// that is no larger than the result, and the result has no other users in the branch. All other operands are constants,
// which can be copied outside. Linear in the size of the branches.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/ir/builder.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"
#include "core/passes/same_operation.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;

// Whether the instruction is a scalar constant, or a broadcast of one.
bool is_number(const Instruction &i) {
  return (i.opcode() == Opcode::Constant && i.shape().is_scalar()) ||
         (is_repeated_scalar(i) && i.operand(0).opcode() == Opcode::Constant);
}
bool is_same_number(const Instruction &a, const Instruction &b) {
  return is_number(a) && is_same_operation(a, b) &&
         (a.opcode() == Opcode::Constant || is_same_operation(a.operand(0), b.operand(0)));
}

bool may_sink(const Instruction &i) {
  const bool only_names = i.opcode() == Opcode::Copy || i.opcode() == Opcode::Complex;
  const bool is_movement =
      i.opcode() == Opcode::Broadcast || i.opcode() == Opcode::Reshape || i.opcode() == Opcode::Transpose;
  return (is_movement || (i.is(ir::Trait::Elementwise) && !only_names)) && i.operand_count() != 0 && is_plain(i) &&
         !is_number(i) && i.control_predecessors().empty();
}

class ConditionalSinker {
 public:
  ConditionalSinker(ir::Module &module, const Instruction &conditional) : module_(module), conditional_(conditional) {
    for (std::size_t b = 0; b < conditional.calls().size(); ++b) {
      const Instruction root = conditional.called(b).root();
      is_open_ = is_open_ && root.opcode() == Opcode::Tuple && root.control_predecessors().empty();
    }
    is_open_ = is_open_ && conditional.shape().is_tuple() && conditional.calls().size() > 1;
  }

  InstructionId run() {
    const std::size_t count = is_open_ ? conditional_.shape().elements().size() : 0;
    std::vector<Output> outputs;
    for (std::size_t i = 0; i < count; ++i) {
      outputs.push_back(follow(i));
    }
    const bool changes = std::ranges::any_of(outputs, [](const Output &output) { return !output.sunk.empty(); });
    return changes ? rebuilt(outputs) : conditional_.id();
  }

 private:
  struct Step {
    InstructionId operation;  // in the first branch
    std::size_t operand;      // index of the operand that differs
  };
  struct Output {
    std::vector<InstructionId> values;  // by branch: the value returned instead of the old output
    std::vector<Step> sunk;             // operations on that value after the conditional, the last one first
  };

  Output follow(std::size_t number) {
    Output output;
    for (std::size_t b = 0; b < conditional_.calls().size(); ++b) {
      output.values.push_back(conditional_.called(b).root().operands()[number]);
    }
    while (const auto operand = differing_operand(output.values)) {
      output.sunk.push_back({output.values[0], *operand});
      for (InstructionId &value : output.values) {
        value = module_.instruction(value).operands()[*operand];
      }
    }
    return output;
  }

  // Returns the index of the only operand in which these values differ, if all of them are results of the same
  // operation.
  std::optional<std::size_t> differing_operand(std::span<const InstructionId> values) {
    const Instruction first = module_.instruction(values[0]);
    if (!may_sink(first)) {
      return std::nullopt;
    }
    std::optional<std::size_t> differing;
    for (std::size_t i = 0; i < first.operand_count(); ++i) {
      const bool is_common = std::ranges::all_of(values, [&](InstructionId id) {
        const Instruction other = module_.instruction(id);
        return other.operand_count() == first.operand_count() && is_same_number(first.operand(i), other.operand(i));
      });
      if (is_common) {
        continue;
      }
      if (differing) {
        return std::nullopt;
      }
      differing = i;
    }
    if (!differing) {
      return std::nullopt;
    }
    const ir::Shape &shape = first.operand(*differing).shape();
    const bool fits = std::ranges::all_of(values, [&](InstructionId id) {
      const Instruction other = module_.instruction(id);
      return may_sink(other) && is_same_operation(first, other) && other.operand(*differing).shape() == shape;
    });
    if (!fits || shape.byte_size() > first.shape().byte_size()) {
      return std::nullopt;
    }
    return std::ranges::all_of(values, [&](InstructionId id) { return is_used_once(id); }) ? differing : std::nullopt;
  }

  bool is_used_once(InstructionId id) {
    const ir::Computation branch = module_.instruction(id).parent();
    auto [found, is_new] = use_counts_.try_emplace(branch.id());
    if (is_new) {
      for (const Instruction i : branch.instructions()) {
        for (InstructionId operand : i.operands()) {
          ++found->second[operand];
        }
      }
    }
    return found->second[id] == 1;
  }

  InstructionId rebuilt(std::span<const Output> outputs) {
    std::vector<ir::ComputationId> branches;
    for (std::size_t b = 0; b < conditional_.calls().size(); ++b) {
      std::vector<InstructionId> values;
      for (const Output &output : outputs) {
        values.push_back(output.values[b]);
      }
      branches.push_back(copy_with_outputs(module_, conditional_.called(b), values));
    }
    const std::vector<InstructionId> operands(conditional_.operands().begin(), conditional_.operands().end());
    const ir::ComputationId parent = conditional_.parent().id();
    const InstructionId smaller = module_.clone_instruction(parent, conditional_, operands, branches);
    module_.set_shape(smaller, ir::Shape(module_.computation(branches[0]).root().shape()));
    ir::Builder b(module_, parent);
    b.copy_origin_from(conditional_);
    std::vector<InstructionId> results;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      InstructionId result = b.get_tuple_element(smaller, static_cast<std::int64_t>(i));
      for (auto step = outputs[i].sunk.rbegin(); step != outputs[i].sunk.rend(); ++step) {
        result = after(parent, *step, result);
      }
      results.push_back(result);
    }
    return b.tuple(results);
  }

  InstructionId after(ir::ComputationId parent, const Step &step, InstructionId value) {
    const Instruction operation = module_.instruction(step.operation);
    std::vector<InstructionId> operands;
    for (std::size_t i = 0; i < operation.operand_count(); ++i) {
      operands.push_back(i == step.operand ? value : number_outside(parent, operation.operand(i)));
    }
    return module_.clone_instruction(parent, operation, operands, {});
  }

  InstructionId number_outside(ir::ComputationId parent, const Instruction &number) {
    std::vector<InstructionId> operands;
    if (number.opcode() == Opcode::Broadcast) {
      operands.push_back(module_.clone_instruction(parent, number.operand(0), {}, {}));
    }
    return module_.clone_instruction(parent, number, operands, {});
  }

  ir::Module &module_;
  Instruction conditional_;
  bool is_open_ = true;
  std::unordered_map<ir::ComputationId, std::unordered_map<InstructionId, int>> use_counts_;
};

}  // namespace

Result<bool> conditional_sinking(ir::Module &module, const PassContext &) {
  return rewrite_all(module, [&](Instruction instruction) -> Result<InstructionId> {
    return instruction.opcode() == Opcode::Conditional ? ConditionalSinker(module, instruction).run()
                                                       : instruction.id();
  });
}

}  // namespace bp::passes
