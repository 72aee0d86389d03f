#include "core/interpreter/scalar_function.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

namespace bp::interpreter {
namespace {

using ir::ElementType;
using ir::Instruction;
using ir::Literal;
using ir::Opcode;
using ir::Shape;

constexpr std::size_t max_lanes = ElementwiseFunction::max_count;

std::size_t width(ElementType type) {
  return static_cast<std::size_t>(ir::byte_width(type));
}

}  // namespace

ScalarFunction::ScalarFunction(ir::Computation computation, Evaluate evaluate)
    : computation_(computation), evaluate_(std::move(evaluate)) {
  for (ir::InstructionId id : computation.parameter_ids()) {
    argument_types_.push_back(computation.module().instruction(id).shape().element_type());
  }
  const Shape &shape = computation.root().shape();
  if (shape.is_tuple()) {
    for (const Shape &element : shape.elements()) {
      result_types_.push_back(element.element_type());
    }
  } else {
    result_types_.push_back(shape.element_type());
  }
  find_plain_op();
  compiled_ = compile();
}

void ScalarFunction::find_plain_op() {
  Instruction root = computation_.root();
  if (root.operand_count() != 2 || computation_.parameter_count() != 2 || !root.is(ir::Trait::Commutative) ||
      !root.shape().is_scalar()) {
    return;
  }
  ir::InstructionId first = computation_.parameter_ids()[0], second = computation_.parameter_ids()[1];
  std::span<const ir::InstructionId> operands = root.operands();
  bool straight = operands[0] == first && operands[1] == second;
  bool crossed = operands[0] == second && operands[1] == first;
  bool one_type = argument_types_[0] == argument_types_[1] && argument_types_[0] == result_types_[0];
  if ((straight || crossed) && one_type) {
    plain_op_ = root.opcode();
  }
}

// Returns false if the computation has ops that are not elementwise.
bool ScalarFunction::compile() {
  std::unordered_map<std::uint32_t, std::uint32_t> register_of;
  parameter_registers_.resize(argument_types_.size());
  for (Instruction instruction : computation_.instructions()) {
    bool is_root = instruction == computation_.root();
    if (is_root && instruction.opcode() == Opcode::Tuple) {
      for (ir::InstructionId operand : instruction.operands()) {
        result_registers_.push_back(register_of.at(index(operand)));
      }
      return true;
    }
    if (!instruction.shape().is_scalar()) {
      return false;
    }
    auto next = static_cast<std::uint32_t>(registers_.size());
    register_of[index(instruction.id())] = next;
    registers_.push_back(nullptr);
    std::vector<std::byte> &room = rooms_.emplace_back();
    if (instruction.opcode() == Opcode::Parameter) {
      parameter_registers_[static_cast<std::size_t>(instruction.parameter_number())] = next;
    } else {
      std::size_t element = width(instruction.shape().element_type());
      room.resize(max_lanes * element);
      registers_.back() = room.data();
      if (instruction.opcode() == Opcode::Constant) {
        for (std::size_t lane = 0; lane < max_lanes; ++lane) {
          std::memcpy(room.data() + lane * element, instruction.literal().bytes().data(), element);
        }
      } else {
        if (!ElementwiseFunction::exists_for(instruction.opcode())) {
          return false;
        }
        Result<ElementwiseFunction> function = ElementwiseFunction::make(instruction);
        if (!function.ok()) {
          return false;  // evaluation lane by lane returns the error
        }
        Step &step = steps_.emplace_back();
        step.function = *function;
        step.result = next;
        step.operand_count = static_cast<std::uint32_t>(instruction.operand_count());
        for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
          step.operands[i] = register_of.at(index(instruction.operands()[i]));
        }
      }
    }
    if (is_root) {
      result_registers_.push_back(next);
    }
  }
  return result_registers_.size() == 1;
}

Status ScalarFunction::operator()(std::span<const std::byte *const> arguments, std::span<std::byte *const> results,
                                  std::size_t count) {
  if (compiled_) {
    for (std::size_t first = 0; first < count; first += max_lanes) {
      run_steps(arguments, results, first, std::min(max_lanes, count - first));
    }
    return {};
  }
  for (std::size_t lane = 0; lane < count; ++lane) {
    BP_TRY(run_lane(arguments, results, lane));
  }
  return {};
}

void ScalarFunction::run_steps(std::span<const std::byte *const> arguments, std::span<std::byte *const> results,
                               std::size_t first, std::size_t count) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    registers_[parameter_registers_[i]] = arguments[i] + first * width(argument_types_[i]);
  }
  for (const Step &step : steps_) {
    const std::byte *operands[3] = {};
    for (std::uint32_t i = 0; i < step.operand_count; ++i) {
      operands[i] = registers_[step.operands[i]];
    }
    step.function(std::span(operands, step.operand_count), rooms_[step.result].data(), count);
  }
  // A result that is a parameter is copied first if writing another result might overwrite it.
  for (std::size_t j = 0; j < results.size(); ++j) {
    std::vector<std::byte> &room = rooms_[result_registers_[j]];
    if (room.empty() && results.size() > 1) {
      std::size_t bytes = count * width(result_types_[j]);
      room.assign(registers_[result_registers_[j]], registers_[result_registers_[j]] + bytes);
    }
  }
  for (std::size_t j = 0; j < results.size(); ++j) {
    std::size_t element = width(result_types_[j]);
    std::vector<std::byte> &room = rooms_[result_registers_[j]];
    const std::byte *from = room.empty() ? registers_[result_registers_[j]] : room.data();
    std::memmove(results[j] + first * element, from, count * element);
  }
  for (std::uint32_t parameter : parameter_registers_) {
    rooms_[parameter].clear();
  }
}

Status ScalarFunction::run_lane(std::span<const std::byte *const> arguments, std::span<std::byte *const> results,
                                std::size_t lane) {
  std::vector<Literal> values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    BP_ASSIGN(Literal value, Literal::zeros(computation_.parameter(i).shape()));
    std::size_t element = width(argument_types_[i]);
    std::memcpy(value.mutable_bytes().data(), arguments[i] + lane * element, element);
    values.push_back(std::move(value));
  }
  BP_ASSIGN(Literal result, evaluate_(std::move(values)));
  for (std::size_t j = 0; j < results.size(); ++j) {
    const Literal &part = result.shape().is_tuple() ? result.tuple_elements()[j] : result;
    std::size_t element = width(result_types_[j]);
    std::memcpy(results[j] + lane * element, part.bytes().data(), element);
  }
  return {};
}

}  // namespace bp::interpreter
