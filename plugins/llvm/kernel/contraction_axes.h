// Translates shapes, layouts and attributes of dot and convolution to the forms of dot.h and convolution.h.
#pragma once

#include "plugins/llvm/contraction/convolution.h"
#include "plugins/llvm/contraction/dot.h"
#include "plugins/llvm/module_view.h"

namespace bp::emit {

// Returns the element type in the sense of contraction.h, where bf16 is a float type of its own.
llvm::Type *contraction_type(llvm::LLVMContext &context, std::uint16_t dtype);

// Both without an epilogue.
Dot describe_dot(llvm::LLVMContext &context, InstructionView dot);
Convolution describe_convolution(llvm::LLVMContext &context, InstructionView convolution);

}  // namespace bp::emit
