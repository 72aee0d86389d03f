// The packed strategy, after Goto: a block of the column operand is copied to scratch in panels as wide as a register
// tile, next to a panel of the row operand, and a small function multiplies panels with all sums of a tile in
// registers. The copy handles strides, windows, padding and narrow types, so the multiplication is always the same
// dense code. Bytes are then packed once more, into words, if the target has instructions for them (integer_dot.h).
//
//   item: one batch element, one block of rows, one block of columns
//     for each block of contracted elements
//       pack columns:  [panel][k][tile columns]
//       for each tile of rows
//         pack rows:   [row][k]
//         for each panel: sums[row][column] += product       (sums live in scratch)
//         after the last block: epilogue, conversion and store to out
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "plugins/llvm/contraction/integer_dot.h"
#include "plugins/llvm/contraction/problem.h"
#include "plugins/llvm/contraction/strategy.h"
#include "plugins/llvm/generator/loops.h"

namespace bp::emit {

namespace {

constexpr int64_t max_contracted_in_block = 384;
constexpr int64_t column_block_bytes = 384 * 1024;  // part of a second-level cache of at least 512 KiB
constexpr int64_t sums_bytes = 384 * 1024;
constexpr int64_t wanted_items = 8;  // for threads to share

int64_t round_up(int64_t x, int64_t y) {
  return divide_up(x, y) * y;
}

// Returns the size of the partial tile that gets code of its own, or 0. If there are many tiles, the last one is
// computed in full, from whatever the scratch memory has for its missing elements; those sums are not written out.
int64_t rest_of_tile(int64_t size, int64_t tile) {
  return size / tile >= 8 ? 0 : size % tile;
}

struct TileShape {
  int64_t rows;
  int64_t vectors;
};

// Returns the tile that needs the fewest cycles for all sums: one cycle per multiplication of a vector (at least enough
// to cover its latency), or half a cycle per broadcast and one per load.
TileShape choose_tile(int64_t rows, int64_t columns, int64_t width, unsigned registers) {
  static constexpr TileShape for_32_registers[] = {{8, 3}, {6, 4}, {12, 2}, {14, 2}, {10, 2}, {24, 1}, {4, 4}, {4, 6}};
  static constexpr TileShape for_16_registers[] = {{6, 2}, {4, 3}, {4, 2}, {12, 1}, {8, 1}};
  auto shapes = registers >= 32 ? std::span<const TileShape>(for_32_registers) : for_16_registers;
  auto cost = [&](TileShape shape) {
    auto tile_cost = [](int64_t r, int64_t v) {
      return std::max({static_cast<double>(r * v), 8.0, static_cast<double>(v) + 0.5 * static_cast<double>(r)});
    };
    int64_t vectors = divide_up(columns, width);
    int64_t rest_rows = rows % shape.rows;
    int64_t rest_vectors = vectors % shape.vectors;
    auto all_rows = [&](int64_t v) {
      double whole = static_cast<double>(rows / shape.rows) * tile_cost(shape.rows, v);
      return whole + (rest_rows != 0 ? tile_cost(rest_rows, v) : 0);
    };
    double total = static_cast<double>(vectors / shape.vectors) * all_rows(shape.vectors);
    return total + (rest_vectors != 0 ? all_rows(rest_vectors) : 0);
  };
  return *std::min_element(shapes.begin(), shapes.end(),
                           [&](TileShape x, TileShape y) { return cost(x) < cost(y) * 0.999; });
}

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
    llvm::Value *is_first = nullptr;  // i1: sums start at zero
    llvm::Value *is_last = nullptr;
  };

  void choose_copies();
  void choose_blocks();
  void take_regions();

  int64_t bytes_per_sum() const { return problem_.types.accumulate->getScalarSizeInBits() / 8; }
  bool has_windows(Operand operand) const {
    return operand == lhs_operand && std::any_of(problem_.windows.begin(), problem_.windows.end(),
                                                 [](const Window &w) { return w.size != Window::unbounded; });
  }
  int64_t take_scratch(int64_t bytes) {
    int64_t offset = scratch_bytes_;
    scratch_bytes_ += round_up(bytes, 64);
    return offset;
  }
  llvm::Value *at(const ContractionMemory &m, llvm::Value *scratch, int64_t region, llvm::Type *type,
                  llvm::Value *index) const {
    llvm::Value *base = m.b.CreateGEP(m.b.getInt8Ty(), scratch, m.integer(region));
    return m.b.CreateGEP(type, base, index);
  }

  void emit_k_table(const Item &item) const;
  ElementOffset k_offset(const Item &item, llvm::Value *k, Operand operand) const;
  void emit_pack_columns(const Item &item) const;
  void emit_pack_column_rows(const Item &item) const;
  void emit_pack_column_group(const Item &item, llvm::Value *column) const;
  void emit_pack_transposed(const Item &item, llvm::Value *column) const;
  llvm::Value *packed_column_pointer(const Item &item, llvm::Value *column, llvm::Value *k) const;
  void emit_row_tile(const Item &item, llvm::Value *row) const;
  void emit_pack_row(const Item &item, llvm::Value *row, llvm::Value *tile_row) const;
  void emit_pack_rows_transposed(const Item &item, llvm::Value *row) const;
  void emit_group_columns(const Item &item) const;
  void emit_group_rows(const Item &item, llvm::Value *rows) const;
  void emit_write_out(const Item &item, llvm::Value *row, llvm::Value *rows) const;
  llvm::Value *sums_row(const Item &item, llvm::Value *row) const;
  // Returns the number of words for so many contracted elements.
  llvm::Value *groups(const ContractionMemory &m, llvm::Value *contracted) const {
    const int64_t group = integer_dot_->group();
    return m.b.CreateUDiv(m.b.CreateAdd(contracted, m.integer(group - 1)), m.integer(group));
  }
  llvm::Function *product_function(const ContractionMemory &m, int64_t rows, int64_t vectors) const;

