#include "plugins/llvm/contraction/integer_dot.h"

#include <llvm/IR/IntrinsicsAArch64.h>
#include <llvm/IR/IntrinsicsX86.h>

namespace bp::emit {

using llvm::Value;

std::optional<IntegerDotProduct> IntegerDotProduct::of(const ContractionProblem &problem, const VectorTarget &target) {
  const auto is_byte = [](llvm::Type *type) { return type->isIntegerTy(8); };
  if (target.integer_dot == IntegerDot::None || !is_byte(problem.types.lhs) || !is_byte(problem.types.rhs) ||
      !problem.types.accumulate->isIntegerTy(32)) {
    return std::nullopt;
  }
  return IntegerDotProduct(target.integer_dot, problem.types.is_signed);
}

Value *IntegerDotProduct::group_of(llvm::IRBuilderBase &b, std::span<Value *const> elements) const {
  Value *words = nullptr;
  const auto bits = static_cast<uint64_t>(part_bits());
  for (size_t i = 0; i < elements.size(); ++i) {
    Value *part = elements[i];
    if (i + 1 < elements.size()) {  // the last one loses its upper bits by the shift
      part = b.CreateAnd(part, llvm::ConstantInt::get(part->getType(), (uint64_t{1} << bits) - 1));
    }
    part = b.CreateShl(part, i * bits);
    words = words == nullptr ? part : b.CreateOr(words, part);
  }
  return words;
}

Value *IntegerDotProduct::row_parts(llvm::IRBuilderBase &b, Value *elements) const {
  auto *const type = llvm::cast<llvm::VectorType>(elements->getType());
  Value *parts = b.CreateTrunc(elements, type->getWithNewType(b.getIntNTy(static_cast<unsigned>(part_bits()))));
  return moves_rows() ? b.CreateXor(parts, llvm::ConstantInt::get(parts->getType(), 128)) : parts;
}

Value *IntegerDotProduct::add(llvm::IRBuilderBase &b, Value *rows, Value *columns, Value *sums) const {
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(sums->getType())->getNumElements();
  const auto parts = [&](Value *words) {
    return b.CreateBitCast(words, llvm::FixedVectorType::get(b.getIntNTy(static_cast<unsigned>(part_bits())),
                                                             lanes * static_cast<unsigned>(group())));
  };
  switch (how_) {
    case IntegerDot::PairsOf16: {
      const llvm::Intrinsic::ID id = lanes == 16  ? llvm::Intrinsic::x86_avx512_pmaddw_d_512
                                     : lanes == 8 ? llvm::Intrinsic::x86_avx2_pmadd_wd
                                                  : llvm::Intrinsic::x86_sse2_pmadd_wd;
      return b.CreateAdd(sums, b.CreateIntrinsic(id, {}, {parts(rows), parts(columns)}));
    }
    case IntegerDot::UnsignedBySigned: {
      const llvm::Intrinsic::ID id = lanes == 16  ? llvm::Intrinsic::x86_avx512_vpdpbusd_512
                                     : lanes == 8 ? llvm::Intrinsic::x86_avx512_vpdpbusd_256
                                                  : llvm::Intrinsic::x86_avx512_vpdpbusd_128;
      return b.CreateIntrinsic(id, {}, {sums, is_signed_ ? rows : columns, is_signed_ ? columns : rows});
    }
    case IntegerDot::BytesOfOneKind: {
      const llvm::Intrinsic::ID id =
          is_signed_ ? llvm::Intrinsic::aarch64_neon_sdot : llvm::Intrinsic::aarch64_neon_udot;
      Value *const x = parts(rows), *const y = parts(columns);
      return b.CreateIntrinsic(id, {sums->getType(), x->getType()}, {sums, x, y});
    }
    case IntegerDot::None: break;
  }
  return nullptr;
}

}  // namespace bp::emit
