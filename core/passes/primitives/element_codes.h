// The bits of elements of fewer than 32 bits, as u32: for devices that compute with nothing narrower.
#pragma once

#include "core/passes/array_builder.h"

namespace bp::passes {

// Stored in a byte, or two.
inline bool is_narrow(ir::ElementType type) {
  return type != ir::ElementType::Pred && !ir::is_opaque(type) && ir::bit_width(type) <= 16;
}
inline bool is_narrow_integer(ir::ElementType type) {
  return is_narrow(type) && ir::is_integer(type);
}
inline bool is_narrow_float(ir::ElementType type) {
  return is_narrow(type) && ir::is_floating(type);
}
// u8 or u16: of the bytes that one element is stored in.
inline ir::ElementType storage_type(ir::ElementType type) {
  return ir::byte_width(type) == 1 ? ir::ElementType::U8 : ir::ElementType::U16;
}

// Row-major elements of a narrow type as their bits, in u32[...], and back; bits above the type's own do not matter.
ir::InstructionId code_of(ArrayBuilder &b, ir::InstructionId x);
ir::InstructionId of_code(ArrayBuilder &b, ir::InstructionId code, ir::ElementType type);

// Integers: their values in s32 or u32; of those, the low bits.
ir::InstructionId widened_integer(ArrayBuilder &b, ir::InstructionId x);
ir::InstructionId narrowed_integer(ArrayBuilder &b, ir::InstructionId x, ir::ElementType type);

}  // namespace bp::passes
