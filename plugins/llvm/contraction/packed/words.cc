// Words of the copied elements, for instructions that multiply words.
#include "plugins/llvm/contraction/packed/strategy.h"
#include "plugins/llvm/generator/loops.h"

namespace bp::emit {

// Returns the number of words for so many contracted elements, with those up to a whole step.
llvm::Value *PackedStrategy::words(const ContractionMemory &m, llvm::Value *contracted) const {
  const int64_t step = word_product_->step(), elements = step * word_product_->group();
  llvm::Value *const steps = m.b.CreateUDiv(m.b.CreateAdd(contracted, m.integer(elements - 1)), m.integer(elements));
  return m.b.CreateMul(steps, m.integer(step));
}

// Makes words of the copied columns, and adds to the sums with which columns start. Elements after the last one, up to
// a whole step, are zero.
void PackedStrategy::emit_column_words(const Item &item) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  const int64_t group = word_product_->group();
  const bool may_end = block_k_ % (group * word_product_->step()) != 0;  // whole steps come before the last block's end
  llvm::Value *const copied = b.CreateSub(item.copy_end, item.copy_begin);
  llvm::Value *const first_word = b.CreateUDiv(item.copy_begin, m.integer(group));
  emit_loop(b, m.integer(0), item.columns, width_, [&](llvm::Value *column) {
    llvm::Value *const copies = column_pointer(item, column_copies_, column, m.integer(0));
    llvm::Value *const panel = column_pointer(item, column_panels_, column, first_word);
    const auto place = [&](llvm::Value *in, llvm::Value *k) {
      return b.CreateGEP(m.sum_type, in, b.CreateMul(k, m.integer(tile_columns_)));
    };
    const Values totals =
        emit_loop_carrying(b, m.integer(0), words(m, copied), 1, {m.zero()}, [&](llvm::Value *word, Values sums) {
          Values elements;
          for (int64_t i = 0; i < group; ++i) {
            llvm::Value *k = b.CreateAdd(b.CreateMul(word, m.integer(group)), m.integer(i));
            llvm::Value *element = b.CreateAlignedLoad(m.sum_vector, place(copies, k), m.sum_alignment());
            if (may_end) {
              element = b.CreateSelect(b.CreateICmpSLT(k, copied), element, m.zero());
            }
            elements.push_back(element);
            sums[0] = start_region_ < 0 ? sums[0] : b.CreateAdd(sums[0], element);
          }
          b.CreateAlignedStore(word_product_->group_of(b, elements), place(panel, word), m.sum_alignment());
          return sums;
        });
    if (start_region_ >= 0) {
      llvm::Value *const start = at(m, item.scratch, start_region_, m.sum_type, column);
      llvm::Value *const factor = llvm::ConstantInt::getSigned(m.sum_vector, word_product_->factor_of_column_sums());
      llvm::Value *const is_first = b.CreateICmpEQ(item.copy_begin, m.integer(0));
      llvm::Value *const earlier =
          b.CreateSelect(is_first, m.zero(), b.CreateAlignedLoad(m.sum_vector, start, m.sum_alignment()));
      b.CreateAlignedStore(b.CreateAdd(earlier, b.CreateMul(totals[0], factor)), start, m.sum_alignment());
    }
  });
}

// Makes words of the copied rows. Elements after the last one, up to a whole step, are zero: if they were not numbers,
// their products with the zeros of columns would not be numbers either.
void PackedStrategy::emit_row_words(const Item &item, llvm::Value *rows) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  const int64_t group = word_product_->group();
  const bool may_end = block_k_ % (group * word_product_->step()) != 0;
  llvm::Type *const part = b.getIntNTy(static_cast<unsigned>(word_product_->part_bits()));
  llvm::Value *const copied = b.CreateSub(item.copy_end, item.copy_begin);
  llvm::Value *const end = b.CreateMul(words(m, copied), m.integer(group));
  llvm::Value *const first_word = b.CreateUDiv(item.copy_begin, m.integer(group));
  emit_loop(b, m.integer(0), rows, 1, [&](llvm::Value *r) {
    llvm::Value *const copies = row_pointer(item, row_copies_, r, m.integer(0));
    llvm::Value *const panel = row_pointer(item, row_panels_, r, first_word);
    emit_loop(b, m.integer(0), end, width_, [&](llvm::Value *k) {
      llvm::Value *elements = b.CreateAlignedLoad(m.sum_vector, b.CreateGEP(m.sum_type, copies, k), m.sum_alignment());
      if (may_end) {
        llvm::Value *const flat = m.lane_indices(k);
        elements = b.CreateSelect(b.CreateICmpSLT(flat, m.splat(b.CreateTruncOrBitCast(copied, m.lane_index))),
                                  elements, m.zero());
      }
      b.CreateAlignedStore(word_product_->row_parts(b, elements), b.CreateGEP(part, panel, k), llvm::Align(1));
    });
  });
}

}  // namespace bp::emit
