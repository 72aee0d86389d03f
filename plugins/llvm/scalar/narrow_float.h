// Floats of at most 8 bits in registers: conversions between their codes and the f32 numbers they represent. One
// emitter per direction serves all formats, with straight-line integer operations that can be vectorized; GPUs have
// instructions for f8e4m3fn and f8e5m2, and shorter sequences for the other formats. All give the same bits. Rounding
// is to nearest, ties to even. Overflow gives infinity if the format has it, else NaN, else the largest finite value;
// NaN in a format without NaN gives -0.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>

namespace bp::emit {

// How a format uses its highest codes.
enum class Specials : std::uint8_t {
  Ieee,          // all-ones exponent: infinities and NaNs
  FiniteNan,     // no infinity; only the all-ones code, of either sign, is NaN
  Finite,        // neither infinity nor NaN
  UnsignedZero,  // no infinity, no -0; the code of -0 is the only NaN
  Scale,         // unsigned powers of two; all-ones is NaN; no zero
};

struct FloatFormat {
  unsigned exponent_bits;
  unsigned mantissa_bits;
  int bias;
  Specials specials;
};

// How code of a module converts: `Integers`: with integers and few floats, which is best on CPUs, because they are slow
// with subnormals; `Floats`: with floats, including subnormal ones; `Instructions`: like Floats, but with a GPU's
// instructions (`cvt` of sm_89 and later) where they exist; `LikeInstructions`: with the results of Instructions, for
// the emulator.
enum class NarrowConversion : std::uint8_t { Integers, Floats, Instructions, LikeInstructions };
void set_narrow_conversion(llvm::Module &module, NarrowConversion conversion);

// Decode a code, an i8 or a vector of them whose bits above those of the format are ignored, to f32, and encode an f32
// that the format can represent. A NaN keeps its bits in both directions.
llvm::Value *emit_decode(llvm::IRBuilderBase &builder, llvm::Value *code, const FloatFormat &format);
llvm::Value *emit_encode(llvm::IRBuilderBase &builder, llvm::Value *value, const FloatFormat &format);
// Rounds any f32 to one that the format can represent; NaN becomes the format's default NaN.
llvm::Value *emit_round(llvm::IRBuilderBase &builder, llvm::Value *value, const FloatFormat &format);

}  // namespace bp::emit