  bool has_k_table(Operand operand) const {
    int64_t stride = 0;
    bool moves_windows = operand == lhs_operand && std::any_of(block_axes_.begin(), block_axes_.end(),
                                                               [](const Axis &axis) { return axis.window >= 0; });
    return moves_windows || !has_single_stride(block_axes_, operand, &stride);
  }

  ContractionProblem problem_;
  llvm::Module &module_;
  std::string name_;
  std::optional<IntegerDotProduct> integer_dot_;
  int64_t width_, rows_, columns_, block_k_, outer_k_;
  std::vector<Axis> outer_axes_;  // contracted axes outside the blocks
  std::vector<Axis> block_axes_;  // contracted axes inside the blocks
  TileShape tile_;
  int64_t tile_columns_, k_per_block_, k_stride_, k_blocks_, columns_per_block_, rows_per_block_, row_blocks_,
      column_blocks_;
  bool transposes_columns_ = false;
  bool transposes_rows_ = false;
  bool copies_column_rows_ = false;
  bool has_several_k_blocks_;
  int64_t column_region_, row_region_, sums_region_, out_rows_region_;
  int64_t start_region_ = -1;  // the sums that columns start with, unless it is zero
  std::array<int64_t, 2> k_offset_regions_;
  std::vector<int64_t> k_coordinate_regions_;
  int64_t scratch_bytes_ = 0;
};

PackedStrategy::PackedStrategy(const ContractionProblem &problem, const VectorTarget &target, llvm::Module &module,
                               const std::string &name)
    : problem_(problem),
      module_(module),
      name_(name),
      integer_dot_(IntegerDotProduct::of(problem, target)),
      width_(target.vector_bits / problem.types.accumulate->getScalarSizeInBits()),
      rows_(total_size(problem.rows)),
      columns_(total_size(problem.columns)),
      block_axes_(problem.contracted),
      tile_(choose_tile(rows_, columns_, width_, target.vector_registers)) {
  choose_copies();
  choose_blocks();
  take_regions();
}

// Chooses how each operand is read, and with that the axes of a block.
void PackedStrategy::choose_copies() {
  // If the column operand is contiguous along k instead of along the lanes, it is read along k and transposed in
  // registers. A block then stays within the innermost axis.
  int64_t lane_stride = 0;
  bool has_lanes = has_single_stride(problem_.columns, problem_.column_operand, &lane_stride) && lane_stride == 1;
  if (!has_lanes && !has_windows(problem_.column_operand) && !block_axes_.empty() &&
      block_axes_.back().size >= width_ / 2 && stride_of(block_axes_.back(), problem_.column_operand) == 1) {
    transposes_columns_ = true;
    outer_axes_.assign(block_axes_.begin(), block_axes_.end() - 1);
    block_axes_.erase(block_axes_.begin(), block_axes_.end() - 1);
  }
  outer_k_ = total_size(outer_axes_);
  block_k_ = total_size(block_axes_);
  copies_column_rows_ = has_lanes && !has_windows(problem_.column_operand);
  // Rows that are next to each other in memory are transposed in the same way, as many as a vector holds.
  int64_t row_stride = 0;
  int64_t k_stride = 0;
  transposes_rows_ = tile_.rows <= width_ && !has_windows(problem_.row_operand) &&
                     has_single_stride(problem_.rows, problem_.row_operand, &row_stride) && row_stride == 1 &&
                     !(has_single_stride(block_axes_, problem_.row_operand, &k_stride) && k_stride == 1);
}

// Chooses the sizes of blocks, and how many there are.
void PackedStrategy::choose_blocks() {
  int64_t element = bytes_per_sum();
  k_blocks_ = divide_up(block_k_, max_contracted_in_block);
  k_per_block_ = k_blocks_ == 1 ? block_k_ : round_up(divide_up(block_k_, k_blocks_), width_);
  k_blocks_ = divide_up(block_k_, k_per_block_);
  k_stride_ = round_up(k_per_block_, width_);
  has_several_k_blocks_ = k_blocks_ * outer_k_ > 1;

  tile_columns_ = tile_.vectors * width_;
  int64_t max_columns =
      std::max(tile_columns_, column_block_bytes / element / k_stride_ / tile_columns_ * tile_columns_);
  max_columns = std::min<int64_t>(max_columns, 1024 / tile_columns_ * tile_columns_);
  columns_per_block_ = round_up(divide_up(columns_, divide_up(columns_, max_columns)), tile_columns_);
  int64_t max_rows = has_several_k_blocks_ ? sums_bytes / element / columns_per_block_ : 1024;
  max_rows = std::max(tile_.rows, max_rows / tile_.rows * tile_.rows);
  rows_per_block_ = round_up(divide_up(rows_, divide_up(rows_, max_rows)), tile_.rows);
  auto count_blocks = [&] {
    row_blocks_ = divide_up(rows_, rows_per_block_);
    column_blocks_ = divide_up(columns_, columns_per_block_);
    return row_blocks_ * column_blocks_ * total_size(problem_.batch);
  };
  while (count_blocks() < wanted_items && columns_per_block_ > 2 * tile_columns_) {
    columns_per_block_ = round_up(columns_per_block_ / 2, tile_columns_);
  }
  while (count_blocks() < wanted_items / 2 && rows_per_block_ > 8 * tile_.rows) {
    rows_per_block_ = round_up(rows_per_block_ / 2, tile_.rows);
  }
}

