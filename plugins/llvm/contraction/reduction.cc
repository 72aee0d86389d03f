// The reduction strategy: vectors run along the contracted elements, which are contiguous in both operands; each of a
// few outputs has a vector of partial sums, which are added up at the end.
#include <algorithm>

#include "plugins/llvm/contraction/strategy.h"
#include "plugins/llvm/generator/loops.h"

namespace bp::emit {

namespace {

// Columns of one row's product that have fewer bytes are read one after the other: processors read ahead in a page.
// Longer ones are read side by side, which keeps more reads in flight.
constexpr int64_t short_column = 8192;
constexpr int64_t sums_for_latency = 8;  // independent sums that hide how long an addition takes

class ReductionStrategy : public ContractionStrategy {
 public:
  ReductionStrategy(const ContractionProblem &problem, const VectorTarget &target);
  int64_t items() const override { return total_size(batch_) * row_blocks_ * column_blocks_; }
  void emit_item(const ContractionMemory &memory, llvm::Value *item, llvm::Value *scratch) const override;

 private:
  // The offsets, in the three operands, of the rows and columns of a tile.
  struct Tile {
    std::vector<ElementOffset> rows;
    std::vector<ElementOffset> columns;
    std::vector<llvm::Value *> outs;  // row by row
  };
  void emit_tile(const ContractionMemory &memory, llvm::Value *batch, llvm::Value *first_row, int64_t rows,
                 llvm::Value *first_column, int64_t columns) const;
  Values emit_vectors(const ContractionMemory &memory, const Tile &tile, const ElementOffset &outer_row,
                      const ElementOffset &outer_column, llvm::Value *lane, const Values &sums) const;
  Values emit_vector(const ContractionMemory &memory, const Tile &tile, const ElementOffset &outer_row,
                     const ElementOffset &outer_column, llvm::Value *lane, const Values &sums) const;
  Values emit_products(const ContractionMemory &memory, const Tile &tile, const ElementOffset &row_lanes_offset,
                       const ElementOffset &column_lanes_offset, const Lanes &row_lanes, const Lanes &column_lanes,
                       const ElementOffset &outer_row, const ElementOffset &outer_column, llvm::Value *exists,
                       const Values &sums) const;

