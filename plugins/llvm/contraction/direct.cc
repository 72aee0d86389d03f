// The direct strategy: for a tile of a few rows and a few vectors of lanes, loops over the contracted elements and
// reads both operands from where they are.
#include <algorithm>
#include <functional>

#include "plugins/llvm/contraction/strategy.h"
#include "plugins/llvm/generator/loops.h"

namespace bp::emit {

namespace {

constexpr int64_t max_unrolled_products = 160;
constexpr int64_t lanes_per_item = 8192;

class DirectStrategy : public ContractionStrategy {
 public:
  DirectStrategy(const ContractionProblem &problem, const VectorTarget &target);
  int64_t items() const override { return total_size(outer_) * row_blocks_ * lane_blocks_; }
  void emit_item(const ContractionMemory &memory, llvm::Value *item, llvm::Value *scratch) const override;

 private:
  // The offsets given by all axes except lanes and contracted axes.
  struct Row {
    ElementOffset lhs;
    ElementOffset rhs;
    ElementOffset out;
  };
  // The lanes of one vector of the tile.
  struct Column {
    ElementOffset lhs_offset;  // for its coordinates
    Lanes lhs;
    Lanes rhs;
    Lanes out;
    llvm::Value *mask;  // lanes that exist; null: all
  };

  void emit_rows(const ContractionMemory &memory, const Row &outer, llvm::Value *first_row, int64_t count,
                 llvm::Value *first_lane, llvm::Value *last_lane) const;
  void emit_tile(const ContractionMemory &memory, const std::vector<Row> &rows, const std::vector<Column> &columns,
                 bool are_neighbours) const;
  // add(x, y, i): adds x * y to sum i.
  void emit_products(const ContractionMemory &memory, const std::vector<Row> &rows, const std::vector<Column> &columns,
                     llvm::Value *k, const std::function<void(llvm::Value *, llvm::Value *, size_t)> &add) const;

