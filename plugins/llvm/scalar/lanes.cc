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

}  // namespace bp::emit