  std::vector<Axis> batch_;
  std::vector<Axis> outer_;  // contracted axes outside the vectors
  std::vector<Axis> lane_axes_;
  int64_t rows_, columns_, tile_rows_, tile_columns_, row_blocks_, column_blocks_;
  int64_t vectors_at_a_time_ = 1;  // along the contracted elements, each with sums of its own
};

ReductionStrategy::ReductionStrategy(const ContractionProblem &problem, const VectorTarget &target)
    : batch_(problem.batch),
      lane_axes_(problem.contracted),
      rows_(total_size(problem.rows)),
      columns_(total_size(problem.columns)) {
  int64_t width = target.vector_bits / problem.types.accumulate->getScalarSizeInBits();
  while (lane_axes_.size() > 1 && total_size(lane_axes_) / lane_axes_.front().size >= 4 * width) {
    outer_.push_back(lane_axes_.front());
    lane_axes_.erase(lane_axes_.begin());
  }
  int64_t most = target.vector_registers / 2;
  const int64_t lanes = total_size(lane_axes_);
  const bool has_short_columns = lanes * read_bits(problem, problem.column_operand) < 8 * short_column;
  tile_columns_ = std::min<int64_t>(columns_, rows_ > 1 ? 4 : has_short_columns ? 1 : 8);
  tile_columns_ = columns_ <= most && rows_ <= 2 ? columns_ : tile_columns_;
  tile_rows_ = std::clamp<int64_t>(most / tile_columns_, 1, rows_);
  while (2 * vectors_at_a_time_ * tile_rows_ * tile_columns_ <= sums_for_latency &&
         lanes % (2 * vectors_at_a_time_ * width) == 0) {
    vectors_at_a_time_ *= 2;
  }
  row_blocks_ = (rows_ + tile_rows_ - 1) / tile_rows_;
  column_blocks_ = (columns_ + tile_columns_ - 1) / tile_columns_;
}

void ReductionStrategy::emit_item(const ContractionMemory &m, llvm::Value *item, llvm::Value *) const {
  llvm::IRBuilder<> &b = m.b;
  llvm::Value *column_block = b.CreateURem(item, m.integer(column_blocks_));
  item = b.CreateUDiv(item, m.integer(column_blocks_));
  llvm::Value *row_block = b.CreateURem(item, m.integer(row_blocks_));
  llvm::Value *batch = b.CreateUDiv(item, m.integer(row_blocks_));
  llvm::Value *first_row = b.CreateMul(row_block, m.integer(tile_rows_));
  llvm::Value *first_column = b.CreateMul(column_block, m.integer(tile_columns_));
  // Calls `emit` with the size of the full tile, or with that of the partial one.
  auto with_count = [&](llvm::Value *first, int64_t tile, int64_t size, const std::function<void(int64_t)> &emit) {
    if (size % tile == 0) {
      emit(tile);
      return;
    }
    emit_if(
        b, b.CreateICmpSLE(b.CreateAdd(first, m.integer(tile)), m.integer(size)),
        [&] {
          emit(tile);
          return Values();
        },
        [&] {
          emit(size % tile);
          return Values();
        });
  };
  with_count(first_row, tile_rows_, rows_, [&](int64_t rows) {
    with_count(first_column, tile_columns_, columns_,
               [&](int64_t columns) { emit_tile(m, batch, first_row, rows, first_column, columns); });
  });
}

void ReductionStrategy::emit_tile(const ContractionMemory &m, llvm::Value *batch, llvm::Value *first_row, int64_t rows,
                                  llvm::Value *first_column, int64_t columns) const {
  llvm::IRBuilder<> &b = m.b;
  const ContractionProblem &problem = m.problem;
  auto base = [&](Operand operand) {
    ElementOffset element = m.locate(batch, batch_, operand);
    element.offset = b.CreateAdd(element.offset, m.integer(problem.offsets[operand]));
    return element;
  };
  ElementOffset row_base = base(problem.row_operand);
  ElementOffset column_base = base(problem.column_operand);
  ElementOffset out_base = base(out_operand);
  Tile tile;
  std::vector<ElementOffset> column_outs;
  for (int64_t c = 0; c < columns; ++c) {
    llvm::Value *index = b.CreateAdd(first_column, m.integer(c));
    tile.columns.push_back(m.sum(column_base, m.locate(index, problem.columns, problem.column_operand)));
    column_outs.push_back(m.locate(index, problem.columns, out_operand));
  }
  for (int64_t r = 0; r < rows; ++r) {
    llvm::Value *index = b.CreateAdd(first_row, m.integer(r));
    tile.rows.push_back(m.sum(row_base, m.locate(index, problem.rows, problem.row_operand)));
    ElementOffset row_out = m.sum(out_base, m.locate(index, problem.rows, out_operand));
    for (const ElementOffset &column_out : column_outs) {
      tile.outs.push_back(m.sum(row_out, column_out).offset);
    }
  }
  const Values zeros(tile.outs.size(), m.zero());
  Values sums = emit_loop_carrying(
      b, m.integer(0), m.integer(total_size(outer_)), 1, zeros, [&](llvm::Value *outer, const Values &outer_sums) {
        ElementOffset outer_row = m.locate(outer, outer_, problem.row_operand);
        ElementOffset outer_column = m.locate(outer, outer_, problem.column_operand);
        const Values all_zeros(zeros.size() * static_cast<size_t>(vectors_at_a_time_), m.zero());
        const Values all = emit_sum(b, total_size(lane_axes_), vectors_at_a_time_ * m.width, all_zeros,
                                    [&](llvm::Value *lane, const Values &so_far) {
                                      return emit_vectors(m, tile, outer_row, outer_column, lane, so_far);
                                    });
        Values added = outer_sums;
        for (size_t first = 0; first < all.size(); first += zeros.size()) {
          const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
          added = emit_additions(b, added, Values(begin, begin + static_cast<std::ptrdiff_t>(zeros.size())));
        }
        return added;
      });
  for (size_t i = 0; i < sums.size(); ++i) {
    llvm::Value *sum;
    if (m.sum_type->isFloatingPointTy()) {
      llvm::CallInst *reduced = b.CreateFAddReduce(llvm::ConstantFP::getNegativeZero(m.sum_type), sums[i]);
      reduced->setHasAllowReassoc(true);  // a tree of vector additions
      sum = reduced;
    } else {
      sum = b.CreateAddReduce(sums[i]);
    }
    m.store_scalar(sum, tile.outs[i]);
  }
}

// Emits the vectors from one lane on. sums: those of the tile, for each vector.
Values ReductionStrategy::emit_vectors(const ContractionMemory &m, const Tile &tile, const ElementOffset &outer_row,
                                       const ElementOffset &outer_column, llvm::Value *lane, const Values &sums) const {
  Values result;
  for (int64_t v = 0; v < vectors_at_a_time_; ++v) {
    const auto begin = sums.begin() + static_cast<std::ptrdiff_t>(result.size());
    const Values own(begin, begin + static_cast<std::ptrdiff_t>(tile.outs.size()));
    llvm::Value *first = v == 0 ? lane : m.b.CreateAdd(lane, m.integer(v * m.width));
    const Values next = emit_vector(m, tile, outer_row, outer_column, first, own);
    result.insert(result.end(), next.begin(), next.end());
  }
  return result;
}

Values ReductionStrategy::emit_vector(const ContractionMemory &m, const Tile &tile, const ElementOffset &outer_row,
                                      const ElementOffset &outer_column, llvm::Value *lane, const Values &sums) const {
  llvm::IRBuilder<> &b = m.b;
  llvm::Value *flat = m.lane_indices(lane);
  llvm::Value *exists = nullptr;
  int64_t size = total_size(lane_axes_);
  if (size % m.width != 0) {
    exists = b.CreateICmpSLT(flat, llvm::ConstantInt::getSigned(flat->getType(), size));
    flat = m.minimum(flat, size - 1);
  }
  ElementOffset row_offset = m.locate(flat, lane_axes_, m.problem.row_operand);
  ElementOffset column_offset = m.locate(flat, lane_axes_, m.problem.column_operand);
  Lanes row_lanes = m.lanes_of(row_offset, lane_axes_, m.problem.row_operand, lane);
  Lanes column_lanes = m.lanes_of(column_offset, lane_axes_, m.problem.column_operand, lane);
  auto emit = [&](const Lanes &of_rows, const Lanes &of_columns) {
    return emit_products(m, tile, row_offset, column_offset, of_rows, of_columns, outer_row, outer_column, exists,
                         sums);
  };
  llvm::Value *condition = nullptr;
  for (auto [lanes, operand] :
       {std::pair{&row_lanes, m.problem.row_operand}, std::pair{&column_lanes, m.problem.column_operand}}) {
    int64_t stride = 0;
    if (lanes->kind == Lanes::scattered && !has_single_stride(lane_axes_, operand, &stride)) {
      llvm::Value *are_neighbours = m.are_neighbours(lanes->offsets);
      condition = condition == nullptr ? are_neighbours : b.CreateAnd(condition, are_neighbours);
    }
  }
  if (condition == nullptr) {
    return emit(row_lanes, column_lanes);
  }
  auto settled = [&](const Lanes &lanes, Operand operand) {
    int64_t stride = 0;
    return has_single_stride(lane_axes_, operand, &stride) ? lanes : ContractionMemory::as_contiguous(m, lanes);
  };
  return emit_if(
      b, condition,
      [&] { return emit(settled(row_lanes, m.problem.row_operand), settled(column_lanes, m.problem.column_operand)); },
      [&] { return emit(row_lanes, column_lanes); });
}

Values ReductionStrategy::emit_products(const ContractionMemory &m, const Tile &tile,
                                        const ElementOffset &row_lanes_offset, const ElementOffset &column_lanes_offset,
                                        const Lanes &row_lanes, const Lanes &column_lanes,
                                        const ElementOffset &outer_row, const ElementOffset &outer_column,
                                        llvm::Value *exists, const Values &sums) const {
  llvm::IRBuilder<> &b = m.b;
  auto load = [&](const ElementOffset &fixed, const ElementOffset &outer, const ElementOffset &lanes_offset,
                  const Lanes &lanes, Operand operand) {
    llvm::Value *mask = exists;
    if (operand == lhs_operand) {
      const ElementOffset *parts[] = {&fixed, &outer, &lanes_offset};
      mask = m.mask_and(exists, m.mask_of(parts));
    }
    // Lanes of a uniform operand past the end are multiplied by zeros of the other operand only if those are masked.
    return m.load(operand, lanes, b.CreateAdd(fixed.offset, outer.offset), mask);
  };
  Values columns;
  for (const ElementOffset &column : tile.columns) {
    columns.push_back(load(column, outer_column, column_lanes_offset, column_lanes, m.problem.column_operand));
  }
  Values result;
  for (size_t r = 0; r < tile.rows.size(); ++r) {
    llvm::Value *row = load(tile.rows[r], outer_row, row_lanes_offset, row_lanes, m.problem.row_operand);
    for (size_t c = 0; c < columns.size(); ++c) {
      result.push_back(m.multiply_add(row, columns[c], sums[r * columns.size() + c]));
    }
  }
  return result;
}

}  // namespace

std::unique_ptr<ContractionStrategy> make_reduction_strategy(const ContractionProblem &problem,
                                                             const VectorTarget &target) {
  return std::make_unique<ReductionStrategy>(problem, target);
}

}  // namespace bp::emit
