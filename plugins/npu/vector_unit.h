// The arithmetic of the vector unit. Floats are computed in f32 and rounded to bf16 once, to the nearest, ties to even;
// integers wrap. Functions such as exp are polynomials in f32 with about 20 correct bits. That is enough for bf16, but
// not for f32, for which they are not offered.
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
  std::uint8_t types;   // set of the types in which it computes, which are those of the last operand
  std::uint8_t cycles;  // per 64 elements
};
// Returns nullptr if there is no such function.
const VectorFunction *find_function(std::uint32_t op);

// Returns the set that contains the type, or 0 if the vector unit does not compute with it.
std::uint8_t set_of(std::uint32_t dtype);

// Whether Reduce takes the op. sum_type() returns the type of the sums: f32, s32 or pred.
bool reduces(std::uint32_t op, std::uint32_t dtype);
std::uint32_t sum_type(std::uint32_t dtype);

// Executes a Vector, Reduce or Ramp whose addresses are inside the scratchpad.
void compute(const Instruction &instruction, std::byte *scratchpad);

float from_bf16(std::uint16_t bits);
std::uint16_t to_bf16(float x);

}  // namespace bp::npu
