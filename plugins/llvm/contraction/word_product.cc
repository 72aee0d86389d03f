#include "plugins/llvm/contraction/word_product.h"

#include <llvm/IR/IntrinsicsAArch64.h>
#include <llvm/IR/IntrinsicsX86.h>

namespace bp::emit {

using llvm::Value;

std::optional<WordProduct> WordProduct::of(const ContractionProblem &problem, const VectorTarget &target) {
  const ContractionTypes &types = problem.types;
  const auto are = [&](auto &&is_wanted) { return is_wanted(types.lhs) && is_wanted(types.rhs); };
  const auto make = [&](How how) { return WordProduct(how, types.is_signed); };
  if (types.accumulate->isFloatTy() && are([](llvm::Type *type) { return type->isBFloatTy(); }) && types.may_round) {
    // These instructions take subnormal factors as zero.
    return target.has_bf16_tiles ? std::optional(make(How::TilesOfBf16))
           : target.has_bf16_dot ? std::optional(make(How::PairsOfBf16))
                                 : std::nullopt;
  }
  if (types.accumulate->isIntegerTy(32) && are([](llvm::Type *type) { return type->isIntegerTy(8); })) {
    if (target.has_byte_tiles) {
      return make(How::TilesOfBytes);
    }
    switch (target.integer_dot) {
      case IntegerDot::PairsOf16: return make(How::PairsOf16);
      case IntegerDot::UnsignedBySigned: return make(How::UnsignedBySigned);
      case IntegerDot::BytesOfOneKind: return make(How::BytesOfOneKind);
      case IntegerDot::None: break;
    }
  }
  return std::nullopt;
}

// Returns the elements as integers of as many bits, those of a part in the lowest ones.
Value *WordProduct::bits_of(llvm::IRBuilderBase &b, Value *elements) const {
  if (!is_float()) {
    return elements;
  }
  auto *const type = llvm::cast<llvm::VectorType>(elements->getType());
  return b.CreateLShr(b.CreateBitCast(elements, type->getWithNewType(b.getInt32Ty())), 16);
}

Value *WordProduct::words_across(llvm::IRBuilderBase &b, std::span<Value *const> elements) const {
  Value *words = nullptr;
  const auto bits = static_cast<uint64_t>(part_bits());
  for (size_t i = 0; i < elements.size(); ++i) {
    Value *part = bits_of(b, elements[i]);
    if (i + 1 < elements.size()) {  // the last one loses its upper bits by the shift
      part = b.CreateAnd(part, llvm::ConstantInt::get(part->getType(), (uint64_t{1} << bits) - 1));
    }
    part = b.CreateShl(part, i * bits);
    words = words == nullptr ? part : b.CreateOr(words, part);
  }
  return words;
}

Value *WordProduct::words_along(llvm::IRBuilderBase &b, Value *stored) const {
  auto *const type = llvm::cast<llvm::FixedVectorType>(stored->getType());
  Value *parts = stored;
  if (how_ == How::PairsOf16) {
    parts = b.CreateIntCast(stored, type->getWithNewType(b.getInt16Ty()), is_signed_);
  }
  const unsigned words = type->getNumElements() / static_cast<unsigned>(group());
  return b.CreateBitCast(parts, llvm::FixedVectorType::get(b.getInt32Ty(), words));
}

Value *WordProduct::row_words(llvm::IRBuilderBase &b, Value *words) const {
  return moves_rows() ? b.CreateXor(words, llvm::ConstantInt::get(words->getType(), 0x80808080)) : words;
}

Value *WordProduct::row_parts(llvm::IRBuilderBase &b, Value *elements) const {
  auto *const type = llvm::cast<llvm::VectorType>(elements->getType());
  Value *parts =
      b.CreateTrunc(bits_of(b, elements), type->getWithNewType(b.getIntNTy(static_cast<unsigned>(part_bits()))));
  return moves_rows() ? b.CreateXor(parts, llvm::ConstantInt::get(parts->getType(), 128)) : parts;
}

Value *WordProduct::add(llvm::IRBuilderBase &b, Value *rows, Value *columns, Value *sums) const {
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(sums->getType())->getNumElements();
  llvm::Type *const part = is_float() ? b.getBFloatTy() : b.getIntNTy(static_cast<unsigned>(part_bits()));
  const auto parts = [&](Value *words) {
    return b.CreateBitCast(words, llvm::FixedVectorType::get(part, lanes * static_cast<unsigned>(group())));
  };
  const auto by_width = [&](llvm::Intrinsic::ID of_512, llvm::Intrinsic::ID of_256, llvm::Intrinsic::ID of_128) {
    return lanes == 16 ? of_512 : lanes == 8 ? of_256 : of_128;
  };
  switch (how_) {
    case How::PairsOf16: {
      const llvm::Intrinsic::ID id = by_width(llvm::Intrinsic::x86_avx512_pmaddw_d_512,
                                              llvm::Intrinsic::x86_avx2_pmadd_wd, llvm::Intrinsic::x86_sse2_pmadd_wd);
      return b.CreateAdd(sums, b.CreateIntrinsic(id, {}, {parts(rows), parts(columns)}));
    }
    case How::UnsignedBySigned: {
      const llvm::Intrinsic::ID id =
          by_width(llvm::Intrinsic::x86_avx512_vpdpbusd_512, llvm::Intrinsic::x86_avx512_vpdpbusd_256,
                   llvm::Intrinsic::x86_avx512_vpdpbusd_128);
      return b.CreateIntrinsic(id, {}, {sums, is_signed_ ? rows : columns, is_signed_ ? columns : rows});
    }
    case How::BytesOfOneKind: {
      const llvm::Intrinsic::ID id =
          is_signed_ ? llvm::Intrinsic::aarch64_neon_sdot : llvm::Intrinsic::aarch64_neon_udot;
      Value *const x = parts(rows), *const y = parts(columns);
      return b.CreateIntrinsic(id, {sums->getType(), x->getType()}, {sums, x, y});
    }
    case How::PairsOfBf16: {
      const llvm::Intrinsic::ID id =
          by_width(llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512, llvm::Intrinsic::x86_avx512bf16_dpbf16ps_256,
                   llvm::Intrinsic::x86_avx512bf16_dpbf16ps_128);
      return b.CreateIntrinsic(id, {}, {sums, parts(rows), parts(columns)});
    }
    case How::TilesOfBytes:
    case How::TilesOfBf16: break;
  }
  return nullptr;
}

llvm::Intrinsic::ID WordProduct::tile_instruction() const {
  return is_float()   ? llvm::Intrinsic::x86_tdpbf16ps
         : is_signed_ ? llvm::Intrinsic::x86_tdpbssd
                      : llvm::Intrinsic::x86_tdpbuud;
}

}  // namespace bp::emit
