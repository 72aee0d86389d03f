// Evaluates arrays while a graph is imported: those that follow from constants, and from parameters that the caller has
// given.
#include <cmath>

#include "core/import/array/support.h"
#include "core/interpreter/interpreter.h"

namespace bp::import::array {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Literal;

// Largest number of elements that are evaluated while a graph is imported.
constexpr std::int64_t max_evaluated = 1 << 16;

bool is_evaluated(const Instruction &instruction) {
  const Shape &shape = instruction.shape();
  if (!shape.is_array() || !shape.is_static() || shape.element_count() > max_evaluated) {
    return false;
  }
  switch (instruction.opcode()) {
    case Opcode::Broadcast:
    case Opcode::Iota:
    case Opcode::Reshape:
    case Opcode::Transpose:
    case Opcode::Reverse:
    case Opcode::Slice:
    case Opcode::DynamicSlice:
    case Opcode::Concatenate:
    case Opcode::Pad:
    case Opcode::Gather:
    case Opcode::Scatter:
    case Opcode::Reduce:
    case Opcode::ReduceWindow: return true;
    default: return info(instruction.opcode()).has(ir::Trait::Elementwise);
  }
}

// Evaluates an instruction and what it depends on, or returns nothing.
std::optional<Literal> evaluate(GraphBuilder &builder, InstructionId wanted, Known known) {
  ir::Module &module = builder.module();
  BuildState &state = builder.state();
  std::set<InstructionId> needed;
  std::vector<InstructionId> open = {wanted};
  std::vector<InstructionId> used;
  while (!open.empty()) {
    const InstructionId id = open.back();
    open.pop_back();
    if (!needed.insert(id).second) {
      continue;
    }
    const Instruction instruction = module.instruction(id);
    if (instruction.opcode() == Opcode::Constant || (known == Known::Given && state.values.contains(id))) {
      continue;
    }
    if (const auto outside = state.same_as.find(id); outside != state.same_as.end()) {
      open.push_back(outside->second);
      continue;
    }
    if (instruction.opcode() == Opcode::Parameter) {
      if (known != Known::Given || !state.given.contains(id)) {
        return {};
      }
      used.push_back(id);
      continue;
    }
    if (!is_evaluated(instruction)) {
      return {};
    }
    open.insert(open.end(), instruction.operands().begin(), instruction.operands().end());
  }
  const auto value = [&](InstructionId id) -> const Literal * {
    const Instruction instruction = module.instruction(id);
    if (instruction.opcode() == Opcode::Constant) {
      return &instruction.literal();
    }
    const auto given = state.given.find(id);
    if (given != state.given.end()) {
      return &given->second;
    }
    const auto found = state.values.find(id);
    return found == state.values.end() ? nullptr : &found->second;
  };
  interpreter::Options options;
  options.threads = 1;
  options.max_steps = 1 << 22;
  for (const InstructionId id : needed) {  // operands have smaller ids
    if (value(id) != nullptr) {
      continue;
    }
    if (const auto outside = state.same_as.find(id); outside != state.same_as.end()) {
      Literal same = *value(outside->second);
      state.values.emplace(id, std::move(same));
      continue;
    }
    const Instruction instruction = module.instruction(id);
    std::vector<Literal> operands;
    for (const InstructionId operand : instruction.operands()) {
      operands.push_back(*value(operand));
    }
    Result<Literal> result = interpreter::evaluate_instruction(instruction, operands, options);
    if (!result.ok()) {
      return {};
    }
    state.values.emplace(id, std::move(*result));
  }
  state.used.insert(used.begin(), used.end());
  return *value(wanted);
}

template <class E>
std::int64_t to_integer(const E &element) {
  if constexpr (is_integer_element<E>) {
    return static_cast<std::int64_t>(element);
  } else if constexpr (is_complex_element<E>) {
    return to_integer(element.real());
  } else {
    const auto real = static_cast<double>(element);
    return std::abs(real) < 0x1p63 ? static_cast<std::int64_t>(real) : 0;
  }
}

template <class E>
double to_real(const E &element) {
  if constexpr (is_integer_element<E>) {
    return static_cast<double>(static_cast<std::int64_t>(element));
  } else if constexpr (is_complex_element<E>) {
    return static_cast<double>(element.real());
  } else {
    return static_cast<double>(element);
  }
}

// Returns the elements of an array, each converted.
template <class T, class Convert>
std::vector<T> elements_of(const Literal &literal, Convert &&convert_element) {
  return ir::visit_element_type(literal.shape().element_type(), [&]<class E>() {
    std::vector<T> numbers;
    numbers.reserve(literal.elements<E>().size());
    for (const E &element : literal.elements<E>()) {
      numbers.push_back(convert_element(element));
    }
    return numbers;
  });
}

}  // namespace

std::optional<Literal> Array::literal(Known known) const {
  return is_valid() ? evaluate(*builder_, id_, known) : std::nullopt;
}

std::optional<Integers> Array::integers(Known known) const {
  const auto value = literal(known);
  return value && value->shape().is_array()
             ? std::optional(elements_of<std::int64_t>(*value, [](const auto &e) { return to_integer(e); }))
             : std::nullopt;
}

std::optional<std::vector<double>> Array::reals(Known known) const {
  const auto value = literal(known);
  return value && value->shape().is_array()
             ? std::optional(elements_of<double>(*value, [](const auto &e) { return to_real(e); }))
             : std::nullopt;
}

}  // namespace bp::import::array
