// Evaluates arrays while a graph is imported: those that follow from constants, and from parameters that the caller has
// given.
#include <algorithm>
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
  const auto is_small = [](const Shape &array) {
    return array.is_array() && array.is_static() && array.element_count() <= max_evaluated;
  };
  if (shape.is_tuple() ? !std::ranges::all_of(shape.elements(), is_small) : !is_small(shape)) {
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
    case Opcode::ReduceWindow:
    case Opcode::Sort:
    case Opcode::TopK:
    case Opcode::GetTupleElement: return true;
    default: return info(instruction.opcode()).has(ir::Trait::Elementwise);
  }
}

// Returns the instructions that one depends on, itself among them, in ascending order: operands come first. Nothing if
// its value cannot be known. add_needed(instruction, open): appends those that the instruction needs; returns false if
// it cannot be evaluated.
template <class AddNeeded>
std::optional<std::set<InstructionId>> dependences(const ir::Module &module, InstructionId wanted,
                                                   const AddNeeded &add_needed) {
  std::set<InstructionId> needed;
  std::vector<InstructionId> open = {wanted};
  while (!open.empty()) {
    const InstructionId id = open.back();
    open.pop_back();
    if (needed.insert(id).second && !add_needed(module.instruction(id), open)) {
      return {};
    }
  }
  return needed;
}

void append_operands(const Instruction &instruction, std::vector<InstructionId> &open) {
  open.insert(open.end(), instruction.operands().begin(), instruction.operands().end());
}

interpreter::Options evaluation_options() {
  interpreter::Options options;
  options.threads = 1;
  options.max_steps = 1 << 22;
  return options;
}

