// Evaluates integers that depend on constants only: sizes that are given as operands.
#include <algorithm>
#include <limits>

#include "core/import/stablehlo/lowering.h"

namespace bp::import::stablehlo {
namespace {

constexpr std::int64_t max_count = 1 << 16;
constexpr int max_depth = 64;  // maximum depth of nested expressions

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

}  // namespace

std::optional<Integers> Lowering::known_integers(InstructionId id, int depth) const {
  if (const auto found = known_.find(id); found != known_.end()) {
    return found->second;
  }
  const ir::Instruction instruction = module_.instruction(id);
  const Shape &shape = instruction.shape();
  const bool has_integers =
      shape.is_array() && (ir::is_integer(shape.element_type()) || shape.element_type() == ir::ElementType::Pred);
  if (!is_constant(id) || !has_integers || shape.element_count() > max_count || depth > max_depth) {
    return {};
  }
  if (instruction.opcode() == Opcode::Constant) {
    Elements elements{{shape}, instruction.literal()};
    auto numbers = integers(Attribute{std::move(elements), 0});
    const auto is_held = [&](std::int64_t number) { return fits(shape.element_type(), number); };
    return numbers.ok() && std::ranges::all_of(*numbers, is_held) ? std::optional(std::move(numbers).value())
                                                                  : std::nullopt;
  }
  std::vector<Integers> operands;
  for (const InstructionId operand : instruction.operands()) {
    auto numbers = known_integers(operand, depth + 1);
    if (!numbers) {
      return known_[id] = {};
    }
    operands.push_back(std::move(*numbers));
  }
  std::optional<Integers> result;
  switch (instruction.opcode()) {
    case Opcode::Reshape: result = operands[0]; break;
    case Opcode::Broadcast:
      if (operands[0].size() == 1) {
        result = Integers(static_cast<std::size_t>(shape.element_count()), operands[0].front());
      }
      break;
    case Opcode::Concatenate:
      if (instruction.dimensions()[0] == 0) {  // concatenation along dimension 0 is also concatenation in memory
        result.emplace();
        for (const Integers &part : operands) {
          result->insert(result->end(), part.begin(), part.end());
        }
      }
      break;
    default: result = operands.empty() ? std::nullopt : compute_each(instruction, operands); break;
  }
  return known_[id] = std::move(result);
}

}  // namespace bp::import::stablehlo
