// Evaluates integers that depend on constants only: sizes that are given as operands.
#include <algorithm>
#include <limits>
#include <numeric>

#include "core/import/stablehlo/lowering.h"

namespace bp::import::stablehlo {
namespace {

constexpr std::int64_t max_count = 1 << 16;

bool fits(ir::ElementType type, std::int64_t value) {
  const int bits = ir::bit_width(type) - (ir::is_signed(type) ? 1 : 0);  // bits of the magnitude
  const std::int64_t most = bits >= 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << bits) - 1;
  return value <= most && value >= (ir::is_signed(type) ? -most - 1 : 0);
}

std::optional<bool> compare(ir::ComparisonDirection direction, std::int64_t x, std::int64_t y) {
  switch (direction) {
    case ir::ComparisonDirection::Eq: return x == y;
    case ir::ComparisonDirection::Ne: return x != y;
    case ir::ComparisonDirection::Ge: return x >= y;
    case ir::ComparisonDirection::Gt: return x > y;
    case ir::ComparisonDirection::Le: return x <= y;
    case ir::ComparisonDirection::Lt: return x < y;
  }
  return {};
}

bool has_quotient(std::int64_t x, std::int64_t y) {
  return y != 0 && !(x == std::numeric_limits<std::int64_t>::min() && y == -1);
}

// Returns the result for one element of each operand; nothing for other opcodes, or if the result overflows.
std::optional<std::int64_t> compute(const ir::Instruction &instruction, std::span<const std::int64_t> x) {
  std::int64_t result = 0;
  bool overflows = false;
  switch (instruction.opcode()) {
    case Opcode::Add: overflows = __builtin_add_overflow(x[0], x[1], &result); break;
    case Opcode::Subtract: overflows = __builtin_sub_overflow(x[0], x[1], &result); break;
    case Opcode::Multiply: overflows = __builtin_mul_overflow(x[0], x[1], &result); break;
    case Opcode::Negate: overflows = __builtin_sub_overflow(std::int64_t{0}, x[0], &result); break;
    case Opcode::Divide:
    case Opcode::Remainder:
      overflows = !has_quotient(x[0], x[1]);
      if (!overflows) {
        result = instruction.opcode() == Opcode::Divide ? x[0] / x[1] : x[0] % x[1];
      }
      break;
    case Opcode::Maximum: result = std::max(x[0], x[1]); break;
    case Opcode::Minimum: result = std::min(x[0], x[1]); break;
    case Opcode::Clamp: result = std::min(std::max(x[1], x[0]), x[2]); break;
    case Opcode::Abs:
      overflows = __builtin_sub_overflow(std::int64_t{0}, x[0], &result);
      result = std::max(x[0], result);
      break;
    case Opcode::Sign: result = (x[0] > 0) - (x[0] < 0); break;
    case Opcode::And: result = x[0] & x[1]; break;
    case Opcode::Or: result = x[0] | x[1]; break;
    case Opcode::Xor: result = x[0] ^ x[1]; break;
    case Opcode::Not: result = instruction.shape().element_type() == ir::ElementType::Pred ? 1 - x[0] : ~x[0]; break;
    case Opcode::Select: result = x[0] != 0 ? x[1] : x[2]; break;
    case Opcode::Convert: result = x[0]; break;
    case Opcode::Compare: {
      const auto direction = instruction.enumerator(AttributeKey::Direction, ir::ComparisonDirection::Eq);
      const auto holds = compare(direction, x[0], x[1]);
      overflows = !holds;
      result = holds.value_or(false);
      break;
    }
    default: return {};
  }
  return overflows || !fits(instruction.shape().element_type(), result) ? std::nullopt : std::optional(result);
}

std::optional<Integers> compute_each(const ir::Instruction &instruction, const std::vector<Integers> &operands) {
  Integers results;
  std::vector<std::int64_t> of_one(operands.size());
  for (std::size_t i = 0; i < static_cast<std::size_t>(instruction.shape().element_count()); ++i) {
    for (std::size_t n = 0; n < operands.size(); ++n) {
      if (operands[n].size() != 1 && i >= operands[n].size()) {
        return {};
      }
      of_one[n] = operands[n].size() == 1 ? operands[n][0] : operands[n][i];
    }
    const auto result = compute(instruction, of_one);
    if (!result) {
      return {};
    }
    results.push_back(*result);
  }
  return results;
}

// Returns the elements of a vector that a slice takes.
std::optional<Integers> slice(const ir::Instruction &instruction, const Integers &vector) {
  if (instruction.shape().rank() != 1) {
    return {};
  }
  const ir::SliceRange range = instruction.slice_ranges()[0];
  Integers taken;
  for (std::int64_t i = range.start; i < range.limit; i += range.stride) {
    if (i < 0 || i >= static_cast<std::int64_t>(vector.size())) {
      return {};  // the verifier says why
    }
    taken.push_back(vector[static_cast<std::size_t>(i)]);
    if (range.stride < 1) {
      return {};
    }
  }
  return taken;
}

std::optional<Integers> evaluate(const ir::Instruction &instruction, const std::vector<Integers> &operands) {
  const auto count = static_cast<std::size_t>(instruction.shape().element_count());
  switch (instruction.opcode()) {
    case Opcode::Reshape: return operands[0];
    case Opcode::Broadcast:
      return operands[0].size() == 1 ? std::optional(Integers(count, operands[0].front())) : std::nullopt;
    case Opcode::Concatenate: {
      if (instruction.dimensions()[0] != 0) {
        return {};
      }
      Integers all;  // concatenation along dimension 0 is also concatenation in memory
      for (const Integers &part : operands) {
        all.insert(all.end(), part.begin(), part.end());
      }
      return all;
    }
    case Opcode::Slice: return slice(instruction, operands[0]);
    case Opcode::Iota: {
      Integers numbers(count);
      std::iota(numbers.begin(), numbers.end(), 0);
      return instruction.shape().rank() == 1 ? std::optional(std::move(numbers)) : std::nullopt;
    }
    default: return operands.empty() ? std::nullopt : compute_each(instruction, operands);
  }
}

}  // namespace

