#include "plugins/llvm/scalar/element_type.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Module.h>

#include <array>
#include <cstring>
#include <iterator>

#include "plugins/llvm/scalar/lanes.h"
#include "plugins/llvm/scalar/narrow_float.h"

namespace bp::emit {
namespace {

using llvm::Value;

enum class Kind : std::uint8_t { None, Pred, Signed, Unsigned, Float, Complex };

struct ElementType {
  std::uint16_t dtype;
  Kind kind = Kind::None;
  unsigned bits = 0;
  FloatFormat format = {};  // for floats only
};

// The table of types, one row per type. A type without a row is not compiled.
constexpr ElementType rows[] = {
    {BP_DTYPE_PRED, Kind::Pred, 8},
    {BP_DTYPE_S1, Kind::Signed, 1},
    {BP_DTYPE_S2, Kind::Signed, 2},
    {BP_DTYPE_S4, Kind::Signed, 4},
    {BP_DTYPE_S8, Kind::Signed, 8},
    {BP_DTYPE_S16, Kind::Signed, 16},
    {BP_DTYPE_S32, Kind::Signed, 32},
    {BP_DTYPE_S64, Kind::Signed, 64},
    {BP_DTYPE_U1, Kind::Unsigned, 1},
    {BP_DTYPE_U2, Kind::Unsigned, 2},
    {BP_DTYPE_U4, Kind::Unsigned, 4},
    {BP_DTYPE_U8, Kind::Unsigned, 8},
    {BP_DTYPE_U16, Kind::Unsigned, 16},
    {BP_DTYPE_U32, Kind::Unsigned, 32},
    {BP_DTYPE_U64, Kind::Unsigned, 64},
    {BP_DTYPE_F4E2M1FN, Kind::Float, 4, {2, 1, 1, Specials::Finite}},
    {BP_DTYPE_F6E2M3FN, Kind::Float, 6, {2, 3, 1, Specials::Finite}},
    {BP_DTYPE_F6E3M2FN, Kind::Float, 6, {3, 2, 3, Specials::Finite}},
    {BP_DTYPE_F8E3M4, Kind::Float, 8, {3, 4, 3, Specials::Ieee}},
    {BP_DTYPE_F8E4M3, Kind::Float, 8, {4, 3, 7, Specials::Ieee}},
    {BP_DTYPE_F8E4M3B11FNUZ, Kind::Float, 8, {4, 3, 11, Specials::UnsignedZero}},
    {BP_DTYPE_F8E4M3FN, Kind::Float, 8, {4, 3, 7, Specials::FiniteNan}},
    {BP_DTYPE_F8E4M3FNUZ, Kind::Float, 8, {4, 3, 8, Specials::UnsignedZero}},
    {BP_DTYPE_F8E5M2, Kind::Float, 8, {5, 2, 15, Specials::Ieee}},
    {BP_DTYPE_F8E5M2FNUZ, Kind::Float, 8, {5, 2, 16, Specials::UnsignedZero}},
    {BP_DTYPE_F8E8M0FNU, Kind::Float, 8, {8, 0, 127, Specials::Scale}},
    {BP_DTYPE_BF16, Kind::Float, 16, {8, 7, 127, Specials::Ieee}},
    {BP_DTYPE_F16, Kind::Float, 16, {5, 10, 15, Specials::Ieee}},
    {BP_DTYPE_F32, Kind::Float, 32, {8, 23, 127, Specials::Ieee}},
    {BP_DTYPE_F64, Kind::Float, 64, {11, 52, 1023, Specials::Ieee}},
    {BP_DTYPE_C64, Kind::Complex, 64},
    {BP_DTYPE_C128, Kind::Complex, 128},
};

constexpr auto by_number = [] {
  std::array<ElementType, 64> table = {};
  for (const ElementType &row : rows) {
    table[row.dtype] = row;
  }
  return table;
}();

constexpr const ElementType &row_of(std::uint16_t dtype) {
  return by_number[dtype < by_number.size() ? dtype : 0];
}

bool is_coded_float(const ElementType &type) {
  return type.kind == Kind::Float && type.bits <= 8;
}

bool is_narrow_integer(const ElementType &type) {
  return (type.kind == Kind::Signed || type.kind == Kind::Unsigned) && type.bits < 8;
}

Value *wrap(llvm::IRBuilderBase &builder, Value *value, const ElementType &type) {
  Value *low = builder.CreateTrunc(value, with_lanes_of(builder.getIntNTy(type.bits), value));
  return type.kind == Kind::Signed ? builder.CreateSExt(low, value->getType())
                                   : builder.CreateZExt(low, value->getType());
}

}  // namespace

bool is_float(std::uint16_t dtype) {
  return row_of(dtype).kind == Kind::Float;
}

bool is_narrow_float(std::uint16_t dtype) {
  return is_float(dtype) && value_bits(dtype) < 32;
}

bool is_signed(std::uint16_t dtype) {
  return row_of(dtype).kind == Kind::Signed;
}

bool is_integer(std::uint16_t dtype) {
  return is_signed(dtype) || row_of(dtype).kind == Kind::Unsigned;
}

bool is_complex(std::uint16_t dtype) {
  return row_of(dtype).kind == Kind::Complex;
}

bool is_supported_type(std::uint16_t dtype, std::uint32_t element_bits) {
  const ElementType &row = row_of(dtype);
  const bool packs = (element_bits == 1 || element_bits == 2 || element_bits == 4) && element_bits == row.bits;
  return row.kind != Kind::None && (packs || element_bits == storage_bytes(dtype) * 8);
}

std::uint16_t part_type(std::uint16_t dtype) {
  return dtype == BP_DTYPE_C128 ? BP_DTYPE_F64 : BP_DTYPE_F32;
}

unsigned value_bits(std::uint16_t dtype) {
  return row_of(dtype).bits;
}

unsigned storage_bytes(std::uint16_t dtype) {
  return (value_bits(dtype) + 7) / 8;
}

unsigned compute_bits(std::uint16_t dtype) {
  return is_narrow_float(dtype) ? 32 : 8 * storage_bytes(dtype);
}

llvm::Type *storage_type(llvm::LLVMContext &context, std::uint16_t dtype) {
  switch (dtype) {
    case BP_DTYPE_F16: return llvm::Type::getHalfTy(context);
    case BP_DTYPE_F32: return llvm::Type::getFloatTy(context);
    case BP_DTYPE_F64: return llvm::Type::getDoubleTy(context);
    default: return llvm::Type::getIntNTy(context, 8 * storage_bytes(dtype));  // also for bf16
  }
}

llvm::Type *compute_type(llvm::LLVMContext &context, std::uint16_t dtype) {
  if (is_complex(dtype)) {
    llvm::Type *part = compute_type(context, part_type(dtype));
    return llvm::StructType::get(part, part);
  }
  if (is_narrow_float(dtype)) {
    return llvm::Type::getFloatTy(context);
  }
  return dtype == BP_DTYPE_PRED ? llvm::Type::getInt1Ty(context) : storage_type(context, dtype);
}

Value *storage_to_compute(llvm::IRBuilderBase &builder, Value *value, std::uint16_t dtype) {
  switch (dtype) {
    case BP_DTYPE_PRED: return builder.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
    case BP_DTYPE_F16: return builder.CreateFPExt(value, with_lanes_of(builder.getFloatTy(), value));
    case BP_DTYPE_BF16: {
      Value *wide = builder.CreateZExt(value, with_lanes_of(builder.getInt32Ty(), value));
      return builder.CreateBitCast(builder.CreateShl(wide, 16), with_lanes_of(builder.getFloatTy(), value));
    }
    default: break;
  }
  const ElementType &type = row_of(dtype);
  if (is_coded_float(type)) {
    return emit_decode(builder, value, type.format);
  }
  return is_narrow_integer(type) ? wrap(builder, value, type) : value;
}

namespace {

// Returns the f16 that is the same number; nullptr if there is none.
llvm::Constant *half_constant(llvm::Constant *value) {
  auto *number =
      llvm::dyn_cast_or_null<llvm::ConstantFP>(value->getType()->isVectorTy() ? value->getSplatValue() : value);
  if (number == nullptr) {
    return nullptr;
  }
  llvm::APFloat half = number->getValueAPF();
  bool is_rounded = false;
  half.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven, &is_rounded);
  llvm::Type *type = with_lanes_of(llvm::Type::getHalfTy(value->getContext()), value);
  return is_rounded ? nullptr : llvm::ConstantFP::get(type, half);
}

// Returns the instruction that extended an f16 to this value or to each of its lanes; nullptr if there is none.
llvm::FPExtInst *half_extension(Value *value) {
  Value *splat = llvm::getSplatValue(value);
  auto *extension = llvm::dyn_cast<llvm::FPExtInst>(splat != nullptr ? splat : value);
  return extension != nullptr && extension->getSrcTy()->getScalarType()->isHalfTy() ? extension : nullptr;
}

bool is_half(Value *value, llvm::SmallPtrSetImpl<llvm::PHINode *> &seen);

// Whether both values are, and choosing among their f16 does not repeat a choice that others need, too.
bool are_halves(Value *one, Value *other, llvm::SmallPtrSetImpl<llvm::PHINode *> &seen) {
  const auto is_simple = [](Value *value) {
    return !(llvm::isa<llvm::SelectInst>(value) || llvm::isa<llvm::PHINode>(value)) || !value->hasNUsesOrMore(2);
  };
  return is_simple(one) && is_simple(other) && is_half(one, seen) && is_half(other, seen);
}

// Whether a value is an f16 that was extended, or one that is chosen among several such values. A loop is not followed:
// its values may be incomplete here.
bool is_half(Value *value, llvm::SmallPtrSetImpl<llvm::PHINode *> &seen) {
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(value)) {
    return half_constant(constant) != nullptr;
  }
  if (auto *select = llvm::dyn_cast<llvm::SelectInst>(value)) {
    return are_halves(select->getTrueValue(), select->getFalseValue(), seen);
  }
  if (auto *meeting = llvm::dyn_cast<llvm::PHINode>(value)) {
    return meeting->getNumIncomingValues() == 2 && seen.insert(meeting).second &&
           are_halves(meeting->getIncomingValue(0), meeting->getIncomingValue(1), seen);
  }
  return half_extension(value) != nullptr;
}

