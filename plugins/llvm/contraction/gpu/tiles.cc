#include "plugins/llvm/contraction/gpu/tiles.h"

#include <algorithm>

namespace bp::emit {

namespace {

constexpr int64_t barrier_bytes = 8;

int64_t bytes_of(const llvm::Type *type) {
  return type->getScalarSizeInBits() / 8;
}

}  // namespace

TileStrategy::TileStrategy(const ContractionProblem &problem, Team &team, int64_t depth, std::array<int64_t, 2> unit,
                           const ContractionShape &shape)
    : problem_(problem),
      team_(team),
      depth_(depth),
      unit_(unit),
      each_{shape.rows / unit[row_side], shape.columns / unit[column_side]},
      size_{total_size(problem.rows), total_size(problem.columns)},
      contracted_(total_size(problem.contracted)) {}

int64_t TileStrategy::slices_bytes() const {
  return (slice_size(row_side) + slice_size(column_side)) * bytes_of(slice_type());
}

// One slice is multiplied, and enough slices are in flight that reading memory takes no longer than multiplying. The
// previous slice may still be in use by an asynchronous multiplication when the next one is needed.
int64_t TileStrategy::slices_at_once() const {
  const int64_t least = multiplies_async() ? 3 : 2;
  const bool any_async = may_be_copied_async(row_side) || may_be_copied_async(column_side);
  return any_async ? std::clamp<int64_t>(max_memory_bytes() / slices_bytes(), least, max_slices) : least;
}

int64_t TileStrategy::scratch_bytes() const {
  const int64_t barriers = takes_boxes() ? slices_at_once() * barrier_bytes : 0;
  return std::max(slices_at_once() * slices_bytes() + barriers,
                  units_together() * unit_[row_side] * sums_stride() * bytes_of(problem_.types.accumulate));
}

// Lines of slices, and rows of sums, begin in different banks of memory, at multiples of 16 bytes.
int64_t TileStrategy::line_stride(size_t side) const {
  return (has_contracted_lines(side) ? depth_ : tile(side)) + 16 / bytes_of(slice_type());
}
int64_t TileStrategy::sums_stride() const {
  return tile(column_side) + std::max<int64_t>(8, 16 / bytes_of(problem_.types.accumulate));
}

int64_t TileStrategy::slice_size(size_t side) const {
  return line_stride(side) * (has_contracted_lines(side) ? tile(side) : depth_);
}

llvm::Value *TileStrategy::slice_offset(const ContractionMemory &m, size_t side, llvm::Value *k, llvm::Value *i) const {
  const bool is_along = has_contracted_lines(side);
  return m.b.CreateAdd(m.b.CreateMul(is_along ? i : k, m.integer(line_stride(side))), is_along ? k : i);
}

llvm::Value *TileStrategy::slice_address(const ContractionMemory &m, size_t side, llvm::Value *slice, llvm::Value *k,
                                         llvm::Value *i) const {
  return m.b.CreateInBoundsGEP(slice_type(), slice, slice_offset(m, side, k, i));
}

// Whether pieces are 16 bytes that are the same in both memories.
bool TileStrategy::may_be_copied_async(size_t side) const {
  llvm::Type *type = operand(side) == lhs_operand ? problem_.types.lhs : problem_.types.rhs;
  return team_.has_async_copy() && !problem_.prologues[operand(side)] &&
         lies_along_contracted(side) == has_contracted_lines(side) && slice_type() == storage_type_of(type) &&
         piece_lanes(side) * bytes_of(type) == 16;
}

bool TileStrategy::is_copied_async(const ContractionMemory &m, size_t side) const {
  const std::vector<Axis> &along = lies_along_contracted(side) ? m.problem.contracted : axes(m.problem, side);
  return may_be_copied_async(side) && m.vector_alignment(operand(side), along, piece_lanes(side)) >= 16;
}

// Starts the copies of a member's pieces. Neighbouring members read neighbours in memory, if there are any.
TileStrategy::Pieces TileStrategy::start_copy(const ContractionMemory &m, size_t side, const ElementOffset &batch,
                                              llvm::Value *first, llvm::Value *first_contracted,
                                              llvm::Value *slice) const {
  llvm::IRBuilder<> &b = m.b;
  const Operand from = operand(side);
  const bool is_along_contracted = lies_along_contracted(side), is_async = is_copied_async(m, side);
  const std::vector<Axis> &along = is_along_contracted ? m.problem.contracted : axes(m.problem, side);
  const int64_t lanes = piece_lanes(side), count = tile(side) * depth_ / lanes;
  Pieces pieces;
  for (int64_t done = 0; done < count; done += team_.size()) {
    llvm::Value *number = b.CreateAdd(team_.member(), m.integer(done));
    llvm::Value *in_line = m.integer((is_along_contracted ? depth_ : tile(side)) / lanes);
    llvm::Value *fast = b.CreateMul(b.CreateURem(number, in_line), m.integer(lanes));
    llvm::Value *slow = b.CreateUDiv(number, in_line);
    llvm::Value *k = is_along_contracted ? fast : slow, *i = is_along_contracted ? slow : fast;
    llvm::Value *at = b.CreateAdd(first, i), *contracted = b.CreateAdd(first_contracted, k);
    const ElementOffset line = m.sum(batch, m.locate(at, axes(m.problem, side), from));
    const ElementOffset step = m.locate(contracted, m.problem.contracted, from);
    llvm::Value *is_left = b.CreateICmpULT(contracted, m.integer(contracted_));
    llvm::Value *is_there = m.mask_and(m.is_below(at, size_[side], tile(side)), is_left);
    if (from == lhs_operand) {
      is_there = m.mask_and(is_there, m.mask_of(std::initializer_list<const ElementOffset *>{&line, &step}).condition);
    }
    llvm::Value *offset = b.CreateAdd(line.offset, step.offset);
    Piece piece = {slice, k, i, m.is_below(number, count, team_.size()), std::nullopt};
    if (is_async) {
      llvm::Value *to = slice_address(m, side, slice, k, i);
      emit_when(b, piece.is_one, [&] { team_.cp_async(b, to, m.address(from, offset, is_there), is_there); });
    } else {
      piece.loading = m.start_load(from, along, offset, lanes, m.mask_and(is_there, piece.is_one));
    }
    pieces.push_back(piece);
  }
  return pieces;
}

void TileStrategy::finish_copy(const ContractionMemory &m, size_t side, const Pieces &pieces) const {
  llvm::IRBuilder<> &b = m.b;
  for (const Piece &piece : pieces) {
    if (!piece.loading) {
      continue;
    }
    emit_when(b, piece.is_one, [&] {
      const Values values = elements(m, operand(side), m.finish_load(*piece.loading));
      // If lines of the slice run in the other direction, stores elements one by one; otherwise up to 16 bytes of
      // neighbours at a time.
      const bool is_along_contracted = lies_along_contracted(side);
      const int64_t most = is_along_contracted == has_contracted_lines(side) ? 16 / bytes_of(slice_type()) : 1;
      const auto count = static_cast<int64_t>(values.size()), together = std::min(count, most);
      for (int64_t first = 0; first < count; first += together) {
        llvm::Value *k = is_along_contracted ? b.CreateAdd(piece.k, m.integer(first)) : piece.k;
        llvm::Value *i = is_along_contracted ? piece.i : b.CreateAdd(piece.i, m.integer(first));
        llvm::Value *vector =
            llvm::PoisonValue::get(llvm::FixedVectorType::get(slice_type(), static_cast<unsigned>(together)));
        for (int64_t n = 0; n < together; ++n) {
          vector = b.CreateInsertElement(vector, values[static_cast<size_t>(first + n)], static_cast<uint64_t>(n));
        }
        b.CreateAlignedStore(vector, slice_address(m, side, piece.slice, k, i),
                             llvm::Align(static_cast<uint64_t>(together * bytes_of(slice_type()))));
      }
    });
  }
}

// Returns the copy engine's view of a side; it must have single axes, and the lines of the slice must run along the
// first dimension of the view.
std::optional<TensorView> TileStrategy::view(const ContractionMemory &m, size_t side) const {
  const Operand from = operand(side);
  const std::vector<Axis> &of_side = axes(problem_, side), &contracted = problem_.contracted;
  const auto has_window = [](const Axis &axis) { return axis.window >= 0; };
  const bool is_along_contracted = lies_along_contracted(side);
  const int64_t bytes = bytes_of(slice_type());
  if (!takes_boxes() || !team_.has_copy_engine() || of_side.size() != 1 || contracted.size() != 1 ||
      problem_.batch.size() > 1 || has_window(of_side[0]) || has_window(contracted[0]) ||
      (!problem_.batch.empty() && has_window(problem_.batch[0])) || !is_copied_async(m, side)) {
    return std::nullopt;
  }
  constexpr int64_t max_elements = int64_t{1} << 31, max_bytes = int64_t{1} << 40;
  TensorView view = {m.pointers[from], problem_.offsets[from], bytes, {}};
  const int64_t line = WarpgroupUnit::line_bytes / bytes;
  const TensorView::Dimension in_side = {size_[side], stride_of(of_side[0], from),
                                         is_along_contracted ? tile(side) : line};
  const TensorView::Dimension in_contracted = {contracted_, stride_of(contracted[0], from), depth_};
  view.dimensions = {is_along_contracted ? in_contracted : in_side, is_along_contracted ? in_side : in_contracted};
  if (!problem_.batch.empty()) {
    view.dimensions.push_back({problem_.batch[0].size, stride_of(problem_.batch[0], from), 1});
  }
  const bool fits = std::ranges::all_of(view.dimensions, [&](const TensorView::Dimension &dimension) {
    return dimension.size < max_elements && dimension.stride > 0 && dimension.stride * bytes < max_bytes;
  });
  return fits && view.dimensions[0].stride == 1 ? std::optional(view) : std::nullopt;
}

TileStrategy::BoxesOfSides TileStrategy::make_boxes(const ContractionMemory &m) const {
  BoxesOfSides boxes;
  for (const size_t side : {row_side, column_side}) {
    if (const auto of_side = view(m, side)) {
      boxes[side] = Boxes{team_.add_view(*of_side), !problem_.batch.empty()};
    }
  }
  return boxes;
}

llvm::Value *TileStrategy::barrier(const ContractionMemory &m, llvm::Value *scratch, llvm::Value *slice_number) const {
  llvm::IRBuilder<> &b = m.b;
  llvm::Value *at = b.CreateMul(slice_number, m.integer(barrier_bytes));
  return b.CreateInBoundsGEP(b.getInt8Ty(), scratch, b.CreateAdd(at, m.integer(slices_at_once() * slices_bytes())));
}

// Lets one member start the copy engine.
void TileStrategy::copy_boxes(const ContractionMemory &m, const BoxesOfSides &boxes, const OfSides &first,
                              llvm::Value *batch, llvm::Value *k, const OfSides &slices, llvm::Value *barrier) const {
  llvm::IRBuilder<> &b = m.b;
  llvm::Value *is_first = b.CreateICmpEQ(team_.member(), m.integer(0));
  emit_when(b, b.CreateAnd(is_first, b.CreateICmpULT(k, m.integer(contracted_))), [&] {
    int64_t elements = 0;
    for (const size_t side : {row_side, column_side}) {
      elements += boxes[side] ? slice_size(side) : 0;
    }
    team_.mbarrier_expect_bytes(b, barrier, static_cast<uint32_t>(elements * bytes_of(slice_type())));
    for (const size_t side : {row_side, column_side}) {
      if (!boxes[side]) {
        continue;
      }
      const int64_t step =
          lies_along_contracted(side) ? tile(side) : WarpgroupUnit::line_bytes / bytes_of(slice_type());
      for (int64_t i = 0; i < tile(side); i += step) {
        OfSides corner = {k, b.CreateAdd(first[side], m.integer(i))};
        if (!lies_along_contracted(side)) {
          std::swap(corner[0], corner[1]);
        }
        Values coordinates = {corner[0], corner[1]};
        if (boxes[side]->has_batch) {
          coordinates.push_back(batch);
        }
        for (llvm::Value *&coordinate : coordinates) {
          coordinate = b.CreateTrunc(coordinate, b.getInt32Ty());
        }
        llvm::Value *to = b.CreateInBoundsGEP(slice_type(), slices[side], m.integer(i * depth_));
        team_.tma_load(b, boxes[side]->view, coordinates, to, barrier);
      }
    }
  });
}

// The slices of one tile, and the copies to them. `k` is where a slice begins along the contracted axes.
class TileStrategy::Slices {
 public:
  Slices(const TileStrategy &strategy, const ContractionMemory &m, const OfSides &first, llvm::Value *batch,
         llvm::Value *scratch)
      : strategy_(strategy),
        team_(strategy.team_),
        m_(m),
        b_(m.b),
        first_(first),
        batch_(batch),
        scratch_(scratch),
        boxes_(strategy.make_boxes(m)),
        of_batch_{strategy.batch_offset(m, batch, strategy.operand(row_side)),
                  strategy.batch_offset(m, batch, strategy.operand(column_side))},
        has_boxes_(boxes_[row_side] || boxes_[column_side]),
        has_pieces_(!boxes_[row_side] || !boxes_[column_side]),
        any_async_(comes(row_side) || comes(column_side)) {}

