// Elementwise functions of complex numbers, in registers (element_type.h). c64 is computed with f64 parts and rounded
// once. Infinities, NaNs and signed zeros follow C99 annex G, except that products use the textbook formula: if one of
// several factors is infinite, the product may be NaN, as in XLA.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>

namespace bp::emit {

// Whether the op is compiled for complex operands. Applies to the functions below, not to compare and conversions.
bool is_complex_unary(std::uint16_t op);
bool is_complex_binary(std::uint16_t op);

// dtype: the type of the operands. The result of abs is a real number of the type of the parts.
llvm::Value *emit_complex_unary(llvm::IRBuilderBase &builder, std::uint16_t op, std::uint16_t dtype, llvm::Value *x);
llvm::Value *emit_complex_binary(llvm::IRBuilderBase &builder, std::uint16_t op, std::uint16_t dtype, llvm::Value *x,
                                 llvm::Value *y);

}  // namespace bp::emit
