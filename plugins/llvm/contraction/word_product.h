// Products of words: instructions that multiply neighbouring narrow elements and add the products to sums of 32 bits. A
// word of 32 bits holds a group of neighbours along the contracted axes: four of 8 bits, or two of 16.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <optional>
#include <span>

#include "plugins/llvm/contraction/problem.h"

namespace bp::emit {

class WordProduct {
 public:
  // Returns the one of the target for sums of this problem; nothing if there is none.
  static std::optional<WordProduct> of(const ContractionProblem &problem, const VectorTarget &target);

  int64_t part_bits() const { return how_ == How::PairsOf16 || is_float() ? 16 : 8; }
  int64_t group() const { return 32 / part_bits(); }
  bool is_float() const { return how_ == How::PairsOfBf16 || how_ == How::TilesOfBf16; }
  // Whether it multiplies matrices in registers of 16 rows, with tile_product.h, instead of vectors.
  bool has_tiles() const { return how_ == How::TilesOfBytes || how_ == How::TilesOfBf16; }
  // The number of words along k that are multiplied at a time.
  int64_t step() const { return has_tiles() ? 16 : 1; }
  // x86 multiplies unsigned by signed bytes only. Bytes of one kind are multiplied after those of the row operand have
  // been moved by 128, which adds a multiple of the sum of the column's elements: so sums start with its negative.
  bool moves_rows() const { return how_ == How::UnsignedBySigned; }
  int64_t factor_of_column_sums() const { return is_signed_ ? -128 : 128; }

  // Words are vectors of integers of 32 bits.
  // Returns one vector of words from `group` vectors of elements as sums, at neighbouring contracted indices.
  llvm::Value *words_across(llvm::IRBuilderBase &b, std::span<llvm::Value *const> elements) const;
  // Returns the words of a vector of elements as they are in memory, neighbours along the contracted axes.
  llvm::Value *words_along(llvm::IRBuilderBase &b, llvm::Value *stored) const;
  // Returns words of the row operand as they are multiplied.
  llvm::Value *row_words(llvm::IRBuilderBase &b, llvm::Value *words) const;
  // Returns the parts of words of the row operand, as they are multiplied, of a vector of neighbours as sums.
  llvm::Value *row_parts(llvm::IRBuilderBase &b, llvm::Value *elements) const;
  // Returns sums + the products of the words of two vectors, which may have the type of sums. Without tiles.
  llvm::Value *add(llvm::IRBuilderBase &b, llvm::Value *rows, llvm::Value *columns, llvm::Value *sums) const;
  // If rows are moved: returns sums + the elements in the columns' words.
  llvm::Value *add_columns(llvm::IRBuilderBase &b, llvm::Value *columns, llvm::Value *sums) const {
    return add(b, llvm::ConstantInt::get(columns->getType(), 0x01010101), columns, sums);
  }
  // With tiles: the instruction.
  llvm::Intrinsic::ID tile_instruction() const;

 private:
  enum class How : unsigned char {
    PairsOf16,
    UnsignedBySigned,
    BytesOfOneKind,
    PairsOfBf16,
    TilesOfBytes,
    TilesOfBf16,
  };
  WordProduct(How how, bool is_signed) : how_(how), is_signed_(is_signed) {}
  llvm::Value *bits_of(llvm::IRBuilderBase &b, llvm::Value *elements) const;

  How how_;
  bool is_signed_;  // the elements
};

}  // namespace bp::emit
