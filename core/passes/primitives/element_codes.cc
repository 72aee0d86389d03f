#include "core/passes/primitives/element_codes.h"

namespace bp::passes {

using ir::ElementType;
using ir::Opcode;
using ir::Shape;
using Id = ir::InstructionId;

namespace {

Id stored(ArrayBuilder &b, Id x, ElementType type) {
  const Shape shape = b.shape(x);
  return shape.element_type() == type ? x : b.bitcast_to(x, Shape::array(type, shape.sizes()));
}

// Returns the integer that the low bits of a u32 represent, with sign.
Id sign_extended(ArrayBuilder &b, Id code, int bits) {
  const Id high = b.convert(b.shift_left(code, 32 - bits), ElementType::S32);
  return b.add(Opcode::ShiftRightArithmetic, {high, b.splat(32 - bits, high)});
}

}  // namespace

Id to_bits(ArrayBuilder &b, Id x) {
  const ElementType type = b.type(x);
  const Id code = b.convert(stored(b, x, storage_type(type)), ElementType::U32);
  const int bits = ir::bit_width(type);
  return bits == 8 || bits == 16 ? code : b.bit_and({code, b.splat_bits((1u << bits) - 1, code)});
}

// Signed integers narrower than a byte are stored with their sign extended to the whole byte.
Id from_bits(ArrayBuilder &b, Id code, ElementType type) {
  const int bits = ir::bit_width(type);
  if (bits < 8 && ir::is_signed(type)) {
    code = b.convert(sign_extended(b, code, bits), ElementType::U32);
  }
  const std::uint64_t mask = bits < 8 && !ir::is_signed(type) ? (1u << bits) - 1 : bits <= 8 ? 0xff : 0xffff;
  code = b.bit_and({code, b.splat_bits(mask, code)});
  return stored(b, b.convert(code, storage_type(type)), type);
}

Id widened_integer(ArrayBuilder &b, Id x) {
  const ElementType type = b.type(x);
  if (!is_narrow_integer(type)) {
    return x;
  }
  const Id code = to_bits(b, x);
  return ir::is_signed(type) ? sign_extended(b, code, ir::bit_width(type)) : code;
}

Id narrowed_integer(ArrayBuilder &b, Id x, ElementType type) {
  return from_bits(b, b.cast(x, ElementType::U32), type);
}

}  // namespace bp::passes
