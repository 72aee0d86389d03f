#include "plugins/llvm/element_type.h"

#include <cstring>

namespace bp::emit {

bool is_float(std::uint16_t dtype) {
  return dtype == BP_DTYPE_BF16 || dtype == BP_DTYPE_F16 || dtype == BP_DTYPE_F32 || dtype == BP_DTYPE_F64;
}

bool is_signed(std::uint16_t dtype) {
  return dtype == BP_DTYPE_S8 || dtype == BP_DTYPE_S16 || dtype == BP_DTYPE_S32 || dtype == BP_DTYPE_S64;
}

bool is_integer(std::uint16_t dtype) {
  return is_signed(dtype) || dtype == BP_DTYPE_U8 || dtype == BP_DTYPE_U16 || dtype == BP_DTYPE_U32 ||
         dtype == BP_DTYPE_U64;
}

bool is_supported_type(std::uint16_t dtype, std::uint32_t element_bits) {
  return (is_float(dtype) || is_integer(dtype) || dtype == BP_DTYPE_PRED) && element_bits == storage_bytes(dtype) * 8;
}

unsigned storage_bytes(std::uint16_t dtype) {
  switch (dtype) {
    case BP_DTYPE_S16:
    case BP_DTYPE_U16:
    case BP_DTYPE_F16:
    case BP_DTYPE_BF16: return 2;
    case BP_DTYPE_S32:
    case BP_DTYPE_U32:
    case BP_DTYPE_F32: return 4;
    case BP_DTYPE_S64:
    case BP_DTYPE_U64:
    case BP_DTYPE_F64: return 8;
    default: return 1;
  }
}

unsigned compute_bits(std::uint16_t dtype) {
  return dtype == BP_DTYPE_F16 || dtype == BP_DTYPE_BF16 ? 32 : 8 * storage_bytes(dtype);
}

llvm::Type *storage_type(llvm::LLVMContext &context, std::uint16_t dtype) {
  switch (dtype) {
    case BP_DTYPE_F16: return llvm::Type::getHalfTy(context);
    case BP_DTYPE_F32: return llvm::Type::getFloatTy(context);
    case BP_DTYPE_F64: return llvm::Type::getDoubleTy(context);
    default: return llvm::Type::getIntNTy(context, 8 * storage_bytes(dtype));  // bf16 too
  }
}

llvm::Type *compute_type(llvm::LLVMContext &context, std::uint16_t dtype) {
  switch (dtype) {
    case BP_DTYPE_PRED: return llvm::Type::getInt1Ty(context);
    case BP_DTYPE_F16:
    case BP_DTYPE_BF16: return llvm::Type::getFloatTy(context);
    default: return storage_type(context, dtype);
  }
}

llvm::Type *with_lanes_of(llvm::Type *type, llvm::Value *like) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(like->getType());
  return vector == nullptr ? type : llvm::FixedVectorType::get(type, vector->getNumElements());
}

llvm::Value *storage_to_compute(llvm::IRBuilderBase &builder, llvm::Value *value, std::uint16_t dtype) {
  switch (dtype) {
    case BP_DTYPE_PRED: return builder.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
    case BP_DTYPE_F16: return builder.CreateFPExt(value, with_lanes_of(builder.getFloatTy(), value));
    case BP_DTYPE_BF16: {
      llvm::Value *wide = builder.CreateZExt(value, with_lanes_of(builder.getInt32Ty(), value));
      return builder.CreateBitCast(builder.CreateShl(wide, 16), with_lanes_of(builder.getFloatTy(), value));
    }
    default: return value;
  }
}

llvm::Value *compute_to_storage(llvm::IRBuilderBase &builder, llvm::Value *value, std::uint16_t dtype) {
  switch (dtype) {
    case BP_DTYPE_PRED: return builder.CreateZExt(value, with_lanes_of(builder.getInt8Ty(), value));
    case BP_DTYPE_F16: return builder.CreateFPTrunc(value, with_lanes_of(builder.getHalfTy(), value));
    case BP_DTYPE_BF16: {
      llvm::Value *bits = builder.CreateBitCast(value, with_lanes_of(builder.getInt32Ty(), value));
      return builder.CreateTrunc(builder.CreateLShr(bits, 16), with_lanes_of(builder.getInt16Ty(), value));
    }
    default: return value;
  }
}

llvm::Value *round_to_type(llvm::IRBuilderBase &builder, llvm::Value *value, std::uint16_t dtype) {
  if (dtype == BP_DTYPE_F16) {
    return builder.CreateFPExt(builder.CreateFPTrunc(value, with_lanes_of(builder.getHalfTy(), value)),
                               value->getType());
  }
  if (dtype != BP_DTYPE_BF16) {
    return value;
  }
  // Nearest even in integers, subnormals included; a NaN stays one, made quiet. (The instruction of AVX-512 flushes
  // subnormals.)
  llvm::Type *type = with_lanes_of(builder.getInt32Ty(), value);
  const auto constant = [&](std::uint32_t bits) { return llvm::ConstantInt::get(type, bits); };
  llvm::Value *bits = builder.CreateBitCast(value, type);
  llvm::Value *odd = builder.CreateAnd(builder.CreateLShr(bits, 16), constant(1));
  llvm::Value *rounded = builder.CreateAdd(bits, builder.CreateAdd(odd, constant(0x7fff)));
  llvm::Value *quiet = builder.CreateOr(bits, constant(0x00400000));
  llvm::Value *result = builder.CreateSelect(builder.CreateFCmpUNO(value, value), quiet, rounded);
  return builder.CreateBitCast(builder.CreateAnd(result, constant(0xffff0000)), value->getType());
}

llvm::Constant *constant_from_bytes(llvm::LLVMContext &context, std::uint16_t dtype, const unsigned char *bytes) {
  std::uint64_t bits = 0;
  const unsigned size = storage_bytes(dtype);
  std::memcpy(&bits, bytes, size);
  llvm::Type *type = compute_type(context, dtype);
  switch (dtype) {
    case BP_DTYPE_PRED: return llvm::ConstantInt::get(type, bits != 0 ? 1 : 0);
    case BP_DTYPE_BF16:
      return llvm::ConstantFP::get(context, llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits << 16)));
    case BP_DTYPE_F16: {
      llvm::APFloat value(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits));
      bool inexact = false;
      value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &inexact);
      return llvm::ConstantFP::get(context, value);
    }
    case BP_DTYPE_F32:
      return llvm::ConstantFP::get(context, llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits)));
    case BP_DTYPE_F64:
      return llvm::ConstantFP::get(context, llvm::APFloat(llvm::APFloat::IEEEdouble(), llvm::APInt(64, bits)));
    default: return llvm::ConstantInt::get(type, llvm::APInt(8 * size, bits));
  }
}

}  // namespace bp::emit
