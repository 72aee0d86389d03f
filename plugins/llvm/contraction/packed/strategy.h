// The packed strategy, after Goto: a block of the column operand is copied to scratch in panels as wide as a register
// tile, next to a panel of the row operand, and a small function multiplies panels with all sums of a tile in
// registers. The copy handles strides, windows, padding and narrow types, so the multiplication is always the same
// dense code. If the target multiplies words (word_product.h), they are copied as words. What lies so that no words can
// be read is copied in stages, as elements, which are packed once more. An operand that lies in panels (panels.h) is
// multiplied where it is, and so are rows whose contracted elements are neighbours.
//
//   item: one batch element, one block of rows, one block of columns
//     for each block of contracted elements
//       pack columns:  [panel][k][tile columns]
//       for each tile of rows
//         pack rows:   [row][k]
//         for each panel: sums[row][column] += product       (sums live in scratch)
//         after the last block: epilogue, conversion and store to out
#pragma once

#include <llvm/IR/Module.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "plugins/llvm/contraction/problem.h"
#include "plugins/llvm/contraction/strategy.h"
#include "plugins/llvm/contraction/word_product.h"

namespace bp::emit {

// The sums that are computed in registers at a time.
struct RegisterTile {
  int64_t rows;
  int64_t vectors;
};

// Panels in scratch. A place is as large as a sum and holds one element, or a word of several along k.
struct Panels {
  int64_t region = 0;  // offset in scratch, bytes
  int64_t stride = 0;  // places along k
  int64_t group = 1;   // elements in a place
};

class PackedStrategy : public ContractionStrategy {
 public:
  PackedStrategy(const ContractionProblem &problem, const VectorTarget &target, llvm::Module &module,
                 const std::string &name);
  int64_t items() const override { return total_size(problem_.batch) * row_blocks_ * column_blocks_; }
  int64_t scratch_bytes() const override { return scratch_bytes_; }
  void emit_item(const ContractionMemory &memory, llvm::Value *item, llvm::Value *scratch) const override;

 private:
  // State of the code of one item. Values are i64 unless they are pointers.
  struct Item {
    const ContractionMemory &m;
    llvm::Value *scratch;
    std::array<ElementOffset, 3> bases;  // those of the batch element, by operand
    llvm::Value *first_column;           // the first one of the block
    llvm::Value *columns;                // number of columns in the block
    llvm::Value *first_row;
    llvm::Value *last_row;
    std::array<ElementOffset, 3> outer_k;  // offsets of the contracted axes outside the blocks
    llvm::Value *first_k = nullptr;
    llvm::Value *last_k = nullptr;
    llvm::Value *place = nullptr;     // of first_k among all contracted elements
    llvm::Value *is_first = nullptr;  // i1: sums start at zero
    llvm::Value *is_last = nullptr;
    // The contracted elements that are being copied, counted from first_k.
    llvm::Value *copy_begin = nullptr;
    llvm::Value *copy_end = nullptr;
  };

  // Choices, in strategy.cc.
  void choose_copies();
  void choose_blocks();
  void take_regions();
  bool can_multiply_rows_in_place() const;
  void emit_block(Item &item, llvm::Value *outer, llvm::Value *block) const;

  // Copies of operands, in copies.cc.
  void emit_k_table(const Item &item) const;
  ElementOffset k_offset(const Item &item, llvm::Value *k, Operand operand) const;
  void emit_columns(Item item) const;
  void emit_copy_columns(const Item &item) const;
  void emit_copy_column_rows(const Item &item) const;
  void emit_copy_column_group(const Item &item, llvm::Value *column) const;
  void emit_copy_transposed(const Item &item, llvm::Value *column) const;
  void emit_rows(Item item, llvm::Value *row, llvm::Value *count) const;
  void emit_copy_row(const Item &item, llvm::Value *row, llvm::Value *tile_row) const;
  void emit_copy_row_by_vectors(const Item &item, const ElementOffset &row, llvm::Value *copy) const;
  void emit_copy_row_of_runs(const Item &item, const ElementOffset &row, llvm::Value *copy) const;
  void emit_copy_row_of_taps(const Item &item, const ElementOffset &row, llvm::Value *copy) const;
  void emit_copy_rows_transposed(const Item &item, llvm::Value *row) const;
  llvm::Value *column_pointer(const Item &item, const Panels &panels, llvm::Value *column, llvm::Value *place) const;
  llvm::Value *row_pointer(const Item &item, const Panels &panels, llvm::Value *tile_row, llvm::Value *place) const;
  llvm::Value *panel_pointer(const Item &item, Operand operand, llvm::Value *first) const;
  llvm::Value *copied_places(const Item &item, const Panels &panels) const;
  llvm::Value *is_contracted(const Item &item, llvm::Value *k, int64_t lanes, int64_t multiple) const;

