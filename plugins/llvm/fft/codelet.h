// Codelet: a short Fourier transform whose elements are in registers, a vector of real parts and one of imaginary parts
// each; and what goes with it, products with roots of unity and elements in another order.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <complex>
#include <cstdint>
#include <vector>

#include "plugins/llvm/scalar/element_type.h"

namespace bp::emit {

// The transform of x, in order. Its size is a radix (fft/plan.h).
std::vector<ComplexParts> emit_codelet(llvm::IRBuilderBase &builder, const std::vector<ComplexParts> &x);

// x y + z, rounded once where the target can.
llvm::Value *emit_sum_of_product(llvm::IRBuilderBase &builder, llvm::Value *x, llvm::Value *y, llvm::Value *z);
ComplexParts emit_product(llvm::IRBuilderBase &builder, ComplexParts x, ComplexParts y);
// x times a root of unity known now.
ComplexParts emit_turn(llvm::IRBuilderBase &builder, ComplexParts x, std::complex<double> root);

// Vectors of equally many lanes, each cut into parts of `part` lanes: the first part of each, then the second of each,
// ..., as as many vectors. And back.
std::vector<llvm::Value *> emit_interleave(llvm::IRBuilderBase &builder, const std::vector<llvm::Value *> &vectors,
                                           std::int64_t part);
std::vector<llvm::Value *> emit_deinterleave(llvm::IRBuilderBase &builder, const std::vector<llvm::Value *> &vectors);

}  // namespace bp::emit