// Evaluates operands first, with an explicit stack.
const std::optional<Integers> &Lowering::known_integers(InstructionId id) const {
  std::vector<InstructionId> stack{id};
  while (!stack.empty()) {
    const ir::Instruction instruction = module_.instruction(stack.back());
    const Shape &shape = instruction.shape();
    std::optional<Integers> result;
    const bool has_integers =
        shape.is_array() && (ir::is_integer(shape.element_type()) || shape.element_type() == ir::ElementType::Pred);
    if (known_.contains(stack.back())) {
      stack.pop_back();
      continue;
    }
    if (is_constant(stack.back()) && has_integers && shape.element_count() <= max_count) {
      if (instruction.opcode() == Opcode::Constant) {
        auto numbers = integers(Attribute{Elements{{shape}, instruction.literal()}, 0});
        const auto is_held = [&](std::int64_t number) { return fits(shape.element_type(), number); };
        if (numbers.ok() && std::ranges::all_of(*numbers, is_held)) {
          result = std::move(numbers).value();
        }
      } else {
        const std::size_t size = stack.size();
        std::vector<Integers> operands;
        bool are_known = true;
        for (const InstructionId operand : instruction.operands()) {
          const auto found = known_.find(operand);
          if (found == known_.end()) {
            stack.push_back(operand);
          } else if (found->second) {
            operands.push_back(*found->second);
          } else {
            are_known = false;
          }
        }
        if (stack.size() != size) {
          continue;
        }
        if (are_known) {
          result = evaluate(instruction, operands);
        }
      }
    }
    known_.emplace(stack.back(), std::move(result));
    stack.pop_back();
  }
  return known_.find(id)->second;
}

}  // namespace bp::import::stablehlo
