// Words of several contracted elements, for instructions that multiply words.
#include "plugins/llvm/contraction/packed/strategy.h"
#include "plugins/llvm/generator/loops.h"

namespace bp::emit {

// Returns the number of words for so many contracted elements, with those up to a whole step.
llvm::Value *PackedStrategy::words(const ContractionMemory &m, llvm::Value *contracted) const {
  const int64_t step = word_product_->step(), elements = step * word_product_->group();
  llvm::Value *const steps = m.b.CreateUDiv(m.b.CreateAdd(contracted, m.integer(elements - 1)), m.integer(elements));
  return m.b.CreateMul(steps, m.integer(step));
}

// Returns a vector across the columns or rows: their elements at the contracted index k of the block, or words of the
// elements from k on. Elements after the last one are zero in words; otherwise the last one is repeated.
llvm::Value *PackedStrategy::load_across(const Item &item, Operand operand, int64_t group, const Lanes &lanes,
                                         llvm::Value *k, llvm::Value *mask) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  llvm::Value *const last = b.CreateSub(m.integer(block_k_ - 1), item.first_k);
  Values elements;
  for (int64_t i = 0; i < group; ++i) {
    llvm::Value *const index = b.CreateAdd(k, m.integer(i));
    llvm::Value *const exists = b.CreateICmpSLE(index, last);
    llvm::Value *element =
        m.load(operand, lanes, k_offset(item, b.CreateSelect(exists, index, last), operand).offset, mask);
    if (group > 1 && block_k_ % (group * word_product_->step()) != 0) {
      element = b.CreateSelect(exists, element, m.zero());
    }
    elements.push_back(element);
  }
  return group == 1 ? elements[0] : word_product_->words_across(b, elements);
}

// Returns a vector of neighbours in memory, or words of them, from the element at a position on. exists: i1, whether
// all of them do (null: yes); otherwise those of the mask do (null: none), and the others are zero.
llvm::Value *PackedStrategy::load_along(const ContractionMemory &m, Operand operand, int64_t group,
                                        llvm::Value *position, llvm::Value *exists, llvm::Value *mask) const {
  llvm::IRBuilder<> &b = m.b;
  llvm::Type *const storage = storage_type_of(operand == lhs_operand ? problem_.types.lhs : problem_.types.rhs);
  auto *const vector = llvm::FixedVectorType::get(storage, static_cast<unsigned>(width_ * group));
  llvm::Value *const pointer = b.CreateGEP(storage, m.pointers[operand], position);
  const llvm::Align alignment(storage->getScalarSizeInBits() / 8);
  const auto load = [&](llvm::Value *some) -> Values {
    if (group == 1) {
      return {m.load(operand, {Lanes::contiguous, position, nullptr}, m.integer(0), some)};
    }
    llvm::Value *const nothing = llvm::Constant::getNullValue(vector);
    return {word_product_->words_along(
        b, some == nullptr ? static_cast<llvm::Value *>(b.CreateAlignedLoad(vector, pointer, alignment))
                           : b.CreateMaskedLoad(vector, pointer, alignment, some, nothing))};
  };
  if (exists == nullptr) {
    return load(nullptr)[0];
  }
  // Loads with a mask are slow without AVX-512.
  return emit_if(
      b, exists, [&] { return load(nullptr); },
      [&]() -> Values {
        if (mask != nullptr) {
          return load(mask);
        }
        return {llvm::Constant::getNullValue(group == 1 ? m.sum_vector : m.sum_vector->getWithNewType(b.getInt32Ty()))};
      })[0];
}

// Returns the same for a column or row whose contracted elements are all neighbours, from index k of the block on.
// offset: that of its first element.
llvm::Value *PackedStrategy::load_along(const Item &item, Operand operand, int64_t group, llvm::Value *offset,
                                        llvm::Value *k) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  const int64_t lanes = width_ * group;
  llvm::Value *const first = b.CreateAdd(item.first_k, k);
  llvm::Value *const mask = is_contracted(item, k, lanes, lanes);
  llvm::Value *const exists =
      mask == nullptr ? nullptr : b.CreateICmpSLE(b.CreateAdd(first, m.integer(lanes)), m.integer(block_k_));
  return load_along(m, operand, group, b.CreateAdd(offset, first), exists, mask);
}

