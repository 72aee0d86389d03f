// Evaluates a computation instruction by instruction. A plan per computation, made once in one pass, has the slot of
// each operand and whether a use is the last one, so that values are released as early as possible.
#include "core/interpreter/evaluator.h"

#include "core/base/machine.h"
#include "core/interpreter/scalar_function.h"
#include "core/ir/run_time_sizes.h"
#include "core/ir/shape_inference.h"

namespace bp::interpreter {
namespace {

// Maximum depth of nested calls. Each level needs some kilobytes of the C++ stack.
constexpr int max_depth = 256;

// Returns the value with the parameter's dynamic dimensions, which may differ from the argument's. Tuples are handled
// element by element.
Literal marked(Literal value, const Shape &shape) {
  if (ir::same(value.shape(), shape, ir::CompareLayout::No)) {
    return value;
  }
  if (shape.is_tuple()) {
    std::vector<Literal> parts;
    for (std::size_t i = 0; i < shape.elements().size(); ++i) {
      parts.push_back(marked(value.take_element(i), shape.elements()[i]));
    }
    return Literal::tuple(std::move(parts));
  }
  Literal result = value.with_shape(shape);
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    if (shape.is_dynamic(d) && value.dynamic_size(d) != shape.size(d)) {
      result.set_dynamic_size(d, value.dynamic_size(d));
    }
  }
  return result;
}

// Whether shapes are equal as in ir::same(), except for which dimensions are dynamic.
bool same_bounds(const Shape &a, const Shape &b) {
  return a.element_type() == b.element_type() && std::ranges::equal(a.sizes(), b.sizes()) &&
         std::ranges::equal(a.elements(), b.elements(), same_bounds);
}

Result<Literal> checked_argument(Literal argument, const Shape &expected, std::size_t number) {
  if (!argument.is_valid() || !same_bounds(argument.shape(), expected)) {
    return invalid_input("argument {} has shape {}, expected {}", number,
                         argument.is_valid() ? ir::to_string(argument.shape()) : "(none)", ir::to_string(expected));
  }
  return marked(std::move(argument), expected);
}

}  // namespace

Result<Literal> dispatch(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  switch (instruction.opcode()) {
#define BP_OP(number, name, text, min_operands, max_operands, shape_rule, evaluator_name, ...) \
  case Opcode::name: return evaluate_##evaluator_name(evaluator, instruction, operands);
#include "core/ir/ops.def"
    case Opcode::Invalid: break;
  }
  return make_error(ErrorCode::Internal, "an instruction without an op");
}

// Plan of one computation: an entry per instruction, in order.
struct Evaluator::Plan {
  struct Operand {
    std::uint32_t slot;
    bool last_use;
  };
  std::vector<Instruction> instructions;
  std::vector<std::uint32_t> operand_begin;  // first index into operands; has an additional element at the end
  std::vector<Operand> operands;
  std::vector<bool> used;       // whether the value has users
  std::vector<bool> parameter;  // parameters' slots are filled before the first step
  std::uint32_t root;
};

Evaluator::Evaluator(const Options &options)
    : options_(options),
      pool_(static_cast<std::uint32_t>(std::max(options.threads, 0))),
      max_value_bytes_(options.max_value_bytes > 0 ? options.max_value_bytes : machine_memory()),
      steps_left_(options.max_steps),
      random_(options.rng_seed) {}

Evaluator::~Evaluator() = default;

const Evaluator::Plan &Evaluator::plan(ir::Computation computation) {
  std::unique_ptr<Plan> &entry = plans_[index(computation.id())];
  if (entry != nullptr) {
    return *entry;
  }
  entry = std::make_unique<Plan>();
  Plan &plan = *entry;
  std::size_t count = computation.instruction_count();
  std::unordered_map<std::uint32_t, std::uint32_t> slot_of;
  slot_of.reserve(count);
  for (Instruction instruction : computation.instructions()) {
    slot_of[index(instruction.id())] = static_cast<std::uint32_t>(plan.instructions.size());
    plan.instructions.push_back(instruction);
    plan.parameter.push_back(instruction.opcode() == Opcode::Parameter);
    plan.operand_begin.push_back(static_cast<std::uint32_t>(plan.operands.size()));
    for (ir::InstructionId operand : instruction.operands()) {
      plan.operands.push_back({slot_of.at(index(operand)), false});
    }
  }
  plan.operand_begin.push_back(static_cast<std::uint32_t>(plan.operands.size()));
  plan.root = slot_of.at(index(computation.root().id()));
  // Going backwards, the first use found is the last one; the root's value is never released.
  plan.used.resize(count);
  plan.used[plan.root] = true;
  for (std::size_t i = plan.operands.size(); i-- > 0;) {
    Plan::Operand &operand = plan.operands[i];
    operand.last_use = !plan.used[operand.slot];
    plan.used[operand.slot] = true;
  }
  return plan;
}