  std::vector<Axis> outer_;
  std::vector<Axis> row_axes_;
  std::vector<Axis> lane_axes_;
  std::vector<Axis> contracted_;
  int64_t rows_ = 1;
  int64_t lanes_ = 1;
  int64_t tile_rows_ = 1;
  int64_t tile_vectors_ = 1;
  int64_t row_blocks_ = 1;
  int64_t lane_blocks_ = 1;
  int64_t lanes_per_block_ = 1;
  bool is_compensated_ = false;
};

DirectStrategy::DirectStrategy(const ContractionProblem &problem, const VectorTarget &target)
    : contracted_(problem.contracted) {
  int64_t width = target.vector_bits / problem.types.accumulate->getScalarSizeInBits();
  // Lanes run along the batch if out is contiguous along it.
  auto closest = [](const std::vector<Axis> &axes) {
    return axes.empty() || axes.back().out == 0 ? INT64_MAX : std::abs(axes.back().out);
  };
  bool is_batch_closest = closest(problem.batch) < std::min(closest(problem.columns), closest(problem.rows));
  if (is_batch_closest && total_size(problem.batch) >= std::min(width, total_size(problem.columns))) {
    lane_axes_ = problem.batch;
    bool are_rows_longer = total_size(problem.rows) >= total_size(problem.columns);
    row_axes_ = are_rows_longer ? problem.rows : problem.columns;
    outer_ = are_rows_longer ? problem.columns : problem.rows;
  } else {
    lane_axes_ = problem.columns;
    row_axes_ = problem.rows;
    outer_ = problem.batch;
  }
  while (lane_axes_.size() > 1 && total_size(lane_axes_) / lane_axes_.front().size >= 4 * width) {
    outer_.push_back(lane_axes_.front());
    lane_axes_.erase(lane_axes_.begin());
  }
  // Vectors that cross the end of a row would need gathers if the strides change there. Vectors within one row do not,
  // even if the last one of each row is not full.
  auto is_single_stride = [&](Operand operand) {
    int64_t stride = 0;
    return has_single_stride(lane_axes_, operand, &stride);
  };
  bool changes_stride =
      !is_single_stride(lhs_operand) || !is_single_stride(rhs_operand) || !is_single_stride(out_operand);
  if (changes_stride && lane_axes_.back().size >= width / 4) {
    std::vector<Axis> rest(lane_axes_.begin(), lane_axes_.end() - 1);
    if (total_size(row_axes_) == 1) {
      row_axes_ = {rest.back()};
      rest.pop_back();
    }
    outer_.insert(outer_.end(), rest.begin(), rest.end());
    lane_axes_ = {lane_axes_.back()};
  }
  rows_ = total_size(row_axes_);
  lanes_ = total_size(lane_axes_);
  // Strided access needs more code than contiguous access, so tiles are smaller.
  auto is_sparse = [&](Operand operand) {
    int64_t stride = 0;
    return has_single_stride(lane_axes_, operand, &stride) && stride > 1 && stride <= Lanes::largest_stride;
  };
  int64_t contracted = total_size(contracted_);
  bool is_code_large = is_sparse(lhs_operand) || is_sparse(rhs_operand) || is_sparse(out_operand);
  tile_rows_ = std::min<int64_t>(rows_, is_code_large ? (contracted <= 8 ? 2 : 1) : 8);
  // The number of vectors is limited by the registers for sums, so that long runs of memory are read for each
  // contracted element.
  int64_t max_vectors = std::min<int64_t>(16, (target.vector_registers - 4) / (tile_rows_ + 1));
  if (contracted <= 64) {
    // Short sums are unrolled: a few vectors suffice, and more would only add code.
    max_vectors = std::clamp<int64_t>(32 / std::max<int64_t>(1, tile_rows_ * contracted), 1, is_code_large ? 2 : 4);
  }
  tile_vectors_ = std::clamp<int64_t>((lanes_ + width - 1) / width, 1, max_vectors);
  row_blocks_ = (rows_ + tile_rows_ - 1) / tile_rows_;
  int64_t tile_lanes = tile_vectors_ * width;
  int64_t blocks = (lanes_ + lanes_per_item - 1) / lanes_per_item;
  lanes_per_block_ = ((lanes_ + blocks - 1) / blocks + tile_lanes - 1) / tile_lanes * tile_lanes;
  lane_blocks_ = (lanes_ + lanes_per_block_ - 1) / lanes_per_block_;
  is_compensated_ = is_worth_compensating(problem);
}

void DirectStrategy::emit_item(const ContractionMemory &m, llvm::Value *item, llvm::Value *) const {
  llvm::IRBuilder<> &b = m.b;
  auto take = [&](int64_t count) {
    llvm::Value *index = count == 1 ? m.integer(0) : b.CreateURem(item, m.integer(count));
    item = count == 1 ? item : b.CreateUDiv(item, m.integer(count));
    return index;
  };
  llvm::Value *lane_block = take(lane_blocks_);
  llvm::Value *row_block = take(row_blocks_);
  Row outer;
  for (auto [operand, element] :
       {std::pair{lhs_operand, &outer.lhs}, std::pair{rhs_operand, &outer.rhs}, std::pair{out_operand, &outer.out}}) {
    *element = m.locate(item, outer_, operand);
    element->offset = b.CreateAdd(element->offset, m.integer(m.problem.offsets[operand]));
  }
  llvm::Value *first_row = b.CreateMul(row_block, m.integer(tile_rows_));
  llvm::Value *first_lane = b.CreateMul(lane_block, m.integer(lanes_per_block_));
  llvm::Value *last_lane = m.minimum(b.CreateAdd(first_lane, m.integer(lanes_per_block_)), lanes_);
  auto emit_some = [&](int64_t count) {
    emit_rows(m, outer, first_row, count, first_lane, last_lane);
    return Values();
  };
  int64_t rest = rows_ % tile_rows_;
  if (rest == 0) {
    emit_some(tile_rows_);
  } else {
    emit_if(
        b, b.CreateICmpSLE(b.CreateAdd(first_row, m.integer(tile_rows_)), m.integer(rows_)),
        [&] { return emit_some(tile_rows_); }, [&] { return emit_some(rest); });
  }
}

void DirectStrategy::emit_rows(const ContractionMemory &m, const Row &outer, llvm::Value *first_row, int64_t count,
                               llvm::Value *first_lane, llvm::Value *last_lane) const {
  llvm::IRBuilder<> &b = m.b;
  std::vector<Row> rows;
  for (int64_t r = 0; r < count; ++r) {
    llvm::Value *index = b.CreateAdd(first_row, m.integer(r));
    rows.push_back({m.sum(outer.lhs, m.locate(index, row_axes_, lhs_operand)),
                    m.sum(outer.rhs, m.locate(index, row_axes_, rhs_operand)),
                    m.sum(outer.out, m.locate(index, row_axes_, out_operand))});
  }
  emit_loop(b, first_lane, last_lane, tile_vectors_ * m.width, [&](llvm::Value *lane) {
    std::vector<Column> columns;
    llvm::Value *are_neighbours = nullptr;
    for (int64_t v = 0; v < tile_vectors_; ++v) {
      llvm::Value *first = b.CreateAdd(lane, m.integer(v * m.width));
      llvm::Value *flat = m.lane_indices(first);
      llvm::Value *mask = nullptr;
      if (lanes_ % (tile_vectors_ * m.width) != 0) {
        mask = b.CreateICmpSLT(flat, llvm::ConstantInt::getSigned(flat->getType(), lanes_));
        flat = m.minimum(flat, lanes_ - 1);
      }
      auto lanes_in = [&](const ElementOffset &element, Operand operand) {
        Lanes lanes = m.lanes_of(element, lane_axes_, operand, first);
        int64_t stride = 0;
        bool is_strided = has_single_stride(lane_axes_, operand, &stride);
        if (operand != out_operand && lanes.kind == Lanes::scattered && !is_strided) {
          llvm::Value *is_row = m.are_neighbours(element.offset);
          are_neighbours = are_neighbours == nullptr ? is_row : b.CreateAnd(are_neighbours, is_row);
        }
        return lanes;
      };
      ElementOffset lhs = m.locate(flat, lane_axes_, lhs_operand);
      columns.push_back({lhs, lanes_in(lhs, lhs_operand),
                         lanes_in(m.locate(flat, lane_axes_, rhs_operand), rhs_operand),
                         lanes_in(m.locate(flat, lane_axes_, out_operand), out_operand), mask});
    }
    auto emit = [&](bool are_rows) {
      emit_tile(m, rows, columns, are_rows);
      return Values();
    };
    if (are_neighbours == nullptr) {
      emit(false);
    } else {
      emit_if(b, are_neighbours, [&] { return emit(true); }, [&] { return emit(false); });
    }
  });
}

void DirectStrategy::emit_tile(const ContractionMemory &m, const std::vector<Row> &rows,
                               const std::vector<Column> &given_columns, bool are_neighbours) const {
  llvm::IRBuilder<> &b = m.b;
  std::vector<Column> columns = given_columns;
  for (Column &column : columns) {
    auto settle = [&](Lanes &lanes, Operand operand) {
      int64_t stride = 0;
      if (are_neighbours && !has_single_stride(lane_axes_, operand, &stride)) {
        lanes = ContractionMemory::as_contiguous(m, lanes);
      }
    };
    settle(column.lhs, lhs_operand);
    settle(column.rhs, rhs_operand);
  }
  int64_t contracted = total_size(contracted_);
  Values sums(rows.size() * columns.size(), m.zero());
  auto add_products = [&](llvm::Value *k, Values &to) {
    emit_products(m, rows, columns, k,
                  [&](llvm::Value *x, llvm::Value *y, size_t i) { to[i] = m.multiply_add(x, y, to[i]); });
  };
  if (is_compensated_ && contracted * static_cast<int64_t>(sums.size()) <= max_unrolled_products) {
    Values losses = sums;
    for (int64_t k = 0; k < contracted; ++k) {
      emit_products(m, rows, columns, m.integer(k),
                    [&](llvm::Value *x, llvm::Value *y, size_t i) { m.add_compensated(x, y, sums[i], losses[i]); });
    }
    for (size_t i = 0; i < sums.size(); ++i) {
      sums[i] = m.compensated(sums[i], losses[i]);
    }
  } else if (contracted * static_cast<int64_t>(sums.size()) <= max_unrolled_products) {
    for (int64_t k = 0; k < contracted; ++k) {
      add_products(m.integer(k), sums);
    }
  } else {
    sums = emit_sum(b, contracted, 1, sums, [&](llvm::Value *k, const Values &so_far) {
      Values next = so_far;
      add_products(k, next);
      return next;
    });
  }
  for (size_t v = 0; v < columns.size(); ++v) {
    int64_t stride = 0;
    bool is_dynamic = columns[v].out.kind == Lanes::scattered && !has_single_stride(lane_axes_, out_operand, &stride);
    auto store_all = [&](const Lanes &lanes) {
      for (size_t r = 0; r < rows.size(); ++r) {
        m.store(sums[r * columns.size() + v], lanes, rows[r].out.offset, columns[v].mask);
      }
      return Values();
    };
    if (is_dynamic) {
      emit_if(
          b, m.are_neighbours(columns[v].out.offsets),
          [&] { return store_all(ContractionMemory::as_contiguous(m, columns[v].out)); },
          [&] { return store_all(columns[v].out); });
    } else {
      store_all(columns[v].out);
    }
  }
}

// Emits the products of one contracted element, for each row and vector of columns.
void DirectStrategy::emit_products(const ContractionMemory &m, const std::vector<Row> &rows,
                                   const std::vector<Column> &columns, llvm::Value *k,
                                   const std::function<void(llvm::Value *, llvm::Value *, size_t)> &add) const {
  llvm::IRBuilder<> &b = m.b;
  ElementOffset lhs_step = m.locate(k, contracted_, lhs_operand);
  ElementOffset rhs_step = m.locate(k, contracted_, rhs_operand);
  // An operand without strides in the rows is read once for all of them.
  auto is_same_for_rows = [&](Operand operand) {
    return std::all_of(row_axes_.begin(), row_axes_.end(),
                       [&](const Axis &axis) { return stride_of(axis, operand) == 0 && axis.window < 0; });
  };
  bool is_lhs_shared = is_same_for_rows(lhs_operand);
  bool is_rhs_shared = is_same_for_rows(rhs_operand);
  auto load_lhs = [&](const Row &row, const Column &column) {
    const ElementOffset *parts[] = {&lhs_step, &row.lhs, &column.lhs_offset};
    Mask mask = m.mask_of(parts);
    if (column.lhs.kind != Lanes::uniform || mask.lanes != nullptr) {
      mask.lanes = m.mask_and(mask.lanes, column.mask);
    }
    return m.load(lhs_operand, column.lhs, b.CreateAdd(row.lhs.offset, lhs_step.offset), mask);
  };
  auto load_rhs = [&](const Row &row, const Column &column) {
    llvm::Value *mask = column.rhs.kind == Lanes::uniform ? nullptr : column.mask;
    return m.load(rhs_operand, column.rhs, b.CreateAdd(row.rhs.offset, rhs_step.offset), mask);
  };
  bool lanes_move_windows =
      std::any_of(lane_axes_.begin(), lane_axes_.end(), [](const Axis &axis) { return axis.window >= 0; });
  Values shared_lhs;
  Values shared_rhs;
  for (const Column &column : columns) {
    shared_lhs.push_back(is_lhs_shared ? load_lhs(rows[0], column) : nullptr);
    shared_rhs.push_back(is_rhs_shared ? load_rhs(rows[0], column) : nullptr);
  }
  for (size_t r = 0; r < rows.size(); ++r) {
    llvm::Value *row_lhs = nullptr;
    llvm::Value *row_rhs = nullptr;
    for (size_t v = 0; v < columns.size(); ++v) {
      // An operand without lanes is read once for all columns.
      bool is_lhs_uniform = columns[v].lhs.kind == Lanes::uniform && !lanes_move_windows;
      bool is_rhs_uniform = columns[v].rhs.kind == Lanes::uniform;
      llvm::Value *x = is_lhs_shared               ? shared_lhs[v]
                       : is_lhs_uniform && row_lhs ? row_lhs
                                                   : load_lhs(rows[r], columns[v]);
      llvm::Value *y = is_rhs_shared               ? shared_rhs[v]
                       : is_rhs_uniform && row_rhs ? row_rhs
                                                   : load_rhs(rows[r], columns[v]);
      row_lhs = x;
      row_rhs = y;
      add(x, y, r * columns.size() + v);
    }
  }
}

}  // namespace

std::unique_ptr<ContractionStrategy> make_direct_strategy(const ContractionProblem &problem,
                                                          const VectorTarget &target) {
  return std::make_unique<DirectStrategy>(problem, target);
}

}  // namespace bp::emit