// Divides the scratch memory.
void PackedStrategy::take_regions() {
  int64_t element = bytes_per_sum(), index_bytes = problem_.needs_wide_index ? 8 : 4;
  column_region_ = take_scratch(k_stride_ * columns_per_block_ * element);
  row_region_ = take_scratch(k_stride_ * tile_.rows * element);
  sums_region_ = take_scratch((has_several_k_blocks_ ? rows_per_block_ : tile_.rows) * columns_per_block_ * element);
  out_rows_region_ = take_scratch(tile_.rows * 8);
  if (integer_dot_ && integer_dot_->moves_rows()) {
    start_region_ = take_scratch(columns_per_block_ * element);
  }
  for (Operand operand : {lhs_operand, rhs_operand}) {
    k_offset_regions_[operand] = has_k_table(operand) ? take_scratch(k_stride_ * index_bytes) : -1;
  }
  for (size_t w = 0; w < problem_.windows.size(); ++w) {
    bool is_moved = std::any_of(block_axes_.begin(), block_axes_.end(),
                                [&](const Axis &axis) { return axis.window == static_cast<int>(w); });
    k_coordinate_regions_.push_back(is_moved ? take_scratch(k_stride_ * index_bytes) : -1);
  }
}

void PackedStrategy::emit_item(const ContractionMemory &m, llvm::Value *number, llvm::Value *scratch) const {
  llvm::IRBuilder<> &b = m.b;
  llvm::Value *column_block = b.CreateURem(number, m.integer(column_blocks_));
  number = b.CreateUDiv(number, m.integer(column_blocks_));
  llvm::Value *row_block = b.CreateURem(number, m.integer(row_blocks_));
  llvm::Value *batch = b.CreateUDiv(number, m.integer(row_blocks_));
  Item item{m, scratch, {}, nullptr, nullptr, nullptr, nullptr, {}};
  for (Operand operand : {lhs_operand, rhs_operand, out_operand}) {
    item.bases[operand] = m.locate(batch, problem_.batch, operand);
    item.bases[operand].offset = b.CreateAdd(item.bases[operand].offset, m.integer(problem_.offsets[operand]));
  }
  item.first_column = b.CreateMul(column_block, m.integer(columns_per_block_));
  item.columns = b.CreateSub(m.minimum(b.CreateAdd(item.first_column, m.integer(columns_per_block_)), columns_),
                             item.first_column);
  item.first_row = b.CreateMul(row_block, m.integer(rows_per_block_));
  item.last_row = m.minimum(b.CreateAdd(item.first_row, m.integer(rows_per_block_)), rows_);

  auto emit_k_block = [&](llvm::Value *outer, llvm::Value *block) {
    for (Operand operand : {lhs_operand, rhs_operand}) {
      item.outer_k[operand] = m.sum(item.bases[operand], m.locate(outer, outer_axes_, operand));
    }
    item.first_k = b.CreateMul(block, m.integer(k_per_block_));
    item.last_k = m.minimum(b.CreateAdd(item.first_k, m.integer(k_per_block_)), block_k_);
    llvm::Value *sequence = b.CreateAdd(b.CreateMul(outer, m.integer(k_blocks_)), block);
    item.is_first = b.CreateICmpEQ(sequence, m.integer(0));
    item.is_last = b.CreateICmpEQ(sequence, m.integer(k_blocks_ * outer_k_ - 1));
    emit_k_table(item);
    emit_pack_columns(item);
    if (integer_dot_) {
      emit_group_columns(item);
    }
    emit_loop(b, item.first_row, item.last_row, tile_.rows, [&](llvm::Value *row) { emit_row_tile(item, row); });
  };
  emit_loop(b, m.integer(0), m.integer(outer_k_), 1, [&](llvm::Value *outer) {
    if (k_blocks_ == 1) {
      emit_k_block(outer, m.integer(0));
    } else {
      emit_loop(b, m.integer(0), m.integer(k_blocks_), 1, [&](llvm::Value *block) { emit_k_block(outer, block); });
    }
  });
}

