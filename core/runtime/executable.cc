#include "core/runtime/executable.h"

#include <deque>
#include <iterator>
#include <utility>

#include "core/ir/device_count.h"

namespace bp::runtime {
namespace {

using ir::InstructionId;

std::vector<ir::Shape> parameter_shapes(const ir::Module &module) {
  std::vector<ir::Shape> shapes;
  for (InstructionId id : module.entry().parameter_ids()) {
    shapes.push_back(module.instruction(id).shape());
  }
  return shapes;
}

// The values of a run by instruction. Steps use few of a module's instructions, and a loop on the host runs often.
class StepValues {
 public:
  explicit StepValues(std::size_t limit) : slots_(limit, none) {}

  Value &operator[](InstructionId id) {
    std::uint32_t &slot = slots_[index(id)];
    if (slot == none) {
      slot = static_cast<std::uint32_t>(values_.size());
      values_.emplace_back();
    }
    return values_[slot];
  }

 private:
  static constexpr auto none = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> slots_;  // by instruction
  std::deque<Value> values_;          // by slot
};

// Evaluates one instruction on the host. A parameter takes its value out of `arguments`.
Result<Value> evaluate(ir::Instruction instruction, StepValues &values, std::span<Value> arguments,
                       const interpreter::Options &options) {
  if (instruction.opcode() == ir::Opcode::Parameter) {
    return std::move(arguments[static_cast<std::size_t>(instruction.parameter_number())]);
  }
  std::vector<ir::Literal> operands;
  for (InstructionId operand : instruction.operands()) {
    BP_ASSIGN(ir::Literal literal, values[operand].literal());
    operands.push_back(std::move(literal));
  }
  BP_ASSIGN(ir::Literal result, interpreter::evaluate_instruction(instruction, operands, options));
  return Value(std::move(result));
}

Result<std::vector<ir::Literal>> to_literals(std::vector<Value> values) {
  std::vector<ir::Literal> literals;
  for (Value &value : values) {
    BP_ASSIGN(ir::Literal literal, std::move(value).literal());
    literals.push_back(std::move(literal));
  }
  return literals;
}

std::vector<Value> to_values(std::vector<ir::Literal> literals) {
  return {std::make_move_iterator(literals.begin()), std::make_move_iterator(literals.end())};
}

// Returns the elements of a tuple, otherwise the value itself.
Result<std::vector<Value>> elements_of(Value value) {
  std::vector<Value> elements;
  if (!value.shape().is_tuple()) {
    elements.push_back(std::move(value));
    return elements;
  }
  BP_ASSIGN(ir::Literal tuple, std::move(value).literal());
  for (std::size_t i = 0; i < tuple.tuple_elements().size(); ++i) {
    elements.emplace_back(tuple.take_element(i));
  }
  return elements;
}

}  // namespace

Executable::Executable(ir::Module module, std::shared_ptr<const Program> program)
    : module_(std::move(module)), program_(std::move(program)) {}

Executable::Executable(ir::Module module, std::vector<Step> steps)
    : module_(std::move(module)), steps_(std::move(steps)) {
  find_last_uses();
}

Executable Executable::on_host(ir::Module module) {
  Executable executable(std::move(module), nullptr);
  executable.all_on_host_ = true;
  return executable;
}

void Executable::find_last_uses() {
  constexpr std::size_t never = static_cast<std::size_t>(-1);
  std::vector<std::size_t> last_use(module_.instruction_id_limit(), never);
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    auto use = [&](InstructionId id) { last_use[index(id)] = s; };
    for (InstructionId id : steps_[s].inputs) {
      use(id);
    }
    // A value without uses is dead after the step that makes it.
    for (InstructionId id : steps_[s].outputs) {
      use(id);
    }
    if (InstructionId id = steps_[s].instruction; id != ir::no_instruction) {
      use(id);
      for (InstructionId operand : module_.instruction(id).operands()) {
        use(operand);
      }
    }
  }
  last_use[index(module_.entry().root().id())] = never;
  dead_after_.resize(steps_.size());
  for (InstructionId id : module_.entry().instruction_ids()) {
    if (last_use[index(id)] != never) {
      dead_after_[last_use[index(id)]].push_back(id);
    }
  }
}