  void init_barriers() const {
    if (!has_boxes_) {
      return;
    }
    emit_when(b_, b_.CreateICmpEQ(team_.member(), m_.integer(0)), [&] {
      for (int64_t i = 0; i < strategy_.slices_at_once(); ++i) {
        team_.init_mbarrier(b_, strategy_.barrier(m_, scratch_, m_.integer(i)));
      }
    });
    team_.wait(b_);
  }

  std::array<Pieces, 2> start(llvm::Value *k) const {
    std::array<Pieces, 2> pieces;
    for (const size_t side : {row_side, column_side}) {
      if (!boxes_[side]) {
        pieces[side] = strategy_.start_copy(m_, side, of_batch_[side], first_[side], k, slices(k)[side]);
      }
    }
    if (any_async_) {
      team_.cp_async_commit(b_);
    }
    if (has_boxes_) {
      strategy_.copy_boxes(m_, boxes_, first_, batch_, k, slices(k), strategy_.barrier(m_, scratch_, slot(k)));
    }
    return pieces;
  }

  void finish(const std::array<Pieces, 2> &pieces) const {
    for (const size_t side : {row_side, column_side}) {
      strategy_.finish_copy(m_, side, pieces[side]);
    }
  }

  // Waits until all copies but those of the `last` slices are done, by all members.
  void wait(int64_t last) const {
    if (any_async_) {
      team_.cp_async_wait(b_, static_cast<uint32_t>(last));
    }
    if (has_pieces_) {
      strategy_.fence_copied(m_);
    }
    team_.wait(b_);
  }