// Writes a table of the offsets and coordinates of the block's contracted elements, if they are not simple multiples.
void PackedStrategy::emit_k_table(const Item &item) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  if (!has_k_table(lhs_operand) && !has_k_table(rhs_operand)) {
    return;
  }
  emit_loop(b, item.first_k, item.last_k, width_, [&](llvm::Value *k) {
    llvm::Value *flat = m.minimum(m.lane_indices(k), block_k_ - 1);
    llvm::Value *index = b.CreateSub(k, item.first_k);
    auto keep = [&](llvm::Value *values, int64_t region) {
      b.CreateAlignedStore(values, at(m, item.scratch, region, m.lane_index, index), llvm::Align(4));
    };
    for (Operand operand : {lhs_operand, rhs_operand}) {
      if (!has_k_table(operand)) {
        continue;
      }
      ElementOffset element = m.locate(flat, block_axes_, operand);
      keep(element.offset, k_offset_regions_[operand]);
      for (size_t w = 0; w < problem_.windows.size() && operand == lhs_operand; ++w) {
        if (k_coordinate_regions_[w] >= 0) {
          keep(element.coordinates[w], k_coordinate_regions_[w]);
        }
      }
    }
  });
}

// Returns the offset of one contracted element of the block (k counts from the block's first), including outer axes and
// batch.
ElementOffset PackedStrategy::k_offset(const Item &item, llvm::Value *k, Operand operand) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  const ElementOffset &outer = item.outer_k[operand];
  if (!has_k_table(operand)) {
    return m.sum(outer, m.locate(b.CreateAdd(item.first_k, k), block_axes_, operand));
  }
  auto read = [&](int64_t region) -> llvm::Value * {
    llvm::Value *pointer = at(m, item.scratch, region, m.lane_index, k);
    return b.CreateSExtOrBitCast(b.CreateAlignedLoad(m.lane_index, pointer, llvm::Align(4)), b.getInt64Ty());
  };
  ElementOffset element{read(k_offset_regions_[operand]), std::vector<llvm::Value *>(problem_.windows.size())};
  for (size_t w = 0; w < problem_.windows.size() && operand == lhs_operand; ++w) {
    element.coordinates[w] = k_coordinate_regions_[w] >= 0 ? read(k_coordinate_regions_[w]) : nullptr;
  }
  return m.sum(outer, element);
}

llvm::Value *PackedStrategy::packed_column_pointer(const Item &item, llvm::Value *column, llvm::Value *k) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  llvm::Value *panel = b.CreateUDiv(column, m.integer(tile_columns_));
  llvm::Value *in_panel = b.CreateURem(column, m.integer(tile_columns_));
  llvm::Value *index = b.CreateAdd(b.CreateMul(panel, m.integer(k_stride_ * tile_columns_)), in_panel);
  index = b.CreateAdd(index, b.CreateMul(k, m.integer(tile_columns_)));
  return at(m, item.scratch, column_region_, m.sum_type, index);
}

void PackedStrategy::emit_pack_columns(const Item &item) const {
  const ContractionMemory &m = item.m;
  if (copies_column_rows_) {
    emit_pack_column_rows(item);
    return;
  }
  int64_t stride = 0;
  bool has_lanes = has_single_stride(problem_.columns, problem_.column_operand, &stride) && stride == 1;
  int64_t step = has_lanes ? tile_columns_ : width_;
  emit_loop(m.b, m.integer(0), item.columns, step, [&](llvm::Value *column) {
    transposes_columns_ ? emit_pack_transposed(item, column) : emit_pack_column_group(item, column);
  });
}

// Packs columns without padding that are next to each other in memory: whole rows are read from one end to the other.
void PackedStrategy::emit_pack_column_rows(const Item &item) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  Operand operand = problem_.column_operand;
  emit_loop(b, m.integer(0), b.CreateSub(item.last_k, item.first_k), 1, [&](llvm::Value *k) {
    llvm::Value *element = k_offset(item, k, operand).offset;
    emit_loop(b, m.integer(0), item.columns, tile_columns_, [&](llvm::Value *column) {
      llvm::Value *packed = packed_column_pointer(item, column, k);
      for (int64_t v = 0; v < tile_.vectors; ++v) {
        llvm::Value *first = b.CreateAdd(b.CreateAdd(item.first_column, column), m.integer(v * width_));
        llvm::Value *mask = nullptr;
        if (columns_ % tile_columns_ != 0) {
          llvm::Value *flat = m.lane_indices(first);
          mask = b.CreateICmpSLT(flat, llvm::ConstantInt::getSigned(flat->getType(), columns_));
        }
        b.CreateAlignedStore(m.load(operand, {Lanes::contiguous, first, nullptr}, element, mask),
                             b.CreateGEP(m.sum_type, packed, m.integer(v * width_)), m.sum_alignment());
      }
    });
  });
}

