#include "plugins/llvm/scalar/lanes.h"

#include <llvm/IR/DerivedTypes.h>

namespace bp::emit {

using llvm::Value;

llvm::Type *with_lanes_of(llvm::Type *type, Value *like) {
  llvm::Type *like_type = like->getType()->isStructTy() ? like->getType()->getStructElementType(0) : like->getType();
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(like_type);
  if (vector == nullptr) {
    return type;
  }
  if (type->isStructTy()) {
    llvm::Type *part = llvm::FixedVectorType::get(type->getStructElementType(0), vector->getNumElements());
    return llvm::StructType::get(part, part);
  }
  return llvm::FixedVectorType::get(type, vector->getNumElements());
}

bool has_lanes(Value *value) {
  llvm::Type *type = value->getType();
  return type->isStructTy() ? type->getStructElementType(0)->isVectorTy() : type->isVectorTy();
}

namespace {

// Whether LLVM would make a branch for each lane: no CPU gathers elements of less than 32 bits.
bool is_branch_per_lane(llvm::Type *type, Value *mask) {
  const auto *constant = llvm::dyn_cast_or_null<llvm::Constant>(mask);
  return type->getScalarSizeInBits() < 32 && mask != nullptr && (constant == nullptr || !constant->isAllOnesValue());
}

// Returns the pointers, with that of a local variable, which is 0, in the lanes that are off.
Value *valid_pointers(llvm::IRBuilder<> &b, llvm::FixedVectorType *type, Value *pointers, Value *mask) {
  llvm::BasicBlock &first = b.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> entry(&first, first.begin());
  Value *variable = entry.CreateAlloca(type->getElementType());
  b.CreateStore(llvm::Constant::getNullValue(type->getElementType()), variable);
  return b.CreateSelect(mask, pointers, b.CreateVectorSplat(type->getNumElements(), variable));
}

}  // namespace

Value *gather(llvm::IRBuilder<> &b, llvm::FixedVectorType *type, Value *pointers, llvm::Align align, Value *mask) {
  if (is_branch_per_lane(type, mask)) {
    pointers = valid_pointers(b, type, pointers, mask);
    mask = nullptr;
  }
  return b.CreateMaskedGather(type, pointers, align, mask,
                              mask == nullptr ? nullptr : llvm::Constant::getNullValue(type));
}

void scatter(llvm::IRBuilder<> &b, Value *lanes, Value *pointers, llvm::Align align, Value *mask) {
  auto *type = llvm::cast<llvm::FixedVectorType>(lanes->getType());
  if (is_branch_per_lane(type, mask)) {
    pointers = valid_pointers(b, type, pointers, mask);
    mask = nullptr;
  }
  b.CreateMaskedScatter(lanes, pointers, align, mask);
}

}  // namespace bp::emit
