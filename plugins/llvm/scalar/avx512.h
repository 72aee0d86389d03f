// Instructions of AVX-512 that no intrinsic of all targets is compiled to. Each function returns the same bits as the
// arithmetic that other machines do in its place, but for NaN, and nothing in modules for them.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace bp::emit {

// Has the functions of this module use AVX-512 F, VL and DQ.
void use_avx512(llvm::Module &module);

// Returns x * 2^exponent, rounded once, for a whole number `exponent`, or nullptr. The types are scalars or vectors of
// f32 or f64.
llvm::Value *avx512_scale(llvm::IRBuilderBase &builder, llvm::Value *x, llvm::Value *exponent);
// Returns the IEEE maximum or minimum, in which NaN wins and -0 is less than 0, or nullptr.
llvm::Value *avx512_extremum(llvm::IRBuilderBase &builder, bool is_maximum, llvm::Value *x, llvm::Value *y);

}  // namespace bp::emit