// Packs a panel of neighbouring columns, or one vector of columns at any addresses.
void PackedStrategy::emit_pack_column_group(const Item &item, llvm::Value *column) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  Operand operand = problem_.column_operand;
  int64_t stride = 0;
  bool is_strided = has_single_stride(problem_.columns, operand, &stride);
  int64_t vectors = is_strided && stride == 1 ? tile_.vectors : 1;
  std::vector<ElementOffset> column_offsets;
  std::vector<Lanes> lanes;
  Values masks;
  for (int64_t v = 0; v < vectors; ++v) {
    llvm::Value *first = b.CreateAdd(b.CreateAdd(item.first_column, column), m.integer(v * width_));
    llvm::Value *flat = m.lane_indices(first);
    bool may_end = columns_ % (vectors * width_) != 0;
    masks.push_back(may_end ? b.CreateICmpSLT(flat, llvm::ConstantInt::getSigned(flat->getType(), columns_)) : nullptr);
    flat = may_end ? m.minimum(flat, columns_ - 1) : flat;
    column_offsets.push_back(m.locate(flat, problem_.columns, operand));
    lanes.push_back(m.lanes_of(column_offsets.back(), problem_.columns, operand, first));
  }
  auto pack = [&](bool are_neighbours) {
    llvm::Value *first_pointer = packed_column_pointer(item, column, m.integer(0));
    emit_loop(b, m.integer(0), b.CreateSub(item.last_k, item.first_k), 1, [&](llvm::Value *k) {
      ElementOffset element = k_offset(item, k, operand);
      for (size_t v = 0; v < lanes.size(); ++v) {
        llvm::Value *mask = masks[v];
        if (operand == lhs_operand) {
          const ElementOffset *parts[] = {&element, &column_offsets[v]};
          mask = m.mask_and(mask, m.mask_of(parts));
        }
        Lanes chosen = are_neighbours ? ContractionMemory::as_contiguous(m, lanes[v]) : lanes[v];
        llvm::Value *index =
            b.CreateAdd(b.CreateMul(k, m.integer(tile_columns_)), m.integer(static_cast<int64_t>(v) * width_));
        b.CreateAlignedStore(m.load(operand, chosen, element.offset, mask),
                             b.CreateGEP(m.sum_type, first_pointer, index), m.sum_alignment());
      }
    });
    return Values();
  };
  if (is_strided) {
    pack(false);
  } else {
    emit_if(b, m.are_neighbours(lanes[0].offsets), [&] { return pack(true); }, [&] { return pack(false); });
  }
}

// Transposes the matrix whose rows are the given vectors, by swapping halves of ever larger blocks.
void transpose(llvm::IRBuilder<> &b, Values &rows) {
  int size = static_cast<int>(rows.size());
  for (int half = 1; half < size; half *= 2) {
    std::vector<int> low(rows.size());
    std::vector<int> high(rows.size());
    for (int i = 0; i < size; ++i) {
      bool is_upper = (i & half) != 0;
      low[static_cast<size_t>(i)] = is_upper ? size + i - half : i;
      high[static_cast<size_t>(i)] = is_upper ? size + i : i + half;
    }
    for (int i = 0; i < size; ++i) {
      if ((i & half) == 0) {
        llvm::Value *&upper = rows[static_cast<size_t>(i)];
        llvm::Value *&lower = rows[static_cast<size_t>(i + half)];
        llvm::Value *new_upper = b.CreateShuffleVector(upper, lower, low);
        lower = b.CreateShuffleVector(upper, lower, high);
        upper = new_upper;
      }
    }
  }
}

// Packs `width` columns, each read along k.
void PackedStrategy::emit_pack_transposed(const Item &item, llvm::Value *column) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  Operand operand = problem_.column_operand;
  Values offsets;
  for (int64_t lane = 0; lane < width_; ++lane) {
    llvm::Value *flat = b.CreateAdd(b.CreateAdd(item.first_column, column), m.integer(lane));
    flat = columns_ % width_ != 0 ? m.minimum(flat, columns_ - 1) : flat;
    ElementOffset element = m.sum(item.outer_k[operand], m.locate(flat, problem_.columns, operand));
    offsets.push_back(element.offset);
  }
  llvm::Value *first_pointer = packed_column_pointer(item, column, m.integer(0));
  emit_loop(b, item.first_k, item.last_k, width_, [&](llvm::Value *k) {
    llvm::Value *mask = nullptr;
    if (block_k_ % width_ != 0) {
      llvm::Value *flat = m.lane_indices(k);
      mask = b.CreateICmpSLT(flat, llvm::ConstantInt::getSigned(flat->getType(), block_k_));
    }
    Values matrix;
    for (llvm::Value *offset : offsets) {
      matrix.push_back(m.load(operand, {Lanes::contiguous, k, nullptr}, offset, mask));
    }
    transpose(b, matrix);
    for (int64_t i = 0; i < width_; ++i) {
      llvm::Value *in_block = b.CreateAdd(b.CreateSub(k, item.first_k), m.integer(i));
      llvm::Value *index = b.CreateMul(in_block, m.integer(tile_columns_));
      b.CreateAlignedStore(matrix[static_cast<size_t>(i)], b.CreateGEP(m.sum_type, first_pointer, index),
                           m.sum_alignment());
    }
  });
}

