// Element types as LLVM sees them. In memory a value has its storage type; in registers its compute type: pred is i1,
// bf16 and f16 are f32 numbers that the narrow type can represent (every op rounds its result back to that), the others
// are themselves. Every function takes scalars and vectors alike.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>

#include "backplane/op_ids.h"

namespace bp::emit {

// Whether code can be generated for values of this type. Complex, 8-bit and narrower floats and packed integers cannot.
bool is_supported_type(std::uint16_t dtype, std::uint32_t element_bits);
bool is_float(std::uint16_t dtype);
bool is_signed(std::uint16_t dtype);  // integers only
bool is_integer(std::uint16_t dtype);
unsigned storage_bytes(std::uint16_t dtype);
// Bits of the compute type; 8 for pred.
unsigned compute_bits(std::uint16_t dtype);

llvm::Type *storage_type(llvm::LLVMContext &context, std::uint16_t dtype);
llvm::Type *compute_type(llvm::LLVMContext &context, std::uint16_t dtype);
// The type, or a vector of it if `like` is a vector.
llvm::Type *with_lanes_of(llvm::Type *type, llvm::Value *like);

llvm::Value *storage_to_compute(llvm::IRBuilderBase &builder, llvm::Value *value, std::uint16_t dtype);
llvm::Value *compute_to_storage(llvm::IRBuilderBase &builder, llvm::Value *value, std::uint16_t dtype);
// Rounds an f32 to what a narrow float can hold; other types pass.
llvm::Value *round_to_type(llvm::IRBuilderBase &builder, llvm::Value *value, std::uint16_t dtype);
// A constant from its bytes in memory (little-endian, storage_bytes of them).
llvm::Constant *constant_from_bytes(llvm::LLVMContext &context, std::uint16_t dtype, const unsigned char *bytes);

}  // namespace bp::emit