// Returns the f16 of a value that is_half().
Value *half_of(Value *value) {
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(value)) {
    return half_constant(constant);
  }
  if (llvm::FPExtInst *extension = half_extension(value)) {
    Value *half = extension->getOperand(0);
    auto *lanes = llvm::dyn_cast<llvm::VectorType>(value->getType());
    if (lanes == nullptr || half->getType()->isVectorTy()) {
      return half;
    }
    // Every splat of the extension comes after it.
    llvm::IRBuilder<> after(extension->getParent(), std::next(extension->getIterator()));
    return after.CreateVectorSplat(lanes->getElementCount(), half);
  }
  if (auto *select = llvm::dyn_cast<llvm::SelectInst>(value)) {
    return llvm::IRBuilder<>(select).CreateSelect(select->getCondition(), half_of(select->getTrueValue()),
                                                  half_of(select->getFalseValue()));
  }
  auto *meeting = llvm::cast<llvm::PHINode>(value);
  llvm::PHINode *half =
      llvm::IRBuilder<>(meeting).CreatePHI(with_lanes_of(llvm::Type::getHalfTy(value->getContext()), value), 2);
  for (unsigned i = 0; i < 2; ++i) {
    half->addIncoming(half_of(meeting->getIncomingValue(i)), meeting->getIncomingBlock(i));
  }
  return half;
}

