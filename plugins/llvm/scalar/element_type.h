// Element types as LLVM sees them. In memory a value has its storage type; in registers its compute type:
// - pred is i1;
// - floats below 32 bits are f32 numbers, integers below 8 bits i8 numbers, that the narrow type can represent: every op
//   rounds its result back to that;
// - a complex number is a struct of two reals (or of two vectors of them);
// - the others are themselves.
// Every function takes scalars and vectors alike.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>

#include "backplane/op_ids.h"

namespace bp::emit {

// Whether code can be generated for values of this type, stored so: in bytes of their own, or as many as fit in a byte.
bool is_supported_type(std::uint16_t dtype, std::uint32_t element_bits);
bool is_float(std::uint16_t dtype);         // real ones
bool is_narrow_float(std::uint16_t dtype);  // below 32 bits
bool is_signed(std::uint16_t dtype);        // integers only
bool is_integer(std::uint16_t dtype);
bool is_complex(std::uint16_t dtype);
// f32 or f64: of what a complex number is a pair.
std::uint16_t part_type(std::uint16_t dtype);
// Bits of a value: 4 for s4.
unsigned value_bits(std::uint16_t dtype);
unsigned storage_bytes(std::uint16_t dtype);
// Bits of the compute type; 8 for pred.
unsigned compute_bits(std::uint16_t dtype);

// Not for complex types, which lie in memory as two elements of their part_type.
llvm::Type *storage_type(llvm::LLVMContext &context, std::uint16_t dtype);
llvm::Type *compute_type(llvm::LLVMContext &context, std::uint16_t dtype);
// The type, or a vector of it if `like` holds vectors.
llvm::Type *with_lanes_of(llvm::Type *type, llvm::Value *like);
bool has_lanes(llvm::Value *value);

llvm::Value *storage_to_compute(llvm::IRBuilderBase &builder, llvm::Value *value, std::uint16_t dtype);
llvm::Value *compute_to_storage(llvm::IRBuilderBase &builder, llvm::Value *value, std::uint16_t dtype);
// The bits of a value as an integer of storage_bytes, zero above value_bits; and back, whatever is above. Not for complex
// types.
llvm::Value *compute_to_bits(llvm::IRBuilderBase &builder, llvm::Value *value, std::uint16_t dtype);
llvm::Value *bits_to_compute(llvm::IRBuilderBase &builder, llvm::Value *bits, std::uint16_t dtype);
// An integer of storage_bytes.
llvm::Type *bits_type(llvm::LLVMContext &context, std::uint16_t dtype);
// How code of a module rounds f32 to bf16: by arithmetic on integers, which keeps the bits of a NaN; by a GPU's
// instruction, of which every NaN is 0x7fff; or by integers with the results of that.
enum class Bf16Rounding : std::uint8_t { Integers, Instruction, LikeInstruction };
void set_bf16_rounding(llvm::Module &module, Bf16Rounding rounding);
// Rounds an f32 to what a narrow float can hold, and wraps an i8 to what a narrow integer can; other types pass.
llvm::Value *round_to_type(llvm::IRBuilderBase &builder, llvm::Value *value, std::uint16_t dtype);
// A constant from its bytes in memory (little-endian, storage_bytes of them).
llvm::Constant *constant_from_bytes(llvm::LLVMContext &context, std::uint16_t dtype, const unsigned char *bytes);

struct ComplexParts {
  llvm::Value *real, *imaginary;
};
llvm::Value *make_complex(llvm::IRBuilderBase &builder, ComplexParts parts);
ComplexParts parts_of(llvm::IRBuilderBase &builder, llvm::Value *value);
// condition ? x : y for values of any type, by lane if the condition has lanes.
llvm::Value *emit_select(llvm::IRBuilderBase &builder, llvm::Value *condition, llvm::Value *x, llvm::Value *y);

}  // namespace bp::emit