  Values multiply(llvm::Value *k, const Values &so_far) const {
    if (has_boxes_) {
      llvm::Value *phase = b_.CreateUDiv(number(k), m_.integer(strategy_.slices_at_once()));
      team_.mbarrier_wait(b_, strategy_.barrier(m_, scratch_, slot(k)), b_.CreateTrunc(phase, b_.getInt1Ty()));
    }
    return strategy_.multiply(m_, slices(k), so_far);
  }

 private:
  bool comes(size_t side) const { return !boxes_[side] && strategy_.is_copied_async(m_, side); }
  llvm::Value *number(llvm::Value *k) const { return b_.CreateUDiv(k, m_.integer(strategy_.depth_)); }
  llvm::Value *slot(llvm::Value *k) const { return b_.CreateURem(number(k), m_.integer(strategy_.slices_at_once())); }
  OfSides slices(llvm::Value *k) const {
    const int64_t of_rows = strategy_.slice_size(row_side), of_columns = strategy_.slice_size(column_side);
    llvm::Type *type = strategy_.slice_type();
    llvm::Value *at = b_.CreateMul(slot(k), m_.integer(of_rows + of_columns));
    llvm::Value *rows = b_.CreateInBoundsGEP(type, scratch_, at);
    return {rows, b_.CreateInBoundsGEP(type, rows, m_.integer(of_rows))};
  }

