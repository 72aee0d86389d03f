#include "core/analysis/trip_count.h"

#include <limits>

#include "core/analysis/constants.h"

namespace bp::analysis {
namespace {

using ir::ComparisonDirection;
using ir::Instruction;
using ir::Opcode;
__extension__ typedef __int128 Int128;

ir::Computation condition_of(const Instruction &loop) {
  return loop.called(0);
}
ir::Computation body_of(const Instruction &loop) {
  return loop.called(1);
}

// Returns an element of the initial state, if it is a constant.
std::optional<std::int64_t> initial_value(const Instruction &loop, std::size_t element) {
  const Instruction initial = loop.operand(0);
  return initial.opcode() == Opcode::Tuple ? constant_integer(initial.operand(element)) : std::nullopt;
}

// Returns the value of an instruction in the condition or body, if it is the same constant in all iterations.
std::optional<std::int64_t> constant_in(const Instruction &loop, const Instruction &value) {
  if (auto constant = constant_integer(value)) {
    return constant;
  }
  auto element = element_of(value, value.parent().parameter(0));
  return element && passes_on(loop, *element) ? initial_value(loop, *element) : std::nullopt;
}

// Returns what the body adds to an element of the state in each iteration.
std::optional<std::int64_t> step_of(const Instruction &loop, std::size_t element) {
  const ir::Computation body = body_of(loop);
  if (body.root().opcode() != Opcode::Tuple) {
    return std::nullopt;
  }
  const Instruction next = body.root().operand(element);
  const Instruction parameter = body.parameter(0);
  if (next.opcode() != Opcode::Add && next.opcode() != Opcode::Subtract) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < (next.opcode() == Opcode::Add ? 2u : 1u); ++i) {
    if (element_of(next.operand(i), parameter) == element) {
      auto step = constant_in(loop, next.operand(1 - i));
      if (!step || next.opcode() == Opcode::Add) {
        return step;
      }
      return *step == std::numeric_limits<std::int64_t>::min() ? std::nullopt : std::optional(-*step);
    }
  }
  return std::nullopt;
}

ComparisonDirection mirrored(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::Lt: return ComparisonDirection::Gt;
    case ComparisonDirection::Le: return ComparisonDirection::Ge;
    case ComparisonDirection::Gt: return ComparisonDirection::Lt;
    case ComparisonDirection::Ge: return ComparisonDirection::Le;
    default: return direction;
  }
}

// Returns for how many n = 0, 1, ... `start + n * step  direction  limit` holds before it first fails; nothing if it
// never fails.
std::optional<Int128> count_iterations(ComparisonDirection direction, Int128 start, Int128 step, Int128 limit) {
  switch (direction) {
    case ComparisonDirection::Eq:
      return start != limit ? std::optional<Int128>(0) : step != 0 ? std::optional<Int128>(1) : std::nullopt;
    case ComparisonDirection::Ne: {
      const Int128 distance = limit - start;
      if (distance == 0) {
        return 0;
      }
      return step != 0 && distance % step == 0 && distance / step > 0 ? std::optional(distance / step) : std::nullopt;
    }
    case ComparisonDirection::Le: return count_iterations(ComparisonDirection::Lt, start, step, limit + 1);
    case ComparisonDirection::Ge: return count_iterations(ComparisonDirection::Gt, start, step, limit - 1);
    case ComparisonDirection::Gt: return count_iterations(ComparisonDirection::Lt, -start, -step, -limit);
    case ComparisonDirection::Lt: break;
  }
  if (start >= limit) {
    return 0;
  }
  return step > 0 ? std::optional((limit - start + step - 1) / step) : std::nullopt;
}

bool holds(ir::ElementType type, Int128 value) {
  const int bits = ir::bit_width(type) - (ir::is_signed(type) ? 1 : 0);
  const Int128 limit = Int128(1) << bits;
  return value < limit && value >= (ir::is_signed(type) ? -limit : 0);
}

}  // namespace

std::optional<std::size_t> element_of(const Instruction &instruction, const Instruction &tuple) {
  const bool is_element = instruction.opcode() == Opcode::GetTupleElement && instruction.operands()[0] == tuple.id();
  return is_element ? std::optional(static_cast<std::size_t>(instruction.tuple_index())) : std::nullopt;
}

bool passes_on(const Instruction &loop, std::size_t element) {
  const Instruction root = body_of(loop).root();
  return root.opcode() == Opcode::Tuple && element_of(root.operand(element), body_of(loop).parameter(0)) == element;
}

std::optional<std::int64_t> trip_count(const Instruction &loop) {
  const Instruction test = condition_of(loop).root();
  if (test.opcode() != Opcode::Compare || !ir::is_integer(test.operand(0).shape().element_type())) {
    return std::nullopt;
  }
  auto direction = test.enumerator(ir::AttributeKey::Direction, ComparisonDirection::Eq);
  for (std::size_t side = 0; side < 2; ++side, direction = mirrored(direction)) {
    auto element = element_of(test.operand(side), condition_of(loop).parameter(0));
    auto limit = constant_in(loop, test.operand(1 - side));
    if (!element || !limit) {
      continue;
    }
    auto start = initial_value(loop, *element);
    auto step = step_of(loop, *element);
    if (!start || !step) {
      continue;
    }
    auto iterations = count_iterations(direction, *start, *step, *limit);
    const ir::ElementType type = test.operand(side).shape().element_type();
    if (iterations && *iterations >= 0 && holds(ir::ElementType::S64, *iterations) &&
        holds(type, *start + *iterations * *step)) {
      return static_cast<std::int64_t>(*iterations);
    }
  }
  return std::nullopt;
}

}  // namespace bp::analysis