// Evaluates an instruction and what it depends on, or returns nothing.
std::optional<Literal> evaluate(GraphBuilder &builder, InstructionId wanted, Known known) {
  ir::Module &module = builder.module();
  BuildState &state = builder.state();
  std::vector<InstructionId> used;
  const auto needed = dependences(module, wanted, [&](const Instruction &instruction, auto &open) {
    const InstructionId id = instruction.id();
    if (instruction.opcode() == Opcode::Constant || (known == Known::Given && state.values.contains(id))) {
      return true;
    }
    if (const auto outside = state.same_as.find(id); outside != state.same_as.end()) {
      open.push_back(outside->second);
      return true;
    }
    if (instruction.opcode() == Opcode::Parameter) {
      used.push_back(id);
      return known == Known::Given && state.given.contains(id);
    }
    append_operands(instruction, open);
    return is_evaluated(instruction);
  });
  if (!needed) {
    return {};
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
  const interpreter::Options options = evaluation_options();
  for (const InstructionId id : *needed) {
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

// Whether all elements of an array of numbers are at least 0.
bool has_no_negative(const Literal &literal) {
  return ir::visit_element_type(literal.shape().element_type(), [&]<class E>() {
    if constexpr (std::is_integral_v<E>) {
      return std::ranges::all_of(literal.elements<E>(), [](E element) { return !(element < E(0)); });
    } else {
      return false;
    }
  });
}

// The values of an instruction where the sizes that only a run tells are 0, and where they are their bounds.
struct Extremes {
  Literal low, high;
  bool is_known() const { return low.identical(high); }
  bool has_no_negative() const { return array::has_no_negative(low) && array::has_no_negative(high); }
};

// Whether a result never decreases where operands increase that are not known.
bool is_monotonic(const ir::Module &module, const Instruction &instruction,
                  const std::vector<const Extremes *> &operands) {
  const auto is_known = [&](std::size_t i) { return i >= operands.size() || operands[i]->is_known(); };
  const auto has_factors = [&] {
    return std::ranges::all_of(operands, [](const Extremes *operand) { return operand->has_no_negative(); });
  };
  switch (instruction.opcode()) {
    case Opcode::Broadcast:
    case Opcode::Reshape:
    case Opcode::Transpose:
    case Opcode::Slice:
    case Opcode::Concatenate:
    case Opcode::Convert:
    case Opcode::Add:
    case Opcode::Maximum:
    case Opcode::Minimum: return true;
    case Opcode::And:
    case Opcode::Or: return instruction.shape().element_type() == ElementType::Pred;
    case Opcode::Multiply: return has_factors();
    case Opcode::Subtract:
    case Opcode::Gather: return is_known(1);
    case Opcode::Divide: return is_known(1) && has_factors();
    case Opcode::Select: return is_known(0);
    case Opcode::Reduce: {
      const Opcode combiner = module.computation(instruction.calls()[0]).root().opcode();
      return combiner == Opcode::Add || combiner == Opcode::Maximum || combiner == Opcode::Minimum ||
             (combiner == Opcode::Multiply && has_factors());
    }
    default: return false;
  }
}

bool is_signed(const Literal &literal) {
  return literal.shape().element_type() == ElementType::S32 || literal.shape().element_type() == ElementType::S64;
}

// Returns an array of the same sizes as another, of another type: element i is compute(i).
template <class E, class Compute>
Literal computed(const Literal &like, ElementType type, const Compute &compute) {
  Literal result = *Literal::zeros(Shape::array(type, like.shape().sizes()));
  const std::span<E> elements = result.mutable_elements<E>();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i] = compute(i);
  }
  return result;
}

// Returns whether a comparison of integers is true for all values in the ranges, and whether it is true for any.
template <class E>
Extremes extremes_of_comparison(ir::ComparisonDirection direction, const Extremes &x, const Extremes &y) {
  const auto low_x = x.low.elements<E>(), high_x = x.high.elements<E>();
  const auto low_y = y.low.elements<E>(), high_y = y.high.elements<E>();
  const auto of = [&](const auto &all, const auto &any) {
    return Extremes{computed<bool>(x.low, ElementType::Pred, all), computed<bool>(x.low, ElementType::Pred, any)};
  };
  const auto are_one = [&](std::size_t i) { return low_x[i] == high_x[i] && low_y[i] == high_y[i]; };
  const auto all_equal = [&](std::size_t i) { return are_one(i) && low_x[i] == low_y[i]; };
  const auto any_equal = [&](std::size_t i) { return low_x[i] <= high_y[i] && low_y[i] <= high_x[i]; };
  switch (direction) {
    case ir::ComparisonDirection::Eq: return of(all_equal, any_equal);
    case ir::ComparisonDirection::Ne:
      return of([&](std::size_t i) { return !any_equal(i); }, [&](std::size_t i) { return !all_equal(i); });
    case ir::ComparisonDirection::Lt:
      return of([&](std::size_t i) { return high_x[i] < low_y[i]; },
                [&](std::size_t i) { return low_x[i] < high_y[i]; });
    case ir::ComparisonDirection::Le:
      return of([&](std::size_t i) { return high_x[i] <= low_y[i]; },
                [&](std::size_t i) { return low_x[i] <= high_y[i]; });
    case ir::ComparisonDirection::Gt: return extremes_of_comparison<E>(ir::ComparisonDirection::Lt, y, x);
    case ir::ComparisonDirection::Ge: return extremes_of_comparison<E>(ir::ComparisonDirection::Le, y, x);
  }
  return of([](std::size_t) { return false; }, [](std::size_t) { return true; });
}

// Where the condition is not known, the result is one of both values.
template <class E>
Extremes extremes_of_select(const Extremes &condition, const Extremes &x, const Extremes &y) {
  const auto all = condition.low.elements<bool>(), any = condition.high.elements<bool>();
  const auto chosen = [&](const Literal &of_x, const Literal &of_y, const auto &of_both) {
    const auto one = of_x.elements<E>(), other = of_y.elements<E>();
    return computed<E>(of_x, of_x.shape().element_type(), [&](std::size_t i) {
      return all[i] ? one[i] : !any[i] ? other[i] : of_both(one[i], other[i]);
    });
  };
  return {chosen(x.low, y.low, [](E a, E b) { return std::min(a, b); }),
          chosen(x.high, y.high, [](E a, E b) { return std::max(a, b); })};
}

// Returns the extremes of comparisons and choices of integers; nothing for other instructions.
std::optional<Extremes> extremes_of_choice(const Instruction &instruction,
                                           const std::vector<const Extremes *> &operands) {
  if (operands.size() < 2 || !is_signed(operands[1]->low)) {
    return {};
  }
  const bool is_wide = operands[1]->low.shape().element_type() == ElementType::S64;
  if (instruction.opcode() == Opcode::Compare) {
    return (is_wide ? extremes_of_comparison<std::int64_t>
                    : extremes_of_comparison<std::int32_t>)(instruction.enumerator(ir::AttributeKey::Direction,
                                                                                   ir::ComparisonDirection::Eq),
                                                            *operands[0], *operands[1]);
  }
  if (instruction.opcode() == Opcode::Select && operands[0]->low.shape().rank() == operands[1]->low.shape().rank()) {
    return (is_wide ? extremes_of_select<std::int64_t> : extremes_of_select<std::int32_t>)(*operands[0], *operands[1],
                                                                                           *operands[2]);
  }
  return {};
}

// Returns the extremes of an instruction, or nothing.
std::optional<Extremes> extremes(const ir::Module &module, BuildState &state, InstructionId wanted) {
  const auto needed = dependences(module, wanted, [&](const Instruction &instruction, auto &open) {
    if (instruction.opcode() == Opcode::Constant || instruction.opcode() == Opcode::GetDimensionSize ||
        state.extremes.contains(instruction.id())) {
      return true;
    }
    append_operands(instruction, open);
    return is_evaluated(instruction) && !state.same_as.contains(instruction.id());
  });
  if (!needed) {
    return {};
  }
  const interpreter::Options options = evaluation_options();
  std::unordered_map<InstructionId, Extremes> values;
  for (const InstructionId id : *needed) {
    const Instruction instruction = module.instruction(id);
    if (instruction.opcode() == Opcode::Constant) {
      values[id] = {instruction.literal(), instruction.literal()};
      continue;
    }
    if (const auto found = state.extremes.find(id); found != state.extremes.end()) {
      values[id] = {found->second.first, found->second.second};
      continue;
    }
    if (instruction.opcode() == Opcode::GetDimensionSize) {
      const auto dimension = static_cast<std::size_t>(instruction.dimensions()[0]);
      const std::int64_t bound = instruction.operand(0).shape().size(dimension);
      const auto size = [](std::int64_t number) {
        return Literal::scalar(ElementType::S32, static_cast<std::int32_t>(number));
      };
      values[id] = {size(0), size(bound)};
      continue;
    }
    std::vector<const Extremes *> operands;
    std::vector<Literal> low, high;
    for (const InstructionId operand : instruction.operands()) {
      operands.push_back(&values.at(operand));
      low.push_back(operands.back()->low);
      high.push_back(operands.back()->high);
    }
    const bool are_known = std::ranges::all_of(operands, [](const Extremes *operand) { return operand->is_known(); });
    if (auto chosen = are_known ? std::nullopt : extremes_of_choice(instruction, operands)) {
      state.extremes.emplace(id, std::pair(chosen->low, chosen->high));
      values[id] = *std::move(chosen);
      continue;
    }
    if (!are_known && !is_monotonic(module, instruction, operands)) {
      return {};
    }
    Result<Literal> least = interpreter::evaluate_instruction(instruction, low, options);
    Result<Literal> largest = interpreter::evaluate_instruction(instruction, high, options);
    if (!least.ok() || !largest.ok()) {
      return {};
    }
    state.extremes.emplace(id, std::pair(*least, *largest));
    values[id] = {std::move(*least), std::move(*largest)};
  }
  return values.at(wanted);
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

std::optional<IntegerRanges> Array::ranges() const {
  const auto found = is_valid() ? extremes(builder_->module(), builder_->state(), id_) : std::nullopt;
  if (!found || !found->low.shape().is_array() || !ir::is_integer(found->low.shape().element_type())) {
    return {};
  }
  const auto integers_of = [](const Literal &literal) {
    return elements_of<std::int64_t>(literal, [](const auto &e) { return to_integer(e); });
  };
  return IntegerRanges{integers_of(found->low), integers_of(found->high)};
}

}  // namespace bp::import::array
