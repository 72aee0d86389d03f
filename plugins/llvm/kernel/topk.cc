#include "plugins/llvm/kernel/topk.h"

#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/lanes.h"

namespace bp::emit {

using llvm::Value;

std::vector<LoopGroup> TopkLines::groups() const {
  std::vector<LoopGroup> groups;
  for (const std::int64_t d : shape().major_to_minor()) {
    const auto dim = static_cast<std::size_t>(d);
    if (dim != dimension() && shape().dims[dim] > 1) {
      groups.push_back({{d}, shape().dims[dim]});
    }
  }
  if (groups.empty()) {
    groups.emplace_back();
  }
  return groups;
}

unsigned TopkLines::key_bits() const {
  return compute_bits(shape().dtype);
}

Value *TopkLines::key(Value *value) const {
  const std::uint16_t dtype = shape().dtype;
  const unsigned bits = key_bits();
  llvm::Type *type = with_lanes_of(b_.getIntNTy(bits), value);
  Value *key = value;
  if (is_float(dtype)) {
    key = b_.CreateBitCast(value, type);
    // The bits of negative numbers have the reverse order.
    key = b_.CreateXor(key, b_.CreateLShr(b_.CreateAShr(key, bits - 1), 1));
  } else {
    key = b_.CreateZExt(value, type);
  }
  if (is_float(dtype) || is_signed(dtype)) {
    key = b_.CreateXor(key, llvm::ConstantInt::get(type, llvm::APInt::getSignMask(bits)));
  }
  return instruction_.number(BP_ATTR_LARGEST, 1) != 0 ? key : b_.CreateNot(key);
}

void TopkLines::store_result(Indices at, Value *rank, Value *position) {
  at[dimension()] = k_.of(b_.CreateZExt(position, b_.getInt64Ty()));
  Value *value = load(at);
  at[dimension()] = k_.of(rank);
  const Shape &values = instruction_.shape(0), &positions = instruction_.shape(1);
  k_.store(site_.results[0], k_.linear(at, values.dims, values.strides), value, values.dtype);
  k_.store(site_.results[1], k_.linear(at, positions.dims, positions.strides), position, positions.dtype);
}

}  // namespace bp::emit
