// Floats of at most 8 bits in registers: between their codes and the f32 numbers they stand for. One emitter each way
// for all formats, straight-line integer operations that vectorize; GPUs have instructions for f8e4m3fn and f8e5m2, and
// shorter ways for the others. All give the same bits. Rounding is to the nearest, ties to even; overflow
// gives infinity where there is one, else NaN, else the largest finite value; NaN in a format without gives -0.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>

namespace bp::emit {

// How a format spends its highest codes.
enum class Specials : std::uint8_t {
  Ieee,          // all-ones exponent: infinities and NaNs
  FiniteNan,     // no infinity; only the all-ones code, of either sign, is NaN
  Finite,        // neither infinity nor NaN
  UnsignedZero,  // no infinity, no -0; the code of -0 is the one NaN
  Scale,         // unsigned powers of two; all-ones is NaN; no zero
};

struct FloatFormat {
  unsigned exponent_bits;
  unsigned mantissa_bits;
  int bias;
  Specials specials;
};

// How code of a module converts: with integers and few floats, as CPUs do it best, which are slow with subnormals; with
// floats, subnormal ones too; or like that, but with a GPU's instructions (`cvt` of sm_89 and later) where there are
// some, or with what has the same results, for the emulator.
enum class NarrowConversion : std::uint8_t { Integers, Floats, Instructions, LikeInstructions };
void set_narrow_conversion(llvm::Module &module, NarrowConversion conversion);

// A code, an i8 or a vector of them of which the bits above the format's do not count, as f32; and back, for an f32
// that the format can hold. A NaN keeps its bits both ways.
llvm::Value *emit_decode(llvm::IRBuilderBase &builder, llvm::Value *code, const FloatFormat &format);
llvm::Value *emit_encode(llvm::IRBuilderBase &builder, llvm::Value *value, const FloatFormat &format);
// Any f32, rounded to one that the format can hold; NaN becomes the format's usual one.
llvm::Value *emit_round(llvm::IRBuilderBase &builder, llvm::Value *value, const FloatFormat &format);

}  // namespace bp::emit