void PackedStrategy::emit_row_tile(const Item &item, llvm::Value *row) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  llvm::Value *count = b.CreateSub(m.minimum(b.CreateAdd(row, m.integer(tile_.rows)), rows_), row);
  emit_loop(b, m.integer(0), count, 1, [&](llvm::Value *r) {
    llvm::Value *out_row = b.CreateAdd(row, r);
    out_row = m.sum(item.bases[out_operand], m.locate(out_row, problem_.rows, out_operand)).offset;
    b.CreateAlignedStore(out_row, at(m, item.scratch, out_rows_region_, b.getInt64Ty(), r), llvm::Align(8));
    if (!transposes_rows_) {
      emit_pack_row(item, b.CreateAdd(row, r), r);
    }
  });
  if (transposes_rows_) {
    emit_pack_rows_transposed(item, row);
  }
  llvm::Value *contracted = b.CreateSub(item.last_k, item.first_k);
  if (integer_dot_) {
    emit_group_rows(item, count);
    contracted = groups(m, contracted);
  }
  llvm::Value *rows_pointer = at(m, item.scratch, row_region_, m.sum_type, m.integer(0));
  llvm::Value *sums = sums_row(item, row);
  emit_loop(b, m.integer(0), item.columns, tile_columns_, [&](llvm::Value *column) {
    llvm::Value *columns_pointer = packed_column_pointer(item, column, m.integer(0));
    llvm::Value *tile_sums = b.CreateGEP(m.sum_type, sums, column);
    auto call = [&](int64_t rows, int64_t vectors) {
      Values arguments = {rows_pointer, columns_pointer, tile_sums, contracted, item.is_first};
      if (start_region_ >= 0) {
        arguments.push_back(at(m, item.scratch, start_region_, m.sum_type, column));
      }
      b.CreateCall(product_function(m, rows, vectors), arguments);
      return Values();
    };
    auto for_vectors = [&](int64_t vectors) {
      int64_t rest = rest_of_tile(rows_, tile_.rows);
      if (rest == 0) {
        return call(tile_.rows, vectors);
      }
      return emit_if(
          b, b.CreateICmpEQ(count, m.integer(tile_.rows)), [&] { return call(tile_.rows, vectors); },
          [&] { return call(rest, vectors); });
    };
    int64_t rest = rest_of_tile(divide_up(columns_, width_), tile_.vectors);
    if (rest == 0) {
      for_vectors(tile_.vectors);
    } else {
      llvm::Value *end = b.CreateAdd(b.CreateAdd(item.first_column, column), m.integer(tile_columns_));
      emit_if(
          b, b.CreateICmpSLE(end, m.integer(columns_)), [&] { return for_vectors(tile_.vectors); },
          [&] { return for_vectors(rest); });
    }
  });
  auto write_out = [&] {
    emit_write_out(item, row, count);
    return Values();
  };
  if (has_several_k_blocks_) {
    emit_if(b, item.is_last, write_out, [] { return Values(); });
  } else {
    write_out();
  }
}

// Packs one row of the row operand, along k.
void PackedStrategy::emit_pack_row(const Item &item, llvm::Value *row, llvm::Value *tile_row) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  Operand operand = problem_.row_operand;
  ElementOffset base = m.sum(item.outer_k[operand], m.locate(row, problem_.rows, operand));
  llvm::Value *packed = at(m, item.scratch, row_region_, m.sum_type, b.CreateMul(tile_row, m.integer(k_stride_)));
  emit_loop(b, item.first_k, item.last_k, width_, [&](llvm::Value *k) {
    llvm::Value *in_block = b.CreateSub(k, item.first_k);
    llvm::Value *mask = nullptr;
    if (block_k_ % width_ != 0) {
      llvm::Value *flat = m.lane_indices(k);
      mask = b.CreateICmpSLT(flat, llvm::ConstantInt::getSigned(flat->getType(), block_k_));
    }
    ElementOffset element;
    if (has_k_table(operand)) {
      auto *table = llvm::FixedVectorType::get(m.lane_index, static_cast<unsigned>(width_));
      auto read = [&](int64_t region) -> llvm::Value * {
        return b.CreateAlignedLoad(table, at(m, item.scratch, region, m.lane_index, in_block), llvm::Align(4));
      };
      element = {read(k_offset_regions_[operand]), std::vector<llvm::Value *>(problem_.windows.size())};
      for (size_t w = 0; w < problem_.windows.size() && operand == lhs_operand; ++w) {
        element.coordinates[w] = k_coordinate_regions_[w] >= 0 ? read(k_coordinate_regions_[w]) : nullptr;
      }
    } else {
      element = m.locate(m.lane_indices(k), block_axes_, operand);
    }
    if (operand == lhs_operand) {
      const ElementOffset *parts[] = {&base, &element};
      mask = m.mask_and(mask, m.mask_of(parts));
    }
    Lanes lanes = m.lanes_of(element, block_axes_, operand, k);
    auto pack = [&](const Lanes &from) {
      b.CreateAlignedStore(m.load(operand, from, base.offset, mask), b.CreateGEP(m.sum_type, packed, in_block),
                           m.sum_alignment());
      return Values();
    };
    int64_t stride = 0;
    if (lanes.kind == Lanes::scattered && !has_single_stride(block_axes_, operand, &stride)) {
      emit_if(
          b, m.are_neighbours(lanes.offsets), [&] { return pack(ContractionMemory::as_contiguous(m, lanes)); },
          [&] { return pack(lanes); });
    } else {
      pack(lanes);
    }
  });
}

