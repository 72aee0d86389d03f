// Codes of elements: their bits as u32, for elements narrower than 32 bits on devices that compute with nothing
// narrower.
#pragma once

#include "core/passes/array_builder.h"

namespace bp::passes {

// Whether an element is stored in one or two bytes (other than pred).
inline bool is_narrow(ir::ElementType type) {
  return type != ir::ElementType::Pred && !ir::is_opaque(type) && ir::bit_width(type) <= 16;
}
inline bool is_narrow_integer(ir::ElementType type) {
  return is_narrow(type) && ir::is_integer(type);
}
inline bool is_narrow_float(ir::ElementType type) {
  return is_narrow(type) && ir::is_floating(type);
}
// Returns u8 or u16, which has the bytes of one element.
inline ir::ElementType storage_type(ir::ElementType type) {
  return ir::byte_width(type) == 1 ? ir::ElementType::U8 : ir::ElementType::U16;
}

// Convert row-major elements of a narrow type to their bits, as u32[...], and back. When converting back, bits above
// those of the type are ignored.
ir::InstructionId to_bits(ArrayBuilder &b, ir::InstructionId x);
ir::InstructionId from_bits(ArrayBuilder &b, ir::InstructionId bits, ir::ElementType type);

// Convert integers to s32 or u32, and back by keeping the low bits.
ir::InstructionId widened_integer(ArrayBuilder &b, ir::InstructionId x);
ir::InstructionId narrowed_integer(ArrayBuilder &b, ir::InstructionId x, ir::ElementType type);

}  // namespace bp::passes
