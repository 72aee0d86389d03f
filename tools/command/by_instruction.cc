#include "tools/command/by_instruction.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "core/compile/partition.h"
#include "core/interpreter/compare.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/nudge.h"
#include "core/text/printer.h"

namespace bp::command {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;

// Whether the instruction only names or groups existing values.
bool computes_nothing(const Instruction &instruction) {
  switch (instruction.opcode()) {
    case Opcode::Parameter:
    case Opcode::Constant:
    case Opcode::Tuple:
    case Opcode::GetTupleElement: return true;
    default: return false;
  }
}

bool has_token(const ir::Shape &shape) {
  return shape.is_token() || std::ranges::any_of(shape.elements(), has_token);
}

bool has_meaning_alone(const Instruction &instruction) {
  bool tokens = has_token(instruction.shape());
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    tokens = tokens || has_token(instruction.operand(i).shape());
  }
  return !tokens && !instruction.is(ir::Trait::SideEffect);
}

class ByInstruction {
 public:
  ByInstruction(const ir::Module &module, const Backend &backend, double tolerance)
      : module_(module), backend_(backend), tolerance_(tolerance), values_(module.instruction_id_limit()) {
    // Constants are extracted with the instruction; all other operands become parameters.
    given_.assign(module.instruction_id_limit(), true);
    for (Instruction instruction : module.entry().instructions()) {
      given_[ir::index(instruction.id())] = instruction.opcode() != Opcode::Constant;
    }
  }

  Result<InstructionReport> run(std::vector<ir::Literal> arguments,
                                const std::function<void(std::size_t, std::size_t, std::string_view)> &progress) {
    InstructionReport report;
    auto instructions = module_.entry().instruction_ids();
    std::vector<std::size_t> last_use = last_uses(instructions);
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      Instruction instruction = module_.instruction(instructions[i]);
      if (progress) {
        progress(i, instructions.size(), instruction.name());
      }
      ir::Literal &value = values_[ir::index(instruction.id())];
      if (instruction.opcode() == Opcode::Parameter) {
        value = std::move(arguments[static_cast<std::size_t>(instruction.parameter_number())]);
        continue;
      }
      std::vector<ir::Literal> operands;
      for (InstructionId operand : instruction.operands()) {
        operands.push_back(values_[ir::index(operand)]);
      }
      BP_ASSIGN(value, interpreter::evaluate_instruction(instruction, operands));
      if (!has_meaning_alone(instruction)) {
        ++report.not_alone;
      } else if (!computes_nothing(instruction)) {
        BP_TRY(compare(instruction, report));
      }
      operands.clear();
      for (InstructionId operand : instruction.operands()) {
        if (last_use[ir::index(operand)] == i) {
          values_[ir::index(operand)] = {};
        }
      }
    }
    return report;
  }

 private:
  std::vector<std::size_t> last_uses(std::span<const InstructionId> instructions) const {
    std::vector<std::size_t> last(module_.instruction_id_limit(), 0);
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      for (InstructionId operand : module_.instruction(instructions[i]).operands()) {
        last[ir::index(operand)] = i;
      }
    }
    return last;
  }

  Status compare(const Instruction &instruction, InstructionReport &report) {
    compile::Extract alone = compile::extract(module_, {compile::Placement::Device, {instruction.id()}}, given_);
    if (alone.outputs.empty()) {
      return {};  // its result is unused
    }
    BP_ASSIGN(const Compiled *compiled, compile_once(alone.module));
    if (!compiled->report.on_host.empty()) {
      ++report.on_host;
      return {};
    }
    std::vector<ir::Literal> arguments;
    for (InstructionId input : alone.inputs) {
      arguments.push_back(values_[ir::index(input)]);
    }
    BP_ASSIGN(ir::Literal result, compiled->executable.run(std::move(arguments)));
    BP_ASSIGN(std::vector<interpreter::Comparison> comparisons,
              interpreter::compare(result.tuple_elements()[0], values_[ir::index(instruction.id())]));
    InstructionComparison item{std::string(instruction.name()), instruction.opcode()};
    std::size_t worst = 0;
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
      if (comparisons[i].typical_error > item.relative_error) {
        item.relative_error = comparisons[i].typical_error;
        worst = i;
      }
    }
    if (item.relative_error > tolerance_) {
      BP_ASSIGN(item.response, response_of(instruction, worst));
    }
    report.compared.push_back(std::move(item));
    return {};
  }

  // Returns how much an array of an instruction's result changes when its operands are moved by one unit in the last
  // place.
  Result<double> response_of(const Instruction &instruction, std::size_t array) const {
    std::vector<ir::Literal> operands;
    for (InstructionId operand : instruction.operands()) {
      BP_ASSIGN(ir::Literal moved, interpreter::nudge(values_[ir::index(operand)], operands.size() + 1));
      operands.push_back(std::move(moved));
    }
    BP_ASSIGN(ir::Literal moved, interpreter::evaluate_instruction(instruction, operands));
    BP_ASSIGN(std::vector<interpreter::Comparison> comparisons,
              interpreter::compare(moved, values_[ir::index(instruction.id())]));
    return comparisons[array].typical_error;
  }

  // Layers repeat, so instructions that print the same text except for names share one program.
  Result<const Compiled *> compile_once(ir::Module &module) {
    int number = 0;
    for (ir::Computation computation : module.computations()) {
      for (InstructionId id : computation.instruction_ids()) {
        module.set_name(id, fmt::format("v{}", number++));
      }
    }
    std::string text = text::print(module, {.metadata = false});
    auto found = programs_.find(text);
    if (found == programs_.end()) {
      BP_ASSIGN(Compiled compiled, backend_.compile(module));
      found = programs_.emplace(std::move(text), std::move(compiled)).first;
    }
    return &found->second;
  }

  const ir::Module &module_;
  const Backend &backend_;
  double tolerance_;
  std::vector<ir::Literal> values_;  // by instruction id; freed after the last use
  std::vector<bool> given_;
  std::unordered_map<std::string, Compiled> programs_;
};

}  // namespace

Result<InstructionReport> compare_by_instruction(
    const ir::Module &module, const Backend &backend, std::vector<ir::Literal> arguments, double tolerance,
    const std::function<void(std::size_t, std::size_t, std::string_view)> &progress) {
  return ByInstruction(module, backend, tolerance).run(std::move(arguments), progress);
}

}  // namespace bp::command
