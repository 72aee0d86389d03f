// Lanes: a value in registers is a scalar, or a vector with an element for each lane.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace bp::emit {

// Returns the type, or a vector of it if `like` is a vector.
llvm::Type *with_lanes_of(llvm::Type *type, llvm::Value *like);
bool has_lanes(llvm::Value *value);

}  // namespace bp::emit