Result<Literal> Evaluator::run(ir::Computation computation, std::vector<Literal> arguments) {
  if (arguments.size() != computation.parameter_count()) {
    return invalid_input("{} takes {} arguments, {} were given", computation.name(), computation.parameter_count(),
                         arguments.size());
  }
  if (depth_ >= max_depth) {
    return unsupported("calls are nested more than {} deep", max_depth);
  }
  const Plan &plan = this->plan(computation);
  bool reports = depth_ == 0 && options_.progress != nullptr;
  std::size_t count = plan.instructions.size();
  std::vector<Literal> values(count);
  for (std::size_t slot = 0; slot < count; ++slot) {
    if (plan.parameter[slot]) {
      auto number = static_cast<std::size_t>(plan.instructions[slot].parameter_number());
      const Shape &shape = plan.instructions[slot].shape();
      BP_ASSIGN(Literal argument, checked_argument(std::move(arguments[number]), shape, number));
      if (plan.used[slot]) {
        values[slot] = std::move(argument);
      }
    }
  }
  arguments.clear();
  boost::container::small_vector<Literal, 4> operands;
  ++depth_;
  for (std::size_t slot = 0; slot < count; ++slot) {
    if (plan.parameter[slot]) {
      continue;
    }
    const Instruction &instruction = plan.instructions[slot];
    if (reports) {
      options_.progress(static_cast<std::int64_t>(slot), static_cast<std::int64_t>(count), instruction);
    }
    operands.clear();
    for (std::uint32_t i = plan.operand_begin[slot]; i < plan.operand_begin[slot + 1]; ++i) {
      Literal &value = values[plan.operands[i].slot];
      operands.push_back(plan.operands[i].last_use ? std::move(value) : value);
    }
    Result<Literal> result = run(instruction, operands);
    if (!result.ok()) {
      --depth_;
      return result;
    }
    if (plan.used[slot]) {
      values[slot] = std::move(result).value();
    }
  }
  --depth_;
  return std::move(values[plan.root]);
}

Result<Literal> Evaluator::run(const Instruction &instruction, Operands operands) {
  if (Status status = check_limits(); !status.ok()) {
    return blame(std::move(status).error(), instruction);
  }
  std::vector<Literal> kept;  // because evaluators write into their operands
  if (options_.on_result) {
    kept.assign(operands.begin(), operands.end());
  }
  Result<Literal> result = ir::has_dynamic_arrays(instruction) ? evaluate_dynamic(*this, instruction, operands)
                                                               : dispatch(*this, instruction, operands);
  if (result.ok() && options_.on_result) {
    result = options_.on_result(instruction, kept, std::move(result).value());
  }
  if (!result.ok()) {
    return blame(std::move(result).error(), instruction);
  }
  return result;
}

Result<ScalarFunction *> Evaluator::scalar_function(ir::Computation computation) {
  std::unique_ptr<ScalarFunction> &entry = scalar_functions_[index(computation.id())];
  if (entry == nullptr) {
    auto evaluate = [this, computation](std::vector<Literal> arguments) {
      return run(computation, std::move(arguments));
    };
    entry = std::make_unique<ScalarFunction>(computation, std::move(evaluate));
  }
  return entry.get();
}

Result<Instruction> Evaluator::with_operand_shapes(const Instruction &instruction, std::span<const Literal> operands) {
  if (other_shapes_ == nullptr) {
    other_shapes_ = std::make_unique<ir::Module>(instruction.module());
  }
  ir::Module &module = *other_shapes_;
  auto [place, is_new] = with_other_shapes_.try_emplace(index(instruction.id()), ir::no_instruction);
  if (is_new) {
    const ir::ComputationId computation = module.add_computation("other_shapes");
    std::vector<ir::InstructionId> parameters;
    for (const Literal &operand : operands) {
      parameters.push_back(module.add_parameter(computation, std::ssize(parameters), operand.shape()));
    }
    place->second = module.clone_instruction(computation, instruction, parameters, instruction.calls());
  }
  const Instruction result(&module, place->second);
  for (std::size_t n = 0; n < operands.size(); ++n) {
    module.set_shape(result.operands()[n], operands[n].shape());
  }
  BP_ASSIGN(Shape shape, ir::infer_shape(result));
  if (shape.is_array()) {
    shape.set_element_type(instruction.shape().element_type());  // the type that follows for a dot may be wider
  }
  module.set_shape(result.id(), shape);
  return result;
}

Result<Literal> Evaluator::allocate(const Shape &shape) const {
  if (shape.is_array()) {
    std::int64_t width = ir::byte_width(shape.element_type());
    if (shape.element_count() > max_value_bytes_ / width) {
      return make_error(ErrorCode::OutOfMemory, "a value of shape {} exceeds the limit of {} bytes",
                        ir::to_string(shape), max_value_bytes_);
    }
  }
  return Literal::zeros(shape);
}

Status Evaluator::check_limits() {
  if (--steps_left_ < 0) {
    return unsupported("gave up after {} steps", options_.max_steps);
  }
  // Checked only every 64 steps, because reading the clock costs as much as a small instruction.
  if ((steps_left_ & 63) == 0 &&
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count() > options_.max_seconds) {
    return unsupported("gave up after {} seconds", options_.max_seconds);
  }
  return options_.terms.cancellation == nullptr ? Status() : options_.terms.cancellation->check();
}

// The error names the innermost instruction; notes say by which instructions it was called.
Error Evaluator::blame(Error error, const Instruction &instruction) {
  if (blamed_) {
    constexpr std::size_t max_notes = 8;
    return error.notes().size() < max_notes
               ? std::move(error).note(fmt::format("in {} called by {}", instruction.op().text, instruction.name()))
               : error;
  }
  blamed_ = true;
  return Error(error.code(), fmt::format("{}: {}", instruction.name(), error.message())).at(instruction.location());
}

}  // namespace bp::interpreter