// Converts back to f16. A value that was extended from an f16 becomes the same f16 again, also a signalling NaN.
Value *to_half(llvm::IRBuilderBase &builder, Value *value) {
  llvm::SmallPtrSet<llvm::PHINode *, 4> seen;
  return is_half(value, seen) ? half_of(value)
                              : builder.CreateFPTrunc(value, with_lanes_of(builder.getHalfTy(), value));
}

}  // namespace

Value *compute_to_storage(llvm::IRBuilderBase &builder, Value *value, std::uint16_t dtype) {
  switch (dtype) {
    case BP_DTYPE_PRED: return builder.CreateZExt(value, with_lanes_of(builder.getInt8Ty(), value));
    case BP_DTYPE_F16: return to_half(builder, value);
    case BP_DTYPE_BF16: {
      Value *bits = builder.CreateBitCast(value, with_lanes_of(builder.getInt32Ty(), value));
      return builder.CreateTrunc(builder.CreateLShr(bits, 16), with_lanes_of(builder.getInt16Ty(), value));
    }
    default: break;
  }
  return is_coded_float(row_of(dtype)) ? emit_encode(builder, value, row_of(dtype).format) : value;
}

llvm::Type *bits_type(llvm::LLVMContext &context, std::uint16_t dtype) {
  return llvm::Type::getIntNTy(context, 8 * storage_bytes(dtype));
}

Value *compute_to_bits(llvm::IRBuilderBase &builder, Value *value, std::uint16_t dtype) {
  llvm::Type *type = with_lanes_of(bits_type(builder.getContext(), dtype), value);
  Value *bits = builder.CreateBitCast(compute_to_storage(builder, value, dtype), type);
  const unsigned own = value_bits(dtype);
  return own % 8 == 0 ? bits : builder.CreateAnd(bits, llvm::ConstantInt::get(type, (1u << own) - 1));
}

Value *bits_to_compute(llvm::IRBuilderBase &builder, Value *bits, std::uint16_t dtype) {
  llvm::Type *type = with_lanes_of(storage_type(builder.getContext(), dtype), bits);
  return storage_to_compute(builder, builder.CreateBitCast(bits, type), dtype);
}

