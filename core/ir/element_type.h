// Element types of arrays, generated from types.def.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace bp::ir {

// The numbers are those of XLA's PrimitiveType and of the ABI's dtype.
enum class ElementType : std::uint16_t {
  Invalid = 0,
#define BP_TYPE(number, name, text, bits, type_class) name = number,
#include "core/ir/types.def"
};

enum class TypeClass : std::uint8_t { Pred, Signed, Unsigned, Float, Complex, Opaque };

struct ElementTypeInfo {
  ElementType type;
  std::string_view text;
  std::uint16_t bits;  // bits of one value; 0 for Opaque
  TypeClass type_class;
};

// Returns all rows of types.def, in order.
std::span<const ElementTypeInfo> element_types();
const ElementTypeInfo &info(ElementType type);
std::string_view to_string(ElementType type);
std::optional<ElementType> element_type_from_string(std::string_view text);

inline int bit_width(ElementType type) {
  return info(type).bits;
}
// Returns the bytes of one value that is not packed: at least 1 for element types of arrays, 0 for Opaque.
inline int byte_width(ElementType type) {
  return (bit_width(type) + 7) / 8;
}
inline bool is_opaque(ElementType type) {
  return info(type).type_class == TypeClass::Opaque;
}
inline bool is_floating(ElementType type) {
  return info(type).type_class == TypeClass::Float;
}
inline bool is_complex(ElementType type) {
  return info(type).type_class == TypeClass::Complex;
}
inline bool is_signed(ElementType type) {
  return info(type).type_class == TypeClass::Signed;
}
inline bool is_unsigned(ElementType type) {
  return info(type).type_class == TypeClass::Unsigned;
}
inline bool is_integer(ElementType type) {
  return is_signed(type) || is_unsigned(type);
}
// Returns f32 for c64, f64 for c128.
ElementType real_part_type(ElementType complex);

}  // namespace bp::ir
