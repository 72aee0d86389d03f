// The machine that code is generated for.
#pragma once

#include "plugins/llvm/gpu_facts.h"

namespace bp::emit {

// How dot products of neighbouring integers of 8 bits are added to sums of 32 bits (contraction/word_product.h).
enum class IntegerDot : unsigned char {
  None,
  PairsOf16,         // x86: pmaddwd, after they have been widened
  UnsignedBySigned,  // x86: vpdpbusd
  BytesOfOneKind,    // AArch64: sdot and udot
};

// Properties of the machine that the code may rely on. Vectors have `vector_bits` bits (128, 256 or 512).
struct VectorTarget {
  unsigned vector_bits = 512;
  unsigned vector_registers = 32;
  bool has_fma = true;
  bool has_avx512 = false;  // AVX-512 F, VL, BW and DQ
  IntegerDot integer_dot = IntegerDot::None;
  bool has_bf16_dot = false;    // x86: vdpbf16ps for pairs of bf16
  bool has_byte_tiles = false;  // x86: AMX, the same for matrices (contraction/tile_product.h)
  bool has_bf16_tiles = false;
  bool is_threaded = false;  // a GPU: items are as small as possible, and each call does one
  GpuFacts gpu = {};         // if is_threaded
};

}  // namespace bp::emit
