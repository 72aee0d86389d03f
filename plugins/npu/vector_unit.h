// The arithmetic of the vector unit. Floats are computed in f32 and rounded to bf16 once, to the nearest, ties to even;
// integers wrap. Functions such as exp are polynomials in f32 with about 20 correct bits: enough for bf16, so of f32
// they are not offered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "plugins/npu/instruction_set.h"

namespace bp::npu {

// Sets of types.
enum : std::uint8_t { of_bf16 = 1, of_f32 = 2, of_floats = 3, of_integers = 4, of_pred = 8, of_all = 15 };

struct VectorFunction {
  std::uint8_t op;  // BP_OP_
  std::uint8_t operands;
  std::uint8_t types;   // of the last operand, in which it computes
  std::uint8_t cycles;  // for 64 elements
};
// Null if there is no such function.
const VectorFunction *find_function(std::uint32_t op);

// The set with this type alone; 0: the vector unit does not have it.
std::uint8_t set_of(std::uint32_t dtype);

// The ops that Reduce takes. The type of the sums: f32, s32 or pred.
bool reduces(std::uint32_t op, std::uint32_t dtype);
std::uint32_t sum_type(std::uint32_t dtype);

// Vector, Reduce and Ramp, whose addresses are inside the scratchpad.
void compute(const Instruction &instruction, std::byte *scratchpad);

float from_bf16(std::uint16_t bits);
std::uint16_t to_bf16(float x);

}  // namespace bp::npu
