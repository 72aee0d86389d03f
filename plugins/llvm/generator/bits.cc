// Values as bits: bitcast-convert, also between types of different widths, and elements that share a byte.
#include "plugins/llvm/generator/generator.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/lanes.h"

namespace bp::emit {

using llvm::Value;

namespace {

std::uint16_t unsigned_type(unsigned bytes) {
  return bytes == 1 ? BP_DTYPE_U8 : bytes == 2 ? BP_DTYPE_U16 : bytes == 4 ? BP_DTYPE_U32 : BP_DTYPE_U64;
}

}  // namespace

Value *Generator::load(const Binding &binding, const Shape &shape, std::span<const Index> indices) {
  const Index offset = k_.linear(indices, shape.dims, binding.strides.empty() ? shape.strides : binding.strides);
  return shape.packed()
             ? bits_to_compute(k_.b, k_.load_packed(binding.pointer, offset, shape.element_bits), shape.dtype)
             : k_.load(binding.pointer, offset, shape.dtype);
}

// Values in memory are not decoded first, because a NaN may change its bits in a register.
Value *Generator::bits(std::uint32_t value, std::span<const Index> indices) {
  const Shape &shape = module_.shape_of(value);
  Value *pointer = pointer_of(value);
  if (pointer == nullptr || shape.packed() || shape.elements == 0) {
    return compute_to_bits(k_.b, element(value, indices), shape.dtype);
  }
  const unsigned own = value_bits(shape.dtype), bytes = storage_bytes(shape.dtype);
  Value *stored = k_.load(pointer, k_.linear(indices, shape.dims, shape.strides), unsigned_type(bytes));
  return own % 8 == 0 ? stored : k_.b.CreateAnd(stored, llvm::ConstantInt::get(stored->getType(), (1u << own) - 1));
}

// If the widths differ, the narrower type has one more dimension: the parts of an element of the wider type, lowest
// first.
Value *Generator::bitcast_convert(InstructionView instruction, std::span<const Index> indices) {
  const std::uint32_t operand = instruction.operand(0);
  const std::uint16_t from = instruction.operand_shape(0).dtype, to = instruction.shape().dtype;
  if (is_complex(from)) {  // stays what it is: support.cc takes no other type
    return element(operand, indices);
  }
  const unsigned from_bits = value_bits(from), to_bits = value_bits(to);
  if (from_bits == to_bits) {
    return bits_to_compute(k_.b, bits(operand, indices), to);
  }
  if (from_bits > to_bits) {
    Value *both[] = {bits(operand, indices.first(indices.size() - 1)), k_.value(indices.back())};
    k_.same_lanes(both);
    Value *part = k_.b.CreateZExtOrTrunc(both[1], both[0]->getType());
    Value *shift = k_.b.CreateMul(part, llvm::ConstantInt::get(part->getType(), to_bits));
    Value *shifted = k_.b.CreateLShr(both[0], shift);
    return bits_to_compute(k_.b, k_.b.CreateTrunc(shifted, with_lanes_of(bits_type(k_.b.getContext(), to), shifted)),
                           to);
  }
  std::vector<Value *> parts(to_bits / from_bits);
  Indices of_part(indices.begin(), indices.end());
  of_part.emplace_back();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    of_part.back() = k_.constant(static_cast<std::int64_t>(i));
    parts[i] = bits(operand, of_part);
  }
  k_.same_lanes(parts);
  Value *whole = nullptr;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Value *wide = k_.b.CreateZExt(parts[i], with_lanes_of(bits_type(k_.b.getContext(), to), parts[i]));
    Value *placed = k_.b.CreateShl(wide, i * from_bits);
    whole = whole == nullptr ? placed : k_.b.CreateOr(whole, placed);
  }
  return bits_to_compute(k_.b, whole, to);
}

}  // namespace bp::emit