void Executable::visit_programs(const std::function<void(const Program &)> &visit) const {
  if (program_ != nullptr) {
    visit(*program_);
  }
  for (const Step &step : steps_) {
    if (step.program != nullptr) {
      visit(*step.program);
    } else if (step.executable != nullptr) {
      step.executable->visit_programs(visit);
    }
  }
  for (const auto &[computation, executable] : called_) {
    executable->visit_programs(visit);
  }
}

MemoryFigures Executable::memory() const {
  MemoryFigures sum;
  visit_programs([&](const Program &program) { sum += program.memory(); });
  return sum;
}

Result<ir::Literal> Executable::run(std::vector<ir::Literal> arguments, const interpreter::Options &host) const {
  if (program_ != nullptr) {
    return program_->run(std::move(arguments), host);
  }
  BP_TRY(ir::check_one_device(module_));
  BP_TRY(check_arguments(module_.name(), parameter_shapes(module_), arguments));
  // The module was verified when it was compiled.
  if (all_on_host_) {
    return interpreter::evaluate(module_.entry(), arguments, with_called(host));
  }
  BP_ASSIGN(std::vector<Value> results, run_steps(to_values(std::move(arguments)), host));
  BP_ASSIGN(std::vector<ir::Literal> literals, to_literals(std::move(results)));
  return module_.entry().root().shape().is_tuple() ? ir::Literal::tuple(std::move(literals)) : std::move(literals[0]);
}

Result<std::vector<Value>> Executable::run_on_device(std::vector<Value> arguments,
                                                     const interpreter::Options &host) const {
  if (program_ != nullptr) {
    return program_->run_on_device(std::move(arguments), host);
  }
  if (all_on_host_) {
    BP_ASSIGN(std::vector<ir::Literal> literals, to_literals(std::move(arguments)));
    BP_ASSIGN(ir::Literal result, run(std::move(literals), host));
    return elements_of(Value(std::move(result)));
  }
  BP_TRY(ir::check_one_device(module_));
  BP_TRY(check_arguments(module_.name(), parameter_shapes(module_), arguments));
  return run_steps(std::move(arguments), host);
}

// Returns the options with which instructions are evaluated on the host.
interpreter::Options Executable::with_called(const interpreter::Options &host) const {
  interpreter::Options options = host;
  if (!called_.empty()) {
    options.on_computation = [this, &host](ir::Computation computation,
                                           std::span<ir::Literal> arguments) -> std::optional<Result<ir::Literal>> {
      const auto found = &computation.module() == &module_ ? called_.find(computation.id()) : called_.end();
      if (found == called_.end()) {
        return std::nullopt;
      }
      return found->second->run({std::make_move_iterator(arguments.begin()), std::make_move_iterator(arguments.end())},
                                host);
    };
  }
  return options;
}

Result<std::vector<Value>> Executable::run_steps(std::vector<Value> arguments, const interpreter::Options &host) const {
  StepValues values(module_.instruction_id_limit());
  const interpreter::Options options = with_called(host);
  const ir::Instruction root = module_.entry().root();
  std::optional<std::vector<Value>> elements;  // of a root that the host would make a tuple of
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const Step &step = steps_[s];
    if (host.terms.cancellation != nullptr) {
      BP_TRY(host.terms.cancellation->check());
    }
    if (step.instruction == ir::no_instruction) {
      std::vector<Value> inputs;
      for (InstructionId id : step.inputs) {
        inputs.push_back(values[id]);
      }
      for (InstructionId id : dead_after_[s]) {
        values[id] = {};  // the step alone has them: it may work in their memory
      }
      BP_ASSIGN(std::vector<Value> results, step.program != nullptr
                                                ? step.program->run_on_device(std::move(inputs), host)
                                                : step.executable->run_on_device(std::move(inputs), host));
      for (std::size_t i = 0; i < step.outputs.size(); ++i) {
        values[step.outputs[i]] = std::move(results[i]);
      }
    } else if (step.instruction == root.id() && root.opcode() == ir::Opcode::Tuple) {
      elements.emplace();
      for (InstructionId id : root.operands()) {
        elements->push_back(values[id]);
      }
    } else {
      BP_ASSIGN(values[step.instruction], evaluate(module_.instruction(step.instruction), values, arguments, options));
    }
    for (InstructionId id : dead_after_[s]) {
      values[id] = {};
    }
  }
  if (elements) {
    return *std::move(elements);
  }
  return elements_of(std::move(values[root.id()]));
}

}  // namespace bp::runtime
