// Computes with 64-bit integers as pairs of u32. An instruction on arrays of these becomes an instruction on low
// halves, one on high halves, and a join of both, from which the next instruction takes the halves again. Values
// between instructions, in loops and in parameters remain 64-bit arrays.
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pairs.h"
#include "core/passes/primitives/wide_integer_formulas.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::ComparisonDirection;
using ir::ElementType;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;
using Id = ir::InstructionId;

bool is_wide(ElementType type) {
  return type == ElementType::S64 || type == ElementType::U64;
}
bool is_wide(const Shape &shape) {
  return shape.is_array() && is_wide(shape.element_type());
}
// Whether elements are moved as if they were 64-bit integers.
bool moves_as_wide(const Shape &shape) {
  return is_wide(shape) || (shape.is_array() && shape.element_type() == ElementType::F64);
}

constexpr Opcode computed_by_halves[] = {
    Opcode::Add,
    Opcode::Subtract,
    Opcode::Multiply,
    Opcode::Divide,
    Opcode::Remainder,
    Opcode::Negate,
    Opcode::Abs,
    Opcode::Maximum,
    Opcode::Minimum,
    Opcode::And,
    Opcode::Or,
    Opcode::Xor,
    Opcode::Not,
    Opcode::ShiftLeft,
    Opcode::ShiftRightLogical,
    Opcode::Compare,
    Opcode::ShiftRightArithmetic,
};

class WideIntegerExpansion {
 public:
  WideIntegerExpansion(ir::Module &module, Instruction original)
      : b_(module, original),
        i_(original),
        operands_(original.operands().begin(), original.operands().end()),
        shape_(original.shape()) {
    const ElementType type =
        is_wide(shape_) || operands_.empty() ? shape_.element_type() : b_.type(operands_[operands_.size() > 2 ? 1 : 0]);
    is_signed_ = type == ElementType::S64;
  }

  // Returns the replacement of the instruction; the instruction itself if it is not replaced.
  Id run() {
    switch (i_.opcode()) {
      case Opcode::DynamicSlice:
      case Opcode::DynamicUpdateSlice:
      case Opcode::Broadcast:
      case Opcode::Slice:
      case Opcode::Concatenate:
      case Opcode::Pad:
      case Opcode::Select: return moves_as_wide(shape_) ? half_by_half() : i_.id();
      default: return shape_.element_type() == ElementType::F64 ? i_.id() : computed();
    }
  }

 private:
  Id computed() {
    if (i_.opcode() == Opcode::Convert) {
      return converted();
    }
    if (i_.opcode() == Opcode::Iota) {
      const Shape parts = with_type(shape_, ElementType::U32);
      const Id low = b_.iota(parts, i_.number(ir::AttributeKey::IotaDimension));
      return joined({low, b_.zeros(parts)});
    }
    if (std::ranges::find(computed_by_halves, i_.opcode()) == std::end(computed_by_halves)) {
      return i_.id();
    }
    const WideMath math(b_, is_signed_);
    const Halves x = halves(operands_[0]), y = halves(operands_.back());
    switch (i_.opcode()) {
      case Opcode::Add: return joined(math.sum(x, y));
      case Opcode::Subtract: return joined(math.difference(x, y));
      case Opcode::Multiply: return joined(math.product(x, y));
      case Opcode::Divide: return joined(math.division(x, y).quotient);
      case Opcode::Remainder: return joined(math.division(x, y).remainder);
      case Opcode::Negate: return joined(math.negation(x));
      case Opcode::Abs: return joined(math.magnitude(x));
      case Opcode::Maximum: return joined(math.select(math.less(x, y), y, x));
      case Opcode::Minimum: return joined(math.select(math.less(x, y), x, y));
      case Opcode::Not: {
        const Id low = b_.add(Opcode::Not, {x.low});
        return joined({low, b_.add(Opcode::Not, {x.high})});
      }
      case Opcode::ShiftLeft:
      case Opcode::ShiftRightLogical:
      case Opcode::ShiftRightArithmetic: return joined(math.shift(i_.opcode(), x, y));
      case Opcode::Compare: return compared(math, x, y);
      default: return joined(math.by_halves(i_.opcode(), x, y));
    }
  }

  static Shape with_type(const Shape &shape, ElementType type) { return Shape::array(type, shape.sizes()); }

  Halves halves(Id x) {
    if (const auto known = halves_.find(x); known != halves_.end()) {
      return known->second;
    }
    const Pair parts = split_pairs(b_, x, ElementType::U32);
    return halves_.emplace(x, Halves{parts.first, parts.second}).first->second;
  }
  Id joined(Halves parts) { return join_pairs(b_, {parts.low, parts.high}, shape_); }

  Id compared(const WideMath &math, Halves x, Halves y) {
    const auto opposite = [&](Id predicate) { return b_.add(Opcode::Not, {predicate}); };
    switch (i_.enumerator(ir::AttributeKey::Direction, ComparisonDirection::Eq)) {
      case ComparisonDirection::Eq: return math.equal(x, y);
      case ComparisonDirection::Ne: return opposite(math.equal(x, y));
      case ComparisonDirection::Lt: return math.less(x, y);
      case ComparisonDirection::Gt: return math.less(y, x);
      case ComparisonDirection::Ge: return opposite(math.less(x, y));
      case ComparisonDirection::Le: return opposite(math.less(y, x));
    }
    return i_.id();
  }