// Stores a vector of a panel's columns, and adds words to the sums of columns.
void PackedStrategy::store_column(const Item &item, llvm::Value *value, llvm::Value *pointer,
                                  llvm::Value *column) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  b.CreateAlignedStore(value, pointer, m.sum_alignment());
  if (start_region_ >= 0) {
    llvm::Value *const start = at(m, item.scratch, start_region_, m.sum_type, column);
    llvm::Value *const sums = b.CreateAlignedLoad(m.sum_vector, start, m.sum_alignment());
    b.CreateAlignedStore(word_product_->add_columns(b, value, sums), start, m.sum_alignment());
  }
}

// Makes words of a stage of columns.
void PackedStrategy::emit_column_words(const Item &item) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  const int64_t group = word_product_->group();
  const bool may_end = block_k_ % (group * word_product_->step()) != 0;  // whole steps come before the last block's end
  llvm::Value *const copied = b.CreateSub(item.copy_end, item.copy_begin);
  llvm::Value *const first_word = b.CreateUDiv(item.copy_begin, m.integer(group));
  emit_loop(b, m.integer(0), item.columns, width_, [&](llvm::Value *column) {
    emit_loop(b, m.integer(0), words(m, copied), 1, [&](llvm::Value *word) {
      Values elements;
      for (int64_t i = 0; i < group; ++i) {
        llvm::Value *k = b.CreateAdd(b.CreateMul(word, m.integer(group)), m.integer(i));
        llvm::Value *element =
            b.CreateAlignedLoad(m.sum_vector, column_pointer(item, column_copies_, column, k), m.sum_alignment());
        elements.push_back(may_end ? b.CreateSelect(b.CreateICmpSLT(k, copied), element, m.zero()) : element);
      }
      store_column(item, word_product_->words_across(b, elements),
                   column_pointer(item, column_panels_, column, b.CreateAdd(first_word, word)), column);
    });
  });
}

// Makes words of a stage of rows. Elements after the last one, up to a whole step, are zero: if they were not numbers,
// their products with the zeros of columns would not be numbers either.
void PackedStrategy::emit_row_words(const Item &item, llvm::Value *rows) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  const int64_t group = word_product_->group(), step = group * word_product_->step();
  llvm::Type *const part = b.getIntNTy(static_cast<unsigned>(word_product_->part_bits()));
  llvm::Value *const copied = b.CreateSub(item.copy_end, item.copy_begin);
  llvm::Value *const end = b.CreateMul(words(m, copied), m.integer(group));
  llvm::Value *const first_word = b.CreateUDiv(item.copy_begin, m.integer(group));
  emit_loop(b, m.integer(0), rows, 1, [&](llvm::Value *r) {
    llvm::Value *const copies = row_pointer(item, row_copies_, r, m.integer(0));
    llvm::Value *const panel = row_pointer(item, row_panels_, r, first_word);
    emit_loop(b, m.integer(0), end, width_, [&](llvm::Value *k) {
      llvm::Value *elements = b.CreateAlignedLoad(m.sum_vector, b.CreateGEP(m.sum_type, copies, k), m.sum_alignment());
      llvm::Value *const in_block = b.CreateAdd(item.copy_begin, k);
      if (llvm::Value *const exists = is_contracted(item, in_block, width_, std::max(width_, step))) {
        elements = b.CreateSelect(exists, elements, m.zero());
      }
      b.CreateAlignedStore(word_product_->row_parts(b, elements), b.CreateGEP(part, panel, k), llvm::Align(1));
    });
  });
}

}  // namespace bp::emit
