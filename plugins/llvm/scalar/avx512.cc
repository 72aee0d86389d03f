#include "plugins/llvm/scalar/avx512.h"

#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

namespace bp::emit {

using llvm::Value;

namespace {

constexpr const char *avx512_flag = "uses_avx512";

// An instruction for vectors of 128, 256 and 512 bits, of f32 and of f64.
struct Avx512Instruction {
  llvm::Intrinsic::ID of_f32[3], of_f64[3];
};
constexpr Avx512Instruction vscalef = {
    {llvm::Intrinsic::x86_avx512_mask_scalef_ps_128, llvm::Intrinsic::x86_avx512_mask_scalef_ps_256,
     llvm::Intrinsic::x86_avx512_mask_scalef_ps_512},
    {llvm::Intrinsic::x86_avx512_mask_scalef_pd_128, llvm::Intrinsic::x86_avx512_mask_scalef_pd_256,
     llvm::Intrinsic::x86_avx512_mask_scalef_pd_512}};
constexpr Avx512Instruction vrange = {
    {llvm::Intrinsic::x86_avx512_mask_range_ps_128, llvm::Intrinsic::x86_avx512_mask_range_ps_256,
     llvm::Intrinsic::x86_avx512_mask_range_ps_512},
    {llvm::Intrinsic::x86_avx512_mask_range_pd_128, llvm::Intrinsic::x86_avx512_mask_range_pd_256,
     llvm::Intrinsic::x86_avx512_mask_range_pd_512}};

// Returns a vector with other lanes: those from `first` on, of which the ones that `x` does not have are undefined.
Value *lanes_from(llvm::IRBuilderBase &b, Value *x, unsigned first, unsigned count) {
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements();
  std::vector<int> mask(count, llvm::PoisonMaskElem);
  const unsigned taken = std::min(count, lanes - first);
  std::iota(mask.begin(), mask.begin() + taken, static_cast<int>(first));
  return b.CreateShuffleVector(x, mask);
}

// Calls an instruction with two operands of one type, and a number in it, if there is one.
Value *call_avx512(llvm::IRBuilderBase &b, const Avx512Instruction &instruction, Value *x, Value *y,
                   std::optional<int> immediate) {
  auto *const type = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  if (type == nullptr) {
    const auto in_vector = [&](Value *value) {
      return b.CreateInsertElement(llvm::PoisonValue::get(llvm::FixedVectorType::get(value->getType(), 1)), value,
                                   std::uint64_t{0});
    };
    return b.CreateExtractElement(call_avx512(b, instruction, in_vector(x), in_vector(y), immediate), std::uint64_t{0});
  }
  const unsigned bits = type->getScalarSizeInBits(), lanes = type->getNumElements();
  if (lanes * bits > 512) {
    const unsigned half = lanes / 2;
    Value *const low = call_avx512(b, instruction, lanes_from(b, x, 0, half), lanes_from(b, y, 0, half), immediate);
    Value *const high =
        call_avx512(b, instruction, lanes_from(b, x, half, half), lanes_from(b, y, half, half), immediate);
    std::vector<int> all(lanes);
    std::iota(all.begin(), all.end(), 0);
    return b.CreateShuffleVector(low, high, all);
  }
  const unsigned size = lanes * bits <= 128 ? 0 : lanes * bits <= 256 ? 1 : 2, whole = (128u << size) / bits;
  if (lanes < whole) {
    Value *const result =
        call_avx512(b, instruction, lanes_from(b, x, 0, whole), lanes_from(b, y, 0, whole), immediate);
    return lanes_from(b, result, 0, lanes);
  }
  std::vector<Value *> arguments = {x, y};
  if (immediate) {
    arguments.push_back(b.getInt32(static_cast<std::uint32_t>(*immediate)));
  }
  arguments.push_back(llvm::Constant::getNullValue(type));  // where the mask is zero
  arguments.push_back(llvm::Constant::getAllOnesValue(b.getIntNTy(std::max(lanes, 8u))));
  if (size == 2) {
    constexpr std::uint32_t current_rounding = 4;
    arguments.push_back(b.getInt32(current_rounding));
  }
  return b.CreateIntrinsic(bits == 64 ? instruction.of_f64[size] : instruction.of_f32[size], {}, arguments);
}

bool is_at_hand(const llvm::IRBuilderBase &b, const Value *x) {
  llvm::Type *const element = x->getType()->getScalarType();
  return (element->isFloatTy() || element->isDoubleTy()) &&
         b.GetInsertBlock()->getModule()->getModuleFlag(avx512_flag) != nullptr;
}

}  // namespace

void use_avx512(llvm::Module &module) {
  module.addModuleFlag(llvm::Module::Override, avx512_flag, 1);
}

Value *avx512_scale(llvm::IRBuilderBase &b, Value *x, Value *exponent) {
  return is_at_hand(b, x) ? call_avx512(b, vscalef, x, exponent, {}) : nullptr;
}

Value *avx512_extremum(llvm::IRBuilderBase &b, bool is_maximum, Value *x, Value *y) {
  // With a constant, LLVM does not need more instructions.
  if (!is_at_hand(b, x) || llvm::isa<llvm::Constant>(x) || llvm::isa<llvm::Constant>(y)) {
    return nullptr;
  }
  constexpr int minimum = 0, maximum = 1, sign_of_the_result = 4;
  Value *const number = call_avx512(b, vrange, x, y, sign_of_the_result | (is_maximum ? maximum : minimum));
  return b.CreateSelect(b.CreateFCmpORD(x, y), number, b.CreateFAdd(x, y));
}

}  // namespace bp::emit