  const TileStrategy &strategy_;
  Team &team_;
  const ContractionMemory &m_;
  llvm::IRBuilder<> &b_;
  const OfSides &first_;
  llvm::Value *batch_, *scratch_;
  const BoxesOfSides boxes_;
  const std::array<ElementOffset, 2> of_batch_;
  const bool has_boxes_, has_pieces_, any_async_;
};

// Multiplies one slice while the next ones are copied, the last of them to where the previous slice was. If the
// multiplication continues asynchronously, the members wait for each other and copy meanwhile.
Values TileStrategy::add_up(const ContractionMemory &m, const OfSides &first, llvm::Value *batch,
                            llvm::Value *scratch) const {
  llvm::IRBuilder<> &b = m.b;
  const Slices slices(*this, m, first, batch, scratch);
  slices.init_barriers();
  const int64_t ahead = slices_at_once() - 1;
  const auto start_ahead = [&](llvm::Value *k) { return slices.start(b.CreateAdd(k, m.integer(ahead * depth_))); };
  const Values zeros(sums(), llvm::Constant::getNullValue(m.sum_type));
  Values results;
  emit_loop(b, m.integer(0), m.integer(ahead * depth_), depth_,
            [&](llvm::Value *k) { slices.finish(slices.start(k)); });
  if (multiplies_async()) {
    slices.wait(ahead - 1);  // for the first slice
    results = emit_sum(
        b, contracted_, depth_, zeros,
        [&](llvm::Value *k, const Values &so_far) {
          const Values added = slices.multiply(k, so_far);
          slices.wait(ahead - 2);  // for the next slice, and until the previous one is no longer needed
          slices.finish(start_ahead(k));
          return added;
        },
        longest_chain());
  } else {
    results = emit_sum(
        b, contracted_, depth_, zeros,
        [&](llvm::Value *k, const Values &so_far) {
          slices.wait(ahead - 1);  // for this slice, and until the previous one is no longer needed
          const std::array<Pieces, 2> next = start_ahead(k);
          const Values added = slices.multiply(k, so_far);
          slices.finish(next);
          return added;
        },
        longest_chain());
  }
  results = finish_sums(m, results);
  slices.wait(0);
  return results;
}

ElementOffset TileStrategy::batch_offset(const ContractionMemory &m, llvm::Value *batch, Operand of) const {
  ElementOffset element = m.locate(batch, problem_.batch, of);
  element.offset = m.b.CreateAdd(element.offset, m.integer(problem_.offsets[of]));
  return element;
}

void TileStrategy::emit_item(const ContractionMemory &m, llvm::Value *item, llvm::Value *scratch) const {
  llvm::IRBuilder<> &b = m.b;
  llvm::Value *column_tile = b.CreateURem(item, m.integer(tiles_along(column_side)));
  llvm::Value *rest = b.CreateUDiv(item, m.integer(tiles_along(column_side)));
  llvm::Value *row_tile = b.CreateURem(rest, m.integer(tiles_along(row_side)));
  llvm::Value *batch = b.CreateUDiv(rest, m.integer(tiles_along(row_side)));
  const OfSides first = {b.CreateMul(row_tile, m.integer(tile(row_side))),
                         b.CreateMul(column_tile, m.integer(tile(column_side)))};
  const Values sums = add_up(m, first, batch, scratch);
  write_out(m, sums, first, batch_offset(m, batch, out_operand), scratch);
}

// Writes the sums through the team's memory, a few rows of units at a time. Members then have neighbours in out, which
// an epilogue reads and writes as vectors, and the code of the epilogue exists only once for all of them.
void TileStrategy::write_out(const ContractionMemory &m, const Values &sums, const OfSides &first,
                             const ElementOffset &batch, llvm::Value *scratch) const {
  llvm::IRBuilder<> &b = m.b;
  int64_t stride = 0;
  const bool is_along_columns = has_single_stride(problem_.columns, out_operand, &stride) && stride == 1;
  const bool is_divided = size_[column_side] % m.width == 0 && tile(column_side) % m.width == 0;
  const int64_t lanes = is_along_columns && is_divided ? m.width : 1;
  llvm::Type *type = lanes == 1 ? m.sum_type : m.sum_vector;
  const auto in_scratch = [&](llvm::Value *row, llvm::Value *column) {
    return b.CreateInBoundsGEP(m.sum_type, scratch, b.CreateAdd(b.CreateMul(row, m.integer(sums_stride())), column));
  };
  const int64_t rows = units_together() * unit_[row_side];
  const size_t at_once = sums.size() * static_cast<size_t>(rows) / static_cast<size_t>(tile(row_side));
  for (size_t done = 0; done < sums.size(); done += at_once) {
    llvm::Value *before = m.integer(static_cast<int64_t>(done / at_once) * rows);
    team_.wait(b);
    for (size_t i = done; i < done + at_once; ++i) {
      const OfSides in_tile = position(m, i);
      b.CreateStore(sums[i], in_scratch(b.CreateSub(in_tile[row_side], before), in_tile[column_side]));
    }
    team_.wait(b);
    const int64_t across = tile(column_side) / lanes;
    emit_loop(b, team_.member(), m.integer(rows * across), team_.size(), [&](llvm::Value *part) {
      llvm::Value *in_rows = b.CreateUDiv(part, m.integer(across));
      llvm::Value *in_tile = b.CreateMul(b.CreateURem(part, m.integer(across)), m.integer(lanes));
      llvm::Value *row = b.CreateAdd(first[row_side], b.CreateAdd(before, in_rows));
      llvm::Value *column = b.CreateAdd(first[column_side], in_tile);
      llvm::Value *is_there = m.mask_and(m.is_below(row, size_[row_side], tile(row_side)),
                                         m.is_below(column, size_[column_side], tile(column_side)));
      emit_when(b, is_there, [&] {
        llvm::Value *finished = b.CreateAlignedLoad(type, in_scratch(in_rows, in_tile),
                                                    llvm::Align(static_cast<uint64_t>(lanes * bytes_of(m.sum_type))));
        llvm::Value *to = m.sum(batch, m.locate(row, problem_.rows, out_operand)).offset;
        if (lanes > 1) {
          m.store(finished, {Lanes::contiguous, column, nullptr}, to, nullptr);
        } else {
          m.store_scalar(finished, b.CreateAdd(to, m.locate(column, problem_.columns, out_operand).offset));
        }
      });
    });
  }
}

std::unique_ptr<ContractionStrategy> make_tiled_strategy(const ContractionProblem &problem, Team &team,
                                                         const ContractionShape &shape) {
  switch (shape.way) {
    case ContractionWay::WarpgroupTiles: return make_warpgroup_tiles(problem, team, shape);
    case ContractionWay::MatrixTiles: return make_matrix_tiles(problem, team, shape);
    default: return make_scalar_tiles(problem, team, shape);
  }
}

}  // namespace bp::emit
