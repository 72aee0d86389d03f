// Lanes: a value in registers is a scalar, or a vector with an element for each lane.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace bp::emit {

// Returns the type, or a vector of it if `like` is a vector.
llvm::Type *with_lanes_of(llvm::Type *type, llvm::Value *like);
bool has_lanes(llvm::Value *value);

// Loads a lane from each of `pointers`, 0 in the lanes that `mask` switches off, whose pointers may be invalid. A null
// mask switches none off.
llvm::Value *gather(llvm::IRBuilder<> &b, llvm::FixedVectorType *type, llvm::Value *pointers, llvm::Align align,
                    llvm::Value *mask);
// Stores the lanes that `mask` leaves on, as gather() loads them.
void scatter(llvm::IRBuilder<> &b, llvm::Value *lanes, llvm::Value *pointers, llvm::Align align, llvm::Value *mask);

}  // namespace bp::emit