  // Words, in words.cc.
  llvm::Value *words(const ContractionMemory &m, llvm::Value *contracted) const;
  llvm::Value *load_across(const Item &item, Operand operand, int64_t group, const Lanes &lanes, llvm::Value *k,
                           llvm::Value *mask) const;
  llvm::Value *load_along(const ContractionMemory &m, Operand operand, int64_t group, llvm::Value *position,
                          llvm::Value *exists, llvm::Value *mask) const;
  llvm::Value *load_along(const Item &item, Operand operand, int64_t group, llvm::Value *offset, llvm::Value *k) const;
  void store_column(const Item &item, llvm::Value *value, llvm::Value *pointer, llvm::Value *column) const;
  void emit_column_words(const Item &item) const;
  void emit_row_words(const Item &item, llvm::Value *rows) const;

  // Products and what becomes of the sums, in products.cc.
  void emit_row_tile(const Item &item, llvm::Value *row) const;
  llvm::Function *product_function(const ContractionMemory &m, int64_t rows, int64_t vectors) const;
  void emit_vector_product(const ContractionMemory &m, llvm::Function &function, int64_t rows, int64_t vectors) const;
  void emit_write_out(const Item &item, llvm::Value *row, llvm::Value *rows) const;
  llvm::Value *multiplied_rows(const Item &item, llvm::Value *row) const;
  llvm::Value *sums_row(const Item &item, llvm::Value *row) const;

  int64_t bytes_per_sum() const { return problem_.types.accumulate->getScalarSizeInBits() / 8; }
  bool is_in_panels(Operand operand) const { return problem_.panels[operand] != 0; }
  bool copies_rows() const { return !is_in_panels(problem_.row_operand) && row_stride_ == 0; }
  bool has_windows(Operand operand) const {
    return operand == lhs_operand && std::any_of(problem_.windows.begin(), problem_.windows.end(),
                                                 [](const Window &w) { return w.size != Window::unbounded; });
  }
  int64_t take_scratch(int64_t bytes) {
    int64_t offset = scratch_bytes_;
    scratch_bytes_ += divide_up(bytes, 64) * 64;
    return offset;
  }
  llvm::Value *at(const ContractionMemory &m, llvm::Value *scratch, int64_t region, llvm::Type *type,
                  llvm::Value *index) const {
    llvm::Value *base = m.b.CreateGEP(m.b.getInt8Ty(), scratch, m.integer(region));
    return m.b.CreateGEP(type, base, index);
  }
  // Whether so many contracted elements of a row are next to each other in memory, and all in the padding or none.
  bool has_runs(int64_t elements) const {
    return has_vectors(block_axes_, problem_.row_operand, elements) && block_axes_.back().window < 0;
  }
  // The number of contracted elements of a row that are next to each other in memory, if none is in the padding.
  int64_t taps_in_a_row() const;
  bool has_k_table(Operand operand) const {
    int64_t stride = 0;
    bool moves_windows = operand == lhs_operand && std::any_of(block_axes_.begin(), block_axes_.end(),
                                                               [](const Axis &axis) { return axis.window >= 0; });
    return moves_windows || !has_single_stride(block_axes_, operand, &stride);
  }

  ContractionProblem problem_;
  llvm::Module &module_;
  std::string name_;
  std::optional<WordProduct> word_product_;
  int64_t width_, rows_, columns_, block_k_, outer_k_;
  std::vector<Axis> outer_axes_;  // contracted axes outside the blocks
  std::vector<Axis> block_axes_;  // contracted axes inside the blocks
  RegisterTile tile_;
  int64_t tile_columns_, k_per_block_, k_blocks_, columns_per_block_, rows_per_block_, row_blocks_, column_blocks_;
  bool transposes_columns_ = false;
  bool transposes_rows_ = false;
  int64_t row_stride_ = 0;  // of rows that are multiplied where they are, in elements; 0: they are copied
  bool copies_column_rows_ = false;
  bool has_several_k_blocks_;
  bool has_column_stage_ = false, has_row_stage_ = false;
  Panels column_panels_, row_panels_;  // what is multiplied
  Panels column_copies_, row_copies_;  // where copies are made: the same, or a stage
  int64_t sums_region_, out_rows_region_;
  int64_t start_region_ = -1;  // sums of columns, if those of products start with multiples of them
  std::array<int64_t, 2> k_offset_regions_;
  std::vector<int64_t> k_coordinate_regions_;
  int64_t scratch_bytes_ = 0;
};

}  // namespace bp::emit