// Packs a tile whose rows are next to each other in memory: reads vectors along the rows and transposes them.
void PackedStrategy::emit_pack_rows_transposed(const Item &item, llvm::Value *row) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  Operand operand = problem_.row_operand;
  llvm::Value *flat = m.lane_indices(row);
  llvm::Value *mask = b.CreateICmpSLT(flat, llvm::ConstantInt::getSigned(flat->getType(), rows_));
  emit_loop(b, m.integer(0), b.CreateSub(item.last_k, item.first_k), width_, [&](llvm::Value *k) {
    Values matrix;
    for (int64_t i = 0; i < width_; ++i) {
      // After the last element, that element is read again, and packed where nobody reads it.
      llvm::Value *last = b.CreateSub(m.integer(block_k_ - 1), item.first_k);
      llvm::Value *index = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(k, m.integer(i)), last);
      ElementOffset element = k_offset(item, index, operand);
      matrix.push_back(m.load(operand, {Lanes::contiguous, row, nullptr}, element.offset, mask));
    }
    transpose(b, matrix);
    for (int64_t r = 0; r < tile_.rows; ++r) {
      llvm::Value *index = b.CreateAdd(k, m.integer(r * k_stride_));
      b.CreateAlignedStore(matrix[static_cast<size_t>(r)], at(m, item.scratch, row_region_, m.sum_type, index),
                           m.sum_alignment());
    }
  });
}

// Makes words of the packed columns, in place, and finds the sums with which columns start.
void PackedStrategy::emit_group_columns(const Item &item) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  const int64_t group = integer_dot_->group();
  const bool may_end = block_k_ % group != 0;  // blocks have whole groups, but for the last one
  llvm::Value *contracted = b.CreateSub(item.last_k, item.first_k);
  emit_loop(b, m.integer(0), item.columns, width_, [&](llvm::Value *column) {
    llvm::Value *panel = packed_column_pointer(item, column, m.integer(0));
    const auto place = [&](llvm::Value *k) {
      return b.CreateGEP(m.sum_type, panel, b.CreateMul(k, m.integer(tile_columns_)));
    };
    const Values totals =
        emit_loop_carrying(b, m.integer(0), groups(m, contracted), 1, {m.zero()}, [&](llvm::Value *word, Values sums) {
          Values elements;
          for (int64_t i = 0; i < group; ++i) {
            llvm::Value *k = b.CreateAdd(b.CreateMul(word, m.integer(group)), m.integer(i));
            llvm::Value *element = b.CreateAlignedLoad(m.sum_vector, place(k), m.sum_alignment());
            if (may_end && i > 0) {
              element = b.CreateSelect(b.CreateICmpSLT(k, contracted), element, m.zero());
            }
            elements.push_back(element);
            sums[0] = start_region_ < 0 ? sums[0] : b.CreateAdd(sums[0], element);
          }
          b.CreateAlignedStore(integer_dot_->group_of(b, elements), place(word), m.sum_alignment());
          return sums;
        });
    if (start_region_ >= 0) {
      llvm::Value *factor = llvm::ConstantInt::getSigned(m.sum_vector, integer_dot_->factor_of_column_sums());
      b.CreateAlignedStore(b.CreateMul(totals[0], factor), at(m, item.scratch, start_region_, m.sum_type, column),
                           m.sum_alignment());
    }
  });
}

// Makes words of the packed rows, in place.
void PackedStrategy::emit_group_rows(const Item &item, llvm::Value *rows) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  llvm::Type *part = b.getIntNTy(static_cast<unsigned>(integer_dot_->part_bits()));
  emit_loop(b, m.integer(0), rows, 1, [&](llvm::Value *r) {
    llvm::Value *row = at(m, item.scratch, row_region_, m.sum_type, b.CreateMul(r, m.integer(k_stride_)));
    emit_loop(b, m.integer(0), b.CreateSub(item.last_k, item.first_k), width_, [&](llvm::Value *k) {
      llvm::Value *elements = b.CreateAlignedLoad(m.sum_vector, b.CreateGEP(m.sum_type, row, k), m.sum_alignment());
      b.CreateAlignedStore(integer_dot_->row_parts(b, elements), b.CreateGEP(part, row, k), llvm::Align(1));
    });
  });
}

llvm::Value *PackedStrategy::sums_row(const Item &item, llvm::Value *row) const {
  const ContractionMemory &m = item.m;
  llvm::Value *index = has_several_k_blocks_ ? m.b.CreateSub(row, item.first_row) : m.integer(0);
  return at(m, item.scratch, sums_region_, m.sum_type, m.b.CreateMul(index, m.integer(columns_per_block_)));
}

void PackedStrategy::emit_write_out(const Item &item, llvm::Value *row, llvm::Value *rows) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  llvm::Value *sums = sums_row(item, row);
  emit_loop(b, m.integer(0), item.columns, width_, [&](llvm::Value *column) {
    llvm::Value *first = b.CreateAdd(item.first_column, column);
    llvm::Value *flat = m.lane_indices(first);
    llvm::Value *mask = nullptr;
    if (columns_ % width_ != 0) {
      mask = b.CreateICmpSLT(flat, llvm::ConstantInt::getSigned(flat->getType(), columns_));
      flat = m.minimum(flat, columns_ - 1);
    }
    Lanes lanes = m.lanes_of(m.locate(flat, problem_.columns, out_operand), problem_.columns, out_operand, first);
    auto store_rows = [&](const Lanes &to) {
      emit_loop(b, m.integer(0), rows, 1, [&](llvm::Value *r) {
        llvm::Value *index = b.CreateAdd(b.CreateMul(r, m.integer(columns_per_block_)), column);
        llvm::Value *tile_sums =
            b.CreateAlignedLoad(m.sum_vector, b.CreateGEP(m.sum_type, sums, index), m.sum_alignment());
        llvm::Value *out_row = b.CreateAlignedLoad(
            b.getInt64Ty(), at(m, item.scratch, out_rows_region_, b.getInt64Ty(), r), llvm::Align(8));
        m.store(tile_sums, to, out_row, mask);
      });
      return Values();
    };
    int64_t stride = 0;
    if (lanes.kind == Lanes::scattered && !has_single_stride(problem_.columns, out_operand, &stride)) {
      emit_if(
          b, m.are_neighbours(lanes.offsets), [&] { return store_rows(ContractionMemory::as_contiguous(m, lanes)); },
          [&] { return store_rows(lanes); });
    } else {
      store_rows(lanes);
    }
  });
}