namespace {

constexpr const char *bf16_rounding_flag = "bf16_rounding";

Bf16Rounding bf16_rounding(const llvm::IRBuilderBase &builder) {
  const llvm::Module &module = *builder.GetInsertBlock()->getModule();
  const auto *flag = llvm::mdconst::extract_or_null<llvm::ConstantInt>(module.getModuleFlag(bf16_rounding_flag));
  return flag == nullptr ? Bf16Rounding::Integers : static_cast<Bf16Rounding>(flag->getZExtValue());
}

// Rounds to nearest, ties to even, including subnormals. (The instruction of AVX-512 flushes subnormals to zero.)
Value *round_to_bf16(llvm::IRBuilderBase &builder, Value *value) {
  const Bf16Rounding rounding = bf16_rounding(builder);
  if (rounding == Bf16Rounding::Instruction) {
    Value *narrow = builder.CreateFPTrunc(value, with_lanes_of(builder.getBFloatTy(), value));
    Value *bits = builder.CreateBitCast(narrow, with_lanes_of(builder.getInt16Ty(), value));
    return storage_to_compute(builder, bits, BP_DTYPE_BF16);
  }
  llvm::Type *type = with_lanes_of(builder.getInt32Ty(), value);
  const auto constant = [&](std::uint32_t bits) { return llvm::ConstantInt::get(type, bits); };
  Value *bits = builder.CreateBitCast(value, type);
  Value *odd = builder.CreateAnd(builder.CreateLShr(bits, 16), constant(1));
  Value *rounded = builder.CreateAdd(bits, builder.CreateAdd(odd, constant(0x7fff)));
  Value *nan =
      rounding == Bf16Rounding::LikeInstruction ? constant(0x7fff0000) : builder.CreateOr(bits, constant(0x00400000));
  Value *result = builder.CreateSelect(builder.CreateFCmpUNO(value, value), nan, rounded);
  return builder.CreateBitCast(builder.CreateAnd(result, constant(0xffff0000)), value->getType());
}

}  // namespace

void set_bf16_rounding(llvm::Module &module, Bf16Rounding rounding) {
  module.addModuleFlag(llvm::Module::Override, bf16_rounding_flag, static_cast<std::uint32_t>(rounding));
}

Value *round_to_type(llvm::IRBuilderBase &builder, Value *value, std::uint16_t dtype) {
  const ElementType &row = row_of(dtype);
  if (is_narrow_integer(row)) {
    return wrap(builder, value, row);
  }
  if (is_coded_float(row)) {
    return emit_round(builder, value, row.format);
  }
  if (dtype == BP_DTYPE_F16) {
    return builder.CreateFPExt(builder.CreateFPTrunc(value, with_lanes_of(builder.getHalfTy(), value)),
                               value->getType());
  }
  return dtype == BP_DTYPE_BF16 ? round_to_bf16(builder, value) : value;
}

llvm::Constant *constant_from_bytes(llvm::LLVMContext &context, std::uint16_t dtype, const unsigned char *bytes) {
  const unsigned size = storage_bytes(dtype);
  if (is_complex(dtype)) {
    const std::uint16_t part = part_type(dtype);
    llvm::Constant *parts[] = {constant_from_bytes(context, part, bytes),
                               constant_from_bytes(context, part, bytes + size / 2)};
    return llvm::ConstantStruct::getAnon(context, parts);
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes, size);
  switch (dtype) {
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
    default: {  // the builder folds operations on constants
      llvm::IRBuilder<> builder(context);
      llvm::Constant *stored = llvm::ConstantInt::get(storage_type(context, dtype), llvm::APInt(8 * size, bits));
      return llvm::cast<llvm::Constant>(storage_to_compute(builder, stored, dtype));
    }
  }
}

Value *make_complex(llvm::IRBuilderBase &builder, ComplexParts parts) {
  llvm::Type *type = llvm::StructType::get(parts.real->getType(), parts.imaginary->getType());
  Value *value = builder.CreateInsertValue(llvm::PoisonValue::get(type), parts.real, 0);
  return builder.CreateInsertValue(value, parts.imaginary, 1);
}

ComplexParts parts_of(llvm::IRBuilderBase &builder, Value *value) {
  return {builder.CreateExtractValue(value, 0), builder.CreateExtractValue(value, 1)};
}

Value *emit_select(llvm::IRBuilderBase &builder, Value *condition, Value *x, Value *y) {
  if (!x->getType()->isStructTy()) {
    return builder.CreateSelect(condition, x, y);
  }
  const ComplexParts a = parts_of(builder, x), b = parts_of(builder, y);
  return make_complex(builder, {builder.CreateSelect(condition, a.real, b.real),
                                builder.CreateSelect(condition, a.imaginary, b.imaginary)});
}

}  // namespace bp::emit
