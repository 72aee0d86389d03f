// Element types in LLVM. A value has its storage type in memory and its compute type in registers:
// - pred is i1;
// - floats below 32 bits are f32 numbers and integers below 8 bits are i8 numbers that the narrow type can represent:
//   every op rounds its result back to the narrow type;
// - a complex number is a struct of two reals (or of two vectors of them);
// - the other types are the same in both.
// Every function takes both scalars and vectors.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>

#include "backplane/op_ids.h"

namespace bp::emit {

// Whether code can be generated for values of this type that have `element_bits` bits in memory: whole bytes each, or
// several elements per byte.
bool is_supported_type(std::uint16_t dtype, std::uint32_t element_bits);
bool is_float(std::uint16_t dtype);         // real types only
bool is_narrow_float(std::uint16_t dtype);  // below 32 bits
bool is_signed(std::uint16_t dtype);        // integers only
bool is_integer(std::uint16_t dtype);
bool is_complex(std::uint16_t dtype);
// Returns f32 or f64, the type of the parts of a complex type.
std::uint16_t part_type(std::uint16_t dtype);
// Returns the bits of a value, for example 4 for s4.
unsigned value_bits(std::uint16_t dtype);
unsigned storage_bytes(std::uint16_t dtype);
// Returns the bits of the compute type; 8 for pred.
unsigned compute_bits(std::uint16_t dtype);

// Returns the storage type. Not for complex types, which are stored as two elements of their part_type.
llvm::Type *storage_type(llvm::LLVMContext &context, std::uint16_t dtype);
llvm::Type *compute_type(llvm::LLVMContext &context, std::uint16_t dtype);

llvm::Value *storage_to_compute(llvm::IRBuilderBase &builder, llvm::Value *value, std::uint16_t dtype);
llvm::Value *compute_to_storage(llvm::IRBuilderBase &builder, llvm::Value *value, std::uint16_t dtype);
// Convert a value to its bits, an integer of storage_bytes that is zero above value_bits, and back, ignoring the bits
// above value_bits. Not for complex types.
llvm::Value *compute_to_bits(llvm::IRBuilderBase &builder, llvm::Value *value, std::uint16_t dtype);
llvm::Value *bits_to_compute(llvm::IRBuilderBase &builder, llvm::Value *bits, std::uint16_t dtype);
// Returns the integer type of storage_bytes.
llvm::Type *bits_type(llvm::LLVMContext &context, std::uint16_t dtype);
// How code of a module rounds f32 to bf16: with integer arithmetic, which keeps the bits of a NaN; with a GPU's
// instruction, which turns every NaN into 0x7fff; or with integers, but with the results of that instruction.
enum class Bf16Rounding : std::uint8_t { Integers, Instruction, LikeInstruction };
void set_bf16_rounding(llvm::Module &module, Bf16Rounding rounding);
// Rounds an f32 to a value of a narrow float type, or wraps an i8 to a value of a narrow integer type; returns values
// of other types unchanged.
llvm::Value *round_to_type(llvm::IRBuilderBase &builder, llvm::Value *value, std::uint16_t dtype);
// Returns a constant from its bytes in memory (little-endian, storage_bytes of them).
llvm::Constant *constant_from_bytes(llvm::LLVMContext &context, std::uint16_t dtype, const unsigned char *bytes);

struct ComplexParts {
  llvm::Value *real, *imaginary;
};
llvm::Value *make_complex(llvm::IRBuilderBase &builder, ComplexParts parts);
ComplexParts parts_of(llvm::IRBuilderBase &builder, llvm::Value *value);
// Returns condition ? x : y for values of any type, lane by lane if the condition is a vector.
llvm::Value *emit_select(llvm::IRBuilderBase &builder, llvm::Value *condition, llvm::Value *x, llvm::Value *y);

}  // namespace bp::emit