// Returns void product(ptr rows, ptr columns, ptr sums, i64 contracted, i1 is_first, [ptr start]), which computes a
// tile of sums in registers. The contracted elements may be words.
llvm::Function *PackedStrategy::product_function(const ContractionMemory &m, int64_t rows, int64_t vectors) const {
  std::string name = name_ + ".product_" + std::to_string(rows) + "x" + std::to_string(vectors);
  if (llvm::Function *existing = module_.getFunction(name)) {
    return existing;
  }
  llvm::IRBuilder<>::InsertPointGuard guard(m.b);
  llvm::IRBuilder<> &b = m.b;
  llvm::Type *pointer = b.getPtrTy();
  std::vector<llvm::Type *> parameters = {pointer, pointer, pointer, b.getInt64Ty(), b.getInt1Ty()};
  if (start_region_ >= 0) {
    parameters.push_back(pointer);
  }
  auto *type = llvm::FunctionType::get(b.getVoidTy(), parameters, false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module_);
  function->addFnAttr(llvm::Attribute::NoInline);
  for (unsigned i = 0; i < 3; ++i) {
    function->addParamAttr(i, llvm::Attribute::NoAlias);
  }
  b.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "entry", function));
  auto sums_pointer = [&](int64_t r, int64_t v) {
    return b.CreateGEP(m.sum_type, function->getArg(2), m.integer(r * columns_per_block_ + v * width_));
  };
  auto for_all = [&](const std::function<llvm::Value *(int64_t, int64_t)> &get) {
    Values values;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t v = 0; v < vectors; ++v) {
        values.push_back(get(r, v));
      }
    }
    return values;
  };
  const Values start = for_all([&](int64_t, int64_t v) -> llvm::Value * {
    return start_region_ < 0
               ? m.zero()
               : b.CreateAlignedLoad(m.sum_vector, b.CreateGEP(m.sum_type, function->getArg(5), m.integer(v * width_)),
                                     m.sum_alignment());
  });
  Values sums =
      emit_loop_carrying(b, m.integer(0), function->getArg(3), 1, start, [&](llvm::Value *k, const Values &so_far) {
        Values columns;
        for (int64_t v = 0; v < vectors; ++v) {
          llvm::Value *index = b.CreateAdd(b.CreateMul(k, m.integer(tile_columns_)), m.integer(v * width_));
          columns.push_back(b.CreateAlignedLoad(m.sum_vector, b.CreateGEP(m.sum_type, function->getArg(1), index),
                                                m.sum_alignment()));
        }
        Values next;
        for (int64_t r = 0; r < rows; ++r) {
          llvm::Value *index = b.CreateAdd(k, m.integer(r * k_stride_));
          llvm::Value *x = m.splat(
              b.CreateAlignedLoad(m.sum_type, b.CreateGEP(m.sum_type, function->getArg(0), index), m.sum_alignment()));
          for (int64_t v = 0; v < vectors; ++v) {
            llvm::Value *y = columns[static_cast<size_t>(v)], *sum = so_far[next.size()];
            next.push_back(integer_dot_ ? integer_dot_->add(b, x, y, sum) : m.multiply_add(x, y, sum));
          }
        }
        return next;
      });
  // The sums of a block start at zero and are added to those of earlier blocks at its end. A term is then rounded with
  // the terms of its block and once for each later block, not with all later terms.
  auto with_earlier = [&] {
    return for_all([&](int64_t r, int64_t v) -> llvm::Value * {
      llvm::Value *sum = sums[static_cast<size_t>(r * vectors + v)];
      llvm::Value *earlier = b.CreateAlignedLoad(m.sum_vector, sums_pointer(r, v), m.sum_alignment());
      return m.sum_type->isFloatingPointTy() ? b.CreateFAdd(earlier, sum) : b.CreateAdd(earlier, sum);
    });
  };
  if (has_several_k_blocks_) {
    sums = emit_if(b, function->getArg(4), [&] { return sums; }, with_earlier);
  }
  for_all([&](int64_t r, int64_t v) {
    return b.CreateAlignedStore(sums[static_cast<size_t>(r * vectors + v)], sums_pointer(r, v), m.sum_alignment());
  });
  b.CreateRetVoid();
  return function;
}

}  // namespace

std::unique_ptr<ContractionStrategy> make_packed_strategy(const ContractionProblem &problem, const VectorTarget &target,
                                                          llvm::Module &module, const std::string &name) {
  return std::make_unique<PackedStrategy>(problem, target, module, name);
}

}  // namespace bp::emit
