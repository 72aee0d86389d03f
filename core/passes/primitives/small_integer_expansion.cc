// Computes with integers of up to 16 bits in s32 and u32, and keeps the low bits of the results, so that sums and
// products wrap around as in their own type.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/primitives/element_codes.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::ElementType;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;
using Id = ir::InstructionId;

double least(ElementType type) {
  return ir::is_signed(type) ? -std::ldexp(1.0, ir::bit_width(type) - 1) : 0;
}
double largest(ElementType type) {
  return std::ldexp(1.0, ir::bit_width(type) - (ir::is_signed(type) ? 1 : 0)) - 1;
}

// Converts to u32, without sign extension.
Id without_sign(ArrayBuilder &b, Id x) {
  return to_bits(b, x);
}
// Converts to s32, with the highest bit of the type as the sign.
Id with_sign(ArrayBuilder &b, Id x) {
  const int rest = 32 - ir::bit_width(b.type(x));
  const Id high = b.convert(b.shift_left(to_bits(b, x), rest), ElementType::S32);
  return b.add(Opcode::ShiftRightArithmetic, {high, b.splat(rest, high)});
}

class SmallIntegerExpansion {
 public:
  SmallIntegerExpansion(ir::Module &module, Instruction original)
      : b_(module, original), i_(original), operands_(original.operands().begin(), original.operands().end()) {}

  Id run() {
    switch (i_.opcode()) {
      case Opcode::Convert: return converted();
      case Opcode::ShiftRightLogical: return shifted(&without_sign);
      case Opcode::ShiftRightArithmetic: return shifted(&with_sign);
      case Opcode::ShiftLeft: return shifted(&without_sign);
      case Opcode::PopulationCount: return back(b_.add(Opcode::PopulationCount, {without_sign(b_, operands_[0])}));
      case Opcode::CountLeadingZeros: {
        const Id zeros = b_.add(Opcode::CountLeadingZeros, {without_sign(b_, operands_[0])});
        return back(b_.difference({zeros, b_.splat(32 - ir::bit_width(type()), zeros)}));
      }
      case Opcode::MultiplyHigh: {
        const Id product = b_.product({widened_integer(b_, operands_[0]), widened_integer(b_, operands_[1])});
        return back(b_.add(ir::is_signed(type()) ? Opcode::ShiftRightArithmetic : Opcode::ShiftRightLogical,
                           {product, b_.splat(ir::bit_width(type()), product)}));
      }
      case Opcode::Reduce: return reduced();
      case Opcode::Copy:
      case Opcode::StochasticConvert: return i_.id();
      default: return i_.is(ir::Trait::Elementwise) || i_.opcode() == Opcode::Iota ? computed() : i_.id();
    }
  }

 private:
  ElementType type() const { return i_.shape().element_type(); }
  static ElementType wide(ElementType type) { return ir::is_signed(type) ? ElementType::S32 : ElementType::U32; }
  Id back(Id x) { return narrowed_integer(b_, x, type()); }

  // Computes the same op on wider operands.
  Id computed(std::span<const ir::ComputationId> calls = {}) {
    for (Id &operand : operands_) {
      operand = widened_integer(b_, operand);
    }
    const Shape shape = i_.shape();
    const Id result = b_.module().clone_instruction(b_.computation(), i_, operands_, calls);
    if (!is_narrow_integer(shape.element_type())) {
      return result;
    }
    b_.module().set_shape(result, Shape::array(wide(shape.element_type()), shape.sizes()));
    return narrowed_integer(b_, result, shape.element_type());
  }

  // Shift distances are unsigned, so distances that are too large remain so.
  Id shifted(Id (*extended)(ArrayBuilder &, Id)) {
    const Id x = extended(b_, operands_[0]), distance = without_sign(b_, operands_[1]);
    return back(b_.add(i_.opcode(), {x, b_.cast(distance, b_.type(x))}));
  }

  Id converted() {
    const ElementType from = b_.type(operands_[0]), to = type();
    // Conversions between u8 or u16 and u32 are kept, because all others are built from them.
    const auto is_load = [](ElementType narrow, ElementType other) {
      return narrow == storage_type(narrow) && other == ElementType::U32;
    };
    if ((is_narrow_integer(from) && is_load(from, to)) || (is_narrow_integer(to) && is_load(to, from)) ||
        ir::is_complex(from) || is_narrow_float(from) || is_narrow_float(to)) {
      return i_.id();
    }
    const Id x = widened_integer(b_, operands_[0]);
    if (!is_narrow_integer(to)) {
      return b_.cast(x, to);
    }
    if (ir::is_floating(b_.type(x))) {
      const Id limited =
          b_.add(Opcode::Minimum, {b_.add(Opcode::Maximum, {x, b_.splat(least(to), x)}), b_.splat(largest(to), x)});
      return narrowed_integer(b_, b_.convert(limited, ElementType::S32), to);
    }
    return narrowed_integer(b_, x, to);
  }

  // Reduces by a single op, whose results fit into 32 bits or wrap around at the end.
  Id reduced() {
    const Instruction root = i_.called(0).root();
    const bool is_plain_op =
        operands_.size() == 2 && root.operand_count() == 2 && root.operand(0).opcode() == Opcode::Parameter &&
        root.operand(1).opcode() == Opcode::Parameter && root.operands()[0] != root.operands()[1] &&
        root.is(ir::Trait::Commutative) && root.opcode() != Opcode::MultiplyHigh && b_.type(operands_[0]) == type() &&
        b_.type(operands_[1]) == type();
    if (!is_plain_op) {
      return i_.id();
    }
    const std::array calls{ir::add_scalar_computation(b_.module(), root.opcode(), wide(type()), "combine_in_32_bits")};
    return computed(calls);
  }

  ArrayBuilder b_;
  Instruction i_;
  std::vector<Id> operands_;
};

}  // namespace

Result<bool> small_integer_expansion(ir::Module &module, const PassContext &context) {
  return expand_outside_functions(module, context, [&](Instruction i) -> Result<Id> {
    const bool has_narrow = (i.shape().is_array() && is_narrow_integer(i.shape().element_type())) ||
                            std::ranges::any_of(i.operands(), [&](Id id) {
                              const Shape &shape = module.instruction(id).shape();
                              return shape.is_array() && is_narrow_integer(shape.element_type());
                            });
    return has_narrow && is_plain(i) ? SmallIntegerExpansion(module, i).run() : i.id();
  });
}

}  // namespace bp::passes
