// Codelet: a short Fourier transform whose elements are in registers, each as a vector of real parts and a vector of
// imaginary parts; and operations used with it: products with roots of unity and permutations of elements.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <complex>
#include <cstdint>
#include <vector>

#include "plugins/llvm/scalar/element_type.h"

namespace bp::emit {

// Returns the transform of x, in order. Its size is a radix (fft/plan.h).
std::vector<ComplexParts> emit_codelet(llvm::IRBuilderBase &builder, const std::vector<ComplexParts> &x);

// Returns x y + z, rounded once if the target can.
llvm::Value *emit_sum_of_product(llvm::IRBuilderBase &builder, llvm::Value *x, llvm::Value *y, llvm::Value *z);
ComplexParts emit_product(llvm::IRBuilderBase &builder, ComplexParts x, ComplexParts y);
// Returns x times a root of unity that is known at compile time.
ComplexParts multiply_by_root(llvm::IRBuilderBase &builder, ComplexParts x, std::complex<double> root);

// Interleaves vectors of the same number of lanes: each vector is cut into parts of `part` lanes, and the result is the
// first part of each, then the second of each, and so on, as the same number of vectors. emit_deinterleave() is the
// inverse for parts of one lane.
std::vector<llvm::Value *> emit_interleave(llvm::IRBuilderBase &builder, const std::vector<llvm::Value *> &vectors,
                                           std::int64_t part);
std::vector<llvm::Value *> emit_deinterleave(llvm::IRBuilderBase &builder, const std::vector<llvm::Value *> &vectors);

}  // namespace bp::emit
