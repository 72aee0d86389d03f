// Choices of the packed strategy, and the loop over the blocks of an item.
#include "plugins/llvm/contraction/packed/strategy.h"

#include <cmath>
#include <numeric>

#include "plugins/llvm/contraction/packed/panels.h"
#include "plugins/llvm/contraction/tile_product.h"
#include "plugins/llvm/generator/loops.h"

namespace bp::emit {

namespace {

constexpr int64_t max_depth_of_block = 384;         // contracted elements, or words of them
constexpr int64_t column_block_bytes = 384 * 1024;  // part of a second-level cache of at least 512 KiB
constexpr int64_t sums_bytes = 384 * 1024;
constexpr int64_t wanted_items = 8;          // for threads to share
constexpr int64_t least_rows_of_split = 64;  // fewer do not repay the packing of the columns
// Contracted elements of a stage, multiples of all words and vectors. A stage has all columns of a block, but a tile of
// rows.
constexpr int64_t row_stage = 256, column_stage = 64;

int64_t round_up(int64_t x, int64_t y) {
  return divide_up(x, y) * y;
}

// Returns the tile that needs the fewest cycles for all sums: one cycle per multiplication of a vector (at least enough
// to cover its latency), or half a cycle per broadcast and one per load. panels: the tile's sizes that are given by
// panels; 0 if they are not.
RegisterTile choose_vector_tile(int64_t rows, int64_t columns, int64_t width, unsigned registers, RegisterTile panels) {
  static constexpr RegisterTile for_32_registers[] = {{8, 3},  {6, 4},  {12, 2}, {14, 2},
                                                      {10, 2}, {24, 1}, {4, 4},  {4, 6}};
  static constexpr RegisterTile for_16_registers[] = {{6, 2}, {4, 3}, {4, 2}, {12, 1}, {8, 1}};
  auto shapes = registers >= 32 ? std::span<const RegisterTile>(for_32_registers) : for_16_registers;
  auto cost = [&](RegisterTile shape) {
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
  const auto fits = [&](RegisterTile shape) {
    return (panels.rows == 0 || shape.rows == panels.rows) && (panels.vectors == 0 || shape.vectors == panels.vectors);
  };
  return *std::min_element(shapes.begin(), shapes.end(), [&](RegisterTile x, RegisterTile y) {
    return fits(x) == fits(y) ? cost(x) < cost(y) * 0.999 : fits(x);
  });
}

RegisterTile choose_tile(const ContractionProblem &problem, const VectorTarget &target,
                         const std::optional<WordProduct> &word_product, int64_t width) {
  const int64_t rows = total_size(problem.rows), columns = total_size(problem.columns);
  if (!word_product || !word_product->has_tiles()) {
    const RegisterTile panels = {problem.panels[problem.row_operand], problem.panels[problem.column_operand] / width};
    return choose_vector_tile(rows, columns, width, target.vector_registers, panels);
  }
  // Four tiles of sums, so that there is work while the next tiles are loaded.
  const int64_t row_tiles = rows > tile_side ? 2 : 1;
  return {row_tiles * tile_side, std::min(divide_up(columns, tile_side), 4 / row_tiles)};
}

int64_t lanes_of(const ContractionProblem &problem, const VectorTarget &target) {
  return target.vector_bits / problem.types.accumulate->getScalarSizeInBits();
}

}  // namespace

std::array<int64_t, 2> panel_widths(const ContractionProblem &problem, const VectorTarget &target) {
  const auto word_product = WordProduct::of(problem, target);
  if (target.is_threaded || word_product || total_size(problem.batch) != 1 || total_size(problem.contracted) == 0) {
    return {};
  }
  const int64_t lanes = lanes_of(problem, target);
  const RegisterTile tile = choose_tile(problem, target, word_product, lanes);
  std::array<int64_t, 2> widths;
  widths[problem.row_operand] = tile.rows;
  widths[problem.column_operand] = tile.vectors * lanes;
  widths[lhs_operand] = problem.types.lhs == problem.types.accumulate ? widths[lhs_operand] : 0;
  widths[rhs_operand] = problem.types.rhs == problem.types.accumulate ? widths[rhs_operand] : 0;
  return widths;
}

bool reads_columns_transposed(const ContractionProblem &problem, int64_t lanes) {
  int64_t lane_stride = 0;
  const Operand operand = problem.column_operand;
  const bool has_lanes = has_single_stride(problem.columns, operand, &lane_stride) && lane_stride == 1;
  const bool has_windows = operand == lhs_operand && std::ranges::any_of(problem.windows, [](const Window &window) {
                             return window.size != Window::unbounded;
                           });
  return !has_lanes && !has_windows && !problem.contracted.empty() && problem.contracted.back().size >= lanes / 2 &&
         stride_of(problem.contracted.back(), operand) == 1;
}

PackedStrategy::PackedStrategy(const ContractionProblem &problem, const VectorTarget &target, llvm::Module &module,
                               const std::string &name)
    : problem_(problem),
      module_(module),
      name_(name),
      word_product_(WordProduct::of(problem, target)),
      width_(lanes_of(problem, target)),
      rows_(total_size(problem.rows)),
      columns_(total_size(problem.columns)),
      block_axes_(problem.contracted),
      tile_(choose_tile(problem, target, word_product_, width_)) {
  choose_copies();
  choose_blocks();
  take_regions();
}

// Chooses how each operand is read, and with that the axes of a block.
void PackedStrategy::choose_copies() {
  const bool copies_columns = !is_in_panels(problem_.column_operand);
  transposes_columns_ = copies_columns && reads_columns_transposed(problem_, width_);
  if (transposes_columns_) {
    outer_axes_.assign(block_axes_.begin(), block_axes_.end() - 1);
    block_axes_.erase(block_axes_.begin(), block_axes_.end() - 1);
  }
  outer_k_ = total_size(outer_axes_);
  block_k_ = total_size(block_axes_);
  int64_t lane_stride = 0;
  const bool has_lanes = has_single_stride(problem_.columns, problem_.column_operand, &lane_stride) && lane_stride == 1;
  copies_column_rows_ = copies_columns && has_lanes && !has_windows(problem_.column_operand);
  // Rows that are next to each other in memory are transposed in the same way.
  int64_t row_stride = 0;
  int64_t k_stride = 0;
  transposes_rows_ = !is_in_panels(problem_.row_operand) && !has_windows(problem_.row_operand) &&
                     has_single_stride(problem_.rows, problem_.row_operand, &row_stride) && row_stride == 1 &&
                     !(has_single_stride(block_axes_, problem_.row_operand, &k_stride) && k_stride == 1);
  has_column_stage_ = word_product_ && !copies_column_rows_ && !transposes_columns_;
  const bool has_plain_rows = !has_windows(problem_.row_operand) &&
                              has_single_stride(block_axes_, problem_.row_operand, &k_stride) && k_stride == 1;
  if (can_multiply_rows_in_place()) {
    has_single_stride(problem_.rows, problem_.row_operand, &row_stride_);
  }
  has_row_stage_ = word_product_ && !transposes_rows_ && !has_plain_rows && !has_runs(width_ * word_product_->group());
}

// Whether the rows are as the product reads them: elements of the sums' type that follow each other along k, and rows
// at one stride. A tile of rows must fit in a few ways of a first-level cache.
bool PackedStrategy::can_multiply_rows_in_place() const {
  constexpr int64_t bytes_per_way = 4096, ways = 4;
  const Operand operand = problem_.row_operand;
  const llvm::Type *const type = operand == lhs_operand ? problem_.types.lhs : problem_.types.rhs;
  int64_t k_stride = 0, row_stride = 0;
  if (word_product_ || has_windows(operand) || is_in_panels(operand) || type != problem_.types.accumulate ||
      !has_single_stride(block_axes_, operand, &k_stride) || k_stride != 1 ||
      !has_single_stride(problem_.rows, operand, &row_stride) || row_stride <= 0) {
    return false;
  }
  const int64_t rows_in_ways = bytes_per_way / std::gcd(row_stride * bytes_per_sum(), bytes_per_way);
  return divide_up(tile_.rows, rows_in_ways) <= ways;
}

// Chooses the sizes of blocks, and how many there are.
void PackedStrategy::choose_blocks() {
  const int64_t element = bytes_per_sum(), group = word_product_ ? word_product_->group() : 1,
                step = word_product_ ? word_product_->step() : 1;
  // Vectors add each product to a float by itself, so a block that is as long as without words has sums as exact.
  const bool adds_singly = word_product_ && word_product_->is_float() && !word_product_->has_tiles();
  const int64_t max_contracted = max_depth_of_block * (adds_singly ? 1 : group);
  k_blocks_ = divide_up(block_k_, max_contracted);
  k_per_block_ = k_blocks_ == 1 ? block_k_ : round_up(divide_up(block_k_, k_blocks_), std::max(width_, step * group));
  k_blocks_ = divide_up(block_k_, k_per_block_);
  const int64_t depth = round_up(divide_up(k_per_block_, group), std::max(width_, step));
  column_panels_.stride = row_panels_.stride = depth;
  column_panels_.group = row_panels_.group = group;
  has_several_k_blocks_ = k_blocks_ * outer_k_ > 1;

  tile_columns_ = tile_.vectors * width_;
  int64_t max_columns = std::max(tile_columns_, column_block_bytes / element / depth / tile_columns_ * tile_columns_);
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
  // Each block of columns packs all rows once more, and the other way round.
  while (count_blocks() < wanted_items) {
    const bool can_split_columns = columns_per_block_ > 2 * tile_columns_;
    const bool copies_columns = !is_in_panels(problem_.column_operand);
    const bool can_split_rows =
        rows_per_block_ > 2 * tile_.rows && (rows_per_block_ > least_rows_of_split || !copies_columns);
    if (!can_split_columns && !can_split_rows) {
      break;
    }
    const int64_t copies_by_rows = copies_columns ? columns_ * row_blocks_ : 0;
    const int64_t copies_by_columns = copies_rows() ? rows_ * column_blocks_ : 0;
    const bool is_cheaper_by_rows = copies_by_rows < copies_by_columns;
    if (can_split_rows && (is_cheaper_by_rows || !can_split_columns)) {
      rows_per_block_ = round_up(rows_per_block_ / 2, tile_.rows);
    } else {
      columns_per_block_ = round_up(columns_per_block_ / 2, tile_columns_);
    }
  }
}

// Divides the scratch memory.
void PackedStrategy::take_regions() {
  const int64_t element = bytes_per_sum(), index_bytes = problem_.needs_wide_index ? 8 : 4,
                table_bytes = round_up(k_per_block_, width_) * index_bytes;
  if (!is_in_panels(problem_.column_operand)) {
    column_panels_.region = take_scratch(column_panels_.stride * columns_per_block_ * element);
  }
  if (copies_rows()) {
    row_panels_.region = take_scratch((row_panels_.stride * tile_.rows + width_) * element);
  }
  column_copies_ = column_panels_;
  row_copies_ = row_panels_;
  if (has_column_stage_) {
    column_copies_ = {take_scratch(column_stage * columns_per_block_ * element), column_stage};
  }
  if (has_row_stage_) {
    const int64_t stage = std::min(row_stage, round_up(k_per_block_, column_stage));
    row_copies_ = {take_scratch(stage * tile_.rows * element), stage};
  }
  sums_region_ = take_scratch((has_several_k_blocks_ ? rows_per_block_ : tile_.rows) * columns_per_block_ * element);
  out_rows_region_ = take_scratch(tile_.rows * 8);
  if (word_product_ && word_product_->moves_rows()) {
    start_region_ = take_scratch(columns_per_block_ * element);
  }
  for (Operand operand : {lhs_operand, rhs_operand}) {
    k_offset_regions_[operand] = has_k_table(operand) ? take_scratch(table_bytes) : -1;
  }
  for (size_t w = 0; w < problem_.windows.size(); ++w) {
    bool is_moved = std::any_of(block_axes_.begin(), block_axes_.end(),
                                [&](const Axis &axis) { return axis.window == static_cast<int>(w); });
    k_coordinate_regions_.push_back(is_moved ? take_scratch(table_bytes) : -1);
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

  const bool has_tiles = word_product_ && word_product_->has_tiles();
  if (has_tiles) {
    configure_tiles(b, module_, rows_);
  }
  emit_loop(b, m.integer(0), m.integer(outer_k_), 1, [&](llvm::Value *outer) {
    if (k_blocks_ == 1) {
      emit_block(item, outer, m.integer(0));
    } else {
      emit_loop(b, m.integer(0), m.integer(k_blocks_), 1, [&](llvm::Value *block) { emit_block(item, outer, block); });
    }
  });
  if (has_tiles) {
    release_tiles(b);
  }
}

// Adds the products of a block of contracted elements to the sums.
void PackedStrategy::emit_block(Item &item, llvm::Value *outer, llvm::Value *block) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  for (Operand operand : {lhs_operand, rhs_operand}) {
    item.outer_k[operand] = m.sum(item.bases[operand], m.locate(outer, outer_axes_, operand));
  }
  item.first_k = b.CreateMul(block, m.integer(k_per_block_));
  item.last_k = m.minimum(b.CreateAdd(item.first_k, m.integer(k_per_block_)), block_k_);
  item.place = b.CreateAdd(b.CreateMul(outer, m.integer(block_k_)), item.first_k);
  llvm::Value *sequence = b.CreateAdd(b.CreateMul(outer, m.integer(k_blocks_)), block);
  item.is_first = b.CreateICmpEQ(sequence, m.integer(0));
  item.is_last = b.CreateICmpEQ(sequence, m.integer(k_blocks_ * outer_k_ - 1));
  emit_k_table(item);
  if (!is_in_panels(problem_.column_operand)) {
    emit_columns(item);
  }
  emit_loop(b, item.first_row, item.last_row, tile_.rows, [&](llvm::Value *row) { emit_row_tile(item, row); });
}

std::unique_ptr<ContractionStrategy> make_packed_strategy(const ContractionProblem &problem, const VectorTarget &target,
                                                          llvm::Module &module, const std::string &name) {
  return std::make_unique<PackedStrategy>(problem, target, module, name);
}

}  // namespace bp::emit