  Id converted() {
    const ElementType from = b_.type(operands_[0]), to = shape_.element_type();
    if (ir::is_complex(from) || ir::is_complex(to) || from == ElementType::F64 || to == ElementType::F64) {
      return i_.id();
    }
    if (is_wide(from)) {
      const WideMath math(b_, from == ElementType::S64);
      const Halves x = halves(operands_[0]);
      if (is_wide(to)) {
        return joined(x);
      }
      if (to == ElementType::Pred) {
        return b_.add(Opcode::Not, {math.is_zero(x)});
      }
      return ir::is_floating(to) ? math.to_float(x, to) : b_.cast(x.low, to);
    }
    if (ir::is_floating(from)) {
      return joined(WideMath(b_, to == ElementType::S64).from_float(b_.cast(operands_[0], ElementType::F32)));
    }
    if (!ir::is_signed(from)) {
      const Id low = b_.cast(operands_[0], ElementType::U32);
      return joined({low, b_.splat(0, low)});
    }
    const Id narrow = b_.cast(operands_[0], ElementType::S32);
    const Id sign = b_.add(Opcode::ShiftRightArithmetic, {narrow, b_.splat(31, narrow)});
    return joined({b_.convert(narrow, ElementType::U32), b_.convert(sign, ElementType::U32)});
  }

  // Applies the same op to one half of each operand.
  Id half_by_half() {
    const auto of = [&](Id Halves::*half) {
      std::vector<Id> operands = operands_;
      for (std::size_t n = 0; n < operands.size(); ++n) {
        if (moves_as_wide(b_.shape(operands[n])) && !is_start(n)) {
          operands[n] = halves(operands[n]).*half;
        }
      }
      const Id id = b_.module().clone_instruction(b_.computation(), i_, operands, {});
      b_.module().set_shape(id, with_type(shape_, ElementType::U32));
      return id;
    };
    return joined({of(&Halves::low), of(&Halves::high)});
  }

  // Whether an operand is a start index of a dynamic slice, which is not moved data.
  bool is_start(std::size_t operand) const {
    return (i_.opcode() == Opcode::DynamicSlice && operand >= 1) ||
           (i_.opcode() == Opcode::DynamicUpdateSlice && operand >= 2);
  }

  ArrayBuilder b_;
  Instruction i_;
  std::vector<Id> operands_;
  Shape shape_;
  bool is_signed_ = false;
  std::unordered_map<Id, Halves> halves_;  // by operand
};

// Converts start indices of other types to s32. They are clamped in their own type first, which brings them into the
// range of s32.
Id with_starts_in_s32(ir::Module &module, Instruction i) {
  const std::size_t first = i.opcode() == Opcode::DynamicSlice ? 1 : 2;
  std::vector<Id> operands(i.operands().begin(), i.operands().end());
  const Shape operand = i.operand(0).shape(), box = first == 1 ? i.shape() : i.operand(1).shape();
  if (operands.size() != first + operand.rank() || std::ranges::all_of(std::span(operands).subspan(first), [&](Id id) {
        return module.instruction(id).shape().element_type() == ElementType::S32;
      })) {
    return i.id();
  }
  const Shape shape = i.shape();
  ArrayBuilder b(module, i);
  for (std::size_t d = 0; d < operand.rank(); ++d) {
    Id &start = operands[first + d];
    if (b.type(start) == ElementType::S32) {
      continue;
    }
    const int bits = ir::bit_width(b.type(start)) - (ir::is_signed(b.type(start)) ? 1 : 0);
    const double limit = std::min(static_cast<double>(operand.size(d) - box.size(d)), std::ldexp(1.0, bits) - 1);
    start = b.add(Opcode::Minimum, {start, b.splat(limit, start)});
    if (ir::is_signed(b.type(start))) {
      start = b.add(Opcode::Maximum, {start, b.splat(0, start)});
    }
    start = b.convert(start, ElementType::S32);
  }
  const Id moved = module.clone_instruction(b.computation(), i, operands, {});
  module.set_shape(moved, shape);
  return moved;
}

}  // namespace

Result<bool> wide_integer_expansion(ir::Module &module, const PassContext &context) {
  return expand_outside_functions(module, context, [&](Instruction i) -> Result<Id> {
    if (!is_plain(i)) {
      return i.id();
    }
    if (i.opcode() == Opcode::DynamicSlice || i.opcode() == Opcode::DynamicUpdateSlice) {
      if (const Id moved = with_starts_in_s32(module, i); moved != i.id()) {
        return moved;
      }
    }
    const bool has_wide = moves_as_wide(i.shape()) || std::ranges::any_of(i.operands(), [&](Id id) {
                            return is_wide(module.instruction(id).shape());
                          });
    return has_wide && has_room_for_pairs(i) ? WideIntegerExpansion(module, i).run() : i.id();
  });
}

}  // namespace bp::passes
